// How many parts the keys of a TOML text have. A parser makes a table in a table of each part, and
// what is that deep overflows the stack, so it is looked for before anything is parsed.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tracedeck::timeline {

// The offset of the first key with more than `most` parts; nothing where there is none. Texts that
// are no TOML are scanned up to their first error alike.
[[nodiscard]] std::optional<std::size_t> find_deep_key(std::string_view toml, std::size_t most);

}  // namespace tracedeck::timeline
