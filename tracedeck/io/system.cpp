#include "tracedeck/io/system.hpp"

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace tracedeck::io {

int FileDescriptor::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  // After EINTR the descriptor is closed all the same: Linux says not to try again.
  if (descriptor < 0 || borrowed_ || ::close(descriptor) == 0 || errno == EINTR) return 0;
  return errno;
}

std::string system_message(int error) { return std::system_category().message(error); }

std::string why_not_opened(int error) {
  switch (error) {
    case ENOENT:
      return "there is no such file or folder; check the path";
    case EACCES:
    case EPERM:
      return "permission denied; ask the owner for access to it, or work on a copy";
    case EISDIR:
      return "this is a directory; name a file in it";
    case ENOTDIR:
      return "a part of the path is a file, not a folder; check the path";
    case EMFILE:
    case ENFILE:
      return "too many files are open; give fewer files at once or raise the limit (ulimit -n)";
    case EROFS:
      return "the file system is read-only; choose another place";
    case ENOSPC:
    case EDQUOT:
      return why_not_written(error);
    case ENXIO:
      return "nothing listens there: a socket, or a device that is not present";
    case ETXTBSY:
      return "the file is a program that is running; choose another name";
    default:
      return "the system cannot open it: " + system_message(error);
  }
}

std::string why_not_written(int error) {
  switch (error) {
    case ENOSPC:
      return "the disk is full; free some space or choose another place";
    case EDQUOT:
      return "the disk quota is used up; free some space or choose another place";
    case EFBIG:
      return "the file would be larger than the file system or the limit (ulimit -f) allows";
    case EPIPE:
      return "the program that reads the output has gone away";
    case EBADF:
      return "it is closed or not open for writing";
    default:
      return "the system failed the write: " + system_message(error);
  }
}

}  // namespace tracedeck::io
