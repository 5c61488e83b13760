// The words of expressions, and what they mean.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "tracedeck/query/expression.hpp"

namespace tracedeck::query {

struct WordMeaning {
  std::string_view word;
  std::string_view meaning;  // begins in lower case, ends in no full stop
};
struct Word {
  std::string_view text;
  Operator operation;
  std::string_view meaning;
};

inline constexpr std::array kComparisons = {
    Word{"==", Operator::kEqual, "equal: numbers by value, texts byte by byte"},
    Word{"!=", Operator::kNotEqual, "not equal"},
    Word{"<", Operator::kLess, "less"},
    Word{"<=", Operator::kLessOrEqual, "less or equal"},
    Word{">", Operator::kGreater, "greater"},
    Word{">=", Operator::kGreaterOrEqual, "greater or equal"},
    Word{"=~", Operator::kMatches, "a part of the text matches: task =~ /^poll[0-9]/i"},
    Word{"!~", Operator::kMatches, "the opposite of =~, and of ~ before a text in quotes"},
    Word{"~", Operator::kGlob,
         "all of the text matches, * any bytes, ? one character: name ~ \"Poll*\""},
    Word{"contains", Operator::kContains, "the text holds the other one"},
};
inline constexpr std::array kSums = {
    Word{"+", Operator::kAdd, "the sum"},
    Word{"-", Operator::kSubtract, "the difference, or the negative"},
    Word{"|", Operator::kBitOr, "bitwise or, inside parentheses and brackets"},
    Word{"^", Operator::kBitXor, "bitwise exclusive or"},
};
inline constexpr std::array kProducts = {
    Word{"*", Operator::kMultiply, "the product"},
    Word{"/", Operator::kDivide, "the quotient: of integers an integer, toward zero"},
    Word{"%", Operator::kRemainder, "the remainder, with the sign of the first"},
    Word{"&", Operator::kBitAnd, "bitwise and"},
    Word{"<<", Operator::kShiftLeft, "shifted left"},
    Word{">>", Operator::kShiftRight, "shifted right"},
};
inline constexpr std::array kFunctions = {
    Word{"has", Operator::kHas, "whether the event has the field"},
    Word{"len", Operator::kLength,
         "elements of an array or map, members of a structure, bytes of a text"},
    Word{"any", Operator::kAny, "whether it is true of an element: any(sizes[*] > 4096)"},
    Word{"all", Operator::kAll, "whether it is true of all elements: all(sizes[*] > 0)"},
    Word{"lower", Operator::kLower, "the text with ASCII letters in lower case"},
    Word{"abs", Operator::kAbsolute, "the number without its sign"},
    Word{"label", Operator::kLabel,
         "the first label of an enumeration's value, or the name of a number"},
    Word{"symbol", Operator::kSymbol, "the name that the trace gives to an address"},
    Word{"stack", Operator::kStack, "the functions of a list of addresses, the innermost first"},
    Word{"inside", Operator::kEqual, "whether a sample was taken in a slice called so"},
};
// Those that join or test whole operands, as they are read by `Parser`.
inline constexpr std::array kWordOperators = {
    WordMeaning{"||", "or; the word `or` is the same"},
    WordMeaning{"&&", "and; the word `and` is the same"},
    WordMeaning{"!", "not; the word `not` is the same"},
    WordMeaning{"in", "equal to one of a list: depth in [1, 5..9]; also `not in`"},
    WordMeaning{"??", "the first that is known: depth ?? 0"},
};

struct RootWord {
  std::string_view text;
  Root root;
  std::string_view meaning;
};
inline constexpr std::array kEventValues = {
    RootWord{"name", Root::kName, "the name of the event"},
    RootWord{"id", Root::kId, "the numeric id of its class"},
    RootWord{"time", Root::kTime, "when it began: ns since the origin of its clock"},
    RootWord{"duration", Root::kDuration, "its length in ns, of events with a begin and an end"},
    RootWord{"offset", Root::kOffset, "where it lies in its decompressed file, in bytes"},
    RootWord{"size", Root::kSize, "how long it is there, in bytes"},
    RootWord{"trace", Root::kTrace, "the trace it is of, where there are several"},
    RootWord{"loglevel", Root::kLogLevel, "how severe its class is: loglevel <= WARNING"},
};
inline constexpr std::array kRoots = {
    RootWord{"fields", Root::kPayload, "a field of the payload, as is `.x`"},
    RootWord{"specific", Root::kSpecific, "a field of the context of its event class"},
    RootWord{"common", Root::kCommon, "a field of the context of all events of its stream"},
    RootWord{"packet", Root::kPacket, "a field of the context of its packet"},
    RootWord{"stream", Root::kStream, "a key of its data stream, such as stream.id"},
};

// The word for what each event has: `time` of kTime. `root` is one of kFirstEventValue on.
[[nodiscard]] std::string_view event_value_name(Root root);

// Words with what they mean, for who explains the language.
[[nodiscard]] std::vector<WordMeaning> operator_meanings();
[[nodiscard]] std::vector<WordMeaning> function_meanings();
[[nodiscard]] std::vector<WordMeaning> event_value_meanings();
// Words that a path may begin with.
[[nodiscard]] std::vector<WordMeaning> root_meanings();

}  // namespace tracedeck::query
