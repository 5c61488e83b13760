// Writes the trace of an incident, or of a healthy run:
//   incidents NAME TRACE
// Without arguments: lists them.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "tests/incidents/scenarios.hpp"

using namespace tracedeck::tests;

int main(int count, char** arguments) {
  if (count != 3) {
    for (const Scenario& each : scenarios())
      std::printf("%-24s %s\n", std::string(each.name).c_str(), std::string(each.about).c_str());
    return count == 1 ? 0 : 2;
  }
  const auto found =
      std::ranges::find(scenarios(), std::string_view(arguments[1]), &Scenario::name);
  if (found == scenarios().end()) {
    std::fprintf(stderr, "incidents: there is no '%s'\n", arguments[1]);
    return 2;
  }
  Machine machine(found->machine);
  const auto recorder = found->record(machine);
  machine.observe(*recorder);
  found->populate(machine);
  machine.run_until(found->duration);
  const auto written = recorder->finish(arguments[2]);
  if (written) return 0;
  std::fprintf(stderr, "incidents: %s\n", written.error().to_string().c_str());
  return 1;
}
