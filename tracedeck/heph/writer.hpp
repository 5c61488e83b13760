// Writes records as a Heph trace that have what its reader gives them: substream and counter as
// their common context, and numbers, texts and arrays of them, or a map of such, as their payload.
// `lower` makes them of other formats, docs/formats/heph.md. Records are of one description.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>

#include "tracedeck/format/format.hpp"
#include "tracedeck/heph/encoder.hpp"
#include "tracedeck/heph/slot_attributes.hpp"
#include "tracedeck/heph/span_layout.hpp"

namespace tracedeck::heph {

class TraceWriter final : public Writer {
 public:
  explicit TraceWriter(io::Output& output);

  Result<void> write(const Record& record) override;
  Result<void> describe(const TraceDescription& trace) override;
  Result<void> flush() override { return encoder_.flush(); }
  Result<void> finish() override;
  // How many events readers take for lost that were not: left out, in another part, or unreadable.
  [[nodiscard]] Receipt receipt() const override;

  // An event by itself, of a trace that was described. Errors: those of `write`.
  [[nodiscard]] Result<void> put(const SpanLayout& layout, const EventHead& head,
                                 std::span<const Slot> payload) {
    const std::size_t room = layout.room(payload);
    if (room != 0) [[likely]]
      return put_plain(layout, head, payload, room);
    count(head.stream, head.counter);
    return put_other(layout.event_class(), head, payload);
  }
  // The same of one that takes `room`, which is not 0.
  [[nodiscard]] Result<void> put_plain(const SpanLayout& layout, const EventHead& head,
                                       std::span<const Slot> payload, std::size_t room) {
    count(head.stream, head.counter);
    std::uint8_t* const to = encoder_.reserve(room);
    if (to == nullptr) [[unlikely]]
      return encoder_.flush();
    encoder_.commit(layout.put(to, head, payload));
    return {};
  }

  // Of the counters of a stream, so many are of events that were lost, or came after all.
  void note_lost(std::uint32_t stream, std::uint64_t events, bool came_after_all = false);

 private:
  // Any values.
  Result<void> put_other(const EventClass& event_class, const EventHead& head,
                         std::span<const Slot> payload);
  // The epoch, and what the environment has come to hold.
  Result<void> write_options(const TraceDescription& trace, const ClockClass* clock);

  // What was written of a stream, by the counters of its events.
  struct Counted {
    // Counters of 32 bits begin anew; these go on. Those before the first are of no event that
    // readers miss.
    std::int64_t last = 0;
    std::int64_t first = 0;
    std::int64_t highest = 0;
    std::uint64_t events = 0;  // from the first on
    std::uint64_t lost = 0;    // of those in between, as the source says
  };
  void count(std::uint32_t stream, std::uint32_t counter) {
    if (last_counted_ == nullptr || stream != last_stream_) {
      last_counted_ = &counted_[stream];
      last_stream_ = stream;
    }
    Counted& counted = *last_counted_;
    const std::uint32_t step = counter - static_cast<std::uint32_t>(counted.last);
    counted.last += static_cast<std::int32_t>(step);
    if (counted.events == 0) counted.first = counted.highest = counted.last;
    if (counted.last >= counted.first) ++counted.events;
    counted.highest = std::max(counted.highest, counted.last);
  }

  std::unordered_map<std::uint32_t, Counted> counted_ = {};
  std::uint32_t last_stream_ = 0;
  Counted* last_counted_ = nullptr;  // of that
  Encoder encoder_;
  SlotAttributes attributes_;
  bool begun_ = false;
  std::size_t written_options_ = 0;
};

// Error: kInvalidArgument for a version other than "0.1.0" or none.
[[nodiscard]] Result<std::unique_ptr<Writer>> create_writer(io::Output& output,
                                                            const WriteOptions& options);

}  // namespace tracedeck::heph
