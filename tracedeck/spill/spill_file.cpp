#include "tracedeck/spill/spill_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tracedeck/io/temporary_file.hpp"

namespace tracedeck {

Result<std::unique_ptr<SpillFile>> SpillFile::create(const std::string& directory) {
  std::string place = io::directory_for_temporary_files(directory);
  auto file = io::open_temporary(place);
  if (!file) return std::unexpected(std::move(file).error());
  return std::unique_ptr<SpillFile>(new SpillFile(*std::move(file), std::move(place)));
}

Result<void> SpillFile::append(ByteSpan bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (written < 0) {
      if (errno == EINTR) continue;
      return fail(ErrorCode::kWriteFailed,
                  fmt::format("A temporary file cannot be written there: {}. "
                              "The variable TMPDIR names another directory.",
                              std::strerror(errno)),
                  directory_);
    }
    size_ += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> SpillFile::read(std::uint64_t offset, std::span<std::uint8_t> into) const {
  while (!into.empty()) {
    const ssize_t count =
        ::pread(file_.get(), into.data(), into.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      return fail(ErrorCode::kReadFailed,
                  fmt::format("A temporary file cannot be read back there: {}.",
                              count < 0 ? std::strerror(errno) : "it was cut short"),
                  directory_);
    }
    offset += static_cast<std::uint64_t>(count);
    into = into.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace tracedeck
