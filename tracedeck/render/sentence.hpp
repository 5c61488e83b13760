// A sentence of an answer: a text with places, and what is put into them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace tracedeck::render {

// In a text `{name}` is a value, and `{name#}` a number that is not shown. `{one/several}` is the
// first word where the number before it is 1, else the second; either may be empty.
struct Sentence {
  std::string_view id;  // the answer that says it, and its name there: "latency/outliers"
  std::string_view text;
  std::string_view when;    // the condition under which it is said
  std::string_view fields;  // the JSON fields with the same facts; empty: there is no JSON of it
};

// "1,234,567"
[[nodiscard]] std::string with_separators(std::uint64_t number);

// A number that is shown without separators.
struct Plain {
  std::uint64_t number;
};

// What is put into one place: a number or a text, which outlives it.
class SentenceValue {
 public:
  // NOLINTBEGIN(google-explicit-constructor)
  SentenceValue(std::string_view text) : text_(text) {}
  SentenceValue(const std::string& text) : text_(text) {}
  SentenceValue(const char* text) : text_(text) {}
  SentenceValue(std::unsigned_integral auto number) : number_(number) {}
  SentenceValue(Plain plain) : number_(plain.number), is_plain_(true) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] std::optional<std::uint64_t> number() const { return number_; }
  void append_to(std::string& out) const;

 private:
  std::string_view text_ = {};
  std::optional<std::uint64_t> number_ = {};
  bool is_plain_ = false;
};

// How many values a text takes.
[[nodiscard]] constexpr std::size_t places_of(std::string_view text) {
  std::size_t places = 0;
  while (text.contains('{')) {
    text.remove_prefix(text.find('{') + 1);
    if (!text.substr(0, text.find('}')).contains('/')) ++places;
  }
  return places;
}

// As many values as the text has places.
[[nodiscard]] std::string filled(std::string_view text,
                                 std::initializer_list<SentenceValue> values);

}  // namespace tracedeck::render
