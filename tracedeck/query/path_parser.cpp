#include "tracedeck/query/path_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tracedeck/query/vocabulary.hpp"

namespace tracedeck::query {
namespace {

// Words that mean something already, or may one day.
constexpr std::array<std::string_view, 12> kReserved = {
    "and", "or", "not", "in", "contains", "by", "every", "event", "span", "env", "now"};

template <std::size_t N>
const RootWord* find(const std::array<RootWord, N>& words, std::string_view text) {
  const auto found = std::ranges::find(words, text, &RootWord::text);
  return found == words.end() ? nullptr : &*found;
}

}  // namespace

Result<Path> PathParser::path() {
  Path path;
  if (front().is(".")) {
    path.root = Root::kPayload;
  } else {
    const std::string_view name = front().text;
    if (front().kind != Token::Kind::kName)
      return lexer_.error(front().place, "the name of a field is wanted");
    if (std::ranges::find(kReserved, name) != kReserved.end()) {
      return lexer_.error(
          front().place,
          fmt::format("`{0}` is a word of the language; write `.{0}` for a field of that name",
                      name));
    }
    if (auto read = advance(false); !read) return std::unexpected(read.error());
    if (auto begun = begin_path(path, name); !begun) return std::unexpected(begun.error());
  }
  if (auto steps = read_steps(path); !steps) return std::unexpected(steps.error());
  return path;
}

// What the first name of a path means. The word behind it is in front.
Result<void> PathParser::begin_path(Path& path, std::string_view name) {
  const bool goes_on = front().is(".") || front().is("[");
  if (name == "$ctx" || name == "context") {
    if (!goes_on) {
      path.steps.push_back({.name = std::string(name)});
      return {};
    }
    auto part = part_of_context(name == "$ctx");
    if (!part) return std::unexpected(part.error());
    path.root = *part;
    return {};
  }
  if (const RootWord* const value = find(kEventValues, name)) {
    path.root = value->root;
    return {};
  }
  const RootWord* const root = goes_on ? find(kRoots, name) : nullptr;
  if (root != nullptr) {
    path.root = root->root;
  } else {
    path.steps.push_back({.name = std::string(name)});
  }
  return {};
}

// `context.specific.x`; `$ctx.x`, LTTng's way, is any of the contexts.
Result<Root> PathParser::part_of_context(bool any) {
  if (any) return Root::kAnyContext;
  const Place place = front().place;
  if (auto read = advance(false); !read) return std::unexpected(read.error());
  const RootWord* const root =
      front().kind == Token::Kind::kName ? find(kRoots, front().text) : nullptr;
  if (root == nullptr || root->root == Root::kPayload || root->root == Root::kStream)
    return lexer_.error(place,
                        "the contexts are context.packet, context.common and context.specific");
  if (auto read = advance(false); !read) return std::unexpected(read.error());
  return root->root;
}

Result<void> PathParser::read_steps(Path& path) {
  while (front().is(".") || front().is("[")) {
    auto read = front().is(".") ? read_member(path) : read_bracket(path);
    if (!read) return read;
  }
  if (path.steps.empty() && path.root < kFirstEventValue)
    return lexer_.error(front().place, "the name of a field is wanted behind `.`");
  if (!path.steps.empty() && path.root >= kFirstEventValue) {
    return lexer_.error(
        {front().place.begin, front().place.begin},
        "what each event has holds no fields; begin with `.` for a field of that name");
  }
  return {};
}

Result<void> PathParser::read_member(Path& path) {
  if (auto read = advance(false); !read) return read;
  if (front().kind != Token::Kind::kName)
    return lexer_.error(
        front().place,
        R"(the name of a field is wanted behind `.`; odd names are written ["a b"])");
  path.steps.push_back({.name = std::string(front().text)});
  return advance(false);
}

Result<void> PathParser::read_bracket(Path& path) {
  const std::uint32_t begin = front().place.begin;
  if (auto read = advance(true); !read) return read;
  PathStep step;
  const bool negative = front().is("-");
  if (negative) {
    if (auto read = advance(true); !read) return read;
  }
  if (front().kind == Token::Kind::kString && !negative) {
    step.name = std::get<std::string>(front().value);
    step.quoted = true;
  } else if (front().is("*") && !negative) {
    step.kind = PathStep::Kind::kEach;
    if (auto noted = note_each(path); !noted) return noted;
  } else if (const Integer* const index = std::get_if<Integer>(&front().value);
             front().kind == Token::Kind::kNumber && index != nullptr) {
    const auto value = Integer::of(index->magnitude, negative).to_signed();
    if (!value) return lexer_.error(front().place, "the index is too large");
    step.kind = PathStep::Kind::kIndex;
    step.index = *value;
  } else {
    return lexer_.error(front().place,
                        R"(an index, [*], or a quoted name is wanted: a[0], a[-1], a["odd key"])");
  }
  if (step.kind == PathStep::Kind::kEach &&
      std::ranges::any_of(
          path.steps, [](const PathStep& each) { return each.kind == PathStep::Kind::kEach; })) {
    return lexer_.error(front().place, "a path has one [*] at most");
  }
  path.steps.push_back(std::move(step));
  if (auto read = advance(false); !read) return read;
  if (!front().is("]")) return lexer_.unclosed(begin, ']');
  return advance(false);
}

// [*] behind `array`: all of one call go through the same one.
Result<void> PathParser::note_each(const Path& array) {
  if (!in_each_) return lexer_.error(front().place, "[*] stands in any() and all() only");
  std::string text = to_string(array);
  if (each_paths_++ == 0)
    each_array_ = std::move(text);
  else if (each_array_ != text)
    return lexer_.error(front().place,
                        fmt::format("one call goes through one array; `{}` is another than `{}`",
                                    text, each_array_));
  return {};
}

bool PathParser::begin_each() {
  each_paths_ = 0;
  return !std::exchange(in_each_, true);
}

bool PathParser::end_each() {
  in_each_ = false;
  return each_paths_ != 0;
}

std::string to_string(const Path& path) {
  std::string text;
  if (path.root >= kFirstEventValue) text = event_value_name(path.root);
  for (const RootWord& word : kRoots) {
    if (word.root == path.root) text = word.root == Root::kPayload ? "" : word.text;
  }
  if (path.root == Root::kAnyContext) text = "$ctx";
  bool first = path.root == Root::kAnyField;
  for (const PathStep& step : path.steps) {
    if (step.kind == PathStep::Kind::kEach) {
      text += "[*]";
    } else if (step.kind == PathStep::Kind::kIndex) {
      text += fmt::format("[{}]", step.index);
    } else if (is_plain_name(step.name)) {
      text += (first ? "" : ".") + step.name;
    } else {
      text += fmt::format("[\"{}\"]", step.name);
    }
    first = false;
  }
  return text;
}

}  // namespace tracedeck::query
