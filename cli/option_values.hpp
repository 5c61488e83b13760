// Values of options: numbers, sizes, clock offsets. Errors are sentences about what is wrong.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"

namespace tracedeck::cli {

// A count: decimal digits, at most 2^64-1.
[[nodiscard]] std::expected<std::uint64_t, std::string> parse_count(std::string_view text);

// A size in bytes, at least 1: digits and an optional K, M, G or T, which stand for powers of 1024
// and may be followed by "iB".
[[nodiscard]] std::expected<std::uint64_t, std::string> parse_size(std::string_view text);

// "[TRACE=]OFFSET". What stands before the last `=` is the TRACE.
[[nodiscard]] std::expected<flow::ClockOffset, std::string> parse_clock_offset(
    std::string_view text);

// The expression that `value` is, or that is in FILE where it is @FILE, which is added to `read`:
// of 1 MiB at most.
[[nodiscard]] std::expected<std::string, std::string> expression_of(const std::string& value,
                                                                    std::vector<std::string>& read);

// A key: 32 hexadecimal digits, or a file that holds them.
[[nodiscard]] std::expected<HashKey, std::string> read_hash_key(const std::string& value);

// The TRACEs that the list of that name holds, "-" for standard input: one a line, or divided by
// NUL bytes where there is one. Errors name the line.
[[nodiscard]] std::expected<std::vector<std::string>, std::string> read_traces(
    const std::string& path);

}  // namespace tracedeck::cli
