// Sliding windows over an input.
//
// A window is a contiguous, padded run of the input's bytes. A decoder works inside one window; where a
// frame straddles the end it asks the `WindowReader` for the next window, which begins with the
// bytes it still needs. Windows are shared by counted reference, so slots may point into them after the
// reader went on; a window that nobody holds is used again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/error.hpp"
#include "tracedeck/io/input.hpp"

namespace tracedeck::io {

// Bytes [offset, offset + size) of an input, followed by `kPadding` zero bytes. Immutable while shared.
class Window {
 public:
  explicit Window(std::size_t capacity) : storage_(std::make_unique_for_overwrite<std::uint8_t[]>(capacity + kPadding)), capacity_(capacity) {}

  [[nodiscard]] PaddedView view() const { return {storage_.get(), size_}; }
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  friend class WindowReader;
  std::unique_ptr<std::uint8_t[]> storage_;
  std::size_t capacity_;
  std::size_t size_ = 0;
  std::uint64_t offset_ = 0;
};

using WindowPtr = std::shared_ptr<const Window>;

class WindowReader {
 public:
  struct Options {
    std::size_t window_size = std::size_t{256} << 10;  // bytes of an ordinary window
    std::uint64_t limit = std::uint64_t{1} << 30;      // bytes a window may grow to
  };
  explicit WindowReader(std::unique_ptr<Input> input) : WindowReader(std::move(input), Options{}) {}
  WindowReader(std::unique_ptr<Input> input, Options options);

  // The window at hand; empty before the first `advance`.
  [[nodiscard]] const WindowPtr& current() const { return current_; }
  // Whether the current window reaches the end of the input.
  [[nodiscard]] bool at_end() const { return at_end_; }
  // Why the input ended early, if it did: a read error or damaged compression. The bytes before it
  // were delivered.
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
  [[nodiscard]] Input& input() { return *input_; }

  // Moves on to a window that begins at absolute offset `keep_from` (within the current window, or its
  // end) and holds at least `need` bytes, unless the input ends before. Returns false when it cannot:
  // no byte was added because the input ended, or `need` is over the limit (then `at_end()` is false).
  [[nodiscard]] bool advance(std::uint64_t keep_from, std::size_t need);

  // Starts again at the first byte, forgetting the current window. Requires `input().seekable()`.
  [[nodiscard]] Result<void> rewind();

 private:
  std::shared_ptr<Window> fresh_window(std::size_t capacity);

  std::unique_ptr<Input> input_;
  Options options_;
  WindowPtr current_;
  std::vector<std::shared_ptr<Window>> pool_;
  bool at_end_ = false;
  std::optional<Error> failure_;
};

}  // namespace tracedeck::io
