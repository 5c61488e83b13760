#include "tracedeck/ctf/write/restored_classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tracedeck/ctf/write/class_fit.hpp"
#include "tracedeck/ctf/write/kept_entries.hpp"
#include "tracedeck/model/written_out.hpp"

namespace tracedeck::ctf {

Attributes own_environment(const Attributes& environment) {
  Attributes own;
  std::ranges::copy_if(environment, std::back_inserter(own), [](const Attribute& entry) {
    return !entry.key.starts_with(kMetadataEntry);
  });
  return own;
}

Result<void> KeptMetadata::begin(const std::optional<Uuid>& uuid, FieldClassPtr packet_header) {
  // An entry that only this spelling has distinguishes it from the other.
  return writer_->begin({.uuid = uuid, .packet_header = std::move(packet_header)},
                        {{.key = "tracedeck", .value = "1", .is_json = true}});
}

Attributes KeptMetadata::take() {
  Attributes entries;
  const std::string text = writer_->take();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
    entries.push_back({.key = std::string(kMetadataEntry) + std::to_string(next_++),
                       .value = text.substr(at + 1, end - at - 1)});
    at = end + 1;
  }
  return entries;
}

std::unique_ptr<RestoredClasses> RestoredClasses::from(const TraceDescription& source,
                                                       std::vector<Finding>* ignored) {
  if (source.version() != trace_version(Dialect::kCtf1)) return nullptr;
  KeptEntries entries(source, ignored);
  if (entries.empty()) return nullptr;
  auto before = entries.read();
  if (before == nullptr) return nullptr;
  // Not private to `make_unique`.
  std::unique_ptr<RestoredClasses> restored(new RestoredClasses(std::move(before)));
  restored->choose(source, entries);
  return restored->stream_classes_.empty() ? nullptr : std::move(restored);
}

void RestoredClasses::choose(const TraceDescription& source, KeptEntries& entries) {
  using Kind = KeptEntries::Kind;
  WrittenOut recorded_classes;
  WrittenOut kept_classes;
  auto fits = recorded_classes.add(source);
  if (fits) fits = kept_classes.add(*before_);
  if (!fits) return entries.ignore_all(fits.error().message);
  const auto begin = [&] {
    return std::make_unique<ClassFit>(source.trace_class().packet_header, packet_header());
  };
  if (const auto fault = begin()->packet_header()) return entries.ignore_all(*fault);
  std::map<std::uint64_t, const DataStreamClass*> streams;
  for (const DataStreamClass& each : source.stream_classes())
    streams.emplace(each.id.value_or(0), &each);
  std::map<std::uint64_t, std::unique_ptr<ClassFit>> chosen;
  for (std::size_t i = 0; i < before_->stream_classes().size(); ++i) {
    const DataStreamClass& before = before_->stream_classes()[i];
    const std::uint64_t id = before.id.value_or(0);
    const auto recorded = streams.find(id);
    std::optional<std::string> fault = "the trace has none of its id";
    auto fit = begin();
    if (recorded != streams.end()) {
      fault = fit->packet_header();
      if (!fault) fault = fit->stream_class(*recorded->second, before);
    }
    if (fault) {
      entries.ignore_class(Kind::kStreamClass, i,
                           fmt::format("data stream class {}: {}", id, *fault));
      continue;
    }
    stream_classes_.emplace(id, &before);
    chosen.emplace(id, std::move(fit));
  }
  std::map<Ids, const EventClass*> events;
  for (const EventClass& each : source.event_classes())
    events.emplace(Ids{each.stream_class->id.value_or(0), each.id.value_or(0)}, &each);
  for (std::size_t i = 0; i < before_->event_classes().size(); ++i) {
    const EventClass& before = before_->event_classes()[i];
    const Ids ids{before.stream_class->id.value_or(0), before.id.value_or(0)};
    const auto recorded = events.find(ids);
    const auto fit = chosen.find(ids.first);
    std::optional<std::string> fault = "the entry of its data stream class does not fit";
    if (fit != chosen.end()) {
      fault = recorded == events.end() ? std::optional<std::string>("the trace has none of its id")
                                       : fit->second->event_class(*recorded->second, before);
    }
    if (!fault) {
      event_classes_.emplace(ids, &before);
      continue;
    }
    entries.ignore_class(Kind::kEventClass, i,
                         fmt::format("event record class {} of data stream class {}: {}",
                                     ids.second, ids.first, *fault));
  }
}

// Clocks are kept in the order in which they are written.
ClockClass RestoredClasses::clock(const TraceDescription& source, const ClockClass& stored) const {
  if (before_->clocks().size() != source.clocks().size()) return stored;
  ClockClass before = before_->clocks()[stored.entity.ordinal];
  const bool fits = before.tick == stored.tick && before.offset_seconds == stored.offset_seconds &&
                    before.offset_ticks == stored.offset_ticks;
  if (!fits) return stored;
  before.entity = stored.entity;
  before.shift = stored.shift;
  return before;
}

const DataStreamClass* RestoredClasses::find(const DataStreamClass& source) const {
  const auto found = stream_classes_.find(source.id.value_or(0));
  return found == stream_classes_.end() ? nullptr : found->second;
}

const EventClass* RestoredClasses::find(const EventClass& source) const {
  const auto found =
      event_classes_.find({source.stream_class->id.value_or(0), source.id.value_or(0)});
  return found == event_classes_.end() ? nullptr : found->second;
}

}  // namespace tracedeck::ctf
