#include "tracedeck/flow/machines.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "tracedeck/flow/trace_names.hpp"

namespace tracedeck::flow {
namespace {

// The boot id of a Linux kernel, a UUID; dial9 calls a process so.
std::string kernel_boot(std::string id) {
  constexpr std::size_t kDigits = 32;
  static constexpr std::string_view kHexadecimal = "0123456789abcdefABCDEF";
  const auto digits =
      std::ranges::count_if(id, [](char each) { return kHexadecimal.contains(each); });
  return std::cmp_equal(digits, kDigits) ? std::move(id) : std::string();
}

}  // namespace

MachineMarks machine_marks(const TraceDescription& trace) {
  std::string name = environment_text(trace, "hostname");
  // As perf calls it.
  if (name.empty()) name = environment_text(trace, "host");
  return {environment_text(trace, "machine_id"), kernel_boot(environment_text(trace, "boot_id")),
          std::move(name)};
}

std::optional<bool> is_one_machine(const MachineMarks& a, const MachineMarks& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!a[i].empty() && !b[i].empty()) return a[i] == b[i];
  }
  return std::nullopt;
}

}  // namespace tracedeck::flow
