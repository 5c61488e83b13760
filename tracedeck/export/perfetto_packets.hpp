// Packets of a Perfetto trace: one sequence, whose times are counted from packet to packet.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/export/perfetto_fields.hpp"
#include "tracedeck/export/protobuf_writer.hpp"

namespace tracedeck::exporting::perfetto {

// What became of times.
struct TimeCounts {
  std::uint64_t shift = 0;    // ns added to each, since there are times before 0
  std::uint64_t clamped = 0;  // times that lie before what was known at the beginning, or too late
};

// One packet is open at most. An event stays open until something else begins: what turns out to
// belong to it is added to it, however the marks are cut into batches.
class Packets {
 public:
  explicit Packets(io::Output& output) : writer_(output) {}

  // The first packet. `first`: of the times to come, of which none ought to be before `earliest`.
  void start(ClockId base, std::int64_t first, std::int64_t earliest);

  // The fields of what is open are written with it.
  [[nodiscard]] ProtobufWriter& writer() { return writer_; }

  // Opens a packet without a time, or with one; the message that it is about comes next.
  void begin();
  void begin(std::int64_t time);
  // Opens an event, whose further fields come next.
  void begin_event(EventType type, std::int64_t time, std::uint32_t track_uuid);
  // Closes what is open.
  void end();

  [[nodiscard]] bool event_is_open() const { return event_ != kNone; }

  // What the open packet, or the next one, names by `iid`.
  void intern(std::uint32_t field, std::uint32_t iid, std::string_view text) {
    interned_.push_back({field, iid, std::string(text)});
  }
  // Fields of a message and their values.
  using Numbers = std::vector<std::pair<std::uint32_t, std::uint64_t>>;
  // The same of what has numbers instead of a text, its `iid` among them.
  void intern(std::uint32_t field, Numbers numbers) {
    interned_numbers_.emplace_back(field, std::move(numbers));
  }
  // Text that is no UTF-8 is repaired, and counted.
  void text(std::uint32_t number, std::string_view text);

  [[nodiscard]] Result<void> finish();
  [[nodiscard]] const Result<void>& status() const { return writer_.status(); }
  [[nodiscard]] const TimeCounts& times() const { return times_; }
  [[nodiscard]] std::uint64_t repaired() const { return repaired_; }

 private:
  static constexpr std::size_t kNone = 0;  // no message begins there
  struct Interned {
    std::uint32_t field;
    std::uint32_t iid;
    std::string text;
  };

  [[nodiscard]] std::uint64_t moved(std::int64_t time);
  [[nodiscard]] std::uint8_t* put_header(std::uint8_t* at, std::uint64_t time);
  void put_clock(ClockId id, std::uint64_t time);
  void put_interned();

  ProtobufWriter writer_;
  std::size_t packet_ = kNone;
  std::size_t event_ = kNone;
  std::int64_t earliest_ = 0;
  std::uint64_t last_ = 0;  // what the next difference is counted from
  TimeCounts times_ = {};
  std::uint64_t repaired_ = 0;
  std::vector<Interned> interned_;
  std::vector<std::pair<std::uint32_t, Numbers>> interned_numbers_;
};

}  // namespace tracedeck::exporting::perfetto
