// Where results go: files that appear only when complete, and standard output.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/error.hpp"

namespace tracedeck::io {

// A buffered sink of bytes. One thread at a time. After an error every further call returns it
// again, so that a full disk is reported even by a caller that looks only at `finish`.
class Output {
 public:
  virtual ~Output() = default;

  [[nodiscard]] virtual const std::string& name() const = 0;

  // Errors: kWriteFailed, kBrokenPipe.
  [[nodiscard]] virtual Result<void> write(ByteSpan bytes) = 0;
  [[nodiscard]] Result<void> write(std::string_view text) { return write(as_bytes(text)); }

  // Hands all buffered bytes to the operating system.
  [[nodiscard]] virtual Result<void> flush() = 0;

  // Flushes, closes and, for a file, renames it to its final name. Nothing may be written after.
  [[nodiscard]] virtual Result<void> finish() = 0;

  // Instead of `finish`: nothing is wanted of what was written. Removes the .part file of a file,
  // unless an error said that what was written is there.
  virtual void discard() {}
};

// Writes `path`.part and renames it to `path` in `finish`. Without `finish` (an error, a kill) the
// .part file stays. A path that is a device or a named pipe (/dev/stdout) is written directly; that
// somebody reads from the pipe is waited for until a request of `stop`. Error: kCannotOpen.
[[nodiscard]] Result<std::unique_ptr<Output>> create_file(const std::string& path,
                                                          std::stop_token stop = {});

// The .part file of `create_file`: it lies beside the file that `path` leads to, links followed.
// Empty for a path that is written directly.
[[nodiscard]] std::string part_path(const std::string& path);

// Standard output, as a pipe or terminal: `finish` flushes and reports errors, and does not close.
[[nodiscard]] std::unique_ptr<Output> standard_output();

// Collects everything into `into`, which must outlive the output.
[[nodiscard]] std::unique_ptr<Output> memory_output(std::string& into);

}  // namespace tracedeck::io
