#include "cli/session.hpp"

namespace tracedeck::cli {

bool Session::delivered(const Result<void>& written) {
  if (written) return true;
  if (written.error().code != ErrorCode::kBrokenPipe) {
    diagnostics.error(written.error());
    outcome.note(ExitCode::kDamage);
  }
  return false;
}

void Session::report(const Error& error) {
  diagnostics.error(error);
  outcome.note(exit_code_of(error));
}

}  // namespace tracedeck::cli
