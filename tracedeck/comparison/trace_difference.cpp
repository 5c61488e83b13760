#include "tracedeck/comparison/trace_difference.hpp"

#include <array>
#include <utility>

namespace tracedeck::comparison {

std::string_view kind_name(DifferenceKind kind) {
  static constexpr std::array<std::string_view, kDifferenceKinds> kNames = {
      "trace", "environment", "clock",    "stream",  "class", "encoding",
      "event", "time",        "duration", "context", "value", "loss"};
  return kNames[std::to_underlying(kind)];
}

bool is_of_event_class(const DifferenceKey& key) {
  switch (key.kind) {
    case DifferenceKind::kTrace:
    case DifferenceKind::kEnvironment:
    case DifferenceKind::kClock:
    case DifferenceKind::kStream:
    case DifferenceKind::kLoss:
      return false;
    default:
      return true;
  }
}

std::string place_of(const DifferenceKey& key) {
  const auto of = [](std::string_view word, std::string_view name) {
    std::string place(word);
    if (!name.empty()) place.append(".").append(name);
    return place;
  };
  static constexpr std::string_view kAttribute = "attribute ";
  switch (key.kind) {
    case DifferenceKind::kTrace:
      return "trace";
    case DifferenceKind::kEnvironment:
      return of("environment",
                key.what.starts_with(kAttribute) ? key.what.substr(kAttribute.size()) : "");
    case DifferenceKind::kClock:
      return of("clock", key.class_name);
    case DifferenceKind::kStream:
      return of("stream", key.class_name);
    case DifferenceKind::kLoss:
      return "loss";
    default:
      // A class without a name needs words for the whole of it.
      return key.path.empty() && key.class_name.empty() ? "event" : key.path;
  }
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

}  // namespace tracedeck::comparison
