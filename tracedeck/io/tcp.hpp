// TCP peers as inputs.
#pragma once

#include <memory>
#include <stop_token>

#include "tracedeck/io/input_sequence.hpp"
#include "tracedeck/io/live_address.hpp"

namespace tracedeck::io {

// A connection, as a sequence of one input. Error: kCannotOpen.
[[nodiscard]] Result<std::unique_ptr<InputSequence>> tcp_connect(const LiveAddress& address,
                                                                 std::stop_token stop);

// Each peer that connects and sends something is an input, with its address in the name. Peers are
// served at the same time, up to `LiveOptions::most_peers`; as many others may be connected and
// silent. After a stop request what has arrived is still read, of peers that wait too. Error:
// kCannotOpen.
[[nodiscard]] Result<std::unique_ptr<InputSequence>> tcp_listen(const LiveAddress& address,
                                                                const LiveOptions& options,
                                                                std::stop_token stop);

}  // namespace tracedeck::io
