// Metadata text in packets (CTF 1.8.3, 7.1).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/ctf/metadata/tsdl_text.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::ctf::tsdl {

// Takes the text out of metadata packets as their bytes arrive.
class MetadataPackets {
 public:
  static constexpr std::uint32_t kMagic = 0x75D11D57;
  static constexpr std::size_t kHeaderSize = 37;  // bytes

  struct Text {
    std::string_view text;  // into the bytes that were handed in
    std::uint64_t stream_offset = 0;
  };

  explicit MetadataPackets(TextFindings& findings) : findings_(findings) {}

  // Whether a stream that begins with these bytes, at least 4, consists of packets.
  [[nodiscard]] static bool are_packets(ByteSpan begin);

  // The text in the next bytes of the stream.
  [[nodiscard]] std::vector<Text> read(ByteSpan bytes);
  // No more bytes for now: reports a packet that is cut off.
  void judge_end();

  // The UUID of the packets, and that of the trace must be the same.
  void check_uuid(const Uuid& trace_uuid);

  // A fault behind which no packet can be found.
  [[nodiscard]] bool is_lost() const { return is_lost_; }

 private:
  void begin_packet();
  void end_at_zeros();
  [[nodiscard]] bool take_schemes();
  void lose(TsdlRule rule, std::string text);
  void compare_uuids();

  TextFindings& findings_;
  std::uint64_t position_ = 0;  // in the stream
  std::array<std::uint8_t, kHeaderSize> header_ = {};
  std::size_t header_filled_ = 0;
  std::uint64_t packet_begin_ = 0;
  std::uint64_t content_left_ = 0;  // bytes
  std::uint64_t padding_left_ = 0;  // bytes
  bool is_lost_ = false;
  bool has_zeros_ = false;  // behind the last packet
  std::optional<Uuid> trace_uuid_ = {};
  // Those of packets that are not compared yet, with their offsets.
  std::vector<std::pair<Uuid, std::uint64_t>> uuids_ = {};
};

}  // namespace tracedeck::ctf::tsdl
