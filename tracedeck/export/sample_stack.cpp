#include "tracedeck/export/sample_stack.hpp"

#include <fmt/format.h>

namespace tracedeck::exporting {

std::string stack_text(const TraceDescription* trace, const query::Value& stack) {
  std::string text;
  const auto append = [&text](const std::string& frame) {
    if (!text.empty()) text += " < ";
    text += frame;
  };
  (void)query::for_each_address(*stack.slot, [&](std::uint64_t address) {
    const std::span<const Function> functions = query::functions_at(address, trace);
    for (const Function& each : functions) append(each.with_place());
    if (functions.empty()) append(fmt::format("{:#x}", address));
  });
  return text;
}

}  // namespace tracedeck::exporting
