#include "tracedeck/io/live.hpp"

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

}  // namespace tracedeck::io
