#include "tracedeck/ctf/metadata/tsdl_packets.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tracedeck::ctf::tsdl {
namespace {

// Where the members of a packet header lie, in bytes.
constexpr std::size_t kUuidAt = 4;
constexpr std::size_t kContentSizeAt = 24;
constexpr std::size_t kPacketSizeAt = 28;
constexpr std::size_t kCompressionAt = 32;
constexpr std::size_t kMajorAt = 35;
constexpr std::size_t kMinorAt = 36;
constexpr std::array<std::string_view, 3> kSchemes = {"compressed", "encrypted", "checksummed"};

std::string show(const Uuid& uuid) {
  std::string text;
  for (std::size_t i = 0; i < uuid.size(); ++i)
    text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
  return text;
}

}  // namespace

bool MetadataPackets::are_packets(ByteSpan begin) {
  return begin.size() >= 4 && (load_le<std::uint32_t>(begin.data()) == kMagic ||
                               load_be<std::uint32_t>(begin.data()) == kMagic);
}

std::vector<MetadataPackets::Text> MetadataPackets::read(ByteSpan bytes) {
  std::vector<Text> result;
  while (!bytes.empty() && !is_lost_ && !has_zeros_) {
    std::size_t taken = 0;
    if (content_left_ > 0) {
      taken = static_cast<std::size_t>(std::min<std::uint64_t>(content_left_, bytes.size()));
      result.push_back({as_text(bytes.first(taken)), position_});
      content_left_ -= taken;
    } else if (padding_left_ > 0) {
      taken = static_cast<std::size_t>(std::min<std::uint64_t>(padding_left_, bytes.size()));
      padding_left_ -= taken;
    } else {
      if (header_filled_ == 0) packet_begin_ = position_;
      taken = std::min(kHeaderSize - header_filled_, bytes.size());
      std::ranges::copy(bytes.first(taken),
                        header_.begin() + static_cast<std::ptrdiff_t>(header_filled_));
      header_filled_ += taken;
    }
    position_ += taken;
    bytes = bytes.subspan(taken);
    if (header_filled_ == kHeaderSize) {
      header_filled_ = 0;
      begin_packet();
    }
  }
  return result;
}

void MetadataPackets::lose(TsdlRule rule, std::string text) {
  is_lost_ = true;
  findings_.report_outside(rule, packet_begin_, std::move(text));
}

void MetadataPackets::begin_packet() {
  const std::uint8_t* const header = header_.data();
  if (std::ranges::count(header_, 0) == kHeaderSize) return end_at_zeros();
  const bool is_little = load_le<std::uint32_t>(header) == kMagic;
  if (!are_packets(header_)) {
    return lose(TsdlRule::kPacketHeader,
                fmt::format("a metadata packet begins with {:08X}; the magic number 75D11D57 was "
                            "expected",
                            load_be<std::uint32_t>(header)));
  }
  const auto load = [&](std::size_t at) {
    return is_little ? load_le<std::uint32_t>(header + at) : load_be<std::uint32_t>(header + at);
  };
  if (header[kMajorAt] != 1 || header[kMinorAt] != 8) {
    return lose(TsdlRule::kPacketHeader,
                fmt::format("a metadata packet has version {}.{}; 1.8 was expected",
                            header[kMajorAt], header[kMinorAt]));
  }
  const std::uint32_t content = load(kContentSizeAt);
  const std::uint32_t total = load(kPacketSizeAt);
  if (content % 8 != 0 || total % 8 != 0 || content < kHeaderSize * 8 || content > total) {
    return lose(TsdlRule::kPacketSizes,
                fmt::format("a metadata packet has {} bits, {} of them content; whole bytes and a "
                            "content from {} bits to the packet's were expected",
                            total, content, kHeaderSize * 8));
  }
  if (!take_schemes()) return;
  Uuid uuid;
  std::copy_n(header + kUuidAt, uuid.size(), uuid.begin());
  // One for each change is enough.
  if (uuids_.empty() || uuids_.back().first != uuid) uuids_.emplace_back(uuid, packet_begin_);
  compare_uuids();
  content_left_ = content / 8 - kHeaderSize;
  padding_left_ = (total - content) / 8;
}

// What a crash leaves of pages that were set aside. Nothing is missing unless something refers to
// it.
void MetadataPackets::end_at_zeros() {
  has_zeros_ = true;
  findings_.report_outside(TsdlRule::kPacketZeros, packet_begin_,
                           "zeros follow the last metadata packet; nothing behind it is read");
}

bool MetadataPackets::take_schemes() {
  for (std::size_t i = 0; i < kSchemes.size(); ++i) {
    const unsigned scheme = header_[kCompressionAt + i];
    if (scheme == 0) continue;
    lose(TsdlRule::kPacketScheme,
         fmt::format("a metadata packet is {} by scheme {}; 0, none, was expected", kSchemes[i],
                     scheme));
    return false;
  }
  return true;
}

void MetadataPackets::check_uuid(const Uuid& trace_uuid) {
  trace_uuid_ = trace_uuid;
  compare_uuids();
}

void MetadataPackets::compare_uuids() {
  if (!trace_uuid_) return;
  for (const auto& [uuid, offset] : uuids_) {
    if (uuid == *trace_uuid_) continue;
    findings_.report_outside(
        TsdlRule::kPacketUuid, offset,
        fmt::format("a metadata packet has UUID {}; that of the trace, {}, was expected",
                    show(uuid), show(*trace_uuid_)));
  }
  uuids_.clear();
}

void MetadataPackets::judge_end() {
  // Padding that is not there is not missed.
  if (is_lost_ || has_zeros_ || (header_filled_ == 0 && content_left_ == 0)) return;
  const ByteSpan begun = ByteSpan(header_).first(header_filled_);
  if (content_left_ == 0 && std::ranges::count(begun, 0) == std::ssize(begun))
    return end_at_zeros();
  findings_.report_outside(
      TsdlRule::kCut, packet_begin_,
      fmt::format(
          "the stream of metadata ends within a packet; {} bytes more were expected",
          header_filled_ != 0 ? kHeaderSize - header_filled_ : content_left_ + padding_left_));
}

}  // namespace tracedeck::ctf::tsdl
