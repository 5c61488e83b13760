// Samples with stacks, made up: events that have them, and what the trace calls their addresses.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/render/sample_trace_test.hpp"
#include "tracedeck/timeline/arguments.hpp"
#include "tracedeck/timeline/mark.hpp"

namespace tracedeck::exporting {

// 0x100 on is in "main", 0x200 to 0x20f in "poll<T; U>".
class MadeUpSamples {
 public:
  MadeUpSamples() {
    trace_.description.set_symbols(std::make_shared<const Symbols>([] {
      SymbolTable table;
      table.add(0x100, 0, 0, {.name = "main"});
      table.add(0x200, 0x10, 0, {.name = "poll<T; U>"});
      table.finish();
      return table;
    }));
    event_class_ = &trace_.add(trace_.event_class(
        1, "sample",
        render::structure_class({{"callchain", render::array_class(render::address_class())}})));
    arguments_.add("callchain", {.steps = {{.name = "callchain"}}}, *event_class_);
  }

  // A mark comes of an event with that stack, the innermost address first.
  void put(timeline::Mark& mark, const std::vector<std::uint64_t>& addresses) {
    std::vector<Slot> slots = {head_slot(SlotKind::kArray, addresses.size(),
                                         static_cast<std::uint32_t>(addresses.size()))};
    for (const std::uint64_t address : addresses) slots.push_back(unsigned_slot(address));
    put_slots(mark, std::move(slots));
  }
  void put_slots(timeline::Mark& mark, std::vector<Slot> slots) {
    mark.event = &events_.emplace_back(trace_.event(*event_class_, 0, std::move(slots)));
    mark.arguments = &arguments_;
  }

 private:
  render::SampleTrace trace_;
  const EventClass* event_class_ = nullptr;
  timeline::Arguments arguments_;
  std::deque<Event> events_;
};

}  // namespace tracedeck::exporting
