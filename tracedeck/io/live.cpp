#include "tracedeck/io/live.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "tracedeck/io/file_input.hpp"
#include "tracedeck/io/tcp.hpp"
#include "tracedeck/io/udp.hpp"

namespace tracedeck::io {

Result<std::unique_ptr<InputSequence>> open_live(const LiveAddress& address,
                                                 const LiveOptions& options, std::stop_token stop) {
  switch (address.kind) {
    case LiveKind::kTcpConnect:
      return tcp_connect(address, std::move(stop));
    case LiveKind::kTcpListen:
      return tcp_listen(address, options, std::move(stop));
    case LiveKind::kUdpListen:
      break;
  }
  return udp_listen(address, options, std::move(stop));
}

Result<std::unique_ptr<InputSequence>> once(const std::string& path, std::stop_token stop) {
  Result<std::unique_ptr<Input>> input = open_file(path, std::move(stop));
  if (!input) return std::unexpected(std::move(input.error()));
  return single_input(std::move(*input));
}

bool comes_live(const std::string& name) {
  if (is_live_address(name)) return true;
  struct stat status{};
  const int known = name == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(name.c_str(), &status);
  return known == 0 &&
         (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode) || S_ISSOCK(status.st_mode));
}

}  // namespace tracedeck::io
