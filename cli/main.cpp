#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line.hpp"

namespace {

// Puts something in the place of standard descriptors that were closed, so that no file opened
// later is taken for one of them. Standard input is then empty, and writing to standard output
// fails.
void occupy_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // It gets the lowest free number, which is this one.
    [[maybe_unused]] const int opened =
        ::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

// Large texts and tables go back to the system when they are let go of, also behind larger ones:
// glibc would take what lies between them from the heap from then on, which only shrinks at its
// end.
void give_back_large_memory() {
#ifdef M_MMAP_THRESHOLD
  constexpr int kLarge = 1 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kLarge);
#endif
}

}  // namespace

int main(int count, char** values) {
  // A reader that goes away is an error of a write, not a signal that kills.
  std::signal(SIGPIPE, SIG_IGN);
  occupy_standard_descriptors();
  give_back_large_memory();
  const std::vector<std::string> arguments(values + (count > 0 ? 1 : 0), values + count);
  return std::to_underlying(tracedeck::cli::run(arguments, stderr));
}
