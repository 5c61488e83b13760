#include "tracedeck/ctf/metadata/json_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tracedeck::ctf {
namespace {

// Findings repeat parts of the metadata; their number bounds the memory they take.
constexpr std::size_t kMostFindings = 10'000;

}  // namespace

JsonLine line_at(ByteSpan bytes, std::uint64_t begin, JsonLine line, std::uint64_t offset) {
  ByteSpan before = bytes.first(std::min<std::uint64_t>(bytes.size(), offset - begin));
  while (!before.empty()) {
    const void* const found = std::memchr(before.data(), '\n', before.size());
    if (found == nullptr) break;
    const auto next =
        static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - before.data()) + 1;
    begin += next;
    before = before.subspan(next);
    line = {.number = line.number + 1, .begin = begin};
  }
  return line;
}

std::string place_words(const JsonLine& line, std::uint64_t offset) {
  return fmt::format("line {}, column {}", line.number, offset - line.begin + 1);
}

JsonLine JsonFindings::line_of(JsonRef at) {
  const JsonText& text = at.text();
  const bool goes_on = last_.text == text.number() && last_.offset <= at.offset();
  if (!goes_on) last_ = {.text = text.number(), .offset = text.offset(), .line = text.line()};
  const ByteSpan rest = text.bytes().subspan(last_.offset - text.offset());
  last_.line = line_at(rest, last_.offset, last_.line, at.offset());
  last_.offset = at.offset();
  return last_.line;
}

void JsonFindings::report(const Rule& rule, JsonRef at, std::string_view text) {
  if (!admits(rule)) return;
  const std::string pointer = at.pointer();
  std::string place = fmt::format("{} {}", noun_, at.text().number());
  if (!pointer.empty()) place.append(", ").append(pointer);
  add({.rule = &rule,
       .offset = at.offset(),
       .length = at.raw().size(),
       .text = fmt::format("{}: {} ({})", place, text, place_words(line_of(at), at.offset()))});
}

void JsonFindings::report(MetadataRule rule, std::uint64_t offset, std::uint64_t length,
                          std::string text) {
  if (!admits(metadata_rule(rule, dialect_))) return;
  add({.rule = &metadata_rule(rule, dialect_),
       .offset = offset,
       .length = length,
       .text = std::move(text)});
}

void JsonFindings::expect(MetadataRule rule, JsonRef at, std::string_view expected) {
  report(rule, at, fmt::format("found {}, expected {}", quoted(at), expected));
}

std::vector<Finding> JsonFindings::take() { return std::exchange(findings_, {}); }

// One error must be among those reported, or the metadata would pass for readable.
bool JsonFindings::admits(const Rule& rule) {
  const bool error = rule.severity == Severity::kError;
  ++reported_;
  if (error) ++errors_;
  return count_ < kMostFindings || (error && errors_ == 1);
}

void JsonFindings::add(Finding finding) {
  if (++count_ == kMostFindings) finding.text += "; more faults follow, which are not reported";
  findings_.push_back(std::move(finding));
}

}  // namespace tracedeck::ctf
