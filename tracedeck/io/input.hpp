// Where the bytes of a trace come from: files, pipes, standard input, sockets, through gzip and
// zstd.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/error.hpp"

namespace tracedeck::io {

// A source of bytes, read front to back. One thread at a time.
class Input {
 public:
  virtual ~Input() = default;

  // How the user named it; "standard input" for `-`.
  [[nodiscard]] virtual const std::string& name() const = 0;

  // Reads between 1 and `size` bytes into `into`, waiting for the first; 0 at the end. Short reads
  // are ordinary. Errors: kReadFailed, kCompressedDamaged (what was decompressed before was
  // delivered).
  [[nodiscard]] virtual Result<std::size_t> read(std::uint8_t* into, std::size_t size) = 0;

  // Passes over up to `bytes` bytes, waiting for them, and returns how many: fewer only when the
  // input ends or fails before, which the next call returns. What can seek does not read them.
  // Errors: those of `read`.
  [[nodiscard]] virtual Result<std::uint64_t> skip(std::uint64_t bytes);

  // Whether `rewind` works: files, compressed files included, but not pipes.
  [[nodiscard]] virtual bool seekable() const = 0;
  // Whether a read may wait for bytes that do not exist yet (pipes, terminals): then work on what
  // is there before asking for more. Otherwise bigger portions cost less.
  [[nodiscard]] virtual bool live() const { return !seekable(); }
  // Whether a read would find something within `patience`: bytes, the end, a failure or a stop
  // request. False: the input pauses. Only live inputs ever do.
  [[nodiscard]] virtual bool ready(std::chrono::milliseconds) { return true; }
  // Starts again at the first byte. Error: kUnsupported unless `seekable()`.
  [[nodiscard]] virtual Result<void> rewind() = 0;

  // Bytes that `read` will deliver in all, when known beforehand (plain files). A file that
  // somebody else writes to or cuts can deliver more or less.
  [[nodiscard]] virtual std::optional<std::uint64_t> size() const = 0;
  // Size of what lies on disk and how much of it was consumed, for progress; absent for pipes.
  [[nodiscard]] virtual std::optional<std::uint64_t> stored_size() const { return size(); }
  [[nodiscard]] virtual std::uint64_t stored_position() const = 0;

  // Whether what is read next goes on with something that has begun, such as a frame. A peer may be
  // idle before the next frame for as long as it likes, but is let go of when it stalls inside one.
  virtual void set_midway(bool) {}

  // An input may come in parts that stand each for itself: datagrams. At the end of a part `read`
  // returns 0, again and again, until this moves on to the next part, without waiting for it.
  // False: the input has really ended.
  [[nodiscard]] virtual bool next_part() { return false; }
  // Where the parts are files: the names of all, in their order. Else none.
  [[nodiscard]] virtual std::span<const std::string> part_files() const { return {}; }

  // True after a stop request ended the input early: what follows was not looked at.
  [[nodiscard]] virtual bool stopped() const { return false; }
};

// Opens a file, or standard input for "-". gzip (several members) and zstd (several frames) content
// is seen through, whatever the file's name. A request of `stop` ends the input at the next read
// and wakes a read that waits. Errors: kCannotOpen (missing, no permission, a directory),
// kReadFailed.
[[nodiscard]] Result<std::unique_ptr<Input>> open_input(const std::string& path,
                                                        std::stop_token stop = {});

// The bytes themselves, copied. `chunk` limits how many one `read` delivers and makes the input
// `live`, as a pipe that gets that much at a time (0: no limit, not live).
[[nodiscard]] std::unique_ptr<Input> memory_input(std::string name, ByteSpan bytes,
                                                  std::size_t chunk = 0);

// Sees through gzip and zstd in any input: reads its first bytes and returns either an input that
// decompresses or one that delivers the same bytes. What is compressed twice is seen through once.
// Errors: kReadFailed.
[[nodiscard]] Result<std::unique_ptr<Input>> see_through_compression(std::unique_ptr<Input> input);

}  // namespace tracedeck::io
