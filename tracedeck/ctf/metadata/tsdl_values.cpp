#include "tracedeck/ctf/metadata/tsdl_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace tracedeck::ctf::tsdl {
namespace {

template <class T, std::size_t kSize>
using WordTable = std::array<std::pair<std::string_view, T>, kSize>;

constexpr WordTable<DisplayBase, 18> kBases = {{
    {"decimal", DisplayBase::kDecimal},
    {"dec", DisplayBase::kDecimal},
    {"d", DisplayBase::kDecimal},
    {"i", DisplayBase::kDecimal},
    {"u", DisplayBase::kDecimal},
    {"10", DisplayBase::kDecimal},
    {"hexadecimal", DisplayBase::kHexadecimal},
    {"hex", DisplayBase::kHexadecimal},
    {"x", DisplayBase::kHexadecimal},
    {"X", DisplayBase::kHexadecimal},
    {"p", DisplayBase::kHexadecimal},
    {"16", DisplayBase::kHexadecimal},
    {"octal", DisplayBase::kOctal},
    {"oct", DisplayBase::kOctal},
    {"o", DisplayBase::kOctal},
    {"8", DisplayBase::kOctal},
    {"binary", DisplayBase::kBinary},
    {"b", DisplayBase::kBinary},
}};

constexpr WordTable<bool, 9> kEncodings = {{{"none", false},
                                            {"NONE", false},
                                            {"UTF8", true},
                                            {"utf8", true},
                                            {"UTF-8", true},
                                            {"utf-8", true},
                                            {"ASCII", true},
                                            {"ascii", true},
                                            {"Ascii", true}}};

constexpr WordTable<bool, 6> kBooleans = {{{"true", true},
                                           {"TRUE", true},
                                           {"1", true},
                                           {"false", false},
                                           {"FALSE", false},
                                           {"0", false}}};

constexpr WordTable<ByteOrder, 3> kByteOrders = {
    {{"le", ByteOrder::kLittle}, {"be", ByteOrder::kBig}, {"network", ByteOrder::kBig}}};

template <class T, std::size_t kSize>
std::optional<T> find_word(const WordTable<T, kSize>& table, const Expression& from) {
  const std::string text = plain_text(from);
  const auto found =
      std::ranges::find(table, std::string_view(text), &std::pair<std::string_view, T>::first);
  if (found == table.end()) return std::nullopt;
  return found->second;
}

// A value as messages show it.
std::string show(const Expression& from) {
  constexpr std::size_t kMostShown = 60;
  return fmt::format("`{}`", plain_text(from).substr(0, kMostShown));
}

int hexadecimal(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string plain_text(const Expression& from) {
  switch (from.kind) {
    case Expression::Kind::kInteger:
      return from.value.to_string();
    case Expression::Kind::kString:
      return from.text.str();
    case Expression::Kind::kPath:
      break;
  }
  return fmt::format("{}", fmt::join(from.path, "."));
}

std::optional<Uuid> parse_uuid(std::string_view text) {
  constexpr std::size_t kLength = 36;
  if (text.size() != kLength) return std::nullopt;
  Uuid result = {};
  std::size_t digits = 0;
  for (std::size_t i = 0; i < kLength; ++i) {
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    const int digit = hexadecimal(text[i]);
    if (digit < 0) return std::nullopt;
    std::uint8_t& byte = result[digits++ / 2];
    byte = static_cast<std::uint8_t>(byte << 4 | digit);
  }
  return result;
}

AttributeSet::AttributeSet(const std::vector<Assignment>& assignments,
                           std::span<const KnownAttribute> known, std::string_view owner,
                           TextFindings& findings)
    : given_(known.size()) {
  for (const Assignment& each : assignments) {
    const auto found = std::ranges::find(known, std::string_view(each.key), &KnownAttribute::name);
    if (found == known.end()) {
      findings.report(TsdlRule::kAttributeUnknown, each.place,
                      fmt::format("`{}` is not an attribute of {}", each.key, owner));
      unknown_.push_back(&each);
      continue;
    }
    const Assignment*& given = given_[static_cast<std::size_t>(found - known.begin())];
    if (found->takes_type != (each.type != nullptr)) {
      findings.report(TsdlRule::kAttributeValue, each.place,
                      found->takes_type
                          ? fmt::format("`{}` is a type; `:=` was expected", each.key)
                          : fmt::format("`{}` is a value; `=` was expected", each.key));
    } else if (given != nullptr) {
      findings.report(TsdlRule::kAttributeRepeated, each.place,
                      fmt::format("`{}` is given twice", each.key));
    } else {
      given = &each;
    }
  }
}

void ValueReader::report(TsdlRule rule, const Expression& from, std::string_view what,
                         std::string_view expected) const {
  findings_.report(rule, from.place,
                   fmt::format("{} is {}; {} was expected", what, show(from), expected));
}

std::optional<std::uint64_t> ValueReader::number(const Expression& from, std::string_view what,
                                                 std::uint64_t least, std::uint64_t most,
                                                 TsdlRule rule) const {
  if (from.kind != Expression::Kind::kInteger || from.value < least || from.value > most) {
    report(rule, from, what,
           least == most ? fmt::format("{}", least)
                         : fmt::format("an integer from {} to {}", least, most));
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(from.value);
}

std::optional<std::int64_t> ValueReader::signed_number(const Expression& from,
                                                       std::string_view what) const {
  if (from.kind != Expression::Kind::kInteger || from.value < INT64_MIN || from.value > INT64_MAX) {
    report(TsdlRule::kAttributeValue, from, what,
           fmt::format("an integer from {} to {}", INT64_MIN, INT64_MAX));
    return std::nullopt;
  }
  return static_cast<std::int64_t>(from.value);
}

std::optional<bool> ValueReader::boolean(const Expression& from, std::string_view what) const {
  const auto result = find_word(kBooleans, from);
  if (!result || from.kind == Expression::Kind::kString) {
    report(TsdlRule::kAttributeValue, from, what, "`true` or `false`");
    return std::nullopt;
  }
  return result;
}

std::optional<std::string> ValueReader::text(const Expression& from, std::string_view what) const {
  if (from.kind == Expression::Kind::kInteger) {
    report(TsdlRule::kAttributeValue, from, what, "a string");
    return std::nullopt;
  }
  return plain_text(from);
}

std::optional<Uuid> ValueReader::uuid(const Expression& from) const {
  const auto result = from.kind == Expression::Kind::kString ? parse_uuid(from.text) : std::nullopt;
  if (!result)
    report(TsdlRule::kUuid, from, "a UUID",
           "a string like \"2a6422d0-6cee-11e0-8c08-cb07d7b3a564\"");
  return result;
}

std::optional<std::uint32_t> ValueReader::alignment(const Expression& from) const {
  constexpr Int128 kMost = Int128{1} << 31;
  if (from.kind != Expression::Kind::kInteger || from.value < 1 || from.value > kMost ||
      !std::has_single_bit(static_cast<std::uint32_t>(from.value))) {
    report(TsdlRule::kAlignment, from, "an alignment", "a power of two");
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(from.value);
}

std::optional<ByteOrder> ValueReader::byte_order(const Expression& from,
                                                 std::optional<ByteOrder> native) const {
  if (native && from.kind != Expression::Kind::kInteger && plain_text(from) == "native")
    return native;
  const auto result = find_word(kByteOrders, from);
  if (!result) {
    report(TsdlRule::kByteOrder, from, "a byte order",
           native ? "`native`, `network`, `be` or `le`" : "`be` or `le`");
  }
  return result;
}

std::optional<DisplayBase> ValueReader::base(const Expression& from) const {
  if (from.kind == Expression::Kind::kInteger && from.value == 2) return DisplayBase::kBinary;
  const auto result = find_word(kBases, from);
  if (!result) {
    report(TsdlRule::kAttributeValue, from, "the base of an integer",
           "`decimal`, `hexadecimal`, `octal` or `binary`");
  }
  return result;
}

std::optional<bool> ValueReader::encoding(const Expression& from) const {
  const auto result = find_word(kEncodings, from);
  if (!result) report(TsdlRule::kAttributeValue, from, "an encoding", "`none`, `UTF8` or `ASCII`");
  return result;
}

std::optional<std::string> ValueReader::mapped_clock(const Expression& from) const {
  if (from.kind != Expression::Kind::kPath || from.path.size() != 3 ||
      from.path.front() != "clock" || from.path.back() != "value") {
    report(TsdlRule::kClock, from, "what an integer is mapped to", "`clock.NAME.value`");
    return std::nullopt;
  }
  return from.path[1];
}

}  // namespace tracedeck::ctf::tsdl
