// What is known about an event beside its name: annotations of Perfetto, "args" in its tables.
#pragma once

#include <cstdint>
#include <string_view>

#include "tracedeck/export/argument.hpp"
#include "tracedeck/export/mark_flags.hpp"
#include "tracedeck/export/perfetto_callstacks.hpp"
#include "tracedeck/export/perfetto_names.hpp"
#include "tracedeck/export/perfetto_packets.hpp"
#include "tracedeck/export/sample_stack.hpp"
#include "tracedeck/timeline/arguments.hpp"

namespace tracedeck::exporting::perfetto {

// All are added to the event that is open.
class Annotations {
 public:
  // `callstacks`: of stacks; null: they are lists of addresses.
  Annotations(Packets& packets, Names& names, Callstacks* callstacks);
  Annotations(const Annotations&) = delete;
  Annotations& operator=(const Annotations&) = delete;

  // The arguments and the flags of a mark.
  void put(const timeline::Mark& mark) {
    if ((mark.flags & kNamedFlags) != 0) [[unlikely]]
      put_flags(mark.flags);
    if (mark.arguments == nullptr) return;
    if (callstacks_ != nullptr) callstacks_->begin(trace_of(mark));
    timeline::visit_arguments(mark, visit_);
  }
  // Stacks that were written as lists of addresses, since there were too many.
  [[nodiscard]] std::uint64_t stacks_as_lists() const { return stacks_as_lists_; }
  void put_integer(std::string_view name, std::int64_t value);
  void put_text(std::string_view name, std::string_view text);

 private:
  void put_flags(std::uint16_t flags);
  void put_value(std::string_view name, const query::Value& value);
  // Opens one, with its name.
  [[nodiscard]] std::size_t open(std::string_view name);

  Packets& packets_;
  Names& names_;
  Callstacks* callstacks_;
  std::uint64_t stacks_as_lists_ = 0;
  ArgumentReader reader_;
  timeline::Arguments::Visit visit_;
};

}  // namespace tracedeck::exporting::perfetto
