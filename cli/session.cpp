#include "cli/session.hpp"

#include <csignal>
#include <utility>

namespace tracedeck::cli {

bool Session::delivered(const Result<void>& written) {
  if (written) return true;
  if (written.error().code != ErrorCode::kBrokenPipe) {
    std::string sentence = written.error().to_string();
    if (sentence != undelivered) diagnostics.error(sentence);
    undelivered = std::move(sentence);
    outcome.note(ExitCode::kDamage);
  }
  return false;
}

void Session::cut_short() {
  const bool terminated = signal && signal() == SIGTERM;
  outcome.note(terminated ? ExitCode::kTerminated : ExitCode::kInterrupted);
}

void Session::report(const Error& error) {
  diagnostics.error(error);
  outcome.note(exit_code_of(error));
}

}  // namespace tracedeck::cli
