// Comparing properties of what has a name and a path, one after the other.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tracedeck/comparison/trace_difference.hpp"
#include "tracedeck/model/attribute.hpp"

namespace tracedeck::comparison {

// A property in words, "" where there is none.
[[nodiscard]] inline std::string in_words(bool value) { return value ? "yes" : "no"; }
template <std::integral T>
[[nodiscard]] std::string in_words(T value) {
  return std::to_string(value);
}
[[nodiscard]] inline std::string in_words(std::string_view text) { return std::string(text); }
template <class T>
[[nodiscard]] std::string in_words(const std::optional<T>& value) {
  return value ? in_words(*value) : "";
}

// Adds properties that differ. `found` outlives it.
class PropertyDifferences {
 public:
  PropertyDifferences(Differences& found, DifferenceKind kind, std::string class_name,
                      std::string path)
      : found_(found), kind_(kind), class_name_(std::move(class_name)), path_(std::move(path)) {}

  void add(std::string_view what, std::string left, std::string right) const {
    found_.add({.key = {kind_, class_name_, path_, std::string(what)},
                .left = std::move(left),
                .right = std::move(right)});
  }
  template <class T>
  void compare(std::string_view what, const T& left, const T& right) const {
    if (!(left == right)) add(what, in_words(left), in_words(right));
  }
  void compare(std::string_view what, std::string_view left, std::string_view right) const {
    if (left != right) add(what, std::string(left), std::string(right));
  }
  // Each by its key; then whether they stand in the same order.
  void compare(const Attributes& left, const Attributes& right) const;

 private:
  Differences& found_;
  DifferenceKind kind_;
  std::string class_name_;
  std::string path_;
};

}  // namespace tracedeck::comparison
