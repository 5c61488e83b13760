#include "tracedeck/flow/recording_sessions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "tracedeck/flow/trace_names.hpp"

namespace tracedeck::flow {
namespace {

constexpr std::array<std::string_view, 4> kSubject = {"hostname", "domain", "vpid", "procname"};

}  // namespace

std::string RecordingSessions::see(const TraceDescription& description) {
  Recording seen{.input = description.input(),
                 .session = environment_text(description, "trace_name")};
  if (seen.session.empty() || recordings_.size() == kMost) return {};
  for (const std::string_view key : kSubject)
    seen.subject.push_back(environment_text(description, key));
  if (seen.subject.front().empty()) return {};
  for (const EventClass& each : description.event_classes()) {
    if (seen.classes.size() == kMostClasses) break;
    if (each.name) seen.classes.insert(*each.name);
  }
  const auto is_twin = [&](const Recording& other) {
    return other.subject == seen.subject && other.session != seen.session &&
           std::ranges::any_of(other.classes,
                               [&](const auto& name) { return seen.classes.contains(name); });
  };
  const auto twin = std::ranges::find_if(recordings_, is_twin);
  std::string sentence;
  if (twin != recordings_.end()) {
    sentence = fmt::format(
        "{} and {} are of two recording sessions of one host: what both recorded counts "
        "twice",
        twin->input, seen.input);
  }
  recordings_.push_back(std::move(seen));
  return sentence;
}

}  // namespace tracedeck::flow
