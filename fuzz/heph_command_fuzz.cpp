// Any bytes, read as a Heph trace along the ways of the command. Portions must make no difference,
// and what is rewritten or written again must read back as the same events.

#include "fuzz/command_ways.hpp"
#include "tracedeck/dial9/format.hpp"
#include "tracedeck/heph/format.hpp"

namespace {

using namespace tracedeck;        // NOLINT(google-build-using-namespace): one small file
using namespace tracedeck::fuzz;  // NOLINT(google-build-using-namespace)

std::unique_ptr<Reader> open(ByteSpan bytes, std::size_t chunk = 0, bool values = true) {
  auto reader = heph::format().open(io::memory_input("fuzz", bytes, chunk),
                                    {.values = values, .max_state = kMaxState});
  require(reader.has_value());
  return *std::move(reader);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan bytes(data, size);
  const Open trace = [&](std::size_t chunk, bool values) { return open(bytes, chunk, values); };
  const std::string shown = show(*open(bytes), json_lines);
  require(show(*open(bytes, 1), json_lines) == shown);
  show_every_form(trace);
  order_and_trim(trace);
  sum_up(trace);
  static_cast<void>(heph::format().origin(bytes));
  read_as_files(heph::format(), bytes);
  (void)convert(dial9::format(), trace);
  const Converted written = convert(heph::format(), trace);
  require(show(*open(as_bytes(written.bytes)), json_lines) == shown);
  const std::string rewritten = rewrite(heph::format(), bytes);
  require(show(*open(as_bytes(rewritten)), json_lines) == shown);
  return 0;
}
