// The formats at hand and how to open a trace without knowing its format.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "tracedeck/format/format.hpp"

namespace tracedeck {

// All formats, in the order in which they are tried. Static storage.
[[nodiscard]] std::span<const Format* const> formats();

// The format of that name, or null.
[[nodiscard]] const Format* find_format(std::string_view name);

// A trace that was recognised, not yet read.
struct OpenedInput {
  const Format* format = nullptr;
  std::unique_ptr<io::Input> input;  // at its first byte
};

// Opens `path` ("-": standard input) and recognises its format, or takes `format` unseen when not
// null. Errors: those of `io::open_input`; kUnrecognised with what the content looks like, or
// that it is empty.
[[nodiscard]] Result<OpenedInput> open_input(const std::string& path,
                                             const Format* format = nullptr,
                                             std::stop_token stop = {});

// `open_input`, then the format's reader.
[[nodiscard]] Result<std::unique_ptr<Reader>> open_trace(const std::string& path,
                                                         const ReadOptions& options = {},
                                                         const Format* format = nullptr,
                                                         std::stop_token stop = {});

}  // namespace tracedeck
