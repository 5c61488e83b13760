#include "tracedeck/ctf/metadata/json_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace tracedeck::ctf {
namespace {

std::optional<Integer> read_bound(JsonRef value, JsonFindings& findings) {
  if (!is_json_integer(value)) {
    findings.expect(MetadataRule::kRangeSet, value, "an integer");
    return {};
  }
  const auto bound = json_integer(value);
  if (!bound) findings.expect(MetadataRule::kLimit, value, "an integer of 128 bits at most");
  return bound;
}

std::optional<IntegerRange> read_range(JsonRef value, JsonFindings& findings) {
  std::vector<JsonRef> bounds;
  if (value.is(JsonKind::kArray)) {
    for (const JsonRef bound : JsonChildren(value)) {
      bounds.push_back(bound);
      if (bounds.size() > 2) break;
    }
  }
  if (bounds.size() != 2) {
    findings.expect(MetadataRule::kRangeSet, value, "an array of two integers");
    return {};
  }
  const auto lower = read_bound(bounds[0], findings);
  const auto upper = read_bound(bounds[1], findings);
  if (!lower || !upper) return {};
  if (*lower > *upper) {
    findings.report(MetadataRule::kRangeSet, value,
                    fmt::format("found lower bound {} above upper bound {}", quoted(bounds[0]),
                                quoted(bounds[1])));
    return {};
  }
  return IntegerRange{*lower, *upper};
}

}  // namespace

std::optional<std::uint64_t> read_natural(JsonRef value, MetadataRule rule, std::uint64_t least,
                                          std::uint64_t most, JsonFindings& findings) {
  const auto integer = json_integer(value);
  if (integer ? *integer < least : value.raw().starts_with('-')) {
    findings.expect(rule, value, fmt::format("an integer of {} or greater", least));
    return {};
  }
  if (!integer || *integer > most) {
    findings.expect(MetadataRule::kLimit, value, fmt::format("{} at most", most));
    return {};
  }
  return static_cast<std::uint64_t>(*integer);
}

std::optional<std::uint32_t> read_alignment(JsonRef value, MetadataRule rule,
                                            JsonFindings& findings) {
  const auto integer = json_integer(value);
  const bool negative = value.raw().starts_with('-');
  const Uint128 size = integer ? integer->magnitude : 1;
  const bool power = size != 0 && (size & (size - 1)) == 0;
  if (negative || !power) {
    findings.expect(rule, value, "a positive power of two");
    return {};
  }
  constexpr std::uint32_t kMost = std::uint32_t{1} << 31U;
  if (!integer || *integer > kMost) {
    findings.expect(MetadataRule::kLimit, value, fmt::format("an alignment of {} at most", kMost));
    return {};
  }
  return static_cast<std::uint32_t>(*integer);
}

std::optional<Uuid> read_uuid(JsonRef value, MetadataRule rule, JsonFindings& findings) {
  Uuid uuid = {};
  std::size_t count = 0;
  for (const JsonRef byte : JsonChildren(value)) {
    const auto integer = is_json_integer(byte) ? json_integer(byte) : std::optional<Integer>();
    if (!integer || *integer < 0 || *integer > 255) {
      findings.expect(rule, byte, "an integer from 0 to 255");
      return {};
    }
    if (count < uuid.size()) uuid[count] = static_cast<std::uint8_t>(*integer);
    ++count;
  }
  if (count != uuid.size()) {
    findings.report(rule, value, fmt::format("found {} integers, expected 16", count));
    return {};
  }
  return uuid;
}

std::optional<IntegerRanges> read_ranges(JsonRef value, JsonFindings& findings) {
  if (!value.is(JsonKind::kArray)) {
    findings.expect(MetadataRule::kRangeSet, value, "an array of integer ranges");
    return {};
  }
  IntegerRanges ranges;
  bool sound = true;
  for (const JsonRef element : JsonChildren(value)) {
    const auto range = read_range(element, findings);
    if (range) ranges.push_back(*range);
    sound = sound && range;
  }
  if (!sound) return {};
  if (ranges.empty()) {
    findings.report(MetadataRule::kRangeSet, value, "found no range, expected one or more");
    return {};
  }
  return ranges;
}

std::optional<std::vector<Mapping>> read_mappings(JsonRef value, bool may_be_empty,
                                                  MetadataRule rule, JsonFindings& findings) {
  std::vector<Mapping> mappings;
  mappings.reserve(count_children(value));
  bool sound = true;
  for (const JsonRef set : JsonChildren(value)) {
    auto ranges = read_ranges(set, findings);
    if (ranges) mappings.push_back({.label = set.key(), .ranges = std::move(*ranges)});
    sound = sound && ranges;
  }
  if (!sound) return {};
  if (mappings.empty() && !may_be_empty) {
    findings.report(rule, value, "found no property, expected one or more");
    return {};
  }
  return mappings;
}

}  // namespace tracedeck::ctf
