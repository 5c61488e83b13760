#include "tracedeck/io/hold_back.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "tracedeck/io/prefix_input.hpp"

namespace tracedeck::io {

std::unique_ptr<Input> hold_back(std::unique_ptr<Input> input, std::size_t limit,
                                 const std::function<bool(ByteSpan, bool)>& enough) {
  std::vector<std::uint8_t> held(limit);
  std::vector<std::size_t> part_ends;
  std::size_t size = 0;
  while (size < limit && !enough(ByteSpan(held).first(size), false) && input->ready(kPause)) {
    const Result<std::size_t> got = input->read(held.data() + size, limit - size);
    if (!got || (*got == 0 && !input->next_part())) {
      static_cast<void>(enough(ByteSpan(held).first(size), true));
      break;
    }
    if (*got == 0) part_ends.push_back(size);
    size += *got;
  }
  held.resize(size);
  return prefix_input(std::move(held), std::move(input), std::move(part_ends));
}

}  // namespace tracedeck::io
