#include "tracedeck/c/errors.hpp"

#include <cstddef>
#include <string>

#include "tracedeck/base/utf8.hpp"

namespace tracedeck::capi {

td_status status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kCannotOpen:
      return TD_ERROR_CANNOT_OPEN;
    case ErrorCode::kUnrecognised:
      return TD_ERROR_UNRECOGNISED;
    case ErrorCode::kMustReject:
      return TD_ERROR_REJECTED;
    case ErrorCode::kUnsupported:
      return TD_ERROR_UNSUPPORTED;
    case ErrorCode::kInvalidArgument:
      return TD_ERROR_ARGUMENT;
    case ErrorCode::kLimitExceeded:
      return TD_ERROR_LIMIT;
    case ErrorCode::kReadFailed:
    case ErrorCode::kWriteFailed:
    case ErrorCode::kBrokenPipe:
    case ErrorCode::kCompressedDamaged:
    case ErrorCode::kStrict:
      break;
  }
  return TD_ERROR_INPUT;
}

td_status report(td_status status, std::string_view message, td_error* error) {
  if (error == nullptr) return status;
  const std::string text = repaired_utf8(message);
  constexpr std::size_t kRoom = sizeof error->message - 1;
  std::size_t size = std::min(text.size(), kRoom);
  // Not within a character.
  if (size < text.size()) {
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  }
  td_error made = {};
  made.code = status;
  std::memcpy(made.message, text.data(), size);
  // A caller whose structure is smaller gets a shorter message.
  const std::uint32_t room = error->struct_size;
  if (room > offsetof(td_error, message) && room < sizeof made)
    reinterpret_cast<char*>(&made)[room - 1] = '\0';
  fill_sized(made, error);
  return status;
}

}  // namespace tracedeck::capi
