// Datagrams as one input.
#pragma once

#include <memory>
#include <stop_token>

#include "tracedeck/io/input_sequence.hpp"
#include "tracedeck/io/live_address.hpp"

namespace tracedeck::io {

// All datagrams that arrive are one input, in parts if `LiveOptions::datagrams_apart`. After a stop
// request those that have arrived are still read. Error: kCannotOpen.
[[nodiscard]] Result<std::unique_ptr<InputSequence>> udp_listen(const LiveAddress& address,
                                                                const LiveOptions& options,
                                                                std::stop_token stop);

}  // namespace tracedeck::io
