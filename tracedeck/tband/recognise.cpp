#include "tracedeck/tband/recognise.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "tracedeck/base/padded_bytes.hpp"
#include "tracedeck/tband/decoder.hpp"

namespace tracedeck::tband {
namespace {

using std::string_view_literals::operator""sv;

// First bytes of what is something else, were it ever so much like frames.
constexpr auto kMagics = std::to_array<std::string_view>({
    "TRC\x00"sv,           // dial9
    "\xC1\x1F\xFC\xC1"sv,  // CTF packets, both byte orders
    "\xC1\xFC\x1F\xC1"sv,  //
    "\xD1\x11\xD5\x75"sv,  // CTF 1.8 metadata in packets, both byte orders
    "\x75\xD1\x1D\x57"sv,  //
    "\x57\x1D\xD1\x75"sv,  //
    "\xC1\xFC\x1F\xB7"sv,  // Heph: events, metadata
    "\x75\xD1\x1D\x4D"sv,  //
    "\x1F\x8B"sv,          // gzip
    "\x28\xB5\x2F\xFD"sv,  // zstd
});

class Counter {
 public:
  bool event(const EventView&, std::uint64_t, std::uint32_t) {
    ++good_;
    return true;
  }
  void problem(const Finding& finding) {
    const bool incomplete_last = finding.rule == &rule(RuleId::kFrameTruncated);
    if (!incomplete_last && finding.offset != 0) ++bad_;
  }
  void finding(const Finding&) {}

  [[nodiscard]] bool convinces(bool whole) const {
    const std::uint64_t frames = good_ + bad_;
    if (frames >= 8) return good_ * 10 >= frames * 9;
    return whole && frames >= 3 && bad_ == 0;
  }

 private:
  std::uint64_t good_ = 0;
  std::uint64_t bad_ = 0;
};

}  // namespace

bool recognises(ByteSpan head, bool whole) {
  const std::string_view text = as_text(head);
  if (std::ranges::any_of(kMagics, [&](std::string_view each) { return text.starts_with(each); }))
    return false;
  const bool more = !whole || head.size() > kRecognitionSize;
  const PaddedBytes bytes(head.first(std::min(head.size(), kRecognitionSize)));
  Decoder decoder;
  Counter counter;
  std::size_t position = 0;
  (void)decoder.run({.bytes = bytes.view(), .offset = 0, .last = true}, position, counter);
  return counter.convinces(!more);
}

}  // namespace tracedeck::tband
