// The buffer that every renderer writes its characters into.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

#include "tracedeck/base/error.hpp"
#include "tracedeck/io/output.hpp"

namespace tracedeck {

// Characters on their way to an output. With an output a full buffer is handed over, so that it
// stays small however large a value is; without one it grows. Not thread-safe.
class TextBuffer {
 public:
  static constexpr std::size_t kCapacity = std::size_t{128} << 10;  // bytes, to begin with

  // `output` may be null, else it must outlive the buffer.
  explicit TextBuffer(io::Output* output = nullptr, std::size_t capacity = kCapacity);

  // Room for at least `count` characters, to be filled from the front and committed before the next
  // call. The characters appended before may have left the buffer.
  [[nodiscard]] [[gnu::always_inline]] char* reserve(std::size_t count) {
    if (static_cast<std::size_t>(limit_ - end_) < count) make_room(count);
    return end_;
  }
  // Ends what was written into reserved room.
  void commit(char* end) { end_ = end; }

  [[gnu::always_inline]] void append(char character) {
    char* const at = reserve(1);
    *at = character;
    commit(at + 1);
  }
  void append(std::string_view text) {
    if (text.size() > kPiece) return append_long(text);
    char* const at = reserve(kPiece);
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    commit(at + text.size());
  }
  void append(std::size_t count, char character) {
    for (; count > kPiece; count -= kPiece) append(kPiece, character);
    char* const at = reserve(kPiece);
    std::memset(at, character, count);
    commit(at + count);
  }

  // What is in the buffer now.
  [[nodiscard]] std::string_view view() const { return {storage_.get(), size()}; }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(end_ - storage_.get()); }
  void clear() { end_ = storage_.get(); }

  // Hands everything to the output. Returns the first error that a hand-over met, if one did; after
  // it what is appended goes nowhere. Requires an output.
  [[nodiscard]] Result<void> drain() {
    hand_over();
    return status_;
  }
  // The same, for those who ask later.
  void hand_over();
  // Whether a hand-over failed; `drain` says how.
  [[nodiscard]] bool failed() const { return !status_; }

 private:
  // What `append` copies without looking for room piece by piece.
  static constexpr std::size_t kPiece = 256;

  void make_room(std::size_t count);
  void append_long(std::string_view text);

  io::Output* output_;
  std::unique_ptr<char[]> storage_;
  char* end_;
  char* limit_;
  Result<void> status_;
};

}  // namespace tracedeck
