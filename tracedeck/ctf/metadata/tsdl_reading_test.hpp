// Reads metadata text for tests.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/ctf/metadata/metadata_reader.hpp"

namespace tracedeck::ctf {

inline constexpr std::string_view kTsdlBegin =
    "/* CTF 1.8 */\n"
    "typealias integer { size = 8; } := u8;\n"
    "typealias integer { size = 32; align = 32; signed = true; } := int;\n"
    "typealias integer { size = 8; align = 8; encoding = UTF8; } := char;\n"
    "trace { major = 1; minor = 8; byte_order = be; };\n";

// One trace's metadata and what was found while reading it.
class TsdlReading {
 public:
  TsdlReading() : metadata("trace", 0), reader_(tsdl_metadata_reader(metadata)) {}
  // Reads all of `text`, behind `kTsdlBegin` unless it begins itself.
  explicit TsdlReading(std::string_view text) : TsdlReading() {
    std::string all(text);
    if (!text.starts_with("/*") && !text.starts_with("\x57\x1d") && !text.starts_with("\x75\xd1"))
      all.insert(0, kTsdlBegin);
    read(all, true);
  }

  void read(std::string_view bytes, bool last) {
    std::ranges::move(reader_->read(as_bytes(bytes), last), std::back_inserter(findings));
  }

  // "ctf/tsdl-integer 4:28", one for each finding.
  [[nodiscard]] std::vector<std::string> faults() const {
    std::vector<std::string> result;
    for (const Finding& each : findings) {
      std::string_view place = each.text;
      place = place.starts_with("line ") ? place.substr(5, place.find(": ") - 5) : "-";
      const std::size_t comma = place.find(", column ");
      result.push_back(comma == std::string_view::npos
                           ? fmt::format("{} {}", each.rule->id, place)
                           : fmt::format("{} {}:{}", each.rule->id, place.substr(0, comma),
                                         place.substr(comma + 9)));
    }
    return result;
  }
  [[nodiscard]] bool has_errors() const {
    return std::ranges::any_of(
        findings, [](const Finding& each) { return each.rule->severity == Severity::kError; });
  }

  [[nodiscard]] const TraceDescription& trace() const { return *metadata.description(); }
  // Class `index` of all event classes; they must be there.
  [[nodiscard]] const EventClass& event(std::size_t index = 0) const {
    return trace().event_classes().at(index);
  }
  [[nodiscard]] const DataStreamClass& stream(std::size_t index = 0) const {
    return trace().stream_classes().at(index);
  }
  // The class of a member by its names, through structures and options of variants; null: none.
  [[nodiscard]] static FieldClassPtr at(FieldClassPtr from, std::vector<std::string> names) {
    for (const std::string& name : names) {
      if (from == nullptr) return nullptr;
      FieldClassPtr next;
      if (const auto* const structure = from->as<StructureClass>())
        for (const Member& each : structure->members)
          if (each.name == name) next = each.field_class;
      if (const auto* const variant = from->as<VariantClass>())
        for (const VariantOption& each : variant->options)
          if (each.name == name) next = each.field_class;
      from = next;
    }
    return from;
  }
  [[nodiscard]] FieldClassPtr field(std::vector<std::string> names) const {
    return at(event().payload, std::move(names));
  }
  template <class T>
  [[nodiscard]] const T& field_as(std::vector<std::string> names) const {
    return std::get<T>(field(std::move(names))->kind);
  }

  Metadata metadata;
  std::vector<Finding> findings;

 private:
  std::unique_ptr<MetadataReader> reader_;
};

// "payload.a.b", or "^.b" for a relative one, a `^` for each structure outwards.
[[nodiscard]] inline std::string spelt(const FieldLocation& location) {
  constexpr std::string_view kRoots[] = {"",       "header",   "context", "event",
                                         "common", "specific", "payload"};
  std::string result(kRoots[static_cast<std::size_t>(location.root)]);
  for (const auto& step : location.path)
    result += (result.empty() ? "" : ".") + (step ? *step : std::string("^"));
  return result;
}
[[nodiscard]] inline std::string spelt(const Extent& extent) {
  if (const auto* const fixed = std::get_if<StaticLength>(&extent))
    return fmt::format("{}", fixed->length);
  if (const auto* const field = std::get_if<LengthField>(&extent)) return spelt(field->location);
  return "";
}
[[nodiscard]] inline std::string spelt(const IntegerRanges& ranges) {
  std::string result;
  for (const IntegerRange& each : ranges)
    result += fmt::format("{}{}..{}", result.empty() ? "" : " ", each.lower.to_string(),
                          each.upper.to_string());
  return result;
}

}  // namespace tracedeck::ctf
