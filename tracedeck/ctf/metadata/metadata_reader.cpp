#include "tracedeck/ctf/metadata/metadata_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "tracedeck/ctf/metadata/metadata_rules.hpp"
#include "tracedeck/ctf/metadata/tsdl_packets.hpp"
#include "tracedeck/ctf/metadata/tsdl_rules.hpp"

namespace tracedeck::ctf {
namespace {

// LTTng 2.14 wrote metadata of the kernel without the comment that all others begin with: what does
// not begin like JSON is text of TSDL, or packets of it.
bool is_tsdl(ByteSpan head) {
  using namespace std::string_view_literals;
  constexpr std::string_view kJson = "\x1e{[";
  const std::string_view text = as_text(head);
  const std::size_t start = text.find_first_not_of(" \t\r\n\0"sv);
  return start != std::string_view::npos && kJson.find(text[start]) == std::string_view::npos;
}

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool has_byte_order_mark(ByteSpan head) { return as_text(head).starts_with(kByteOrderMark); }

// Text without what editors and crashes add to it: a byte order mark, which reads as white space so
// that offsets stay, and zeros at the end, which a file that was set aside in pages has.
class PaddedText final : public MetadataReader {
 public:
  PaddedText(std::unique_ptr<MetadataReader> text, const Metadata& metadata, bool is_tsdl)
      : text_(std::move(text)), metadata_(metadata), is_tsdl_(is_tsdl) {}

  std::vector<Finding> read(ByteSpan bytes, bool last) override {
    std::vector<Finding> findings;
    const auto add = [&](ByteSpan part, bool is_last) {
      std::ranges::move(text_->read(part, is_last), std::back_inserter(findings));
    };
    if (position_ == 0 && has_byte_order_mark(bytes)) {
      has_mark_ = true;
      constexpr std::array<std::uint8_t, kByteOrderMark.size()> kSpaces = {' ', ' ', ' '};
      add(kSpaces, false);
      bytes = bytes.subspan(kByteOrderMark.size());
      position_ += kByteOrderMark.size();
    }
    // Nothing but zeros: npos, whose successor is 0.
    const std::size_t size = as_text(bytes).find_last_not_of('\0') + 1;
    if (size != 0) {
      constexpr std::array<std::uint8_t, 256> kZeros = {};
      for (; zeros_ != 0; zeros_ -= std::min<std::uint64_t>(zeros_, kZeros.size()))
        add(ByteSpan(kZeros).first(std::min<std::uint64_t>(zeros_, kZeros.size())), false);
      add(bytes.first(size), false);
    }
    position_ += bytes.size();
    zeros_ += bytes.size() - size;
    if (!last) return findings;
    add({}, true);
    const auto report = [&](std::uint64_t offset, std::uint64_t length, std::string text) {
      const Rule& rule = is_tsdl_ ? tsdl_rule(TsdlRule::kPadding)
                                  : metadata_rule(MetadataRule::kPadding, metadata_.dialect());
      findings.push_back(
          {.rule = &rule, .offset = offset, .length = length, .text = std::move(text)});
    };
    if (std::exchange(has_mark_, false))
      report(0, kByteOrderMark.size(), "the text begins with a byte order mark, which is not read");
    if (zeros_ != 0 && !std::exchange(zeros_reported_, true)) {
      report(position_ - zeros_, zeros_,
             fmt::format("{} zeros follow the text, which are not read", zeros_));
    }
    return findings;
  }

 private:
  std::unique_ptr<MetadataReader> text_;
  const Metadata& metadata_;
  bool is_tsdl_;
  std::uint64_t position_ = 0;  // bytes so far
  std::uint64_t zeros_ = 0;     // the last of them
  bool has_mark_ = false;       // which is not reported yet
  bool zeros_reported_ = false;
};

}  // namespace

std::unique_ptr<MetadataReader> metadata_reader(ByteSpan head, Metadata& metadata) {
  if (tsdl::MetadataPackets::are_packets(head)) return tsdl_metadata_reader(metadata);
  if (has_byte_order_mark(head)) head = head.subspan(kByteOrderMark.size());
  const bool as_tsdl = is_tsdl(head);
  return std::make_unique<PaddedText>(
      as_tsdl ? tsdl_metadata_reader(metadata) : json_metadata_reader(metadata), metadata, as_tsdl);
}

}  // namespace tracedeck::ctf
