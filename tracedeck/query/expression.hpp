// What an expression says, as a tree without types: the result of parsing.
//
// The language is described in docs/query.md. A tree knows nothing of any trace; `bound.hpp`
// relates it to event classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tracedeck/base/integer.hpp"
#include "tracedeck/model/path_steps.hpp"
#include "tracedeck/model/units.hpp"

namespace tracedeck::query {

// A run of bytes in the text of an expression.
struct Place {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// Where a path begins.
enum class Root : std::uint8_t {
  kAnyField,  // a bare name: payload, specific, common, packet context, in this order
  kPayload,   // .x, fields.x
  kSpecific,  // specific.x, context.specific.x
  kCommon,
  kPacket,
  kAnyContext,  // $ctx.x, as LTTng says: specific, common, packet context
  kStream,      // stream.KEY
  kName,        // what each event has, from here on
  kId,
  kTime,
  kDuration,
  kOffset,
  kSize,
  kTrace,
  kLogLevel,
  kRealTime,  // the time of what has happened then; no word stands for it
};
inline constexpr Root kFirstEventValue = Root::kName;

using tracedeck::PathStep;

struct Path {
  Root root = Root::kAnyField;
  std::vector<PathStep> steps = {};
};

struct Pattern {
  std::string text = {};
  bool ignores_case = false;
};

using Literal = std::variant<bool, Integer, double, std::string, Pattern>;

enum class Operator : std::uint8_t {
  kLiteral,
  kPath,
  kAnd,  // two or more operands
  kOr,
  kNot,
  kEqual,  // two operands from here on
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kMatches,  // the second is a Pattern
  kGlob,
  kContains,
  kIn,     // the first is looked for among the others, each a value or a kRange
  kRange,  // both ends belong to it
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kBitAnd,
  kBitOr,
  kBitXor,
  kShiftLeft,
  kShiftRight,
  kCoalesce,  // the first that is known
  kNegate,    // one operand from here on
  kComplement,
  kHas,
  kLength,
  kAny,
  kAll,
  kLower,
  kAbsolute,
  kLabel,
  kSymbol,
  kStack,
  kInOrder,  // the operand, but of events of nominal time, which have no place in the order:
             // unknown
};

// The comparison that holds with its operands exchanged.
[[nodiscard]] constexpr Operator mirrored(Operator comparison) {
  switch (comparison) {
    case Operator::kLess:
      return Operator::kGreater;
    case Operator::kLessOrEqual:
      return Operator::kGreaterOrEqual;
    case Operator::kGreater:
      return Operator::kLess;
    case Operator::kGreaterOrEqual:
      return Operator::kLessOrEqual;
    default:
      return comparison;
  }
}

// Whether the operands of an expression are times if one of them is `time`.
[[nodiscard]] constexpr bool compares_times(Operator operation) {
  return (operation >= Operator::kEqual && operation <= Operator::kGreaterOrEqual) ||
         operation == Operator::kIn;
}

// Whether it is of what the trace calls addresses.
[[nodiscard]] constexpr bool asks_for_symbols(Operator operation) {
  return operation == Operator::kSymbol || operation == Operator::kStack;
}

struct Expression;
using ExpressionPtr = std::unique_ptr<const Expression>;

struct Expression {
  Operator operation = Operator::kLiteral;
  Place place = {};
  std::uint32_t depth = 1;                // levels of the tree from here down, at most `kMaxDepth`
  Literal literal = false;                // of kLiteral
  std::optional<Quantity> quantity = {};  // of a literal with a unit, which counts ns or bytes
  Path path = {};                         // of kPath
  std::vector<ExpressionPtr> operands = {};
};

// Bounds of what is accepted, so that trees are walked on the stack and bind in linear time.
inline constexpr std::uint32_t kMaxDepth = 200;
inline constexpr std::size_t kMaxTextSize = std::size_t{1} << 20;  // bytes
inline constexpr std::size_t kMaxParts = 200'000;                  // literals of lists aside
inline constexpr std::size_t kMaxListItems = 200'000;              // of all lists
// Bytes that the regular expressions of a condition, or of a stage, may take together.
inline constexpr std::size_t kMostPatternMemory = std::size_t{16} << 20;

}  // namespace tracedeck::query
