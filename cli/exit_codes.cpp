#include "cli/exit_codes.hpp"

namespace tracedeck::cli {

ExitCode exit_code_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::kCannotOpen:
    case ErrorCode::kUnrecognised:
    case ErrorCode::kMustReject:
      return ExitCode::kNoTrace;
    case ErrorCode::kUnsupported:
    case ErrorCode::kInvalidArgument:
      return ExitCode::kUsage;
    case ErrorCode::kReadFailed:
    case ErrorCode::kWriteFailed:
    case ErrorCode::kBrokenPipe:
    case ErrorCode::kCompressedDamaged:
    case ErrorCode::kLimitExceeded:
    case ErrorCode::kStrict:
      break;
  }
  return ExitCode::kDamage;
}

}  // namespace tracedeck::cli
