// From the arguments of main() to a command's work and its exit code.
#pragma once

#include <cstdio>
#include <span>
#include <string>

#include "cli/exit_codes.hpp"

namespace tracedeck::cli {

// Runs the command line `arguments` (without the program's name), writing results to standard
// output and everything else to `messages`. Throws nothing, and keeps nothing for the next run:
// open files, threads and handlers of signals are as they were before. One at a time in a process,
// for standard descriptors and signals are the process's.
[[nodiscard]] ExitCode run(std::span<const std::string> arguments, std::FILE* messages);

}  // namespace tracedeck::cli
