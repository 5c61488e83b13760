// An input whose first bytes were read to see what it is, put together again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tracedeck/io/input.hpp"

namespace tracedeck::io {

// An input that delivers `head`, then what `rest` has left. For inputs that cannot be rewound;
// neither can the result. `part_ends`: where parts ended in the head, ascending.
[[nodiscard]] std::unique_ptr<Input> prefix_input(std::vector<std::uint8_t> head,
                                                  std::unique_ptr<Input> rest,
                                                  std::vector<std::size_t> part_ends = {});

// Puts `input`, from which `head` was read from its very beginning, back to its first byte: by
// rewinding it, or else with `prefix_input`.
[[nodiscard]] Result<std::unique_ptr<Input>> unread(std::vector<std::uint8_t> head,
                                                    std::unique_ptr<Input> input);

}  // namespace tracedeck::io
