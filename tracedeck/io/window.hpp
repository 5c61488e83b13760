// Sliding windows over an input.
//
// A window is a contiguous, padded run of the input's bytes. A decoder works inside one window;
// where a frame straddles the end it asks the `WindowReader` for the next window, which begins with
// the bytes it still needs. Windows are shared by counted reference, so slots may point into them
// after the reader went on; a window that nobody holds is used again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/error.hpp"
#include "tracedeck/io/input.hpp"

namespace tracedeck::io {

// Bytes [offset, offset + size) of an input, followed by `kPadding` zero bytes. Immutable while
// shared.
class Window {
 public:
  explicit Window(std::size_t capacity)
      : storage_(std::make_unique_for_overwrite<std::uint8_t[]>(capacity + kPadding)),
        capacity_(capacity) {
    std::memset(storage_.get(), 0, kPadding);
  }

  [[nodiscard]] PaddedView view() const { return {storage_.get() + begin_, size_}; }
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  friend class WindowReader;
  std::unique_ptr<std::uint8_t[]> storage_;
  std::size_t capacity_;
  std::size_t begin_ = 0;  // of the window in the storage
  std::size_t size_ = 0;
  std::uint64_t offset_ = 0;
};

using WindowPtr = std::shared_ptr<const Window>;

// Reads an input window by window. One thread at a time; windows may be let go on any thread.
class WindowReader {
 public:
  struct Options {
    // Bytes of an ordinary window. From the page cache 64 KiB to 512 KiB read alike, at 8 GB/s as
    // fast as read(2) alone; from 1 MiB on the second-level cache no longer holds two of them.
    std::size_t window_size = std::size_t{256} << 10;
    std::uint64_t limit = std::uint64_t{1} << 30;  // bytes a window may grow to
    bool keeps_spares = true;                      // windows that nobody holds any more
  };
  explicit WindowReader(std::unique_ptr<Input> input) : WindowReader(std::move(input), Options{}) {}
  WindowReader(std::unique_ptr<Input> input, Options options);

  // The window at hand, never null; without bytes before the first `advance`. Who keeps the pointer
  // keeps the bytes as they are; who does not may use a view until the next `advance`.
  [[nodiscard]] const WindowPtr& current() const { return current_; }
  // Whether the current window reaches the end of the input.
  [[nodiscard]] bool at_end() const { return at_end_; }
  // Why the input ended early, if it did: a read error or damaged compression. The bytes before it
  // were delivered.
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
  [[nodiscard]] Input& input() { return *input_; }
  [[nodiscard]] const Input& input() const { return *input_; }

  // Moves on to a window that begins at absolute offset `keep_from` (within the current window, or
  // its end) and holds at least `need` bytes, unless the input ends before. At least one byte is
  // added; how many beyond `need` depends on the input: of a file as many as fit, of a live input
  // what came with the last read. Returns false when it cannot: no byte was added because the input
  // ended, or `need` is over the limit (then `at_end()` is false). The current window is then the
  // same as before. Memory grows as bytes arrive, to at most twice of what was read, whatever
  // `need` claims. `usual`: bytes of the window if it takes no more, where less than an ordinary
  // one is probably enough.
  [[nodiscard]] bool advance(std::uint64_t keep_from, std::size_t need,
                             std::size_t usual = ~std::size_t{0});

  // At the end of a part of the input, moves on to the next one, which the next `advance` reads;
  // where the parts are files, also after a failure, which is forgotten. False: the input has
  // ended.
  [[nodiscard]] bool next_part();

  // Moves on to `offset`, without reading what lies between where the input can seek. Behind the
  // end of the current window, the next one is empty and lies there, so that
  // `advance(offset, need)` reads on; inside of it or at its end the window stays as it is. Throws
  // std::out_of_range for an offset before it. Returns false when the input ended before `offset`:
  // the current window is then empty and lies where it ended, `at_end()` is true and `failure()`
  // says why it ended early, if it did.
  [[nodiscard]] bool skip_to(std::uint64_t offset);

  // Starts again at the first byte, forgetting the current window. Requires `input().seekable()`.
  [[nodiscard]] Result<void> rewind();

  // Gives the input back, wherever it stands. The reader may then only be destroyed.
  [[nodiscard]] std::unique_ptr<Input> take_input() { return std::move(input_); }

 private:
  // The current window in place: possible while nobody else holds it and there is room behind.
  [[nodiscard]] bool can_append(std::size_t tail, std::size_t target) const;
  [[nodiscard]] bool append(std::size_t tail, std::size_t target);
  // Another window, which begins with the last `tail` bytes of the current one.
  [[nodiscard]] bool move_on(std::size_t tail, std::size_t target, std::size_t usual);
  [[nodiscard]] std::size_t usual_capacity(std::size_t tail, std::size_t usual);
  [[nodiscard]] std::shared_ptr<Window> fresh_window(std::size_t capacity);
  void retire(std::shared_ptr<Window> window);
  static void take_tail(Window& window, const Window& from, std::size_t tail);
  // Makes an empty window at `offset` the current one.
  void lie_at(std::uint64_t offset);
  // Reads until there are `target` bytes, the window is full or the input ends. `passed`: bytes at
  // its begin that are not needed any more.
  void fill(Window& window, std::size_t target, std::size_t passed = 0);

  std::unique_ptr<Input> input_;
  Options options_;
  bool live_;
  std::size_t live_capacity_;       // bytes of the next window of a live input
  std::shared_ptr<Window> window_;  // what `current_` shows
  WindowPtr current_;
  std::size_t arrived_ = 0;  // bytes read since the current window was made
  std::vector<std::shared_ptr<Window>> retired_;
  bool at_end_ = false;
  std::optional<Error> failure_;
};

}  // namespace tracedeck::io
