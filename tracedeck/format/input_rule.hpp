// The rule that every format's reader reports when its input fails underneath it.
#pragma once

#include <string>

#include "tracedeck/base/error.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck {

inline constexpr Rule kInputRule = {"input/damaged", Severity::kError, "Input",
                                    "An input can be read, and decompressed, up to its end."};

// A kProblem notice for an input that ended early at `offset`, and why.
[[nodiscard]] inline Notice input_notice(std::string input, std::uint64_t offset,
                                         const Error& why) {
  return {std::move(input),
          {.rule = &kInputRule, .offset = offset, .length = 0, .text = why.message}};
}

}  // namespace tracedeck
