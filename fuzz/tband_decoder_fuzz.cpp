// Any bytes through the native decoder. Decoded, empty and damaged frames must account for every
// byte, windows must make no difference, and leaving the damaged ranges out must leave the same
// events.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "tracedeck/base/padded_bytes.hpp"
#include "tracedeck/tband/decoder.hpp"

namespace {

using namespace tracedeck;  // NOLINT(google-build-using-namespace): one small file
using Bytes = std::vector<std::uint8_t>;

void require(bool holds) {
  if (!holds) std::abort();
}

struct Handler {
  std::uint64_t events = 0;
  std::uint64_t sum = 0;
  std::uint64_t end_of_last = 0;
  std::vector<Finding> problems = {};

  bool event(const tband::EventView& view, std::uint64_t offset, std::uint32_t size) {
    ++events;
    advance(offset, size);
    sum = sum * 31 + view.timestamp + view.id();
    for (std::size_t i = 0; i < view.field_count; ++i) {
      if (view.layout->types[i] != tband::FieldType::kString) sum = sum * 31 + view.numbers[i];
    }
    if (view.layout->has_string) {
      for (const std::uint8_t byte : view.text) sum = sum * 31 + byte;
    }
    return true;
  }
  void problem(Finding finding) {
    advance(finding.offset, finding.length);
    problems.push_back(std::move(finding));
  }
  void finding(const Finding& finding) {
    if (finding.rule == &tband::rule(tband::RuleId::kFrameEmpty))
      advance(finding.offset, finding.length);
  }
  void advance(std::uint64_t offset, std::uint64_t size) {
    require(offset == end_of_last && size > 0);
    end_of_last = offset + size;
  }
};

Handler decode(ByteSpan bytes, std::size_t step) {
  // Small, so that limits are met as well.
  tband::Decoder decoder(4096);
  Handler handler;
  std::size_t begin = 0;
  std::size_t end = std::min(step, bytes.size());
  for (;;) {
    const bool last = end == bytes.size();
    const PaddedBytes window(bytes.subspan(begin, end - begin));
    std::size_t position = 0;
    const DecodeProgress progress =
        decoder.run({.bytes = window.view(), .offset = begin, .last = last}, position, handler);
    require(progress.outcome != DecodeOutcome::kPaused);
    begin += position;
    if (last) break;
    end = std::min(end + step, bytes.size());
  }
  require(handler.end_of_last == bytes.size());
  return handler;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan bytes(data, size);
  const Handler whole = decode(bytes, size + 1);
  for (const std::size_t step : {std::size_t{1}, std::size_t{37}}) {
    if (size > 8192) break;
    const Handler parts = decode(bytes, step);
    require(parts.events == whole.events && parts.sum == whole.sum &&
            parts.problems.size() == whole.problems.size());
    for (std::size_t i = 0; i < whole.problems.size(); ++i) {
      require(parts.problems[i].rule == whole.problems[i].rule &&
              parts.problems[i].offset == whole.problems[i].offset &&
              parts.problems[i].length == whole.problems[i].length);
    }
  }
  Bytes rest;
  std::size_t at = 0;
  for (const Finding& problem : whole.problems) {
    rest.insert(rest.end(), data + at, data + problem.offset);
    at = problem.offset + problem.length;
  }
  rest.insert(rest.end(), data + at, data + size);
  const Handler clean = decode(rest, rest.size() + 1);
  require(clean.problems.empty() && clean.events == whole.events && clean.sum == whole.sum);
  return 0;
}
