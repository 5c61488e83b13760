#include "tracedeck/io/hold_back.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tracedeck/io/prefix_input.hpp"

namespace tracedeck::io {
namespace {

using Clock = std::chrono::steady_clock;

// Whether `input` has something for us before it pauses, or `end` comes.
bool goes_on(Input& input, Clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
  return left.count() > 0 && input.ready(std::min(left, kPause));
}

}  // namespace

HeldBack hold_back(std::unique_ptr<Input> input, HoldLimits limits,
                   const std::function<bool(ByteSpan, bool)>& enough) {
  std::vector<std::uint8_t> held(limits.bytes);
  std::vector<std::size_t> part_ends;
  std::size_t size = 0;
  HeldBack result;
  Clock::time_point end;  // from the first byte on
  while (size < held.size()) {
    if (size != 0 && !goes_on(*input, end)) {
      result.took_too_long = Clock::now() >= end;
      break;
    }
    const Result<std::size_t> got = input->read(held.data() + size, held.size() - size);
    if (!got || (*got == 0 && !input->next_part())) {
      static_cast<void>(enough(ByteSpan(held).first(size), true));
      break;
    }
    if (size == 0) end = Clock::now() + limits.time;
    if (*got == 0) part_ends.push_back(size);
    size += *got;
    // Also of the read that filled the room: what is looked for may stand at its beginning.
    if (enough(ByteSpan(held).first(size), false)) break;
  }
  held.resize(size);
  result.input = prefix_input(std::move(held), std::move(input), std::move(part_ends));
  return result;
}

}  // namespace tracedeck::io
