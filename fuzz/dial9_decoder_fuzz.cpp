// Any bytes through the native decoder. Decoded frames and damaged ranges must account for every
// byte, values must lie inside the trace, and leaving the damaged ranges out must leave the same
// events.

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "tracedeck/base/padded_bytes.hpp"
#include "tracedeck/dial9/decoder.hpp"

namespace {

using namespace tracedeck;  // NOLINT(google-build-using-namespace): one small file

void require(bool holds) {
  if (!holds) std::abort();
}

struct Visitor {
  PaddedView trace;
  std::uint64_t events = 0;
  std::uint64_t findings = 0;
  std::uint64_t end_of_last = 0;
  std::uint64_t sum = 0;
  std::vector<Finding> problems = {};

  void event(const dial9::EventView& view) {
    ++events;
    require(view.offset >= end_of_last);
    end_of_last = view.offset + view.size;
    require(end_of_last <= trace.size);
    require(view.values.size() == view.schema().fields.size());
    for (const dial9::Value& value : view.values) {
      if (value.present) look_at(value);
    }
  }
  void problem(const Finding& finding) {
    require(finding.length > 0 && finding.offset >= end_of_last);
    end_of_last = finding.offset + finding.length;
    require(end_of_last <= trace.size);
    problems.push_back(finding);
  }
  void finding(const Finding&) { ++findings; }

  void look_at(const dial9::Value& value) {
    using dial9::FieldType;
    switch (value.type) {
      case FieldType::kString:
      case FieldType::kBytes:
      case FieldType::kStackFrames:
        require(value.pointer >= trace.data &&
                value.pointer + value.length <= trace.data + trace.size);
        for (const std::uint8_t byte : value.bytes()) sum += byte;
        break;
      case FieldType::kStringMap: {
        dial9::StringMapView pairs(value);
        std::string_view key;
        std::string_view text;
        while (pairs.next(key, text)) sum += key.size() + text.size();
        break;
      }
      case FieldType::kDynamicList:
      case FieldType::kDynamicMap: {
        dial9::DynamicView elements(value);
        dial9::Value element;
        while (elements.next(element)) sum += element.length;
        break;
      }
      default:
        sum += value.bits;
    }
  }
};

Visitor decode(ByteSpan bytes, bool& rejected) {
  const PaddedBytes padded(bytes);
  Visitor visitor{.trace = padded.view()};
  rejected = !dial9::decode(padded.view(), visitor).has_value();
  return visitor;
}

void expect_all_consumed(ByteSpan bytes) {
  const PaddedBytes padded(bytes);
  dial9::Decoder decoder;
  dial9::FrameHandler handler;
  std::size_t position = 0;
  const DecodeProgress progress =
      decoder.run({.bytes = padded.view(), .last = true}, position, handler);
  require(progress.outcome == tracedeck::DecodeOutcome::kConsumed);
  require(position == bytes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan bytes(data, size);
  bool rejected = false;
  const Visitor whole = decode(bytes, rejected);
  if (rejected) return 0;
  expect_all_consumed(bytes);
  std::vector<std::uint8_t> rest;
  std::size_t at = 0;
  for (const Finding& problem : whole.problems) {
    rest.insert(rest.end(), data + at, data + problem.offset);
    at = problem.offset + problem.length;
  }
  rest.insert(rest.end(), data + at, data + size);
  const Visitor clean = decode(rest, rejected);
  require(!rejected && clean.problems.empty());
  require(clean.events == whole.events && clean.findings == whole.findings &&
          clean.sum == whole.sum);
  return 0;
}
