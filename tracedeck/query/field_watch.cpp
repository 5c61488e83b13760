#include "tracedeck/query/field_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "tracedeck/base/nearest.hpp"
#include "tracedeck/model/log_level.hpp"
#include "tracedeck/query/path_parser.hpp"
#include "tracedeck/query/pattern.hpp"
#include "tracedeck/query/vocabulary.hpp"
#include "tracedeck/render/counted.hpp"

namespace tracedeck::query {
namespace {

// Names are kept to find out which one was meant; more of them than this are no help.
constexpr std::size_t kMostNames = 4096;
// Texts beside `name`, and sentences about what there is not, at most. A list of more is made by a
// program.
constexpr std::size_t kMostTests = 100;
constexpr std::size_t kMostSentences = 20;

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

// Whether a field of the payload is called what the path is, with a word of the language:
// `packet.size`.
bool has_field_called(const EventClass& event_class, const Path& path) {
  const bool begins_with_word = path.root == Root::kSpecific || path.root == Root::kCommon ||
                                path.root == Root::kPacket || path.root == Root::kStream;
  return begins_with_word &&
         find_field(event_class, {.root = Root::kPayload, .steps = {{.name = to_string(path)}}});
}

// The path with its names apart: `a["b"]` of `a.b`.
std::string with_names_apart(const Path& path) {
  std::string text = to_string({.root = path.root, .steps = {path.steps.front()}});
  for (const PathStep& step : std::span(path.steps).subspan(1)) {
    text += step.kind == PathStep::Kind::kMember
                ? fmt::format("[\"{}\"]", step.name)
                : to_string({.root = Root::kAnyField, .steps = {step}});
  }
  return text;
}

}  // namespace

// Texts are compared with the names of classes, which say what an event is far more often than a
// field called `name` does.
void FieldWatch::add_name_test(Operator operation, const Expression& wanted) {
  if (wanted.operation != Operator::kLiteral || name_tests_.size() == kMostTests) return;
  TextMatcherPtr matcher;
  NameTest test{.operation = operation};
  const auto* const text = std::get_if<std::string>(&wanted.literal);
  if (const auto* const pattern = std::get_if<Pattern>(&wanted.literal)) {
    matcher = pattern_matcher(*pattern).value_or(nullptr);
    test.text = fmt::format("/{}/{}", pattern->text, pattern->ignores_case ? "i" : "");
  } else if (text != nullptr && operation == Operator::kGlob) {
    matcher = glob_matcher(*text).value_or(nullptr);
    test.text = *text;
  } else if (text != nullptr) {
    const bool contains = operation == Operator::kContains;
    test.text = *text;
    test.holds = [text = *text, contains](std::string_view name) {
      return contains ? name.contains(text) : name == text;
    };
  }
  if (matcher != nullptr)
    test.holds = [matcher](std::string_view name) { return matcher->matches(name); };
  if (test.holds) name_tests_.push_back(std::move(test));
}

void FieldWatch::add_name_tests(const Expression& comparison) {
  const auto is_name = [](const ExpressionPtr& operand) {
    return operand->operation == Operator::kPath && operand->path.root == Root::kName;
  };
  if (comparison.operation < Operator::kEqual || comparison.operation > Operator::kIn ||
      std::ranges::none_of(comparison.operands, is_name))
    return;
  for (const ExpressionPtr& operand : comparison.operands)
    add_name_test(comparison.operation, *operand);
}

void FieldWatch::add(const Expression& expression) {
  units_.add(expression);
  add_names_of(expression);
}

void FieldWatch::add_names_of(const Expression& expression) {
  add_name_tests(expression);
  if (expression.operation == Operator::kPath) {
    const Root root = expression.path.root;
    asks_for_levels_ = asks_for_levels_ || root == Root::kLogLevel;
    asks_for_durations_ = asks_for_durations_ || root == Root::kDuration;
    if (root < Root::kStream) uses_.push_back({.path = expression.path});
    if (root == Root::kStream) key_uses_.push_back({.path = expression.path});
    if (root >= kFirstEventValue && root != Root::kRealTime)
      event_words_.insert(event_value_name(root));
  }
  for (const ExpressionPtr& operand : expression.operands) add_names_of(*operand);
}

void FieldWatch::count_without_unit(std::uint64_t events) {
  const std::lock_guard lock(mutex_);
  without_unit_ += events;
}

void FieldWatch::see(const TraceDescription& description) {
  for (const EventClass& event_class : description.event_classes()) see(event_class);
}

void FieldWatch::see(const EventClass& event_class) {
  const std::lock_guard lock(mutex_);
  ++classes_;
  has_durations_ = has_durations_ || event_class.has_duration;
  has_levels_ = has_levels_ || (asks_for_levels_ && log_level(event_class));
  for (Use& use : uses_) {
    use.names_a_field = use.names_a_field || has_field_called(event_class, use.path);
    const auto field = find_field(event_class, use.path);
    if (!field) continue;
    use.found = true;
    use.parts.insert(field->part);
    use.is_ambiguous = use.is_ambiguous || is_ambiguous(event_class, use.path);
  }
  for (Use& use : key_uses_)
    use.names_a_field = use.names_a_field || has_field_called(event_class, use.path);
  bool has_name = false;
  for (const std::string_view word : event_words_) {
    if (!find_field(event_class, {.root = Root::kPayload, .steps = {{.name = std::string(word)}}}))
      continue;
    shadowing_.insert(word);
    has_name = has_name || word == event_value_name(Root::kName);
  }
  others_have_no_name_ = others_have_no_name_ || !has_name;
  units_.see(event_class);
  if (!name_tests_.empty() && event_class.name && events_.size() < kMostNames)
    events_.insert(*event_class.name);
  for (NameTest& test : name_tests_) {
    test.met = test.met || event_class.self_described ||
               (event_class.name && test.holds(*event_class.name));
  }
  if (uses_.empty() && key_uses_.empty()) return;
  add_names(event_class.payload, names_);
  add_names(event_class.specific_context, names_);
  if (event_class.stream_class == nullptr) return;
  const DataStreamClass& stream_class = *event_class.stream_class;
  if (stream_class.context_identifies) {
    for (const Member& each : stream_class.common_context->as<StructureClass>()->members)
      find_key(each.name);
  }
  add_names(stream_class.common_context, stream_class.context_identifies ? stream_keys_ : names_);
  add_names(stream_class.packet_context, names_);
}

void FieldWatch::find_key(std::string_view name) {
  for (Use& use : key_uses_)
    use.found = use.found || (use.path.steps.size() == 1 && use.path.steps.front().name == name);
}

void FieldWatch::see(const DataStream& stream) {
  if (uses_.empty() && key_uses_.empty()) return;
  const std::lock_guard lock(mutex_);
  ++streams_;
  for (const StreamKey& key : stream.keys) {
    find_key(key.name);
    if (stream_keys_.size() < kMostNames) stream_keys_.insert(key.name);
  }
}

std::string FieldWatch::nearest_name(const Path& path) const {
  const std::string& name = path.steps.back().name;
  if (stream_keys_.contains(name)) return fmt::format("stream.{}", name);
  std::vector<std::string_view> known(names_.begin(), names_.end());
  known.insert(known.end(), stream_keys_.begin(), stream_keys_.end());
  std::vector<std::string_view> of_each;
  if (path.root == Root::kAnyField && path.steps.size() == 1) {
    for (Root root = kFirstEventValue; root != Root::kRealTime;
         root = static_cast<Root>(std::to_underlying(root) + 1))
      of_each.push_back(event_value_name(root));
  }
  known.insert(known.end(), of_each.begin(), of_each.end());
  std::string near(path.steps.size() > 1 ? nearest(to_string(path), known) : "");
  if (!near.contains('.')) near = nearest(name, known);
  if (near == name) return {};
  const bool stands_alone =
      near.empty() || names_.contains(near) || std::ranges::find(of_each, near) != of_each.end();
  return stands_alone ? near : "stream." + near;
}

std::vector<std::string> FieldWatch::unknown_fields() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> sentences;
  if (classes_ == 0) return sentences;
  for (const Use& use : uses_) {
    if (use.found) continue;
    if (sentences.size() == kMostSentences) {
      sentences.emplace_back("there are more fields that no event class has");
      break;
    }
    std::string sentence = fmt::format("no event class has a field `{}`", to_string(use.path));
    const std::string near = use.names_a_field ? "." + to_string(use.path) : nearest_name(use.path);
    if (!near.empty()) sentence += fmt::format("; did you mean `{}`?", near);
    if (std::ranges::find(sentences, sentence) == sentences.end())
      sentences.push_back(std::move(sentence));
  }
  add_unknown_keys(sentences);
  return sentences;
}

std::vector<std::string> FieldWatch::without_unit() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> sentences = units_.sentences();
  if (sentences.size() > kMostSentences) sentences.resize(kMostSentences);
  return sentences;
}

std::vector<std::string> FieldWatch::unmet() const {
  std::vector<std::string> sentences = unknown_fields();
  std::ranges::move(without_unit(), std::back_inserter(sentences));
  std::ranges::move(unknown_names(), std::back_inserter(sentences));
  return sentences;
}

void FieldWatch::add_unknown_keys(std::vector<std::string>& sentences) const {
  // Those of data streams that nobody came to are not known.
  if (streams_ == 0 || stopped_early_) return;
  for (const Use& use : key_uses_) {
    if (use.found) continue;
    std::string sentence = fmt::format("no data stream has a key `{}`", to_string(use.path));
    if (use.names_a_field) {
      sentence += fmt::format("; the field of that name is `.{}`", to_string(use.path));
    } else if (!stream_keys_.empty()) {
      sentence += fmt::format("; there {} `stream.{}`", stream_keys_.size() == 1 ? "is" : "are",
                              fmt::join(stream_keys_, "`, `stream."));
    }
    if (std::ranges::find(sentences, sentence) == sentences.end())
      sentences.push_back(std::move(sentence));
  }
}

// The name of a class that a text was probably meant to be; "": none.
std::string FieldWatch::nearest_event(const NameTest& test) const {
  const bool is_name = test.operation != Operator::kMatches && test.operation != Operator::kGlob &&
                       test.operation != Operator::kContains;
  const std::vector<std::string_view> known(events_.begin(), events_.end());
  return is_name ? std::string(nearest(test.text, known)) : std::string();
}

std::vector<std::string> FieldWatch::unknown_names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> sentences;
  if (classes_ == 0 || stopped_early_) return sentences;
  for (const NameTest& test : name_tests_) {
    const bool is_order =
        test.operation >= Operator::kLess && test.operation <= Operator::kGreaterOrEqual;
    if (test.met || is_order) continue;
    std::string sentence = fmt::format("no event is called `{}`", test.text);
    if (test.operation == Operator::kMatches || test.operation == Operator::kGlob)
      sentence = fmt::format("no event's name matches `{}`", test.text);
    if (test.operation == Operator::kContains)
      sentence = fmt::format("no event's name contains `{}`", test.text);
    const std::string near = nearest_event(test);
    if (!near.empty()) sentence += fmt::format("; did you mean `{}`?", near);
    if (std::ranges::find(sentences, sentence) == sentences.end())
      sentences.push_back(std::move(sentence));
  }
  return sentences;
}

void FieldWatch::stop_early() {
  const std::lock_guard lock(mutex_);
  stopped_early_ = true;
}

bool FieldWatch::name_is_doubtful() const {
  return !others_have_no_name_ || std::ranges::any_of(name_tests_, [&](const NameTest& test) {
    return !test.met && nearest_event(test).empty();
  });
}

std::vector<std::string> FieldWatch::notices() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> sentences;
  if (asks_for_durations_ && !has_durations_ && classes_ != 0 && !stopped_early_)
    sentences.emplace_back("these events have no duration; `pair` makes some");
  if (asks_for_levels_ && !has_levels_ && classes_ != 0 && !stopped_early_)
    sentences.emplace_back("these events have no log level: `loglevel` is unknown of each");
  // Where none could be it is said of the field.
  if (const auto others = units_.sentence_of_others(); others && without_unit_ != 0)
    sentences.push_back(fmt::format("{} could not be compared: there {}",
                                    render::counted(without_unit_, "event"), *others));
  for (const std::string_view word : shadowing_) {
    if (word == event_value_name(Root::kName) && !name_is_doubtful()) continue;
    sentences.push_back(fmt::format(
        "`{0}` is what each event has; the field of that name, which some have, is `.{0}`", word));
  }
  for (const Use& use : uses_) add_notices(use, sentences);
  for (const Use& use : key_uses_) add_notices(use, sentences);
  return sentences;
}

void FieldWatch::add_notices(const Use& use, std::vector<std::string>& sentences) const {
  const std::string path = to_string(use.path);
  if (use.path.root == Root::kAnyField && use.parts.size() > 1) {
    sentences.push_back(fmt::format("`{}` is not in the same place in all event classes: {}", path,
                                    fmt::join(part_names(use.parts), ", ")));
  }
  if (use.is_ambiguous) {
    sentences.push_back(
        fmt::format("`{}` means the field of the longest name; `{}` is one within another", path,
                    with_names_apart(use.path)));
  }
  if (use.found && use.names_a_field) {
    sentences.push_back(
        fmt::format("`{0}` is no field of the payload; the one of that name is `.{0}`", path));
  }
}

}  // namespace tracedeck::query
