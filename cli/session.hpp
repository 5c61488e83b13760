// What a command works with besides its options.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "cli/diagnostics.hpp"
#include "cli/exit_codes.hpp"
#include "tracedeck/io/output.hpp"

namespace tracedeck::cli {

struct Session {
  io::Output& out;  // standard output; the caller finishes it
  Diagnostics& diagnostics;
  std::stop_token stop;
  bool color = false;  // whether to colour `out`
  Outcome outcome = {};
  std::function<int()> signal = {};  // that requested the stop
  std::string undelivered = {};      // what `delivered` reported last: an output repeats its error

  // Whether writing went well. If not, the error is reported and counted, but for a pipe whose
  // reader went away, which is a quiet end.
  bool delivered(const Result<void>& written);

  // Lets it bear on the outcome that a stop request cut the work short.
  void cut_short();

  // Reports an error that ended the reading of one input, and counts it.
  void report(const Error& error);
};

}  // namespace tracedeck::cli
