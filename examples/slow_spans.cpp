// Names what took longer than 10 ms, and where, whatever format the traces have.
//
//   slow_spans TRACE...

#include <iostream>
#include <string>
#include <vector>

#include "tracedeck/marks.hpp"

int main(int count, char** arguments) {
  const std::vector<std::string> paths(arguments + 1, arguments + count);
  for (const auto& mark : tracedeck::open_marks(paths)) {
    const auto took = mark.duration();  // ns, where a slice or a wait ends
    if (took > 10'000'000)
      std::cout << mark.label() << ' ' << *took << " on " << mark.track().name << '\n';
  }
}
