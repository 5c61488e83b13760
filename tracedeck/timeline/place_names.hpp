// Places in programs as names: what tells them apart, and how they are shown.
//
//   "crates/a/src/lib.rs:10:5"              of a source: file, line, column
//   "app::routes::get:src/routes.rs:10"     of a function: path, file, line
//   "worker 3"                              of what the trace names: its name, its number
//
// The whole text is the identity. Shown is its shortest ending at `/` or `::` that no other place
// has: "lib.rs:10", "routes::get". What tells no two places apart is left out: a column, the source
// of a function, a number. Code of packages is called by these: "hyper-util rt/tokio.rs:115".
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tracedeck/base/keyed_hash.hpp"

namespace tracedeck::timeline {

// Where in a text a place is.
struct PlaceRange {
  std::uint32_t begin = 0;
  std::uint32_t size = 0;  // 0: there is none
};

// The identity of a line of source: slashes are forward, and what stands before the directory of a
// package, or of the standard library, is the same on all machines.
[[nodiscard]] std::string source_place(std::string_view location);
// That of a span of dial9, by the name of its event class: "SpanEnter:app::get:src/routes.rs:10".
[[nodiscard]] std::string span_place(std::string_view class_name);

// That of a number with a name.
[[nodiscard]] std::string numbered_place(std::string_view name, std::string_view number);

// Where in a file a place is.
struct SourceLine {
  std::uint64_t line = 0;
  std::uint64_t column = 0;  // 0: not known
  auto operator<=>(const SourceLine&) const = default;
};
// A place as its path, and its line: "src/lib.rs" of "src/lib.rs:10:5", "app::get:src/routes.rs" of
// "app::get:src/routes.rs:10".
struct LinedPlace {
  std::string_view path;
  SourceLine at = {};
};
// Nothing: it names no line of a file.
[[nodiscard]] std::optional<LinedPlace> lined_place(std::string_view place);

class PlaceNames {
 public:
  // The text must stay where it is.
  void add(std::string_view place);
  // The shortest way to say a place that means no other one that was added.
  [[nodiscard]] std::string shown(std::string_view place) const;

 private:
  // What is to be shown of a place at least: its path, and the line of a source.
  struct Stem {
    std::string_view path;
    std::string_view line;
    std::string_view separator;  // of the path: "/" or "::"
  };
  // By the last part of the path, then the one before it, and so on.
  struct LastPartFirst {
    [[nodiscard]] bool operator()(const Stem& a, const Stem& b) const;
  };
  struct Rest {
    std::string_view text;
    bool several = false;  // places that differ in nothing else
  };
  struct Parts {
    Stem stem;
    std::string_view rest;
  };
  [[nodiscard]] static Parts parse(std::string_view place);
  [[nodiscard]] static std::string_view take_last(std::string_view& path,
                                                  std::string_view separator);
  [[nodiscard]] static std::size_t common_parts(const Stem& a, const Stem& b);

  std::map<Stem, Rest, LastPartFirst> places_;
  TextMap<std::size_t> packaged_;  // places that are called alike by their packages
};

// Calls `is_meant` with each way to say `text`, of which `place` is a place: with all endings of
// it. Whether one of them is meant.
[[nodiscard]] bool any_way_to_say(std::string_view text, PlaceRange place,
                                  const std::function<bool(std::string_view)>& is_meant);

}  // namespace tracedeck::timeline
