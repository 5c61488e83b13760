#include "tracedeck/lower/description_losses.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "tracedeck/comparison/class_differences.hpp"

namespace tracedeck::lower {
namespace {

using comparison::Difference;
using comparison::DifferenceKind;

constexpr std::string_view kAttribute = "attribute";
constexpr std::size_t kAllDifferences = std::size_t{1} << 20;
// Classes without events of a trace, the others are counted.
constexpr std::size_t kMostNamed = 1024;

Lost loss_of_clock(std::string_view what) {
  if (what == "id" || what == "missing") return Lost::kClockName;
  if (what == "tick") return Lost::kClockTick;
  if (what.starts_with("offset")) return Lost::kClockOffset;
  if (what.starts_with("origin")) return Lost::kClockOrigin;
  if (what == "identity") return Lost::kClockIdentity;
  return Lost::kClockText;
}

Lost loss_of_stream(std::string_view what) {
  const bool is_text = what == "class name" || what == "class namespace" || what == "class uid" ||
                       what.contains(kAttribute);
  return is_text ? Lost::kStreamText : Lost::kStream;
}

Lost loss_of_class(const Difference& difference) {
  const std::string_view what = difference.key.what;
  if (what == "id" || what == "name" || what == "namespace" || what == "uid")
    return Lost::kClassIdentity;
  if (what == "has a time") return difference.left == "yes" ? Lost::kTimeLeftOut : Lost::kNoTime;
  if (what == "has a duration" && difference.left == "no") return Lost::kNoDuration;
  if (what == "kind") return Lost::kField;
  if (what == "time is nominal") return Lost::kNominalTime;
  return Lost::kClassPurpose;
}

std::string_view first_step(std::string_view path) {
  return path.substr(0, path.find_first_of(".[{"));
}

Lost loss_of(const Difference& difference) {
  const comparison::DifferenceKey& key = difference.key;
  switch (key.kind) {
    case DifferenceKind::kTrace:
      return Lost::kTrace;
    case DifferenceKind::kClock:
      return loss_of_clock(key.what);
    case DifferenceKind::kStream:
      return loss_of_stream(key.what);
    default:
      break;
  }
  if (key.what.contains(kAttribute)) return Lost::kAttributes;
  if (key.path.empty()) return loss_of_class(difference);
  const std::string_view first = first_step(key.path);
  if (first == "packet" || first == "packet_header" || first == "common" || first == "specific")
    return Lost::kContext;
  return key.what == "labels" ? Lost::kLabels : Lost::kField;
}

bool is_within(std::string_view path, std::string_view whole) {
  if (!path.starts_with(whole)) return false;
  return path.size() == whole.size() || whole.empty() ||
         std::string_view(".[{").contains(path[whole.size()]);
}

void note(LossList& lost, Lost loss, std::string path) {
  const bool is_known = std::ranges::any_of(
      lost, [&](const auto& each) { return each.first == loss && is_within(path, each.second); });
  if (!is_known) lost.emplace_back(loss, std::move(path));
}

// `of_streams`: of data stream classes, where a context that only the target has is its own.
void note(LossList& lost, const comparison::Differences& differences, bool of_streams) {
  for (const Difference& each : differences.found()) {
    const Lost loss = loss_of(each);
    if (loss == Lost::kContext && of_streams && each.left.empty()) {
      note(lost, Lost::kStream, std::string(first_step(each.key.path)));
      continue;
    }
    std::string place = comparison::place_of(each.key);
    note(lost, loss, loss == Lost::kContext ? std::string(first_step(place)) : std::move(place));
  }
}

// Whether it says no more than what a reader makes of no bytes at all.
bool is_blank(const TraceDescription& trace) {
  const auto says_nothing = [](const DataStreamClass& stream_class) {
    const ClockClass* const clock = stream_class.default_clock;
    return !stream_class.id && !stream_class.name && stream_class.common_context == nullptr &&
           clock != nullptr && clock->origin == ClockOrigin::kUnknown &&
           clock->counts_nanoseconds() && clock->identity == Identity{};
  };
  return trace.event_classes().empty() && trace.environment().empty() &&
         trace.stream_count() == 0 && trace.stream_classes().size() == 1 &&
         trace.clocks().size() == 1 && says_nothing(trace.stream_classes()[0]);
}

}  // namespace

void DescriptionLosses::take(const TraceDescription& trace) {
  if (is_blank(trace)) return;
  Source& source = sources_[trace.number()];
  LossList lost;
  comparison::Differences found(kAllDifferences);
  if (!std::exchange(source.known, true)) {
    if (++traces_ == 1) first_input_ = trace.input();
    if (traces_ == 2) receipt_.add(Lost::kTraceName, "", "trace", {first_input_});
    if (traces_ >= 2) receipt_.add(Lost::kTraceName, "", "trace", {trace.input()});
    comparison::Differences all(kAllDifferences);
    comparison::compare_traces(trace, TraceDescription("", "", ""), all);
    for (const Difference& each : all.found()) {
      if (each.key.kind != DifferenceKind::kEnvironment) found.add(each);
    }
  }
  for (; source.clocks < trace.clocks().size(); ++source.clocks)
    comparison::compare_clocks(&trace.clocks()[source.clocks], target_->default_clock, found);
  for (; source.stream_classes < trace.stream_classes().size(); ++source.stream_classes) {
    const DataStreamClass& stream_class = trace.stream_classes()[source.stream_classes];
    comparison::compare_stream_classes(&stream_class, target_, found);
    if (stream_class.default_clock == nullptr)
      comparison::compare_clocks(nullptr, target_->default_clock, found);
  }
  note(lost, found, true);
  for (const auto& [loss, place] : lost) receipt_.add(loss, "", place, {trace.input()});
}

std::vector<const Attribute*> DescriptionLosses::new_environment(const TraceDescription& trace) {
  std::vector<const Attribute*> entries;
  std::size_t& at = sources_[trace.number()].environment;
  for (; at < trace.environment().size(); ++at) entries.push_back(&trace.environment()[at]);
  return entries;
}

void DescriptionLosses::add_environment(Lost lost, const TraceDescription& trace,
                                        std::string_view key) {
  const comparison::DifferenceKey of{.kind = DifferenceKind::kEnvironment,
                                     .what = std::string(kAttribute) + " " + std::string(key)};
  receipt_.add(lost, "", comparison::place_of(of), {trace.input()});
}

void DescriptionLosses::other_keys(const DataStream& stream) {
  const DataStreamClass& of = *stream.stream_class;
  const std::string name = of.name.value_or(of.id ? std::to_string(*of.id) : "");
  const comparison::DifferenceKey key{.kind = DifferenceKind::kStream, .class_name = name};
  receipt_.add(Lost::kStream, "", comparison::place_of(key), {of.trace->input()});
}

bool DescriptionLosses::begin(const DataStream& stream) {
  sources_[stream.entity.trace].forget_without();
  if (!open_.begin(stream.entity.trace)) return false;
  std::erase_if(sources_, [this](const auto& each) {
    if (open_.has(each.first)) return false;
    forget(each.second, receipt_);
    return true;
  });
  return true;
}

void DescriptionLosses::end(const DataStream& stream) {
  const std::uint64_t number = stream.entity.trace;
  open_.end(number);
  sources_[number].forget_without();
  if (!open_.has(number)) classes_without_events(*stream.stream_class->trace);
}

void DescriptionLosses::classes_without_events(const TraceDescription& trace) {
  if (!part_of_.empty() && trace.format() == part_of_) return;
  Source& source = sources_[trace.number()];
  const auto& classes = trace.event_classes();
  if (source.with_events == classes.size()) return;
  source.has_events.resize(classes.size());
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (source.has_events[i]) continue;
    if (source.without.size() < kMostNamed) {
      source.without.push_back(comparison::class_name(classes[i]));
    } else {
      ++source.more_without;
    }
  }
}

void DescriptionLosses::forget(const Source& source, LossReceipt& receipt) const {
  for (const std::string& name : source.without) receipt.add(Lost::kNoEvents, name, "", {});
  if (source.more_without != 0) receipt.add_others(Lost::kNoEvents, source.more_without);
}

std::uint64_t& DescriptionLosses::events_of(const Event& first, const EventClass& target,
                                            LossList lost) {
  const EventClass& event_class = *first.event_class;
  Source& source = sources_[event_class.entity.trace];
  if (event_class.entity.ordinal >= source.has_events.size())
    source.has_events.resize(event_class.entity.ordinal + 1);
  if (!source.has_events[event_class.entity.ordinal]) ++source.with_events;
  source.has_events[event_class.entity.ordinal] = true;
  comparison::Differences found(kAllDifferences);
  comparison::compare_event_classes(event_class, target, found);
  note(lost, found, false);
  const DataStreamClass& stream_class = *event_class.stream_class;
  const FirstPlace place{stream_class.trace->input(), first.offset};
  const std::string name = comparison::class_name(event_class);
  // What the target calls it, where it cannot have its name.
  if (const std::string other = comparison::class_name(target); other != name)
    receipt_.add(Lost::kClassIdentity, other, "", place);
  return receipt_.events_of(name, std::move(lost), place);
}

Receipt DescriptionLosses::entries() const {
  Receipt receipt = receipt_.entries();
  LossReceipt rest;
  for (const auto& [number, source] : sources_) forget(source, rest);
  std::ranges::move(rest.entries(), std::back_inserter(receipt));
  return receipt;
}

}  // namespace tracedeck::lower
