#include "tracedeck/timeline/text_filters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tracedeck/base/nearest.hpp"
#include "tracedeck/timeline/place_names.hpp"

namespace tracedeck::timeline {
namespace {

std::string_view last_component(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string hexadecimal(std::string_view number) {
  std::uint64_t value = 0;
  for (const char digit : number) {
    if (digit < '0' || digit > '9') return std::string(number);
    value = value * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return fmt::format("{:#x}", value);
}

// Workers of Tokio by their numbers, three of which stand for something else.
std::string worker_name(std::string_view number) {
  if (number == "18446744073709551615") return "off the runtime";
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
  TextFilter filter;
};
constexpr auto kFilters = std::to_array<NamedFilter>({
    {"source", {source_place, true}},
    {"span", {span_place, true}},
    {"file", {[](std::string_view path) { return std::string(last_component(path)); }}},
    {"hex", {hexadecimal}},
    {"worker", {worker_name}},
    {"softirq", {softirq_name}},
    {"duration", {plain_duration}},
    {"first80", {beginning}},
    {"filled",
     {.apply = [](std::string_view text) { return std::string(text); },
      .is_unknown_if_empty = true}},
    {"unknown_worker", {[](std::string_view) { return std::string("worker not known"); }}},
    {"named", {[](std::string_view name) { return is_number(name) ? "" : std::string(name); }}},
    {"task",
     {.apply = [](std::string_view name) { return numbered("task", name); }, .is_numbered = true}},
    {"queue",
     {.apply = [](std::string_view name) { return numbered("queue", name); }, .is_numbered = true}},
    {"before_enter", {before_enter}},
    {"syscall", {[](std::string_view text) {
       for (const std::string_view prefix :
            {"syscall_entry_", "syscall_exit_", "compat_syscall_entry_", "compat_syscall_exit_",
             "syscalls:sys_enter_", "syscalls:sys_exit_", "compat_sys_", "sys_"}) {
         if (text.starts_with(prefix)) return std::string(text.substr(prefix.size()));
       }
       return std::string(text);
     }}},
});

}  // namespace

const TextFilter* find_text_filter(std::string_view name) {
  const auto found = std::ranges::find(kFilters, name, &NamedFilter::name);
  return found == kFilters.end() ? nullptr : &found->filter;
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
