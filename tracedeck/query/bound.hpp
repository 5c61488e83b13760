// An expression related to the events of one class.
//
// Binding resolves paths against the field classes, folds what is constant for the class, and
// leaves a tree that is evaluated for each event. Whoever only wants to know whether an event
// passes uses a `Program` (program.hpp), which evaluates this way what it has no faster way for.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracedeck/query/constant_list.hpp"
#include "tracedeck/query/expression.hpp"
#include "tracedeck/query/field_reference.hpp"
#include "tracedeck/query/lexer.hpp"
#include "tracedeck/query/pattern.hpp"
#include "tracedeck/query/rows.hpp"
#include "tracedeck/query/value.hpp"

namespace tracedeck::query {

// The patterns, globs and long lists of expressions, made once for all classes.
class Matchers {
 public:
  // Those of one more expression, which must outlive this. Errors, with the place in `text`: those
  // of the matchers; kInvalidArgument, all together take more than `kMostPatternMemory`.
  [[nodiscard]] Result<void> add(const Expression& expression, std::string_view text);

  // Null: the expression has none.
  [[nodiscard]] const TextMatcher* text_matcher(const Expression& expression) const;
  [[nodiscard]] const ConstantList* list(const Expression& expression) const;

 private:
  [[nodiscard]] Result<void> add_text_matcher(const Expression& expression, std::string_view text);
  void add_list(const Expression& expression);

  std::unordered_map<const Expression*, TextMatcherPtr> texts_;
  std::unordered_map<const Expression*, ConstantListPtr> lists_;
  std::size_t pattern_memory_ = 0;
};

// Whether it may look at the values of events, and not only at what is said of each.
[[nodiscard]] bool reads_values(const Expression& expression);
// Whether it may look at the names of events, which some carry as a value.
[[nodiscard]] bool reads_names(const Expression& expression);
// Whether it asks when events were, or how long they took.
[[nodiscard]] bool reads_times(const Expression& expression);
// Whether it asks for the name of an address.
[[nodiscard]] bool names_symbols(const Expression& expression);

struct BoundNode {
  const Expression* expression = nullptr;  // what it is of
  enum class Kind : std::uint8_t {
    kConstant,
    kField,
    kEventValue,
    kStreamKey,
    kColumn,
    kQuantity,  // a constant in the unit that a column turns out to have
    kOperation
  };
  Kind kind = Kind::kConstant;
  Value constant = {};
  FieldReference field = {};             // of kField; of kEventValue and kStreamKey unused
  std::size_t column = 0;                // of kColumn; of kQuantity the one with the unit
  const SeenUnit* seen = nullptr;        // of kQuantity
  const TextMatcher* matcher = nullptr;  // of kMatches and kGlob
  const ConstantList* list = nullptr;    // of kIn: the items that are not among the operands
  std::vector<BoundNode> operands = {};
};

// What binding needs to know beside the class.
struct BindContext {
  const Matchers& matchers;
  // Keeps texts that constants of the result are made of.
  std::deque<std::string>& texts;
  // The text beside `time` as ns since the clock's origin.
  std::function<std::optional<Nanoseconds>(std::string_view text)> time_of_text = {};
  // What distinguishes the trace, where that is known; as long as the result.
  std::string_view trace = {};
  // Of rows.
  std::span<const Column> columns = {};
};

// The expression must outlive the result, and the result must not be used beyond events of the
// class.
[[nodiscard]] BoundNode bind(const Expression& expression, const EventClass& event_class,
                             const BindContext& context);

// The same of the columns of rows. `column_of` has the number of the one that a path names; of none
// the value is unknown.
using ColumnOf = std::function<std::optional<std::size_t>(const Expression& path)>;
[[nodiscard]] BoundNode bind_to_row(const Expression& expression, const ColumnOf& column_of,
                                    const BindContext& context);

// What the values of an event depend on besides its class.
struct EventValues {
  const Event* event = nullptr;
  const ValueNames* names = nullptr;
  std::string_view trace = {};  // its name
  Located element = {};         // the element that [*] stands for
  // Keeps texts that evaluation makes; they live as long as the values are looked at.
  std::deque<std::string>* texts = nullptr;
  std::span<const Value> columns = {};  // of a row, which has no event
};

[[nodiscard]] Value evaluate(const BoundNode& node, const EventValues& values);

}  // namespace tracedeck::query
