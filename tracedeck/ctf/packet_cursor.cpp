#include "tracedeck/ctf/packet_cursor.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/io/pooled_file.hpp"

namespace tracedeck::ctf {

Result<void> PacketCursor::open(const std::string& path, std::size_t window_size,
                                std::uint64_t limit, std::stop_token stop) {
  auto input = io::open_pooled_input(path, std::move(stop));
  if (!input) return std::unexpected(std::move(input.error()));
  windows_ = std::make_unique<io::WindowReader>(
      *std::move(input), io::WindowReader::Options{.window_size = window_size, .limit = limit});
  limit_ = limit;
  return {};
}

std::uint64_t PacketCursor::end() const {
  return windows_->current()->offset() + windows_->current()->size();
}

PaddedView PacketCursor::bytes(std::uint64_t from) const {
  const io::Window& window = *windows_->current();
  const std::uint64_t skip = offset_ + from - window.offset();
  return {window.view().data + skip, window.size() - skip};
}

bool PacketCursor::fetch(std::uint64_t from, std::uint64_t need) {
  // What was asked for twice is probably asked for again: more at a time costs less.
  const std::uint64_t begin = offset_ + from;
  const std::uint64_t have = end() - begin;
  const std::uint64_t step = have > kHeadSize ? have + have / 2 : 0;
  return windows_->advance(begin, std::max(need, std::min(step, limit_)));
}

bool PacketCursor::fetch_all(std::uint64_t size) {
  while (end() < offset_ + size) {
    if (!fetch(0, size)) return false;
  }
  return true;
}

bool PacketCursor::move_to(std::uint64_t offset) {
  const bool is_there = windows_->skip_to(offset);
  offset_ = is_there ? offset : end();
  return is_there;
}

}  // namespace tracedeck::ctf
