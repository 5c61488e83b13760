// Traces as hexadecimal text, as consoles and debuggers give them.
#pragma once

#include <memory>

#include "tracedeck/io/input.hpp"

namespace tracedeck::tband {

// An input that delivers the bytes that the text of `input` stands for: two digits a byte, in any
// case, between bytes white space, `,`, `:`, `-` or `0x` as often as wanted. Offsets count decoded
// bytes. Another character, and a lone digit, end it with kReadFailed, after the bytes before.
[[nodiscard]] std::unique_ptr<io::Input> hex_input(std::unique_ptr<io::Input> input);

// That if `hexadecimal`, else the input itself.
[[nodiscard]] std::unique_ptr<io::Input> decoded(std::unique_ptr<io::Input> input,
                                                 bool hexadecimal);

}  // namespace tracedeck::tband
