#include "tracedeck/query/field_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tracedeck/base/nearest.hpp"
#include "tracedeck/query/parser.hpp"

namespace tracedeck::query {
namespace {

// Names are kept to find out which one was meant; more of them than this are no help.
constexpr std::size_t kMostNames = 4096;

std::vector<std::string_view> part_names(const std::set<FieldReference::Part>& parts) {
  static constexpr std::array<std::string_view, 4> kNames = {"payload", "specific context",
                                                             "common context", "packet context"};
  std::vector<std::string_view> names;
  for (const FieldReference::Part part : parts)
    names.push_back(kNames[static_cast<std::size_t>(part)]);
  return names;
}

void add_names(const FieldClassPtr& structure, std::set<std::string, std::less<>>& names) {
  const auto* const members = structure == nullptr ? nullptr : structure->as<StructureClass>();
  if (members == nullptr) return;
  for (const Member& member : members->members) {
    if (names.size() < kMostNames) names.emplace(std::string_view(member.name));
  }
}

}  // namespace

void FieldWatch::add(const Expression& expression) {
  if (expression.operation == Operator::kPath) {
    const Root root = expression.path.root;
    if (root < Root::kStream) uses_.push_back({.path = expression.path});
    if (root >= kFirstEventValue && root != Root::kRealTime)
      event_words_.insert(event_value_name(root));
  }
  for (const ExpressionPtr& operand : expression.operands) add(*operand);
}

void FieldWatch::see(const TraceDescription& description) {
  for (const EventClass& event_class : description.event_classes()) see(event_class);
}

void FieldWatch::see(const EventClass& event_class) {
  const std::lock_guard lock(mutex_);
  ++classes_;
  for (Use& use : uses_) {
    const auto field = find_field(event_class, use.path);
    if (!field) continue;
    use.found = true;
    use.parts.insert(field->part);
  }
  for (const std::string_view word : event_words_) {
    if (find_field(event_class, {.root = Root::kPayload, .steps = {{.name = std::string(word)}}}))
      shadowing_.insert(word);
  }
  if (uses_.empty()) return;
  add_names(event_class.payload, names_);
  add_names(event_class.specific_context, names_);
  if (event_class.stream_class == nullptr) return;
  add_names(event_class.stream_class->common_context, names_);
  add_names(event_class.stream_class->packet_context, names_);
}

std::string FieldWatch::nearest_name(std::string_view name) const {
  const std::vector<std::string_view> known(names_.begin(), names_.end());
  return std::string(nearest(name, known));
}

std::vector<std::string> FieldWatch::unknown_fields() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> sentences;
  if (classes_ == 0) return sentences;
  for (const Use& use : uses_) {
    if (use.found) continue;
    std::string sentence = fmt::format("no event class has a field `{}`", to_string(use.path));
    const std::string near = nearest_name(use.path.steps.back().name);
    if (!near.empty()) sentence += fmt::format("; did you mean `{}`?", near);
    if (std::ranges::find(sentences, sentence) == sentences.end())
      sentences.push_back(std::move(sentence));
  }
  return sentences;
}

std::vector<std::string> FieldWatch::notices() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> sentences;
  for (const std::string_view word : shadowing_) {
    sentences.push_back(fmt::format(
        "`{0}` is what each event has; the field of that name, which some have, is `.{0}`", word));
  }
  for (const Use& use : uses_) {
    if (use.path.root != Root::kAnyField || use.parts.size() < 2) continue;
    sentences.push_back(fmt::format("`{}` is not in the same place in all event classes: {}",
                                    to_string(use.path), fmt::join(part_names(use.parts), ", ")));
  }
  return sentences;
}

}  // namespace tracedeck::query
