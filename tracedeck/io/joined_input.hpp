// Files that are one trace, such as those that a recorder rotates through.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "tracedeck/io/input.hpp"

namespace tracedeck::io {

// The files one after the other, each a part of the input (see `Input::next_part`), opened when its
// turn comes and seen through as by `open_input`. A file that cannot be opened is a part that fails
// at its begin. `paths` is not empty. The input is seekable, as regular files are.
[[nodiscard]] std::unique_ptr<Input> joined_input(std::string name, std::vector<std::string> paths,
                                                  std::stop_token stop = {});

}  // namespace tracedeck::io
