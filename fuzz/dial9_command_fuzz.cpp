// Any bytes as a dial9 trace along the ways of the command, compressed or not. Portions must make
// no difference, and what is rewritten or written again must read back as the same events.

#include "fuzz/command_ways.hpp"
#include "tracedeck/dial9/format.hpp"

namespace {

using namespace tracedeck;        // NOLINT(google-build-using-namespace): one small file
using namespace tracedeck::fuzz;  // NOLINT(google-build-using-namespace)

std::unique_ptr<Reader> open(ByteSpan bytes, std::size_t chunk = 0, bool values = true) {
  auto input = io::see_through_compression(io::memory_input("fuzz", bytes, chunk));
  require(input.has_value());
  auto reader = dial9::format().open(*std::move(input), {.values = values, .max_state = kMaxState});
  return reader ? *std::move(reader) : nullptr;
}

void expect_written_reads_back(const Open& trace, const std::string& shown) {
  const Converted written = convert(dial9::format(), trace);
  if (!written.entire) return;
  const std::unique_ptr<Reader> again = open(as_bytes(written.bytes));
  require(again != nullptr && show(*again, json_lines) == shown);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan bytes(data, size);
  const std::unique_ptr<Reader> reader = open(bytes);
  if (reader == nullptr) return 0;
  const Open trace = [&](std::size_t chunk, bool values) { return open(bytes, chunk, values); };
  const std::string shown = show(*reader, json_lines);
  require(show(*open(bytes, 1), json_lines) == shown);
  show_every_form(trace);
  order_and_trim(trace);
  sum_up(trace);
  static_cast<void>(dial9::format().origin(bytes.first(std::min(size, kOriginSize))));
  read_as_files(dial9::format(), bytes);
  expect_written_reads_back(trace, shown);
  // The rewriter is given the bytes as they are: compare what is not compressed. What follows
  // damage by a limit may begin below that limit in the copy.
  if (size < kMaxState / 512 && dial9::format().recognises(bytes, true)) {
    const std::string rewritten = rewrite(dial9::format(), bytes);
    require(show(*open(as_bytes(rewritten)), json_lines) == shown);
  }
  return 0;
}
