// How values that several parts of this folder show are spelt.
#pragma once

#include <fmt/format.h>

#include <string>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::ctf {

// "e53e0ab8-50a1-4f0a-b710-b5f0bba9c4ac"
[[nodiscard]] inline std::string uuid_text(const Uuid& uuid) {
  std::string text;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid[i]);
  }
  return text;
}

// An unsigned integer of any size, least significant byte first.
[[nodiscard]] std::string decimal(ByteSpan little_endian);

}  // namespace tracedeck::ctf
