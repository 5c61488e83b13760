#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line.hpp"

// A reader that goes away is an error of a write, not a signal that kills.
int main(int count, char** values) {
  using tracedeck::cli::ExitCode;
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const std::vector<std::string> arguments(values + (count > 0 ? 1 : 0), values + count);
    return std::to_underlying(tracedeck::cli::run(arguments, stderr));
  } catch (const std::bad_alloc&) {
    std::fputs("tracedeck: error: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tracedeck: error: %s\n", error.what());
  }
  return std::to_underlying(ExitCode::kDamage);
}
