#include "tracedeck/io/open_files.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

namespace tracedeck::io {

std::size_t allow_open_files(std::size_t count) {
  // Standard ones, results, temporary files, libraries.
  constexpr rlim_t kOthers = 64;
  rlimit limit{};
  const rlim_t wanted = count + kOthers;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  if (limit.rlim_cur >= wanted) return limit.rlim_cur;
  const rlim_t before = std::exchange(limit.rlim_cur, std::min(wanted, limit.rlim_max));
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : before;
}

}  // namespace tracedeck::io
