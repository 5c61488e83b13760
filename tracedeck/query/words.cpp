#include "tracedeck/query/words.hpp"

#include <algorithm>

#include "tracedeck/query/aggregate.hpp"
#include "tracedeck/query/allocation_rows.hpp"
#include "tracedeck/query/lexer.hpp"
#include "tracedeck/query/sample_rows.hpp"
#include "tracedeck/query/span_rows.hpp"
#include "tracedeck/query/stages.hpp"
#include "tracedeck/query/vocabulary.hpp"

namespace tracedeck::query {
namespace {

// Structures in structures are looked into so far.
constexpr int kDeepest = 4;

// Whether the name can stand in quotes of either kind, in a shell's too.
bool is_quotable(std::string_view name) {
  return !name.empty() && std::ranges::none_of(name, [](char c) {
    return c == '"' || c == '\'' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
}

}  // namespace

std::vector<std::string> expression_words() {
  std::vector<std::string> words;
  for (const RootWord& each : kEventValues) words.emplace_back(each.text);
  for (const Word& each : kFunctions) words.push_back(std::string(each.text) + "(");
  return words;
}

std::vector<std::string> stage_words() {
  std::vector<std::string> words;
  for (const std::string_view word : stage_keywords()) words.emplace_back(word);
  for (const AggregateInfo& each : aggregate_table()) {
    if (each.kind != AggregateKind::kQuantile) {
      words.push_back(std::string(each.word) + (each.takes_argument ? "(" : ""));
      continue;
    }
    for (const std::string_view part : {"50(", "90(", "99("})
      words.push_back(std::string(each.word) + std::string(part));
  }
  // What events have too is among the words of expressions.
  for (const auto* const columns : {&span_columns(), &allocation_columns(), &sample_columns()}) {
    for (const Column& column : *columns) {
      const bool is_of_events =
          std::ranges::find(kEventValues, column.name, &RootWord::text) != std::end(kEventValues);
      if (!is_of_events) words.push_back(column.name);
    }
  }
  return words;
}

void KnownNames::see(const TraceDescription& description) {
  for (const EventClass& event_class : description.event_classes()) {
    if (event_class.name && is_quotable(*event_class.name) && events_.size() < most_)
      events_.insert(*event_class.name);
    if (event_class.self_described) continue;
    see_members(event_class.payload.get(), "", 0);
    see_members(event_class.specific_context.get(), "", 0);
  }
  for (const DataStreamClass& stream_class : description.stream_classes()) {
    see_members(stream_class.common_context.get(), "", 0);
    see_members(stream_class.packet_context.get(), "", 0);
  }
}

void KnownNames::see_members(const FieldClass* structure, const std::string& before, int depth) {
  const auto* const members = structure == nullptr ? nullptr : structure->as<StructureClass>();
  if (members == nullptr || depth == kDeepest) return;
  for (const Member& member : members->members) {
    if (fields_.size() >= most_) return;
    if (!is_plain_path(member.name)) continue;
    const std::string path = before + std::string(std::string_view(member.name));
    fields_.insert(path);
    see_members(member.field_class.get(), path + ".", depth + 1);
  }
}

}  // namespace tracedeck::query
