// Files that grow, devices and named pipes.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "tracedeck/io/input_sequence.hpp"

namespace tracedeck::io {

// The speeds that serial lines have, in bits a second, ascending.
[[nodiscard]] std::vector<unsigned> serial_speeds();

// What `path` has now and will have. A file that ends is waited for. When another file has taken
// its name, what is left of it comes first, and then the other from its beginning; when it was cut
// to less than was read, it begins anew. A terminal line (serial device) is put to raw mode while
// it is read, at `LiveOptions::baud`, and restored; it and a named pipe are opened again after they
// hang up. Errors: kCannotOpen; kUnsupported for what cannot be followed.
[[nodiscard]] Result<std::unique_ptr<InputSequence>> follow(const std::string& path,
                                                            const LiveOptions& options,
                                                            std::stop_token stop);

}  // namespace tracedeck::io
