#include "tracedeck/flow/trace_difference.hpp"

#include <array>
#include <utility>

namespace tracedeck::flow {

std::string_view kind_name(DifferenceKind kind) {
  static constexpr std::array<std::string_view, kDifferenceKinds> kNames = {
      "trace", "environment", "clock",    "stream",  "class", "encoding",
      "event", "time",        "duration", "context", "value", "loss"};
  return kNames[std::to_underlying(kind)];
}

void Differences::add(Difference difference) {
  const auto known = at_.find(difference.key);
  if (known != at_.end()) {
    ++found_[known->second].count;
    return;
  }
  if (found_.size() >= most_) {
    ++left_out_;
    return;
  }
  difference.count = 1;
  at_.emplace(difference.key, found_.size());
  found_.push_back(std::move(difference));
}

}  // namespace tracedeck::flow
