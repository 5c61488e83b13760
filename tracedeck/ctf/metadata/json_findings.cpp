#include "tracedeck/ctf/metadata/json_findings.hpp"

#include <fmt/format.h>

#include <utility>

#include "tracedeck/base/utf8.hpp"

namespace tracedeck::ctf {
namespace {

// Findings repeat parts of the metadata; their number bounds the memory they take.
constexpr std::size_t kMostFindings = 10'000;
constexpr std::size_t kMostQuoted = 60;

}  // namespace

std::string quoted(JsonRef value) {
  if (value.is(JsonKind::kArray) || value.is(JsonKind::kObject))
    return std::string(kind_words(value.kind()));
  const std::string_view raw = value.raw();
  if (raw.size() <= kMostQuoted) return std::string(raw);
  const std::string_view start = raw.substr(0, kMostQuoted);
  return fmt::format("{}...", start.substr(0, utf8_valid_prefix(as_bytes(start))));
}

void JsonFindings::report(const Rule& rule, JsonRef at, std::string_view text) {
  const std::string pointer = at.pointer();
  std::string place = fmt::format("{} {}", noun_, at.text().number());
  if (!pointer.empty()) place.append(", ").append(pointer);
  add({.rule = &rule,
       .offset = at.offset(),
       .length = at.raw().size(),
       .text = fmt::format("{}: {}", place, text)});
}

void JsonFindings::report(MetadataRule rule, std::uint64_t offset, std::uint64_t length,
                          std::string text) {
  add({.rule = &metadata_rule(rule, dialect_),
       .offset = offset,
       .length = length,
       .text = std::move(text)});
}

void JsonFindings::expect(MetadataRule rule, JsonRef at, std::string_view expected) {
  report(rule, at, fmt::format("found {}, expected {}", quoted(at), expected));
}

std::vector<Finding> JsonFindings::take() { return std::exchange(findings_, {}); }

void JsonFindings::add(Finding finding) {
  const bool error = finding.rule->severity == Severity::kError;
  if (error) ++errors_;
  // One error must be among those told, or the metadata would pass for readable.
  if (count_ >= kMostFindings && !(error && errors_ == 1)) return;
  if (++count_ == kMostFindings) finding.text += "; more faults follow, which are not told";
  findings_.push_back(std::move(finding));
}

}  // namespace tracedeck::ctf
