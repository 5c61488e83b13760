// Writes records as a Heph trace that have what its reader gives them: substream and counter as
// their common context, and numbers, texts and arrays of them, or a map of such, as their payload.
// `lower` makes them of other formats, docs/formats/heph.md. Records are of one description.
#pragma once

#include <memory>
#include <span>
#include <string_view>

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
  [[nodiscard]] Receipt receipt() const override { return {}; }

  // An event by itself, of a trace that was described. Errors: those of `write`.
  [[nodiscard]] Result<void> put(const SpanLayout& layout, const EventHead& head,
                                 std::span<const Slot> payload) {
    const std::size_t room = layout.room(payload);
    if (room == 0) [[unlikely]]
      return put_other(layout.event_class(), head, payload);
    return put_plain(layout, head, payload, room);
  }
  // The same of one that takes `room`, which is not 0.
  [[nodiscard]] Result<void> put_plain(const SpanLayout& layout, const EventHead& head,
                                       std::span<const Slot> payload, std::size_t room) {
    std::uint8_t* const to = encoder_.reserve(room);
    if (to == nullptr) [[unlikely]]
      return encoder_.flush();
    encoder_.commit(layout.put(to, head, payload));
    return {};
  }

 private:
  // Any values.
  Result<void> put_other(const EventClass& event_class, const EventHead& head,
                         std::span<const Slot> payload);
  // The epoch, and what the environment has come to hold.
  Result<void> write_options(const TraceDescription& trace, const ClockClass* clock);

  Encoder encoder_;
  SlotAttributes attributes_;
  bool begun_ = false;
  std::size_t written_options_ = 0;
};

// Error: kInvalidArgument for a version other than "0.1.0" or none.
[[nodiscard]] Result<std::unique_ptr<Writer>> create_writer(io::Output& output,
                                                            const WriteOptions& options);

}  // namespace tracedeck::heph
