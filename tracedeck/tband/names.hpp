// The names that a trace gives to interrupts, tasks, queues and markers (notes, "Meaning").
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/tband/event_table.hpp"

namespace tracedeck::tband {

// Numbers of names in a description by what they name. Ids of interrupts count per core, those of
// task markers per task: the core, or the task, is their `scope`; all others are of the scope 0.
class Names {
 public:
  // `limit`: bytes that the names may take.
  Names(TraceDescription& description, std::uint64_t limit)
      : description_(description), limit_(limit) {}

  // From now on `id` has that name. False: there is no room for another.
  [[nodiscard]] bool define(Naming naming, std::uint32_t scope, std::uint32_t id,
                            std::string_view name);

  // 0: it has none.
  [[nodiscard]] std::uint32_t find(Naming naming, std::uint32_t scope, std::uint32_t id) {
    const auto kind = static_cast<std::size_t>(naming);
    if (kinds_[kind].empty()) return 0;
    const std::uint64_t key = std::uint64_t{scope} << 32 | id;
    const Found& found = found_[kind][id % kFound];
    if (found.key == key && found.known) [[likely]]
      return found.number;
    return look_up(kind, key);
  }

 private:
  static constexpr std::size_t kNamings = static_cast<std::size_t>(Naming::kTaskValueMarker) + 1;
  static constexpr std::size_t kFound = 64;
  // What was found last, by the low bits of the id.
  struct Found {
    std::uint64_t key = 0;
    std::uint32_t number = 0;
    bool known = false;
  };

  std::uint32_t look_up(std::size_t kind, std::uint64_t key);

  TraceDescription& description_;
  std::uint64_t limit_;
  std::uint64_t memory_ = 0;
  std::array<std::unordered_map<std::uint64_t, std::uint32_t>, kNamings> kinds_;
  std::array<std::array<Found, kFound>, kNamings> found_ = {};
};

}  // namespace tracedeck::tband
