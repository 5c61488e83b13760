// A temporary file without a name, for what does not fit into memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/error.hpp"
#include "tracedeck/io/system.hpp"

namespace tracedeck {

// Is gone when the object is, and when the process is killed.
class SpillFile {
 public:
  // In `directory`; if that is empty in $TMPDIR, and if that is not set in /tmp. Error:
  // kWriteFailed.
  [[nodiscard]] static Result<std::unique_ptr<SpillFile>> create(const std::string& directory);
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  [[nodiscard]] std::uint64_t size() const { return size_; }
  // Error: kWriteFailed, a full disk among others.
  [[nodiscard]] Result<void> append(ByteSpan bytes);
  // Fills `into` with the bytes at `offset`, which must lie in the file. Error: kReadFailed.
  [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::uint8_t> into) const;

 private:
  SpillFile(io::FileDescriptor file, std::string directory)
      : file_(std::move(file)), directory_(std::move(directory)) {}

  io::FileDescriptor file_;
  std::string directory_;
  std::uint64_t size_ = 0;
};

}  // namespace tracedeck
