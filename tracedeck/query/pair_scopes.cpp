#include "tracedeck/query/pair_scopes.hpp"

#include <algorithm>
#include <array>

#include "tracedeck/query/cell.hpp"

namespace tracedeck::query {
namespace {

// Values that are equal to nothing are in no pair.
void put(std::string& into, const Value& value) {
  if (!encode_equal(into, value)) into.clear();
}

}  // namespace

std::uint64_t PairScopes::number_of(std::string encoded) {
  const auto known = numbers_.find(encoded);
  if (known != numbers_.end()) return known->second;
  if (numbers_.size() == kMost) return kOthers;
  return numbers_.emplace(std::move(encoded), numbers_.size() + 1).first->second;
}

PairScope PairScopes::of(std::span<const Value> keys) {
  PairScope scope;
  std::string encoded;
  if (keys_.trace) {
    put(encoded, keys[*keys_.trace]);
    scope.trace = number_of(encoded);
  }
  if (keys_.stream.empty()) return scope;
  encoded.clear();
  for (const auto& [index, name] : keys_.stream) put(encoded, keys[index]);
  scope.stream = number_of(std::move(encoded));
  return scope;
}

PairScope PairScopes::of(const DataStream& stream, const std::string& trace) {
  PairScope scope = of(trace);
  if (keys_.stream.empty()) return scope;
  std::string encoded;
  for (const auto& [index, name] : keys_.stream) {
    const auto key = std::ranges::find(stream.keys, name, &StreamKey::name);
    if (key == stream.keys.end()) return scope;
    put(encoded, Value::of(key->value));
  }
  scope.stream = number_of(std::move(encoded));
  return scope;
}

PairScope PairScopes::of(const std::string& trace) {
  PairScope scope;
  if (!keys_.trace || trace.empty()) return scope;
  std::string encoded;
  put(encoded, Value::of(trace));
  scope.trace = number_of(std::move(encoded));
  return scope;
}

void LostInScopes::add(const PairScope& scope, What what, const Loss& loss, std::uint64_t number) {
  Lost& lost = lost_[scope];
  if (what == What::kBegins) ++lost.going_on;
  if (what == What::kEnds) --lost.going_on;
  lost.times.add(loss, number);
}

bool LostInScopes::concerns(const Lost& lost, std::uint64_t number, Nanoseconds begin,
                            Nanoseconds end) {
  return lost.going_on != 0 || lost.times.concern(number, begin, end);
}

bool LostInScopes::concern(const PairScope& scope, std::uint64_t number, Nanoseconds begin,
                           Nanoseconds end) const {
  if (lost_.empty()) return false;
  const std::array<PairScope, 4> wider = {scope,
                                          {.trace = scope.trace, .stream = 0},
                                          {.trace = 0, .stream = scope.stream},
                                          {.trace = 0, .stream = 0}};
  return std::ranges::any_of(wider, [&](const PairScope& each) {
    const auto lost = lost_.find(each);
    return lost != lost_.end() && concerns(lost->second, number, begin, end);
  });
}

}  // namespace tracedeck::query
