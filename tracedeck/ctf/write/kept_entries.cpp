#include "tracedeck/ctf/write/kept_entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "tracedeck/base/json_access.hpp"
#include "tracedeck/ctf/metadata/json_properties.hpp"
#include "tracedeck/ctf/metadata/metadata.hpp"
#include "tracedeck/ctf/metadata/metadata_reader.hpp"
#include "tracedeck/ctf/metadata/metadata_rules.hpp"
#include "tracedeck/ctf/metadata/tsdl_rules.hpp"
#include "tracedeck/ctf/write/restored_classes.hpp"

namespace tracedeck::ctf {
namespace {

// An entry may depend on one before, and that on another: preamble, trace class, clock, data stream
// class, event record class.
constexpr int kMostPasses = 6;

// What CTF 1.8 allows in headers and CTF 2 does not.
bool is_about_headers(const Rule& rule) {
  return &rule == &metadata_rule(MetadataRule::kPacketHeaderMember, Dialect::kFinal) ||
         &rule == &metadata_rule(MetadataRule::kEventHeaderMember, Dialect::kFinal) ||
         &rule == &metadata_rule(MetadataRule::kEventHeaderFill, Dialect::kFinal);
}

bool is_fault(const Finding& finding) {
  return finding.rule != nullptr && finding.rule->severity == Severity::kError &&
         !is_about_headers(*finding.rule);
}

// The number behind `kMetadataEntry`, as we write it.
std::optional<std::uint64_t> number_of(std::string_view key) {
  const std::string_view digits = key.substr(kMetadataEntry.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  return whole && std::to_string(number) == digits ? std::optional(number) : std::nullopt;
}

std::string name_of(std::uint64_t number) { return fmt::format("{}{}", kMetadataEntry, number); }

// What kind of fragment it is.
std::string type_of(JsonParser& parser, std::string_view fragment) {
  const ByteSpan text = as_bytes(fragment);
  PaddedBytes bytes(std::vector<std::uint8_t>(text.begin(), text.end()));
  const auto parsed = parser.parse(bytes, 0, 1, {});
  const JsonRef type = parsed && (*parsed)->root().is(JsonKind::kObject)
                           ? find_child((*parsed)->root(), "type")
                           : JsonRef();
  return type && type.is(JsonKind::kString) ? std::string(type.string()) : std::string();
}

}  // namespace

KeptEntries::KeptEntries(const TraceDescription& source, std::vector<Finding>* ignored)
    : source_(source), ignored_(ignored) {
  for (const Attribute& each : source.environment()) {
    if (!each.key.starts_with(kMetadataEntry)) continue;
    if (const auto number = number_of(each.key)) {
      entries_.push_back({*number, each.value});
    } else {
      ignore(each.key, "its name does not end in a number");
    }
  }
  std::ranges::stable_sort(entries_, {}, &Entry::number);
  std::uint64_t next = 0;
  for (const Entry& each : entries_) {
    if (each.number > next) ignore(name_of(next), "it is not there, as some behind it are");
    if (each.number < next) ignore(name_of(each.number), "there is another of its number");
    next = each.number + 1;
  }
  const auto repeated = std::ranges::unique(entries_, {}, &Entry::number);
  entries_.erase(repeated.begin(), repeated.end());
  std::erase_if(entries_, [this](const Entry& each) {
    const bool is_empty = each.value.find('{') == std::string::npos;
    if (is_empty) ignore(name_of(each.number), "it holds no JSON object");
    return is_empty;
  });
}

std::shared_ptr<const TraceDescription> KeptEntries::read() {
  for (int pass = 0; pass < kMostPasses && !entries_.empty(); ++pass) {
    Metadata metadata(source_.input(), 0);
    const auto reader = json_metadata_reader(metadata);
    std::vector<Finding> findings;
    std::vector<std::size_t> ends;
    std::size_t end = 0;
    for (const Entry& each : entries_) {
      const std::string text = fmt::format("\x1e{}\n", each.value);
      ends.push_back(end += text.size());
      std::ranges::move(reader->read(as_bytes(text), false), std::back_inserter(findings));
    }
    std::ranges::move(reader->read({}, true), std::back_inserter(findings));
    if (!ignore_faulty(findings, ends)) return metadata.description();
  }
  ignore_all("what it depends on cannot be read");
  return nullptr;
}

bool KeptEntries::ignore_faulty(const std::vector<Finding>& findings,
                                const std::vector<std::size_t>& ends) {
  std::map<std::size_t, std::string_view> faulty;  // the first fault of each
  for (const Finding& each : findings) {
    if (!is_fault(each)) continue;
    const auto at = std::ranges::upper_bound(ends, each.offset);
    faulty.try_emplace(std::min(static_cast<std::size_t>(at - ends.begin()), ends.size() - 1),
                       each.text);
  }
  for (const auto& [index, why] : faulty) ignore(name_of(entries_[index].number), why);
  for (auto each = faulty.rbegin(); each != faulty.rend(); ++each)
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(each->first));
  return !faulty.empty();
}

void KeptEntries::ignore(std::string_view name, std::string_view why) {
  if (ignored_ == nullptr) return;
  ignored_->push_back({.rule = &tsdl_rule(TsdlRule::kKeptClasses),
                       .text = fmt::format("environment entry `{}` is ignored: {}", name, why)});
}

void KeptEntries::ignore_all(std::string_view why) {
  for (const Entry& each : entries_) ignore(name_of(each.number), why);
  entries_.clear();
}

void KeptEntries::ignore_class(Kind kind, std::size_t index, std::string_view why) {
  if (ignored_ == nullptr) return;
  find_classes();
  const auto& numbers = classes_[static_cast<std::size_t>(kind)];
  if (index < numbers.size()) ignore(name_of(numbers[index]), why);
}

void KeptEntries::find_classes() {
  if (!classes_[0].empty() || !classes_[1].empty()) return;
  JsonParser parser;
  for (const Entry& each : entries_) {
    const std::string type = type_of(parser, each.value);
    if (type == "data-stream-class") classes_[0].push_back(each.number);
    if (type == "event-record-class") classes_[1].push_back(each.number);
  }
}

}  // namespace tracedeck::ctf
