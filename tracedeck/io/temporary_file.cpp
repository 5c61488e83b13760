#include "tracedeck/io/temporary_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace tracedeck::io {
namespace {

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

std::string directory_for_temporary_files(const std::string& wish) {
  if (!wish.empty()) return wish;
  const char* const from_environment = std::getenv("TMPDIR");
  if (from_environment != nullptr && *from_environment != '\0') return from_environment;
  return "/tmp";
}

Result<FileDescriptor> open_temporary(const std::string& directory) {
  FileDescriptor file(open_nameless(directory));
  if (file.valid()) return file;
  return fail(ErrorCode::kWriteFailed,
              fmt::format("No temporary file can be made there: {}. "
                          "The variable TMPDIR names another directory.",
                          system_message(errno)),
              directory);
}

}  // namespace tracedeck::io
