#include "tracedeck/query/symbol_values.hpp"

#include <fmt/format.h>

#include <utility>

#include "tracedeck/model/symbols.hpp"

namespace tracedeck::query {
namespace {

void append_frame(std::string& stack, std::string_view name) {
  if (!stack.empty()) stack += " < ";
  stack += name;
}

}  // namespace

std::span<const Function> functions_at(std::uint64_t address, const TraceDescription* trace) {
  const Symbols* const symbols = trace == nullptr ? nullptr : trace->symbols();
  return symbols == nullptr ? std::span<const Function>() : symbols->functions_at(address);
}

const TraceDescription* trace_of(const Event& event) {
  const EventClass* const event_class = event.event_class;
  const bool has_stream_class = event_class != nullptr && event_class->stream_class != nullptr;
  return has_stream_class ? event_class->stream_class->trace : nullptr;
}

Value symbol_at(std::uint64_t address, const TraceDescription* trace) {
  const auto functions = functions_at(address, trace);
  if (functions.empty()) return {};
  Value innermost = Value::of(functions.front().name);
  if (functions.size() > 1) innermost.functions = functions.subspan(1);
  return innermost;
}

std::optional<std::string> stack_at(const Slot& list, const TraceDescription* trace) {
  std::string text;
  const bool is_list = for_each_address(list, [&](std::uint64_t address) {
    const auto functions = functions_at(address, trace);
    for (const Function& each : functions) append_frame(text, each.name);
    if (functions.empty()) append_frame(text, fmt::format("{:#x}", address));
  });
  return is_list ? std::optional(std::move(text)) : std::nullopt;
}

Value innermost_at(const Slot& list, std::string_view stack, const TraceDescription* trace) {
  std::optional<std::uint64_t> innermost;
  (void)for_each_address(list, [&](std::uint64_t address) {
    if (!innermost) innermost = address;
  });
  if (!innermost) return {};
  Value function = symbol_at(*innermost, trace);
  return function.known() ? function : Value::of(stack.substr(0, stack.find(" < ")));
}

}  // namespace tracedeck::query
