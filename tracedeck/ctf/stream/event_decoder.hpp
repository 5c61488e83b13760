// The event records of a packet, onto the tape of a batch (er-dec).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/ctf/stream/machine.hpp"
#include "tracedeck/ctf/stream/packet_head.hpp"
#include "tracedeck/ctf/stream/stream_schema.hpp"
#include "tracedeck/model/batch.hpp"

namespace tracedeck::ctf {

// Something that is read all the same.
struct Oddity {
  StreamRule rule;
  std::uint64_t position = 0;  // bits from the packet's beginning
  std::string text = {};
};

// What kEventOrder says of two event records.
[[nodiscard]] std::string event_order_text(std::uint64_t time, std::uint64_t previous);

// Decodes the event records of one packet after the other. One thread at a time.
class EventDecoder {
 public:
  enum class Stop : std::uint8_t {
    kPacketEnd,
    kBatchFull,
    kNeedBytes,     // `needed()` bits from the packet's beginning must be at hand
    kNeedSlots,     // the batch must have room for `needed()` slots, and none is used
    kUnknownClass,  // there is no class `unknown_class()`
    kFault,         // see `fault`
  };

  // `values`: put field values on the tape, those of headers if `headers`. `findings`: look for
  // oddities.
  EventDecoder(bool values, bool headers, bool findings)
      : values_(values), headers_(values && headers), findings_(findings) {
    state_.check_text = values && findings;
  }

  // Its registers hold what the packet's header and context have set.
  [[nodiscard]] DecodeState& state() { return state_; }

  // `packet` and what it refers to must outlive the batches. `offset`: of the packet's first byte
  // in its file. `previous`: time of the event record before, in this data stream.
  void begin(const StreamSchema& schema, const PacketHead& head, const Packet& packet,
             std::uint64_t offset, std::optional<std::uint64_t> previous);
  // The same classes and more: after the metadata has grown.
  void take_over(const StreamSchema& schema) { schema_ = &schema; }

  // Adds event records to `batch`. `bytes`: from byte `first` of the packet on, as many as are at
  // hand; `last`: the data stream ends with them. Where the event record at hand begins must not be
  // before them.
  [[nodiscard]] Stop run(Batch& batch, PaddedView bytes, std::uint64_t first, bool last);

  // Bits from the packet's beginning to the first event record that is not decoded yet.
  [[nodiscard]] std::uint64_t position() const { return state_.position; }
  [[nodiscard]] std::uint64_t needed() const { return state_.needed; }
  [[nodiscard]] std::uint64_t unknown_class() const { return state_.event_class_id; }
  [[nodiscard]] const DecodeFault& fault() const { return state_.fault; }
  // Of the last event record.
  [[nodiscard]] std::optional<std::uint64_t> previous() const {
    if (!any_time_) return {};
    return previous_;
  }
  [[nodiscard]] std::uint64_t clock() const { return state_.clock; }

  // What was found odd since the last call; of each kind at most one a packet.
  [[nodiscard]] std::vector<Oddity> take_oddities() { return std::exchange(oddities_, {}); }

 private:
  Stop one(Batch& batch);
  Stop not_whole(std::uint64_t begin, std::uint64_t clock);
  Stop stop(RunStatus status, std::uint64_t begin, std::uint64_t clock);
  void rewind(std::uint64_t begin, std::uint64_t clock);
  void look_at(std::uint64_t begin);
  void odd(std::size_t kind, StreamRule rule, std::uint64_t begin, std::string text);

  bool values_;
  bool headers_;
  bool findings_;
  DecodeState state_;
  const StreamSchema* schema_ = nullptr;
  std::shared_ptr<const EventTable> events_;  // for the batch at hand
  const Packet* packet_ = nullptr;
  std::uint64_t offset_ = 0;
  bool last_ = false;
  bool has_clock_ = false;
  bool may_wrap_ = false;                       // see counter_wrap.hpp
  std::uint64_t added_ = 0;                     // to times: what corrects them, and wraps so far
  ByteOrder begin_order_ = ByteOrder::kLittle;  // LAST_BO where the event record begins
  std::uint64_t begin_empty_ = 0;               // elements that take no bits before it
  bool any_time_ = false;                       // there was an event record with a time before
  std::uint64_t previous_ = 0;                  // its time
  std::uint64_t packet_least_ = 0;              // when the packet begins, as recorded
  std::uint64_t least_ = 0;                     // a time before or
  std::uint64_t most_ = 0;                      // after these is odd
  std::array<bool, 3> found_ = {};              // oddities of this packet, by kind
  std::vector<Oddity> oddities_;
};

}  // namespace tracedeck::ctf
