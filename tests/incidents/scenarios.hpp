// Programs with something wrong in them, and some that are well.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "tests/incidents/recorders.hpp"

namespace tracedeck::tests {

struct Scenario {
  std::string_view name;
  std::string_view about;
  Machine::Options machine;
  Time duration;
  std::unique_ptr<Recorder> (*record)(Machine& machine);
  void (*populate)(Machine& machine);
};

[[nodiscard]] std::span<const Scenario> scenarios();

}  // namespace tracedeck::tests
