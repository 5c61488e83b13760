// The packets that we write: their header and context, and the headers of event records.
//
// All of it is little-endian and begins at whole bytes, with the member names that CTF 1.8
// reserves:
//
//   header          magic 4, uuid 16 (if the trace has one), stream_id 8,
//                   stream_instance_id 8 (if data streams have ids)
//   context         packet_size 8, content_size 8 (bits), timestamp_begin 8, timestamp_end 8 (with
//                   a clock), packet_seq_num 8, events_discarded 8, then members of the source
//   event header    with a clock: id 5 bits, timestamp 27 bits; or 31, id 32 bits, timestamp 64
//                   bits; without: id 32 bits
//
// The context begins where the alignment of the source's members wants it, and ids have 64 bits
// where the source has larger ones than fit 32.
#pragma once

#include <cstdint>
#include <optional>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/write/event_header.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::ctf {

// What a packet says about itself.
struct PacketFacts {
  std::uint64_t stream_class_id = 0;
  std::uint64_t stream_id = 0;
  std::uint64_t total_bits = 0;
  std::uint64_t content_bits = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t sequence = 0;
  std::uint64_t discarded = 0;
};

struct PacketLayout {
  std::optional<Uuid> uuid = {};
  bool has_stream_ids = false;
  bool has_clock = false;
  bool has_wide_ids = false;
  std::uint32_t context_alignment = 8;  // bits

  // Where the packet context begins: bytes.
  [[nodiscard]] std::size_t context_begin() const {
    const std::size_t header = 12 + (uuid ? 16U : 0U) + (has_stream_ids ? 8U : 0U);
    const std::size_t alignment = context_alignment / 8;
    return (header + alignment - 1) / alignment * alignment;
  }
  // Bytes in front of the members of the source.
  [[nodiscard]] std::size_t size() const { return context_begin() + 32 + (has_clock ? 16U : 0U); }
  // Writes `size()` bytes.
  void write(std::uint8_t* to, const PacketFacts& facts) const;

  [[nodiscard]] FieldClassPtr header_class(Dialect dialect) const;
  // `more`: members behind ours; their names must not be ours.
  [[nodiscard]] FieldClassPtr context_class(Dialect dialect, std::vector<Member> more) const;
  [[nodiscard]] FieldClassPtr event_header_class(Dialect dialect) const;
};

// Whether a member of a packet context would be taken for one of ours.
[[nodiscard]] bool is_packet_member(std::string_view name);

// Writes the header of an event record for any layout. At most `kEventHeaderRoom` + 4 bytes, and 3
// more are stored.
[[nodiscard]] std::uint8_t* put_event_header(const PacketLayout& layout, std::uint8_t* to,
                                             std::uint64_t id, std::uint64_t last,
                                             std::uint64_t time);

}  // namespace tracedeck::ctf
