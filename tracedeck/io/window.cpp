#include "tracedeck/io/window.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tracedeck/base/unshared.hpp"

namespace tracedeck::io {
namespace {

// A live input begins with small windows: when each delivery is a few bytes and its window is kept,
// full windows would cost thousands of times of what arrives.
constexpr std::size_t kFirstLiveCapacity = std::size_t{16} << 10;
constexpr std::size_t kLeastLiveCapacity = std::size_t{4} << 10;

// Windows that others still hold and that may come back to be used again.
constexpr std::size_t kMostRetired = 8;

}  // namespace

WindowReader::WindowReader(std::unique_ptr<Input> input, Options options)
    : input_(std::move(input)),
      options_(options),
      live_(input_->live()),
      window_(std::make_shared<Window>(0)),
      current_(window_) {
  options_.window_size = std::max<std::size_t>(options_.window_size, 1);
  live_capacity_ = std::min(kFirstLiveCapacity, options_.window_size);
}

bool WindowReader::advance(std::uint64_t keep_from, std::size_t need, std::size_t usual) {
  const std::uint64_t end = window_->offset_ + window_->size_;
  if (keep_from < window_->offset_ || keep_from > end) {
    throw std::out_of_range("WindowReader::advance: keep_from is outside of the current window");
  }
  const auto tail = static_cast<std::size_t>(end - keep_from);
  const std::size_t target = std::max(need, tail + 1);
  if (at_end_ || target > options_.limit) return false;
  return can_append(tail, target) ? append(tail, target) : move_on(tail, target, usual);
}

bool WindowReader::next_part() {
  // Of files, one that fails costs only itself.
  if (!at_end_ || (failure_ && input_->part_files().empty()) || !input_->next_part()) return false;
  at_end_ = false;
  failure_.reset();
  return true;
}

bool WindowReader::can_append(std::size_t tail, std::size_t target) const {
  const std::size_t filled = window_->begin_ + window_->size_;
  const std::size_t room = window_->capacity_ - filled;
  // Little room would mean a little read; then rather copy the tail.
  return room > window_->capacity_ / 8 && room >= target - tail && unshared(window_, 2);
}

bool WindowReader::append(std::size_t tail, std::size_t target) {
  Window& window = *window_;
  const std::size_t before = window.size_;
  const std::size_t skipped = before - tail;
  fill(window, skipped + target, skipped);
  if (window.size_ == before) return false;
  arrived_ += window.size_ - before;
  window.begin_ += skipped;
  window.size_ -= skipped;
  window.offset_ += skipped;
  return true;
}

bool WindowReader::move_on(std::size_t tail, std::size_t target, std::size_t usual) {
  const std::uint64_t offset = window_->offset_ + window_->size_ - tail;
  std::shared_ptr<Window> next = fresh_window(usual_capacity(tail, usual));
  take_tail(*next, *window_, tail);
  fill(*next, target);
  while (next->size_ < target && !at_end_) {
    // The bytes so far vouch for as many again.
    const auto doubled = static_cast<std::size_t>(
        std::min<std::uint64_t>(options_.limit, std::uint64_t{next->capacity_} * 2));
    std::shared_ptr<Window> larger = fresh_window(doubled);
    take_tail(*larger, *next, next->size_);
    retire(std::exchange(next, std::move(larger)));
    fill(*next, target);
  }
  if (next->size_ == tail) {
    retire(std::move(next));
    return false;
  }
  next->offset_ = offset;
  arrived_ = next->size_ - tail;
  current_ = next;
  retire(std::exchange(window_, std::move(next)));
  return true;
}

std::size_t WindowReader::usual_capacity(std::size_t tail, std::size_t usual) {
  std::uint64_t capacity = std::min(options_.window_size, usual);
  if (live_) {
    if (arrived_ != 0) {
      live_capacity_ = std::clamp(arrived_ * 2, std::min(kLeastLiveCapacity, options_.window_size),
                                  options_.window_size);
    }
    capacity = live_capacity_;
  }
  // A tail that is copied again and again must be paid for by as many new bytes each time.
  capacity = std::max(capacity, std::uint64_t{tail} * 2);
  // A small file gets a small window, with one byte to see the end.
  const std::uint64_t end = window_->offset_ + window_->size_;
  if (const auto size = input_->size(); size && *size > end) {
    capacity = std::min(capacity, tail + (*size - end) + 1);
  }
  return static_cast<std::size_t>(std::min(capacity, options_.limit));
}

std::shared_ptr<Window> WindowReader::fresh_window(std::size_t capacity) {
  std::shared_ptr<Window> found;
  std::erase_if(retired_, [&](std::shared_ptr<Window>& window) {
    if (!unshared(window, 1)) return false;
    if (!found && window->capacity_ >= capacity && window->capacity_ / 4 <= capacity) {
      found = std::move(window);
    }
    return true;
  });
  if (!found) found = std::make_shared<Window>(capacity);
  return found;
}

void WindowReader::retire(std::shared_ptr<Window> window) {
  if (!options_.keeps_spares) return;
  if (retired_.size() == kMostRetired) retired_.erase(retired_.begin());
  retired_.push_back(std::move(window));
}

void WindowReader::take_tail(Window& window, const Window& from, std::size_t tail) {
  window.begin_ = 0;
  window.size_ = tail;
  if (tail == 0) return;
  std::memcpy(window.storage_.get(), from.storage_.get() + from.begin_ + from.size_ - tail, tail);
}

void WindowReader::fill(Window& window, std::size_t target, std::size_t passed) {
  std::uint8_t* const data = window.storage_.get() + window.begin_;
  const std::size_t most = window.capacity_ - window.begin_;
  while (window.size_ < (live_ ? std::min(target, most) : most)) {
    if (live_) input_->set_midway(window.size_ > passed);
    const Result<std::size_t> got = input_->read(data + window.size_, most - window.size_);
    if (!got) failure_ = got.error();
    if (!got || *got == 0) {
      at_end_ = true;
      break;
    }
    window.size_ += *got;
  }
  std::memset(data + window.size_, 0, kPadding);
}

void WindowReader::lie_at(std::uint64_t offset) {
  auto next = std::make_shared<Window>(0);
  next->offset_ = offset;
  current_ = next;
  retire(std::exchange(window_, std::move(next)));
  arrived_ = 0;
}

bool WindowReader::skip_to(std::uint64_t offset) {
  const std::uint64_t end = window_->offset_ + window_->size_;
  if (offset < window_->offset_) {
    throw std::out_of_range("WindowReader::skip_to: offset is before the current window");
  }
  if (offset <= end) return true;
  std::uint64_t reached = end;
  input_->set_midway(true);
  while (reached < offset && !at_end_) {
    const Result<std::uint64_t> skipped = input_->skip(offset - reached);
    if (!skipped) failure_ = skipped.error();
    at_end_ = skipped.value_or(0) == 0;
    reached += skipped.value_or(0);
  }
  lie_at(reached);
  return !at_end_;
}

Result<void> WindowReader::rewind() {
  if (Result<void> rewound = input_->rewind(); !rewound) return rewound;
  lie_at(0);
  at_end_ = false;
  failure_.reset();
  return {};
}

}  // namespace tracedeck::io
