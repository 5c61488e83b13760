#include "tracedeck/query/bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "tracedeck/base/time.hpp"
#include "tracedeck/model/class_tree.hpp"
#include "tracedeck/model/log_level.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/query/measures.hpp"
#include "tracedeck/query/projection.hpp"
#include "tracedeck/query/symbol_values.hpp"

namespace tracedeck::query {
namespace {

using NodeKind = BoundNode::Kind;

// With the levels' names as its labels.
Value log_level_value(const EventClass& event_class) {
  static const IntegerClass kLevels = [] {
    IntegerClass levels{.form = IntegerClass::Form::kEnumeration};
    for (std::uint64_t i = 0; i < kLogLevels.size(); ++i)
      levels.mappings.push_back({.label = kLogLevels[i], .ranges = {{i, i}}});
    return levels;
  }();
  const auto level = log_level(event_class);
  if (!level) return {};
  Value value = Value::of(std::uint64_t{*level});
  value.labels = &kLevels;
  return value;
}

bool is_time(const Expression& expression) { return unit_of(expression, {}) == Unit::kTime; }

bool has_text(const Expression& item) {
  return std::holds_alternative<std::string>(item.literal) ||
         std::ranges::any_of(item.operands,
                             [](const ExpressionPtr& each) { return has_text(*each); });
}

// Whether it is faster to look for the items of a list than to go through them.
bool is_long_list(const Expression& expression) {
  constexpr std::size_t kFew = 8;
  if (expression.operation != Operator::kIn || expression.operands.size() <= kFew + 1) return false;
  // A text beside `time` means another time in each trace.
  const auto is = [&](bool (*what)(const Expression&)) {
    return std::ranges::any_of(expression.operands,
                               [&](const ExpressionPtr& each) { return what(*each); });
  };
  // A number with a unit is one of the unit that its field has in each class.
  const Expression& side = *expression.operands.front();
  return (!is(is_time) || !is(has_text)) &&
         (!measured_comparison(expression) || unit_of(side, {}) != Unit::kNone);
}

bool is_constant(const BoundNode& node) { return node.kind == NodeKind::kConstant; }

class Binder {
 public:
  Binder(const EventClass& event_class, const BindContext& context)
      : event_class_(&event_class), context_(context), texts_(context.texts) {}
  Binder(const ColumnOf& column_of, const BindContext& context)
      : column_of_(&column_of), context_(context), texts_(context.texts) {}

  BoundNode bind(const Expression& expression) {
    BoundNode node{.expression = &expression};
    if (expression.operation == Operator::kLiteral) {
      node.constant = value_of_literal(expression);
      return node;
    }
    if (expression.operation == Operator::kPath) return bind_path(expression);
    if (expression.operation == Operator::kAny || expression.operation == Operator::kAll)
      return bind_each(expression);
    if (expression.operation == Operator::kInOrder)
      return event_class_->nominal_time ? node : bind(*expression.operands.front());
    node.kind = NodeKind::kOperation;
    node.matcher = context_.matchers.text_matcher(expression);
    node.list = context_.matchers.list(expression);
    if (node.list != nullptr) {
      node.operands.push_back(bind(*expression.operands.front()));
      for (const Expression* const other : node.list->others())
        node.operands.push_back(bind(*other));
    } else {
      for (const ExpressionPtr& operand : expression.operands)
        node.operands.push_back(bind(*operand));
    }
    resolve_times(node);
    resolve_units(node);
    return folded(std::move(node));
  }

 private:
  BoundNode bind_path(const Expression& expression) {
    BoundNode node{.expression = &expression};
    const Path& path = expression.path;
    if (column_of_ != nullptr) return bind_column(std::move(node), expression);
    if (path.root >= kFirstEventValue) return bind_event_value(std::move(node), path.root);
    if (path.root == Root::kStream) {
      node.kind = NodeKind::kStreamKey;
      return node;
    }
    const auto each = std::ranges::find(path.steps, PathStep::Kind::kEach, &PathStep::kind);
    if (each != path.steps.end()) {
      node.kind = NodeKind::kField;
      node.field = {.part = FieldReference::Part::kElement,
                    .steps = std::span(path.steps)
                                 .subspan(static_cast<std::size_t>(each - path.steps.begin()) + 1)};
      return node;
    }
    const auto field = find_field(*event_class_, path);
    if (!field) return node;  // unknown, for every event of the class
    node.kind = NodeKind::kField;
    node.field = *field;
    return node;
  }

  BoundNode bind_column(BoundNode node, const Expression& path) {
    const auto column = (*column_of_)(path);
    if (!column) return node;
    node.kind = NodeKind::kColumn;
    node.column = *column;
    return node;
  }

  BoundNode bind_event_value(BoundNode node, Root root) {
    const bool is_fixed = root == Root::kId || root == Root::kLogLevel ||
                          (root == Root::kName && !event_class_->self_described) ||
                          (root == Root::kTrace && !context_.trace.empty());
    const bool is_absent = (root == Root::kTime && event_class_->clock == nullptr) ||
                           (root == Root::kRealTime && !event_class_->has_real_time()) ||
                           (root == Root::kDuration && !event_class_->has_duration);
    if (root == Root::kId && event_class_->id) node.constant = Value::of(*event_class_->id);
    if (root == Root::kLogLevel) node.constant = log_level_value(*event_class_);
    if (root == Root::kTrace && is_fixed) node.constant = Value::of(context_.trace);
    if (root == Root::kName && event_class_->name)
      node.constant = Value::of(std::string_view(*event_class_->name));
    if (!is_fixed && !is_absent) node.kind = NodeKind::kEventValue;
    return node;
  }

  // any() and all(): the array first, then what is asked of each element.
  BoundNode bind_each(const Expression& expression) {
    BoundNode node{.expression = &expression};
    if (event_class_ == nullptr) return node;  // rows have no arrays to look into
    const Path* const path = find_each(*expression.operands.front());
    const auto each = std::ranges::find(path->steps, PathStep::Kind::kEach, &PathStep::kind);
    const auto field = find_field(*event_class_, *path);
    if (!field) return node;
    BoundNode source{.expression = &expression, .kind = NodeKind::kField, .field = *field};
    // The steps up to [*].
    const auto behind = static_cast<std::size_t>(path->steps.end() - each);
    source.field.steps = field->steps.first(field->steps.size() - behind);
    node.kind = NodeKind::kOperation;
    node.operands.push_back(std::move(source));
    node.operands.push_back(bind(*expression.operands.front()));
    return node;
  }

  static const Path* find_each(const Expression& expression) {
    const auto is_each = [](const PathStep& step) { return step.kind == PathStep::Kind::kEach; };
    if (expression.operation == Operator::kPath &&
        std::ranges::any_of(expression.path.steps, is_each))
      return &expression.path;
    for (const ExpressionPtr& operand : expression.operands) {
      if (const Path* const found = find_each(*operand)) return found;
    }
    return nullptr;
  }

  // Texts beside `time` are times.
  void resolve_times(BoundNode& node) {
    if (!context_.time_of_text || !compares_times(node.expression->operation) ||
        std::ranges::none_of(node.operands,
                             [](const BoundNode& each) { return is_time(*each.expression); }))
      return;
    for (BoundNode& operand : node.operands) {
      resolve_time(operand);
      if (operand.expression->operation == Operator::kRange)
        for (BoundNode& end : operand.operands) resolve_time(end);
    }
  }
  void resolve_time(BoundNode& node) {
    if (node.expression->operation != Operator::kLiteral ||
        node.constant.kind != Value::Kind::kText)
      return;
    const auto time = context_.time_of_text(node.constant.text);
    node.constant = time ? Value::of(Integer::from(*time)) : Value{};
  }

  // Literals with units are numbers of what stands beside them.
  void resolve_units(BoundNode& node) {
    const auto measured = measured_comparison(*node.expression);
    if (!measured) return;
    std::optional<RowUnit> unit;
    if (event_class_ == nullptr) {
      unit = unit_in(*measured->side, context_.columns);
    } else if (const auto said = unit_in(*measured->side, *event_class_)) {
      unit = RowUnit{.unit = *said};
    }
    if (!unit) return;
    for (BoundNode& operand : node.operands) {
      resolve_unit(operand, *unit);
      if (operand.expression->operation == Operator::kRange)
        for (BoundNode& end : operand.operands) resolve_unit(end, *unit);
    }
    // Then it is unknown of every event.
    const bool is_pair = node.expression->operation != Operator::kIn;
    if (is_pair && std::ranges::any_of(node.operands, [](const BoundNode& each) {
          return is_constant(each) && !each.constant.known();
        }))
      node = {.expression = node.expression};
  }
  static void resolve_unit(BoundNode& node, const RowUnit& unit) {
    const auto quantity = quantity_of(*node.expression);
    if (!quantity || !is_constant(node)) return;
    if (unit.seen != nullptr) {
      node.kind = NodeKind::kQuantity;
      node.seen = unit.seen;
      node.column = unit.column;
    } else {
      node.constant = in_unit(node.constant, *quantity, unit.unit);
    }
  }

  // An operation on constants is one.
  BoundNode folded(BoundNode node) {
    if (!std::ranges::all_of(node.operands, is_constant)) return node;
    // A range is for whoever looks into the list, and a symbol is of the trace.
    const Operator operation = node.expression->operation;
    if (operation == Operator::kRange || asks_for_symbols(operation)) return node;
    const Event none;
    node.constant = evaluate(node, {.event = &none, .texts = &texts_});
    node.kind = NodeKind::kConstant;
    node.operands.clear();
    return node;
  }

  const EventClass* event_class_ = nullptr;  // one of these two
  const ColumnOf* column_of_ = nullptr;
  const BindContext& context_;
  std::deque<std::string>& texts_;
};

Value event_value(Root root, const EventValues& values) {
  const Event& event = *values.event;
  switch (root) {
    case Root::kName:
      return Value::of(event.payload().front().text());
    case Root::kTime:
    case Root::kRealTime:
      return Value::of(Integer::from(event.began_at()));
    case Root::kDuration:
      return Value::of(
          Integer::from(event.event_class->clock->interval(event.time, event.end_time)));
    case Root::kOffset:
      return Value::of(event.offset);
    case Root::kSize:
      return Value::of(std::uint64_t{event.size});
    case Root::kTrace:
      return values.trace.empty() ? Value{} : Value::of(values.trace);
    default:
      return {};
  }
}

// A key of the event's stream, or a member of the context that identifies like one.
Value stream_key(const Path& path, const EventValues& values) {
  const Event& event = *values.event;
  if (event.stream == nullptr || path.steps.size() != 1) return {};
  const std::string& name = path.steps.front().name;
  const auto key = std::ranges::find(event.stream->keys, name, &StreamKey::name);
  if (key != event.stream->keys.end()) {
    return Value::of(key->value);
  }
  const DataStreamClass* const stream_class = event.event_class->stream_class;
  if (name == "class" || stream_class == nullptr || !stream_class->context_identifies) return {};
  const auto& members = stream_class->common_context->as<StructureClass>()->members;
  const Slot* slot = event.common_context().data();
  const Slot* const end = slot + event.common_count;
  for (const Member& member : members) {
    if (slot == end) break;
    if (member.name == name) return value_of(slot, member.field_class.get(), values.names);
    slot = slot->next();
  }
  return {};
}

std::optional<bool> truth(const Value& value) {
  return value.kind == Value::Kind::kBoolean ? std::optional(value.boolean) : std::nullopt;
}

// Of several truths: true when one is (or none is not), by Kleene.
class Truths {
 public:
  explicit Truths(bool decisive) : decisive_(decisive) {}
  // Returns whether that decides.
  bool add(std::optional<bool> truth) {
    if (!truth) unknown_ = true;
    decided_ = decided_ || truth == decisive_;
    return decided_;
  }
  [[nodiscard]] Value value() const {
    if (decided_) return Value::of(decisive_);
    return unknown_ ? Value{} : Value::of(!decisive_);
  }

 private:
  bool decisive_;
  bool decided_ = false;
  bool unknown_ = false;
};

Value evaluate_list(const BoundNode& node, const EventValues& values) {
  const Value wanted = evaluate(node.operands.front(), values);
  Truths truths(true);
  if (node.list != nullptr && truths.add(node.list->has(wanted))) return truths.value();
  for (const BoundNode& item : std::span(node.operands).subspan(1)) {
    std::optional<bool> found;
    if (item.expression->operation == Operator::kRange) {
      const auto low = compare(evaluate(item.operands[0], values), wanted);
      const auto high = compare(wanted, evaluate(item.operands[1], values));
      Truths both(false);
      both.add(low ? std::optional(*low <= 0) : std::nullopt);
      both.add(high ? std::optional(*high <= 0) : std::nullopt);
      found = truth(both.value());
    } else {
      found = equals(wanted, evaluate(item, values));
    }
    if (truths.add(found)) break;
  }
  return truths.value();
}

Value evaluate_each(const BoundNode& node, const EventValues& values) {
  const FieldReference& field = node.operands[0].field;
  auto steps = field.steps;
  const Located array = follow(locate(field, begin_of(field.part, *values.event)), steps);
  if (array.slot == nullptr || !steps.empty()) return {};
  const FieldClass* const of_elements = element_class(array.field_class);
  Truths truths(node.expression->operation == Operator::kAny);
  EventValues inside = values;
  if (array.slot->kind == SlotKind::kPackedArray) {
    for (std::size_t i = 0; i < packed_count(*array.slot); ++i) {
      const Slot element = packed_element(*array.slot, i);
      inside.element = {&element, of_elements};
      if (truths.add(truth(evaluate(node.operands[1], inside)))) break;
    }
    return truths.value();
  }
  if (array.slot->kind != SlotKind::kArray) return {};
  const Slot* slot = array.slot + 1;
  for (std::uint64_t i = 0; i < array.slot->bits; ++i, slot = slot->next()) {
    inside.element = {slot, of_elements};
    if (truths.add(truth(evaluate(node.operands[1], inside)))) break;
  }
  return truths.value();
}

// With ASCII letters in lower case, kept in `texts`.
Value lowered(const Value& value, std::deque<std::string>& texts) {
  const auto first = apply(Operator::kLabel, value);
  const bool is_text = value.kind == Value::Kind::kText || value.kind == Value::Kind::kBlob;
  const Value& source = is_text ? value : first;
  if (!source.known()) return {};
  std::string& text = texts.emplace_back(source.text);
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return Value::of(std::string_view(text));
}

// The name that the event's trace gives to an address.
Value symbol_of(const Value& address, const Event& event) {
  const auto number =
      address.kind == Value::Kind::kInteger ? address.integer.to_unsigned() : std::nullopt;
  return number ? symbol_at(*number, trace_of(event)) : Value{};
}

// The functions of a list of addresses.
Value stack_of(const Value& addresses, const EventValues& values) {
  if (addresses.kind != Value::Kind::kCompound || addresses.slot == nullptr) return {};
  auto stack = stack_at(*addresses.slot, trace_of(*values.event));
  if (!stack) return {};
  return Value::of(std::string_view(values.texts->emplace_back(*std::move(stack))));
}

// In the unit of what it is compared with: as that value says itself, or all of its column.
Value quantity_in_row(const BoundNode& node, const EventValues& values) {
  const std::string_view own = values.columns[node.column].unit;
  return in_unit(node.constant, *quantity_of(*node.expression),
                 own.empty() ? node.seen->unit() : own);
}

Value evaluate_operation(const BoundNode& node, const EventValues& values) {
  const Operator operation = node.expression->operation;
  switch (operation) {
    case Operator::kAnd:
    case Operator::kOr: {
      Truths truths(operation == Operator::kOr);
      for (const BoundNode& operand : node.operands) {
        if (truths.add(truth(evaluate(operand, values)))) break;
      }
      return truths.value();
    }
    case Operator::kCoalesce:
      for (const BoundNode& operand : node.operands) {
        if (Value value = evaluate(operand, values); value.known()) return value;
      }
      return {};
    case Operator::kIn:
      return evaluate_list(node, values);
    case Operator::kAny:
    case Operator::kAll:
      return evaluate_each(node, values);
    case Operator::kMatches:
    case Operator::kGlob: {
      const TextMatcher& matcher = *node.matcher;
      return Value::of(any_text(evaluate(node.operands[0], values),
                                [&](std::string_view text) { return matcher.matches(text); }));
    }
    default:
      break;
  }
  const Value first = evaluate(node.operands[0], values);
  if (operation == Operator::kHas) return Value::of(first.known());
  if (operation == Operator::kNot) {
    const auto known = truth(first);
    return known ? Value::of(!*known) : Value{};
  }
  if (!first.known()) return {};
  if (operation == Operator::kSymbol) return symbol_of(first, *values.event);
  if (operation == Operator::kStack) return stack_of(first, values);
  if (operation == Operator::kLower) return lowered(first, *values.texts);
  if (node.operands.size() == 1) return apply(operation, first);
  const Value second = evaluate(node.operands[1], values);
  return second.known() ? apply(operation, first, second) : Value{};
}

template <class Is>
bool any_root(const Expression& expression, Is is) {
  if (expression.operation == Operator::kPath) return is(expression.path.root);
  return std::ranges::any_of(expression.operands,
                             [is](const ExpressionPtr& each) { return any_root(*each, is); });
}

}  // namespace

Result<void> Matchers::add(const Expression& expression, std::string_view text) {
  if (is_long_list(expression)) add_list(expression);
  if (expression.operation == Operator::kMatches || expression.operation == Operator::kGlob) {
    if (auto added = add_text_matcher(expression, text); !added) return added;
  }
  for (const ExpressionPtr& operand : expression.operands) {
    if (auto added = add(*operand, text); !added) return added;
  }
  return {};
}

Result<void> Matchers::add_text_matcher(const Expression& expression, std::string_view text) {
  const Expression& wanted = *expression.operands[1];
  const auto* const pattern = std::get_if<Pattern>(&wanted.literal);
  const auto* const glob = std::get_if<std::string>(&wanted.literal);
  if (wanted.operation != Operator::kLiteral || (pattern == nullptr && glob == nullptr))
    return std::unexpected(
        syntax_error(text, wanted.place,
                     "behind `~` a text in quotes is wanted, in which `*` stands for anything"));
  auto made = pattern != nullptr ? pattern_matcher(*pattern) : glob_matcher(*glob);
  if (!made) return std::unexpected(syntax_error(text, wanted.place, made.error().message));
  pattern_memory_ += (*made)->memory();
  if (pattern_memory_ > kMostPatternMemory)
    return std::unexpected(
        syntax_error(text, wanted.place,
                     fmt::format("the regular expressions take more than {} MiB together from "
                                 "here on; one may stand for several: /a|b/",
                                 kMostPatternMemory >> 20)));
  texts_.emplace(&expression, *std::move(made));
  return {};
}

void Matchers::add_list(const Expression& expression) {
  auto list = std::make_shared<const ConstantList>(std::span(expression.operands).subspan(1));
  if (!list->empty()) lists_.emplace(&expression, std::move(list));
}

const TextMatcher* Matchers::text_matcher(const Expression& expression) const {
  const auto found = texts_.find(&expression);
  return found == texts_.end() ? nullptr : found->second.get();
}

const ConstantList* Matchers::list(const Expression& expression) const {
  const auto found = lists_.find(&expression);
  return found == lists_.end() ? nullptr : found->second.get();
}

bool reads_values(const Expression& expression) {
  return any_root(expression, [](Root root) { return root < kFirstEventValue; });
}

bool reads_names(const Expression& expression) {
  return any_root(expression, [](Root root) { return root == Root::kName; });
}

bool reads_times(const Expression& expression) {
  return any_root(expression, [](Root root) {
    return root == Root::kTime || root == Root::kDuration || root == Root::kRealTime;
  });
}

bool names_symbols(const Expression& expression) {
  return asks_for_symbols(expression.operation) ||
         std::ranges::any_of(expression.operands,
                             [](const ExpressionPtr& each) { return names_symbols(*each); });
}

BoundNode bind(const Expression& expression, const EventClass& event_class,
               const BindContext& context) {
  return Binder(event_class, context).bind(expression);
}

BoundNode bind_to_row(const Expression& expression, const ColumnOf& column_of,
                      const BindContext& context) {
  return Binder(column_of, context).bind(expression);
}

Value evaluate(const BoundNode& node, const EventValues& values) {
  switch (node.kind) {
    case NodeKind::kConstant:
      return node.constant;
    case NodeKind::kField: {
      const FieldReference& field = node.field;
      const Located from = field.part == FieldReference::Part::kElement
                               ? values.element
                               : locate(field, begin_of(field.part, *values.event));
      return read(from, field.steps, values.names);
    }
    case NodeKind::kEventValue:
      return event_value(node.expression->path.root, values);
    case NodeKind::kStreamKey:
      return stream_key(node.expression->path, values);
    case NodeKind::kColumn:
      return values.columns[node.column];
    case NodeKind::kQuantity:
      return node.seen->seen() ? quantity_in_row(node, values) : node.constant;
    case NodeKind::kOperation:
      break;
  }
  return evaluate_operation(node, values);
}

}  // namespace tracedeck::query
