#include "tracedeck/timeline/text_filters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tracedeck/base/nearest.hpp"

namespace tracedeck::timeline {
namespace {

std::string_view last_component(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The part of a path behind its first "src/" directory; all of it where there is none.
std::string_view behind_source(std::string_view path) {
  if (path.starts_with("src/")) return path.substr(4);
  const std::size_t source = path.find("/src/");
  return source == std::string_view::npos ? path : path.substr(source + 5);
}

// A package as directories of Cargo call it, without "-1.2.3" or "-0a1b2c".
std::string_view without_version(std::string_view package, bool is_hash) {
  if (is_hash) return package.substr(0, package.rfind('-'));
  for (std::size_t dash = package.find('-'); dash != std::string_view::npos;
       dash = package.find('-', dash + 1)) {
    if (dash + 1 < package.size() && package[dash + 1] >= '0' && package[dash + 1] <= '9')
      return package.substr(0, dash);
  }
  return package;
}

// Where the sources of packages lie: behind `root` so many directories, then that of the package.
struct SourceRoot {
  std::string_view root;
  int above;   // directories before the package's
  int within;  // directories in it before its own
  bool is_hash;
};
constexpr auto kSourceRoots = std::to_array<SourceRoot>({
    {"/registry/src/", 1, 0, false},
    {"/git/checkouts/", 0, 1, true},
});

std::string_view take_directory(std::string_view& path) {
  const std::size_t slash = path.find('/');
  const std::string_view directory = path.substr(0, slash);
  path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  return directory;
}

// A line of source for people: "examples/app/src/main.rs:220:14" is "main.rs:220", and of what is
// not of the program itself the package is named before it: "hyper-util rt/tokio.rs:115".
std::string short_source(std::string_view location) {
  std::string text(location);
  std::ranges::replace(text, '\\', '/');
  std::string_view path = text;
  const std::size_t column = path.rfind(':');
  if (column != std::string_view::npos && is_number(path.substr(column + 1))) {
    const std::size_t line = path.rfind(':', column - 1);
    if (column != 0 && line != std::string_view::npos &&
        is_number(path.substr(line + 1, column - line - 1)))
      path = path.substr(0, column);
  }
  for (const SourceRoot& each : kSourceRoots) {
    const std::size_t root = path.find(each.root);
    if (root == std::string_view::npos) continue;
    std::string_view rest = path.substr(root + each.root.size());
    for (int i = 0; i < each.above; ++i) take_directory(rest);
    const std::string_view package = take_directory(rest);
    for (int i = 0; i < each.within; ++i) take_directory(rest);
    if (!rest.empty())
      return fmt::format("{} {}", without_version(package, each.is_hash), behind_source(rest));
  }
  if (const std::size_t library = path.find("/library/");
      library != std::string_view::npos && path.substr(0, library).contains("/rustc/")) {
    std::string_view rest = path.substr(library + 9);
    const std::string_view package = take_directory(rest);
    return fmt::format("{} {}", package, behind_source(rest));
  }
  const std::size_t source = path.rfind("/src/");
  if (source != std::string_view::npos) return std::string(path.substr(source + 5));
  return std::string(path.starts_with("src/") ? path.substr(4) : last_component(path));
}

// Of "SpanEnter:app::module::function:src/file.rs:26" what is called "function".
std::string span_name(std::string_view name) {
  for (const std::string_view prefix : {"SpanEnter:", "SpanExit:"}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  // A single colon ends the path of the function.
  for (std::size_t i = 0; i + 1 < name.size(); ++i) {
    if (name[i] != ':') continue;
    if (name[i + 1] == ':') {
      ++i;
      continue;
    }
    name = name.substr(0, i);
    break;
  }
  const std::size_t last = name.rfind("::");
  return std::string(last == std::string_view::npos ? name : name.substr(last + 2));
}

std::string hexadecimal(std::string_view number) {
  std::uint64_t value = 0;
  for (const char digit : number) {
    if (digit < '0' || digit > '9') return std::string(number);
    value = value * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return fmt::format("{:#x}", value);
}

// Workers of Tokio by their numbers, two of which stand for something else.
std::string worker_name(std::string_view number) {
  if (number == "254") return "blocking pool";
  return number == "255" ? "no worker" : fmt::format("worker {}", number);
}

// Softirqs of Linux by their vectors.
std::string softirq_name(std::string_view vector) {
  static constexpr auto kNames =
      std::to_array<std::string_view>({"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL",
                                       "TASKLET", "SCHED", "HRTIMER", "RCU"});
  if (vector.size() != 1 || vector[0] < '0' || vector[0] > '9') return std::string(vector);
  return std::string(kNames[static_cast<std::size_t>(vector[0] - '0')]);
}

// A number of nanoseconds with the largest unit that it is whole in.
std::string plain_duration(std::string_view number) {
  for (const auto& [zeros, unit] :
       {std::pair<std::size_t, std::string_view>{9, "s"}, {6, "ms"}, {3, "us"}}) {
    if (number.size() > zeros && number.ends_with(std::string(zeros, '0')))
      return fmt::format("{}{}", number.substr(0, number.size() - zeros), unit);
  }
  return fmt::format("{}ns", number);
}

// The beginning of a text, without half a character at its end.
std::string beginning(std::string_view text) {
  constexpr std::size_t kMost = 80;
  if (text.size() <= kMost) return std::string(text);
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
  return std::string(text.substr(0, end));
}

// What has a number and no name is called after its kind.
std::string numbered(std::string_view kind, std::string_view name) {
  return is_number(name) ? fmt::format("{} {}", kind, name) : std::string(name);
}

std::string before_enter(std::string_view name) {
  for (const std::string_view ending : {"_enter", "_exit", "_blocking"}) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  return std::string(name);
}

struct NamedFilter {
  std::string_view name;
  std::string (*apply)(std::string_view);
};
constexpr auto kFilters = std::to_array<NamedFilter>({
    {"source", short_source},
    {"span", span_name},
    {"file", [](std::string_view path) { return std::string(last_component(path)); }},
    {"hex", hexadecimal},
    {"worker", worker_name},
    {"softirq", softirq_name},
    {"duration", plain_duration},
    {"first80", beginning},
    {"named", [](std::string_view name) { return is_number(name) ? "" : std::string(name); }},
    {"task", [](std::string_view name) { return numbered("task", name); }},
    {"queue", [](std::string_view name) { return numbered("queue", name); }},
    {"before_enter", before_enter},
    {"syscall",
     [](std::string_view text) {
       for (const std::string_view prefix :
            {"syscall_entry_", "syscall_exit_", "compat_syscall_entry_", "compat_syscall_exit_",
             "syscalls:sys_enter_", "syscalls:sys_exit_"}) {
         if (text.starts_with(prefix)) return std::string(text.substr(prefix.size()));
       }
       return std::string(text);
     }},
});

}  // namespace

TextFilter find_text_filter(std::string_view name) {
  const auto found = std::ranges::find(kFilters, name, &NamedFilter::name);
  return found == kFilters.end() ? nullptr : found->apply;
}

std::string unknown_filter_text(std::string_view name) {
  std::vector<std::string_view> names;
  for (const NamedFilter& each : kFilters) names.push_back(each.name);
  names.push_back(kLinuxStateFilter);
  const std::string_view near = nearest(name, names);
  return fmt::format("there is no filter `{}`; {}", name,
                     near.empty() ? fmt::format("those that are: {}", fmt::join(names, ", "))
                                  : fmt::format("is `{}` meant?", near));
}

}  // namespace tracedeck::timeline
