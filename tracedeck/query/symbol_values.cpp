#include "tracedeck/query/symbol_values.hpp"

#include <fmt/format.h>

#include <span>
#include <string_view>

#include "tracedeck/model/symbols.hpp"

namespace tracedeck::query {
namespace {

std::span<const Function> functions_at(std::uint64_t address, const TraceDescription* trace) {
  const Symbols* const symbols = trace == nullptr ? nullptr : trace->symbols();
  return symbols == nullptr ? std::span<const Function>() : symbols->functions_at(address);
}

void append_frame(std::string& stack, std::string_view name) {
  if (!stack.empty()) stack += " < ";
  stack += name;
}

}  // namespace

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

bool for_each_address(const Slot& list, const std::function<void(std::uint64_t address)>& visit) {
  bool is_list = true;
  const auto pass = [&](const Slot& slot) {
    is_list = is_list && slot.kind == SlotKind::kUnsigned;
    if (is_list) visit(slot.bits);
  };
  if (list.kind == SlotKind::kPackedArray) {
    for (std::size_t i = 0; i < packed_count(list); ++i) pass(packed_element(list, i));
  } else if (list.kind == SlotKind::kArray) {
    for (const Slot* at = &list + 1; at < list.next(); at = at->next()) pass(*at);
  } else {
    return false;
  }
  return is_list;
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

}  // namespace tracedeck::query
