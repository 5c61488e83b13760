// Where `convert` writes to, seen against what it reads.
#pragma once

#include <string>
#include <string_view>

#include "cli/options.hpp"

namespace tracedeck::cli {

// What stands for standard output as OUT.
inline constexpr std::string_view kStandard = "-";

// Whether the target of the options is a directory.
[[nodiscard]] bool writes_directory(const Options& options);

// Whether what the operand names comes while it is read: from a pipe, a terminal, another device or
// an address.
[[nodiscard]] bool comes_live(const std::string& operand);
// Whether any TRACE of the options does, or is followed.
[[nodiscard]] bool reads_live(const Options& options);

// What is said of a conversion that a stop request ended early; `part`: where what was written is,
// or "".
[[nodiscard]] std::string interrupted_text(const std::string& out, const std::string& part);

// What is wrong with the places of the result and the report, or "". Results go to their .part
// files first, so that OUT itself may be an input.
[[nodiscard]] std::string check_places(const Options& options);

// What is wrong with TRACEs that are to be read twice or more, because of `what`, or "".
[[nodiscard]] std::string check_read_again(const Options& options, std::string_view what);

}  // namespace tracedeck::cli
