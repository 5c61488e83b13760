#include "tracedeck/flow/spill_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tracedeck::flow {
namespace {

std::string directory_for_temporary_files(const std::string& wish) {
  if (!wish.empty()) return wish;
  const char* const from_environment = std::getenv("TMPDIR");
  if (from_environment != nullptr && *from_environment != '\0') return from_environment;
  return "/tmp";
}

int open_nameless(const std::string& directory) {
  const int descriptor = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) {
    return descriptor;
  }
  // Not every file system knows files without a name.
  std::string path = directory + "/tracedeck-XXXXXX";
  const int named = ::mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(path.c_str());
  return named;
}

}  // namespace

Result<std::unique_ptr<SpillFile>> SpillFile::create(const std::string& directory) {
  std::string place = directory_for_temporary_files(directory);
  const int descriptor = open_nameless(place);
  if (descriptor < 0) {
    return fail(ErrorCode::kWriteFailed,
                fmt::format("No temporary file can be made there: {}. "
                            "The variable TMPDIR names another directory.",
                            std::strerror(errno)),
                std::move(place));
  }
  return std::unique_ptr<SpillFile>(new SpillFile(descriptor, std::move(place)));
}

SpillFile::~SpillFile() { ::close(descriptor_); }

Result<void> SpillFile::append(ByteSpan bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
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
        ::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
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

}  // namespace tracedeck::flow
