// Where reading is in a data stream: at which packet, and which of its bytes are in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/error.hpp"
#include "tracedeck/io/window.hpp"

namespace tracedeck::ctf {

inline constexpr std::uint64_t kHeadSize = 4096;  // bytes that hold most packet headers

// Offsets are bytes; `from` is counted from the packet's first byte, all others from the input's,
// after decompression. Before `open` succeeded only `offset` may be called. The input is a file, or
// comes live, perhaps in parts (`io::Input::next_part`): then it ends, as far as the cursor shows,
// where the part at hand does.
class PacketCursor {
 public:
  // Errors: as of `io::open_input`. `limit`: bytes that may be at hand at the same time.
  [[nodiscard]] Result<void> open(const std::string& path, std::size_t window_size,
                                  std::uint64_t limit, std::stop_token stop);
  // The same for an input that is open.
  void open(std::unique_ptr<io::Input> input, std::size_t window_size, std::uint64_t limit);

  // Of the packet at hand.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  // Behind the bytes that are at hand, and whether the file ends there.
  [[nodiscard]] std::uint64_t end() const;
  [[nodiscard]] bool at_end() const { return windows_->at_end(); }
  // Why the file ended early, if it did.
  [[nodiscard]] const std::optional<Error>& failure() const { return windows_->failure(); }
  // Whether it ends where it does because a stop was requested.
  [[nodiscard]] bool cut_off() const { return at_end() && windows_->input().stopped(); }
  // Whether bytes may be waited for that do not exist yet, and whether the next ones would be now.
  [[nodiscard]] bool live() const { return live_; }
  [[nodiscard]] bool pauses();

  // The packet's bytes from `from` on that are at hand, and those behind it. They lie in `window`.
  [[nodiscard]] PaddedView bytes(std::uint64_t from = 0) const;
  [[nodiscard]] const io::WindowPtr& window() const { return windows_->current(); }

  // Makes `need` bytes from `from` on be at hand, or as many as there are. Returns whether there
  // are more than before.
  bool fetch(std::uint64_t from, std::uint64_t need);
  // The same for the packet's header and context, of which `need` bytes are wanted.
  bool fetch_head(std::uint64_t need);
  // From now on most packets are passed over: of each only its head is read before it is known.
  void expect_skips() { skips_ = true; }
  // Returns whether the packet's first `size` bytes are at hand, or could be fetched.
  [[nodiscard]] bool fetch_all(std::uint64_t size);

  // Moves on to a packet. False: the file ends before; the cursor then stands at its end.
  bool move_to(std::uint64_t offset);
  void move_to_end() { move_to(~std::uint64_t{0}); }
  // Moves on to the first packet magic number from `offset` on, which is not behind the bytes at
  // hand. False: there is none; the cursor then stands at the end. Where that takes a wait, `waits`
  // is called before the first one.
  bool move_to_magic(std::uint64_t offset, const std::function<void()>& waits);
  // At the end of a part, moves on to the next one. False: the input has ended.
  bool next_part();

 private:
  std::unique_ptr<io::WindowReader> windows_;
  std::uint64_t offset_ = 0;
  std::uint64_t limit_ = 0;
  bool live_ = false;
  bool skips_ = false;
};

}  // namespace tracedeck::ctf
