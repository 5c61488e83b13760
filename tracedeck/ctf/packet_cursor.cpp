#include "tracedeck/ctf/packet_cursor.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "tracedeck/ctf/packet_magic.hpp"
#include "tracedeck/io/pooled_file.hpp"

namespace tracedeck::ctf {

Result<void> PacketCursor::open(const std::string& path, std::size_t window_size,
                                std::uint64_t limit, std::stop_token stop) {
  auto input = io::open_pooled_input(path, std::move(stop));
  if (!input) return std::unexpected(std::move(input.error()));
  open(*std::move(input), window_size, limit);
  return {};
}

void PacketCursor::open(std::unique_ptr<io::Input> input, std::size_t window_size,
                        std::uint64_t limit) {
  live_ = input->live();
  windows_ = std::make_unique<io::WindowReader>(
      std::move(input), io::WindowReader::Options{.window_size = window_size, .limit = limit});
  limit_ = limit;
}

bool PacketCursor::pauses() {
  return live_ && !at_end() && !windows_->input().ready(std::chrono::milliseconds(0));
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
  // What was asked for twice is probably asked for again: more at a time costs less. Of what comes
  // live only the largest event records may wait for bytes that they do not need.
  constexpr std::uint64_t kLargeLive = std::uint64_t{256} << 10;
  const std::uint64_t begin = offset_ + from;
  const std::uint64_t have = end() - begin;
  const std::uint64_t step = have > (live_ ? kLargeLive : kHeadSize) ? have + have / 2 : 0;
  return windows_->advance(begin, std::max(need, std::min(step, limit_)));
}

bool PacketCursor::fetch_head(std::uint64_t need) {
  // Of a packet that is passed over no more is read than most headers take.
  constexpr std::uint64_t kSmallHead = 512;
  const bool has_some = end() > offset_ + kPacketMagicSize;
  if (live_ || !skips_ || has_some) return fetch(0, live_ ? need : std::max(need, kHeadSize));
  return windows_->advance(offset_, std::max(need, kSmallHead), 2 * kSmallHead);
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

bool PacketCursor::move_to_magic(std::uint64_t offset, const std::function<void()>& waits) {
  offset_ = std::min(offset, end());
  bool waited = false;
  for (;;) {
    const PaddedView at_hand = bytes();
    const std::size_t found = find_packet_magic({at_hand.data, at_hand.size});
    if (found != at_hand.size) {
      offset_ += found;
      return true;
    }
    // It may have begun.
    offset_ += at_hand.size - std::min(at_hand.size, kPacketMagicSize - 1);
    if (!waited && pauses()) {
      waited = true;
      waits();
    }
    if (!fetch(0, kPacketMagicSize)) break;
  }
  offset_ = end();
  return false;
}

bool PacketCursor::next_part() {
  if (!windows_->next_part()) return false;
  offset_ = end();
  return true;
}

}  // namespace tracedeck::ctf
