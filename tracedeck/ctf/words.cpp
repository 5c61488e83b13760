#include "tracedeck/ctf/words.hpp"

#include <algorithm>
#include <vector>

namespace tracedeck::ctf {

std::string decimal(ByteSpan little_endian) {
  // Limbs of 32 bits, divided by the largest power of ten that 32 bits hold until nothing is left.
  constexpr std::uint64_t kChunk = 1'000'000'000;
  std::vector<std::uint32_t> limbs((little_endian.size() + 3) / 4);
  for (std::size_t i = 0; i < little_endian.size(); ++i)
    limbs[i / 4] |= std::uint32_t{little_endian[i]} << (i % 4 * 8);
  std::vector<std::uint32_t> chunks;
  while (!limbs.empty()) {
    std::uint64_t remainder = 0;
    for (std::size_t i = limbs.size(); i-- > 0;) {
      const std::uint64_t part = remainder << 32 | limbs[i];
      limbs[i] = static_cast<std::uint32_t>(part / kChunk);
      remainder = part % kChunk;
    }
    while (!limbs.empty() && limbs.back() == 0) limbs.pop_back();
    chunks.push_back(static_cast<std::uint32_t>(remainder));
  }
  if (chunks.empty()) return "0";
  std::string text = fmt::format("{}", chunks.back());
  for (std::size_t i = chunks.size() - 1; i-- > 0;) text += fmt::format("{:09}", chunks[i]);
  return text;
}

}  // namespace tracedeck::ctf
