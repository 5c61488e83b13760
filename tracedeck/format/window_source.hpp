// Feeds a decoder with the windows of an input.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/base/decode_window.hpp"
#include "tracedeck/format/reading_sizes.hpp"
#include "tracedeck/io/window.hpp"

namespace tracedeck {

// A decoder of frames back to back, and the handler that it calls with what it finds.
template <class T, class Handler>
concept WindowDecoder = requires(T& decoder, const T& looked_at, const DecodeWindow& window,
                                 std::size_t& position, Handler& handler) {
  // Decodes from `position` in the window on, and moves it behind what is decoded.
  { decoder.run(window, position, handler) } -> std::same_as<DecodeProgress>;
  // Whether all since some earlier byte is damage, however the input goes on.
  { looked_at.in_damage() } -> std::same_as<bool>;
};

// Where in a file something is.
struct FilePlace {
  std::string file = {};
  std::uint64_t offset = 0;
};

// Keeps the place in an input between calls of the decoder. Readers and rewriters share it.
//
// Where the parts of an input are files, offsets count on through them. A decoder that has `void
// begin_file()` is told when another one begins, and a handler that has `void failed(std::uint64_t
// offset, const Error& why)` where one could not be read to its end, or is empty, while it is the
// last of `files()`.
class WindowSource {
 public:
  // `limit`: bytes that a window may grow to. `least`: bytes without which the decoder cannot
  // begin.
  WindowSource(std::unique_ptr<io::Input> input, std::uint64_t limit, std::uint64_t least,
               const ReadingSizes& sizes = {})
      : limit_(limit),
        windows_(
            std::move(input),
            {.window_size = sizes.window, .limit = limit_, .keeps_spares = sizes.keeps_spares}),
        needed_(least) {
    note_file();
  }

  // Whether the next `run` fetches another window, so that pointers into this one need it pinned.
  [[nodiscard]] bool needs_more() const { return needed_ != 0; }
  // Whether everything is decoded, or the input was stopped.
  [[nodiscard]] bool ended() const { return ended_; }
  // Absolute offset up to which the input is decoded.
  [[nodiscard]] std::uint64_t offset() const {
    return windows_.current() == nullptr ? 0 : windows_.current()->offset() + position_;
  }
  [[nodiscard]] io::WindowPtr window() const { return windows_.current(); }
  [[nodiscard]] const io::Input& input() const { return windows_.input(); }
  [[nodiscard]] const std::optional<Error>& failure() const { return windows_.failure(); }

  // Whether the input is several files.
  [[nodiscard]] bool has_files() const { return !files_.empty(); }
  // Those that have begun.
  [[nodiscard]] const std::vector<FilePlace>& files() const { return files_; }
  // Of an offset of what was decoded. Requires `has_files()`.
  [[nodiscard]] FilePlace place_of(std::uint64_t offset) const {
    const auto behind = std::ranges::upper_bound(files_, offset, {}, &FilePlace::offset);
    const FilePlace& file = behind == files_.begin() ? *behind : *std::prev(behind);
    return {file.file, offset - std::min(offset, file.offset)};
  }
  [[nodiscard]] double progress() const {
    const auto stored = input().stored_size();
    if (!stored || *stored == 0) return -1;
    return static_cast<double>(input().stored_position()) / static_cast<double>(*stored);
  }

  // Whether the input delivers something, or ends, within `patience`: see `Input::ready`.
  [[nodiscard]] bool ready(std::chrono::milliseconds patience) {
    return windows_.input().ready(patience);
  }
  // Gives the input back, wherever it stands. The source may then only be destroyed.
  [[nodiscard]] std::unique_ptr<io::Input> take_input() { return windows_.take_input(); }

  // Moves on to the next window if the decoder needs one.
  void fetch_if_needed() {
    if (needed_ != 0) fetch();
  }

  // Decodes on, with a new window where one is needed, until the handler pauses, the window is used
  // up, or the trace ends.
  template <class Handler, WindowDecoder<Handler> Decoder>
  DecodeProgress run(Decoder& decoder, Handler& handler) {
    if constexpr (requires { decoder.begin_file(); }) {
      if (file_begins_) decoder.begin_file();
    }
    file_begins_ = false;
    fetch_if_needed();
    const bool cut_off = stopped_ && !decoder.in_damage();
    const DecodeProgress progress = decoder.run({.bytes = windows_.current()->view(),
                                                 .offset = windows_.current()->offset(),
                                                 .last = last_ && !cut_off},
                                                position_, handler);
    if (cut_off && (progress.outcome == DecodeOutcome::kNeedMore ||
                    progress.outcome == DecodeOutcome::kConsumed)) {
      // What is left is the beginning of a frame that the stop cut off, and no damage.
      ended_ = !decoder.in_damage();
      return progress;
    }
    if (progress.outcome == DecodeOutcome::kNeedMore) needed_ = progress.needed;
    if (progress.outcome == DecodeOutcome::kConsumed) {
      // The parts of an input are decoded each for itself, as one trace.
      if (last_ && has_files()) tell_failure(handler);
      ended_ = last_ && !next_part();
      needed_ = 1;
    }
    return progress;
  }

 private:
  // Frames up to this size are asked for exactly, so that live input is decoded as it comes; larger
  // ones by growing steps, so that a frame that arrives in crumbs is not decoded anew for each.
  static constexpr std::uint64_t kExactSize = 4096;

  template <class Handler>
  void tell_failure(Handler& handler) {
    if constexpr (requires(const Error& why) { handler.failed(offset(), why); }) {
      if (const std::optional<Error>& why = failure())
        handler.failed(offset(), *why);
      else if (offset() == files_.back().offset && !input().stopped())
        handler.failed(offset(), {.code = ErrorCode::kReadFailed, .message = "the file is empty"});
    }
  }

  bool next_part() {
    if (!windows_.next_part()) return false;
    note_file();
    return true;
  }

  void note_file() {
    const std::span<const std::string> names = input().part_files();
    if (names.empty()) return;
    files_.push_back({names[files_.size()], offset()});
    file_begins_ = true;
  }

  void fetch() {
    const std::uint64_t at = offset();
    const std::size_t have =
        windows_.current() == nullptr ? 0 : windows_.current()->size() - position_;
    const std::uint64_t step = have > kExactSize ? have + have / 8 : 0;
    const std::uint64_t need = std::max(needed_, std::min(step, limit_));
    const bool advanced = windows_.advance(at, need);
    position_ = at - windows_.current()->offset();
    last_ = windows_.at_end() || !advanced;
    stopped_ = last_ && windows_.input().stopped();
    needed_ = 0;
  }

  std::uint64_t limit_;
  io::WindowReader windows_;
  std::size_t position_ = 0;
  std::uint64_t needed_;
  std::vector<FilePlace> files_;  // where each begins
  bool file_begins_ = false;
  bool last_ = false;
  bool stopped_ = false;
  bool ended_ = false;
};

}  // namespace tracedeck
