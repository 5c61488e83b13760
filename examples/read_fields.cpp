// Finds the requests of a trace that failed, whatever format it has.
//
//   read_fields TRACE...

#include <iostream>
#include <string>
#include <vector>

#include "tracedeck/tracedeck.hpp"

int main(int count, char** arguments) {
  const std::vector<std::string> paths(arguments + 1, arguments + count);
  for (const auto& event : tracedeck::open(paths)) {
    const auto status = event["status"].get<int>();
    if (status >= 500) std::cout << event.name() << ' ' << *status << '\n';
  }
}
