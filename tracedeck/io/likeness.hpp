// How the bytes of two files relate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "tracedeck/io/input.hpp"

namespace tracedeck::io {

enum class Likeness : std::uint8_t { kDifferent, kEqual, kFirstIsBeginning, kSecondIsBeginning };

// Of the decompressed bytes, as far as they can be read. A file that cannot be opened is different.
[[nodiscard]] Likeness likeness(const std::string& first, const std::string& second,
                                const std::stop_token& stop = {});

// The size of `file` if `whole` has all of its bytes from the offset `from` on; nothing where it
// does not, or one cannot be opened. Of the decompressed bytes.
[[nodiscard]] std::optional<std::uint64_t> size_within(const std::string& file,
                                                       const std::string& whole, std::uint64_t from,
                                                       const std::stop_token& stop = {});

// Reads until `into` is full or the input ends. `size`: how many bytes, those before an error too.
[[nodiscard]] Result<void> fill(Input& input, std::span<std::uint8_t> into, std::size_t& size);

}  // namespace tracedeck::io
