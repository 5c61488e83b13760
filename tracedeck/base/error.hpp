// How a call that can fail for outside reasons says so: `Result<T>` with an `Error` that says
// what, where and what to do about it.
//
// Hot loops return a status byte and leave it to a cold path to build the `Error`. Exceptions
// stand only for broken contracts and exhausted memory.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace tracedeck {

enum class ErrorCode : std::uint8_t {
  kCannotOpen,         // the file system refused to open an input or output
  kReadFailed,         // the operating system failed a read
  kWriteFailed,        // the operating system failed a write (full disk, lost device)
  kBrokenPipe,         // the reader of our output went away
  kCompressedDamaged,  // a gzip or zstd stream is cut short or corrupt
  kUnrecognised,       // the bytes belong to no format at hand
  kMustReject,         // the format's specification demands that this input is rejected
  kUnsupported,        // asked for something that this format or target cannot do
  kInvalidArgument,    // a value, name or count handed in by the caller breaks a rule
  kLimitExceeded,      // one of our own limits (see docs) was hit
  kStrict,             // --strict: something was tolerated that must not be
};

// The name of a code as scripts see it, for example "cannot-open".
[[nodiscard]] std::string_view code_name(ErrorCode code);

struct Rule;

struct Error {
  ErrorCode code = ErrorCode::kInvalidArgument;
  std::string message;                       // a whole sentence, without the place
  std::string input = {};                    // name of the input or output, may be empty
  std::optional<std::uint64_t> offset = {};  // byte offset in the (decompressed) input
  std::uint8_t bit = 0;                      // bit within that byte
  std::string path = {};                     // path in the schema: "PollStart.frames"
  const Rule* rule = nullptr;                // of kMustReject: the rule that is broken

  // "INPUT:OFFSET: path: message", leaving out what is unknown.
  [[nodiscard]] std::string to_string() const;
};

template <class T>
using Result = std::expected<T, Error>;

// Shorthand for returning an error from a function with any result type.
[[nodiscard]] std::unexpected<Error> fail(ErrorCode code, std::string message,
                                          std::string input = {},
                                          std::optional<std::uint64_t> offset = {});

}  // namespace tracedeck
