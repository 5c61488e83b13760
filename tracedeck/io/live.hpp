// Inputs that come while they are read: from sockets, from files that grow, from devices.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "tracedeck/io/follow.hpp"
#include "tracedeck/io/input_sequence.hpp"
#include "tracedeck/io/live_address.hpp"

namespace tracedeck::io {

// Connects or listens. Errors: kCannotOpen.
[[nodiscard]] Result<std::unique_ptr<InputSequence>> open_live(const LiveAddress& address,
                                                               const LiveOptions& options,
                                                               std::stop_token stop);

// Whether what `name` names ("-": standard input) comes while it is read: from a pipe, a terminal,
// another device or an address.
[[nodiscard]] bool comes_live(const std::string& name);

// A file as it is, as a sequence of one input.
[[nodiscard]] Result<std::unique_ptr<InputSequence>> once(const std::string& path,
                                                          std::stop_token stop);

}  // namespace tracedeck::io
