// What metadata cannot say directly and how it is put: marks in user attributes, clocks,
// environments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tracedeck/ctf/marks.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::ctf {

// The text of a JSON object without its braces; empty: it is none.
[[nodiscard]] std::string_view inside_of_object(std::string_view object);

// Adds `"key": value` (JSON) to our attribute.
void add_mark(Attributes& attributes, std::string_view key, std::string_view json);
// Whether our attribute has exactly `"key":value` at its top.
[[nodiscard]] bool has_mark(const Attributes& attributes, std::string_view key,
                            std::string_view json);

// CTF2-SPEC-2.0: integers and strings; what is neither is put as the text of its JSON.
[[nodiscard]] std::string final_environment(const Attributes& environment);

struct ClockOffset {
  std::int64_t seconds = 0;
  std::uint64_t cycles = 0;  // less than the frequency
};
// The clock as CTF 1.8 says it: of its attributes there is `absolute` alone, which is written where
// the source did, or counts from the Unix epoch and is no trace of CTF 1.8, whose readers take any
// clock for one that does.
[[nodiscard]] ClockClass ctf1_clock(ClockClass clock, bool from_ctf1);
[[nodiscard]] bool is_absolute(const ClockClass& clock);

// Whether readers would see the same times from both, whatever they are called.
[[nodiscard]] bool same_clock(const ClockClass& a, const ClockClass& b);

// The offset of a clock's origin, the shift that the user asked for included.
[[nodiscard]] ClockOffset clock_offset(const ClockClass& clock, std::uint64_t frequency);

}  // namespace tracedeck::ctf
