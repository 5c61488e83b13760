#include "tracedeck/io/open_files.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace tracedeck::io {

void allow_open_files(std::size_t count) {
  // Standard ones, results, temporary files, libraries.
  constexpr rlim_t kOthers = 64;
  rlimit limit{};
  const rlim_t wanted = count + kOthers;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace tracedeck::io
