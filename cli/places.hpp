// Where `convert` and `why` write to, and whether what they read comes live.
#pragma once

#include <string>
#include <string_view>

#include "cli/options.hpp"

namespace tracedeck::cli {

// What stands for standard output as OUT.
inline constexpr std::string_view kStandard = "-";

// Whether the target of the options is a directory.
[[nodiscard]] bool writes_directory(const Options& options);

// Whether what any TRACE of the options names comes while it is read, or is followed.
[[nodiscard]] bool reads_live(const Options& options);

// What is said of a conversion that a stop request ended early. `written`: where what was written
// is: .part files, OUT itself where it is written directly; "": nothing was.
[[nodiscard]] std::string interrupted_text(const std::string& out, const std::string& written);

// Where what goes to the file `out` is while it is not complete: its .part file, or `out`.
[[nodiscard]] std::string unfinished_file(const std::string& out);

// What is wrong with the places of the result and the report, seen against each other, or "".
[[nodiscard]] std::string check_places(const Options& options);

// See `tracedeck::check_results_apart`: of all that the options say is read and written.
[[nodiscard]] std::string check_results_apart(const Options& options);

// What is wrong with TRACEs that are to be read twice or more, because of `what`, or "".
[[nodiscard]] std::string check_read_again(const Options& options, std::string_view what);

}  // namespace tracedeck::cli
