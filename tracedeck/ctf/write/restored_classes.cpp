#include "tracedeck/ctf/write/restored_classes.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/ctf/metadata/metadata.hpp"
#include "tracedeck/ctf/metadata/metadata_reader.hpp"
#include "tracedeck/ctf/metadata/metadata_rules.hpp"

namespace tracedeck::ctf {
namespace {

// What CTF 1.8 allows in headers and CTF 2 does not.
bool is_about_headers(const Rule& rule) {
  return &rule == &metadata_rule(MetadataRule::kPacketHeaderMember, Dialect::kFinal) ||
         &rule == &metadata_rule(MetadataRule::kEventHeaderMember, Dialect::kFinal) ||
         &rule == &metadata_rule(MetadataRule::kEventHeaderFill, Dialect::kFinal);
}

}  // namespace

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

std::unique_ptr<RestoredClasses> RestoredClasses::from(const TraceDescription& source) {
  std::string text;
  for (const Attribute& entry : source.environment()) {
    if (entry.key.starts_with(kMetadataEntry)) text.append("\x1e").append(entry.value).append("\n");
  }
  if (text.empty() || source.version() != trace_version(Dialect::kCtf1)) return nullptr;
  Metadata metadata(source.input(), 0);
  const auto reader = json_metadata_reader(metadata);
  const std::vector<Finding> findings = reader->read(as_bytes(text), true);
  const bool bad = std::ranges::any_of(findings, [](const Finding& finding) {
    return finding.rule != nullptr && finding.rule->severity == Severity::kError &&
           !is_about_headers(*finding.rule);
  });
  if (bad) return nullptr;
  return std::make_unique<RestoredClasses>(metadata.description());
}

RestoredClasses::RestoredClasses(std::shared_ptr<const TraceDescription> before)
    : before_(std::move(before)) {
  for (const DataStreamClass& each : before_->stream_classes())
    stream_classes_.emplace(each.id.value_or(0), &each);
  for (const EventClass& each : before_->event_classes())
    event_classes_.emplace(Ids{each.stream_class->id.value_or(0), each.id.value_or(0)}, &each);
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
