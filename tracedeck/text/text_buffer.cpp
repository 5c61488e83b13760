#include "tracedeck/text/text_buffer.hpp"

#include <algorithm>

namespace tracedeck {

TextBuffer::TextBuffer(io::Output* output, std::size_t capacity)
    : output_(output),
      storage_(std::make_unique_for_overwrite<char[]>(capacity)),
      end_(storage_.get()),
      limit_(storage_.get() + capacity) {}

void TextBuffer::hand_over() {
  if (size() == 0) return;
  if (status_) status_ = output_->write(view());
  clear();
}

void TextBuffer::make_room(std::size_t count) {
  if (output_ != nullptr) hand_over();
  if (static_cast<std::size_t>(limit_ - end_) >= count) return;
  const auto capacity = static_cast<std::size_t>(limit_ - storage_.get());
  const std::size_t larger = std::max(2 * capacity, size() + count);
  auto storage = std::make_unique_for_overwrite<char[]>(larger);
  std::memcpy(storage.get(), storage_.get(), size());
  end_ = storage.get() + size();
  limit_ = storage.get() + larger;
  storage_ = std::move(storage);
}

void TextBuffer::append_long(std::string_view text) {
  while (!text.empty()) {
    const std::size_t count = std::min(text.size(), kCapacity / 2);
    char* const at = reserve(count);
    std::memcpy(at, text.data(), count);
    commit(at + count);
    text.remove_prefix(count);
  }
}

}  // namespace tracedeck
