// Any bytes through the search for compression and the decompressors, in odd portions. What comes
// out must not depend on the portions, and an end that is damaged must stay so.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "tracedeck/io/input.hpp"

namespace {

using tracedeck::ByteSpan;
using tracedeck::Result;
using tracedeck::io::Input;

// A few bytes can stand for gigabytes; what follows them is more of the same.
constexpr std::size_t kMostOutput = std::size_t{16} << 20;

struct Outcome {
  std::uint64_t size = 0;
  std::uint64_t hash = 0xCBF29CE484222325;
  bool failed = false;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

void add(Outcome& outcome, ByteSpan bytes) {
  for (const std::uint8_t byte : bytes) outcome.hash = (outcome.hash ^ byte) * 0x100000001B3;
  outcome.size += bytes.size();
}

// Reads portions of `portion` bytes up to `kMostOutput`.
Outcome read_all(Input& input, std::size_t portion) {
  Outcome outcome;
  std::vector<std::uint8_t> buffer(portion);
  while (outcome.size < kMostOutput) {
    const std::size_t size = std::min<std::uint64_t>(portion, kMostOutput - outcome.size);
    const Result<std::size_t> got = input.read(buffer.data(), size);
    if (got && *got > size) std::abort();
    if (got && *got != 0) {
      add(outcome, ByteSpan(buffer).first(*got));
      continue;
    }
    outcome.failed = !got;
    const Result<std::size_t> again = input.read(buffer.data(), size);
    if (again.has_value() != got.has_value() || again.value_or(0) != 0) std::abort();
    break;
  }
  return outcome;
}

Outcome through(ByteSpan bytes, std::size_t chunk, std::size_t portion, bool twice) {
  auto input =
      tracedeck::io::see_through_compression(tracedeck::io::memory_input("fuzz", bytes, chunk));
  if (!input) std::abort();  // memory does not fail
  const Outcome outcome = read_all(**input, portion);
  if (twice) {
    if (!(*input)->rewind()) std::abort();
    if (read_all(**input, portion) != outcome) std::abort();
  }
  return outcome;
}

}  // namespace

// The first two bytes say in which portions it comes and is asked for.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t chunk = 1 + data[0];
  const std::size_t portion = 1 + std::size_t{data[1]} * data[1];
  const ByteSpan bytes(data + 2, size - 2);
  const Outcome whole = through(bytes, 0, std::size_t{1} << 18, false);
  // Byte by byte through megabytes would only be slow.
  const bool long_output = whole.size > (std::size_t{1} << 20);
  const Outcome pieces =
      through(bytes, chunk, long_output ? portion + 4096 : portion, !long_output);
  if (!(whole == pieces)) std::abort();
  return 0;
}
