// The options of a trace: its epoch, and those that only are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tracedeck/base/finding.hpp"
#include "tracedeck/heph/packet.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::heph {

class TraceOptions {
 public:
  explicit TraceOptions(std::optional<std::uint64_t> epoch) : epoch_(epoch) {}

  [[nodiscard]] const std::optional<std::uint64_t>& epoch() const { return epoch_; }

  // Takes an option into the environment of `trace`. Returns a finding with an empty rule when
  // there is none. `events_came`: before the option.
  [[nodiscard]] Finding add(const Option& option, std::uint64_t offset, std::uint64_t size,
                            bool events_came, TraceDescription& trace);

 private:
  Finding add_epoch(std::uint64_t epoch, bool events_came);
  bool keep(std::string name, std::string value, TraceDescription& trace);

  std::optional<std::uint64_t> epoch_;
  std::set<std::pair<std::string, std::string>> kept_;
  std::size_t memory_ = 0;
  bool limit_reported_ = false;
};

}  // namespace tracedeck::heph
