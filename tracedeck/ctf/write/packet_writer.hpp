// Writes the packets of one data stream to its file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tracedeck/ctf/write/bit_writer.hpp"
#include "tracedeck/ctf/write/packet_layout.hpp"
#include "tracedeck/ctf/write/placed_role.hpp"
#include "tracedeck/io/output.hpp"

namespace tracedeck::ctf {

// The header and context of the packets of a source, as the first bits of a packet.
struct PacketHeadBits {
  std::vector<std::uint8_t> bytes = {};
  std::uint64_t size = 0;  // bits
  std::vector<PlacedRole> roles = {};

  [[nodiscard]] bool has(Role role) const;
  // Whether it says where the packet ends.
  [[nodiscard]] bool has_size() const { return has(Role::kTotalSize) || has(Role::kContentSize); }
  // Whether it separates content from padding, so that the content may end inside a byte.
  [[nodiscard]] bool tells_padding() const {
    return has(Role::kTotalSize) && has(Role::kContentSize);
  }
};

// A packet is kept in memory until it ends, for its header says how long it is; of one that does
// not say so, only the end is. One thread at a time. Errors are those of the output.
//
// Packets have the heads of a `PacketLayout`, or those of a source with the values that apply put
// into their fields.
class PacketWriter {
 public:
  PacketWriter(std::unique_ptr<io::Output> output, const PacketLayout& layout,
               std::uint64_t stream_class_id, std::uint64_t stream_id)
      : output_(std::move(output)), layout_(layout) {
    facts_.stream_class_id = stream_class_id;
    facts_.stream_id = stream_id;
  }

  [[nodiscard]] bool is_open() const { return open_; }
  [[nodiscard]] BitWriter& bits() { return bits_; }
  [[nodiscard]] const BitWriter& bits() const { return bits_; }
  // Whether the packet holds events.
  [[nodiscard]] bool has_events() const { return events_ != 0; }

  // Begins a packet at a clock value. `bits()` then stands where the source's members of the packet
  // context go.
  void begin(std::uint64_t time);
  // Begins one with the head of a source, which must outlive it. `clock`: as a reader knows it from
  // before; where the head has a begin, it is that.
  void begin(std::uint64_t time, std::uint64_t clock, const PacketHeadBits& head);
  // The clock as a reader knows it.
  [[nodiscard]] std::uint64_t clock() const { return last_time_; }
  [[nodiscard]] std::uint64_t begin_time() const { return facts_.begin; }
  [[nodiscard]] std::uint64_t end_time() const { return facts_.end; }
  // Gives the packet another end than its last event.
  void end_at(std::uint64_t time) { facts_.end = time; }
  // Widens the interval of the packet.
  void reach(std::uint64_t begin, std::uint64_t end);

  // Writes an event header. `bits()` then stands where the event goes on.
  void begin_event(std::uint64_t id, std::uint64_t time);
  // Begins an event whose header is a source's. `bits()` then stands where the event before ended.
  void begin_event();
  // Its header is written, and its fields with roles lay so. Returns whether readers understand its
  // time.
  [[nodiscard]] bool end_event_header(std::span<const PlacedRole> roles, std::uint64_t time);
  // The event is complete; its times become those of the packet. Errors: those of the output.
  [[nodiscard]] Result<void> end_event() {
    ++events_;
    facts_.end = std::max(facts_.end, last_time_);
    if (has_size_ || bits_.byte_size() < kMostUnwritten) [[likely]]
      return {};
    return write_portion();
  }
  // Where the event begins: bits, before padding.
  [[nodiscard]] std::uint64_t event_begin() const { return position_before_; }
  // Takes back what was written since `begin_event`.
  void abandon_event() {
    // Not to where the event began: the content would end with padding.
    bits_.rewind(position_before_);
    last_time_ = time_before_;
  }

  // Ends the packet and writes it. `discarded`: the counter's snapshot at its end. `padding`: bytes
  // behind its content. Error: kInvalidArgument if a source's head has no room for how long it is.
  [[nodiscard]] Result<void> end(std::uint64_t sequence, std::uint64_t discarded,
                                 std::uint64_t padding = 0);
  // Hands the packets that have ended to the operating system.
  [[nodiscard]] Result<void> flush() { return output_->flush(); }
  [[nodiscard]] Result<void> finish() { return output_->finish(); }

 private:
  // Of a packet whose head does not say how long it is, no more is kept: bytes.
  static constexpr std::size_t kMostUnwritten = std::size_t{256} << 10;

  [[nodiscard]] bool put_roles();
  [[nodiscard]] Result<void> write_portion();

  std::unique_ptr<io::Output> output_;
  PacketLayout layout_;
  const PacketHeadBits* head_ = nullptr;  // of the source, unless it is written
  bool has_size_ = true;
  BitWriter bits_;
  PacketFacts facts_;
  std::uint64_t position_before_ = 0;  // bits; padding follows
  std::uint64_t time_before_ = 0;
  std::uint64_t last_time_ = 0;
  std::uint64_t events_ = 0;
  bool open_ = false;
};

}  // namespace tracedeck::ctf
