// What the command's exit status means: a contract with scripts.
#pragma once

#include <atomic>
#include <cstdint>

#include "tracedeck/base/error.hpp"

namespace tracedeck::cli {

enum class ExitCode : std::uint8_t {
  kOk = 0,
  kNegative = 1,  // the command's own negative answer
  kUsage = 2,     // wrong usage; an output that cannot be created
  kNoTrace = 3,   // an input cannot be opened, is no trace, or must be rejected
  kDamage = 4,    // bytes that could not be read or written; with --strict also a loss
  // What reads no live input was interrupted: 128 and the number of the signal.
  kInterrupted = 130,  // SIGINT
  kTerminated = 143,   // SIGTERM
};

// What an error that ended the reading of one input means.
[[nodiscard]] ExitCode exit_code_of(const Error& error);

// Collects what went wrong and keeps the worst of it: an interrupt over 2 over 1 over 3 over 4. Any
// thread may note.
class Outcome {
 public:
  void note(ExitCode code) {
    ExitCode worst = code_;
    while (rank(code) > rank(worst) && !code_.compare_exchange_weak(worst, code)) {
    }
  }
  [[nodiscard]] ExitCode code() const { return code_; }

 private:
  [[nodiscard]] static int rank(ExitCode code) {
    switch (code) {
      case ExitCode::kOk:
        return 0;
      case ExitCode::kDamage:
        return 1;
      case ExitCode::kNoTrace:
        return 2;
      case ExitCode::kNegative:
        return 3;
      case ExitCode::kUsage:
        return 4;
      case ExitCode::kInterrupted:
      case ExitCode::kTerminated:
        return 5;
    }
    return 5;
  }

  std::atomic<ExitCode> code_ = ExitCode::kOk;
};

}  // namespace tracedeck::cli
