#include "tracedeck/timeline/place_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <system_error>
#include <tuple>
#include <utility>

namespace tracedeck::timeline {
namespace {

constexpr std::size_t kNoPlace = std::string_view::npos;
// More than this many are not tried: the whole place is meant then.
constexpr std::size_t kMostEndings = 64;
// Of a name that has no parts: no text contains it.
constexpr std::string_view kNoSeparator = "\n\n\n";

// Where the sources of packages lie: behind `marker` so many directories, then that of the package.
// `root` stands for all that is before that.
struct SourceRoot {
  std::string_view marker;
  int above;   // directories before the package's
  int within;  // directories in it before its own
  bool is_hash;
  std::string_view root;
};
constexpr auto kSourceRoots = std::to_array<SourceRoot>({
    {"/registry/src/", 1, 0, false, "~/.cargo/registry/"},
    {"/git/checkouts/", 0, 1, true, "~/.cargo/git/"},
});
constexpr std::string_view kLibraryRoot = "/rustc/library/";

std::string_view take_directory(std::string_view& path) {
  const std::size_t slash = path.find('/');
  const std::string_view directory = path.substr(0, slash);
  path = slash == kNoPlace ? std::string_view() : path.substr(slash + 1);
  return directory;
}

// The part of a path behind its first "src/" directory; all of it where there is none.
std::string_view behind_source(std::string_view path) {
  if (path.starts_with("src/")) return path.substr(4);
  const std::size_t source = path.find("/src/");
  return source == kNoPlace ? path : path.substr(source + 5);
}

// A package as directories of Cargo call it, without "-1.2.3" or "-0a1b2c".
std::string_view without_version(std::string_view package, bool is_hash) {
  if (is_hash) return package.substr(0, package.rfind('-'));
  for (std::size_t dash = package.find('-'); dash != kNoPlace; dash = package.find('-', dash + 1)) {
    if (dash + 1 < package.size() && package[dash + 1] >= '0' && package[dash + 1] <= '9')
      return package.substr(0, dash);
  }
  return package;
}

// What the code of a package is called by, without columns; "": it is of none.
std::string packaged(std::string_view path, std::string_view line) {
  std::string_view package;
  if (path.starts_with(kLibraryRoot)) {
    path.remove_prefix(kLibraryRoot.size());
    package = take_directory(path);
  }
  for (const SourceRoot& each : kSourceRoots) {
    if (!path.starts_with(each.root)) continue;
    path.remove_prefix(each.root.size());
    package = without_version(take_directory(path), each.is_hash);
    for (int i = 0; i < each.within; ++i) take_directory(path);
  }
  if (package.empty() || path.empty()) return {};
  return fmt::format("{} {}{}", package, behind_source(path), line);
}

// ":10" at the end of a text, which is taken off; else "".
std::string_view take_number(std::string_view& text) {
  const std::size_t last = text.find_last_not_of("0123456789");
  if (last == kNoPlace || text[last] != ':' || last + 1 == text.size()) return {};
  const std::string_view number = text.substr(last);
  text.remove_suffix(number.size());
  return number;
}

// Where the source of a function begins, with its colon: kNoPlace where no single colon is.
std::size_t find_source(std::string_view text) {
  std::size_t colon = text.rfind(':');
  if (colon == kNoPlace || colon == 0 || text[colon - 1] == ':') return kNoPlace;
  // The drive of a path, "C:/".
  const bool is_absolute = colon + 1 < text.size() && text[colon + 1] == '/';
  if (is_absolute && (colon == 1 || text[colon - 2] == ':')) {
    if (colon == 1) return kNoPlace;
    colon -= 2;
    if (colon == 0 || text[colon - 1] == ':') return kNoPlace;
  }
  return colon;
}

// Where " 3" begins at the end of a text; kNoPlace where it does not.
std::size_t find_number(std::string_view text) {
  const std::size_t last = text.find_last_not_of("0123456789");
  const bool is_number = last != kNoPlace && last != 0 && last + 1 != text.size();
  return is_number && text[last] == ' ' ? last : kNoPlace;
}

bool is_ending(std::string_view text, std::size_t at) {
  return at == 0 || text[at - 1] == '/' || text[at - 1] == ':';
}

}  // namespace

std::string source_place(std::string_view location) {
  std::string text(location);
  std::ranges::replace(text, '\\', '/');
  for (const SourceRoot& each : kSourceRoots) {
    const std::size_t marker = text.find(each.marker);
    if (marker == kNoPlace) continue;
    std::string_view rest = std::string_view(text).substr(marker + each.marker.size());
    for (int i = 0; i < each.above; ++i) take_directory(rest);
    if (!rest.empty()) return fmt::format("{}{}", each.root, rest);
  }
  constexpr std::string_view kLibrary = "/library/";
  const std::size_t library = text.find(kLibrary);
  if (library != kNoPlace && text.substr(0, library).contains("/rustc/"))
    return fmt::format("{}{}", kLibraryRoot, text.substr(library + kLibrary.size()));
  return text;
}

std::string span_place(std::string_view class_name) {
  for (const std::string_view prefix :
       {"SpanEnter:", "SpanExit:", "SpanEnter__", "SpanExit__", "SpanClose__"}) {
    if (class_name.starts_with(prefix)) class_name.remove_prefix(prefix.size());
  }
  std::string text(class_name);
  std::ranges::replace(text, '\\', '/');
  return text;
}

std::string numbered_place(std::string_view name, std::string_view number) {
  return fmt::format("{} {}", name, number);
}

std::optional<LinedPlace> lined_place(std::string_view place) {
  std::string_view path = place;
  const std::string_view last = take_number(path);
  const std::string_view before_last = take_number(path);
  const std::string_view file = path.substr(path.rfind(':') + 1);
  if (last.empty() || !file.contains('.')) return std::nullopt;
  LinedPlace lined{.path = path};
  const auto read = [](std::string_view number, std::uint64_t& into) {
    return std::from_chars(number.data() + 1, number.data() + number.size(), into).ec ==
           std::errc();
  };
  const bool has_column = !before_last.empty();
  if (!read(has_column ? before_last : last, lined.at.line) ||
      (has_column && !read(last, lined.at.column)))
    return std::nullopt;
  return lined;
}

PlaceNames::Parts PlaceNames::parse(std::string_view place) {
  if (const std::size_t number = find_number(place); number != kNoPlace)
    return {.stem = {.path = place.substr(0, number), .line = {}, .separator = kNoSeparator},
            .rest = place.substr(number)};
  std::string_view path = place;
  const std::string_view last = take_number(path);
  const std::string_view before_last = take_number(path);
  if (const std::size_t source = find_source(path); source != kNoPlace && !last.empty()) {
    return {.stem = {.path = path.substr(0, source), .line = {}, .separator = "::"},
            .rest = place.substr(source)};
  }
  const bool has_column = !before_last.empty();
  return {.stem = {.path = path,
                   .line = has_column ? before_last : last,
                   .separator = path.contains('/') ? "/" : "::"},
          .rest = has_column ? last : std::string_view()};
}

std::string_view PlaceNames::take_last(std::string_view& path, std::string_view separator) {
  const std::size_t at = path.rfind(separator);
  const std::string_view last = at == kNoPlace ? path : path.substr(at + separator.size());
  path = at == kNoPlace ? std::string_view() : path.substr(0, at);
  return last;
}

bool PlaceNames::LastPartFirst::operator()(const Stem& a, const Stem& b) const {
  if (a.line != b.line) return a.line < b.line;
  std::string_view left = a.path;
  std::string_view right = b.path;
  while (!left.empty() && !right.empty()) {
    const std::string_view of_left = take_last(left, a.separator);
    const std::string_view of_right = take_last(right, b.separator);
    if (of_left != of_right) return of_left < of_right;
  }
  return std::tuple(left.size(), a.path) < std::tuple(right.size(), b.path);
}

std::size_t PlaceNames::common_parts(const Stem& a, const Stem& b) {
  std::size_t common = 0;
  std::string_view left = a.path;
  std::string_view right = b.path;
  if (a.line != b.line) return 0;
  while (!left.empty() && !right.empty() &&
         take_last(left, a.separator) == take_last(right, b.separator))
    ++common;
  return common;
}

void PlaceNames::add(std::string_view place) {
  const Parts parts = parse(place);
  const auto [known, is_new] = places_.try_emplace(parts.stem, Rest{.text = parts.rest});
  if (known->second.text != parts.rest) known->second.several = true;
  if (!is_new) return;
  if (std::string text = packaged(parts.stem.path, parts.stem.line); !text.empty())
    ++packaged_.try_emplace(std::move(text)).first->second;
}

std::string PlaceNames::shown(std::string_view place) const {
  const auto [stem, rest] = parse(place);
  const auto known = places_.find(stem);
  bool several = known != places_.end() && known->second.several;
  // A name may end with a number, as others are shown.
  if (stem.separator == kNoSeparator && find_number(stem.path) != kNoPlace)
    several = several || places_.contains(parse(stem.path).stem);
  const std::string_view shown_rest = several ? rest : std::string_view();
  if (const std::string text = packaged(stem.path, stem.line); !text.empty()) {
    const auto alike = packaged_.find(text);
    if (alike == packaged_.end() || alike->second <= 1) return text + std::string(shown_rest);
  }
  std::size_t common = 0;
  if (known != places_.end()) {
    if (known != places_.begin()) common = common_parts(stem, std::prev(known)->first);
    if (const auto next = std::next(known); next != places_.end())
      common = std::max(common, common_parts(stem, next->first));
  }
  std::string_view before = stem.path;
  for (std::size_t i = 0; i <= common && !before.empty(); ++i)
    (void)take_last(before, stem.separator);
  const std::size_t from = before.empty() ? 0 : before.size() + stem.separator.size();
  return fmt::format("{}{}{}", stem.path.substr(from), stem.line, shown_rest);
}

bool any_way_to_say(std::string_view text, PlaceRange range,
                    const std::function<bool(std::string_view)>& is_meant) {
  if (range.size == 0) return is_meant(text);
  const std::string_view before = text.substr(0, range.begin);
  const std::string_view place = text.substr(range.begin, range.size);
  const std::string_view behind = text.substr(std::size_t{range.begin} + range.size);
  const auto is_way = [&](std::string_view way) {
    return is_meant(fmt::format("{}{}{}", before, way, behind));
  };
  if (const std::size_t number = find_number(place); number != kNoPlace)
    return is_way(place.substr(0, number)) || is_way(place);
  std::string_view path = place;
  const std::string_view last = take_number(path);
  const std::string_view before_last = take_number(path);
  const std::size_t source = last.empty() ? kNoPlace : find_source(path);
  // All of it, and without what need not be said: the column, the source of a function.
  const std::string_view least = source != kNoPlace ? path.substr(0, source)
                                 : before_last.empty()
                                     ? place
                                     : place.substr(0, place.size() - last.size());
  if (const std::string text_of =
          source == kNoPlace ? packaged(path, least.substr(path.size())) : "";
      !text_of.empty() &&
      (is_way(text_of) || is_way(text_of + std::string(place.substr(least.size())))))
    return true;
  std::size_t tried = 0;
  for (std::size_t at = place.size(); at-- > 0 && tried < kMostEndings;) {
    if (!is_ending(place, at) || at >= place.size() - last.size() - before_last.size()) continue;
    ++tried;
    if (is_way(place.substr(at)) || (at < least.size() && is_way(least.substr(at)))) return true;
  }
  return is_way(place) || is_way(least);
}

}  // namespace tracedeck::timeline
