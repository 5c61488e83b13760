// Any bytes, read as a Tonbandgerät trace along the ways of the command, as hexadecimal text and as
// files of two cores too. What is rewritten or written again must read back as the same events.

#include "fuzz/command_ways.hpp"
#include "tracedeck/tband/format.hpp"

namespace {

using namespace tracedeck;        // NOLINT(google-build-using-namespace): one small file
using namespace tracedeck::fuzz;  // NOLINT(google-build-using-namespace)

std::unique_ptr<Reader> open(ByteSpan bytes, std::size_t chunk = 0, bool values = true,
                             bool hexadecimal = false) {
  auto reader =
      tband::format().open(io::memory_input("fuzz", bytes, chunk),
                           {.values = values, .max_state = kMaxState, .hexadecimal = hexadecimal});
  require(reader.has_value());
  return *std::move(reader);
}

std::unique_ptr<Reader> open_cores(ByteSpan bytes) {
  std::vector<CoreInput> files;
  const std::size_t half = bytes.size() / 2;
  files.push_back({.input = io::memory_input("one", bytes.first(half)), .core = 0});
  files.push_back({.input = io::memory_input("two", bytes.subspan(half)), .core = 1});
  auto reader = tband::format().open_cores(std::move(files), {.max_state = kMaxState});
  require(reader.has_value());
  return *std::move(reader);
}

void show_cores(ByteSpan bytes) {
  show(*open_cores(bytes), text);
  const std::unique_ptr<Reader> cores = open_cores(bytes);
  show(*flow::merge(cores->take_streams()), all_json_lines);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan bytes(data, size);
  const Open trace = [&](std::size_t chunk, bool values) { return open(bytes, chunk, values); };
  const std::string shown = show(*open(bytes), json_lines);
  static_cast<void>(tband::format().origin(bytes));
  read_as_files(tband::format(), bytes);
  // A live input may learn the length of a tick too late.
  show(*open(bytes, 1), json_lines);
  show(*open(bytes, 0, true, true), all_json_lines);
  show_every_form(trace);
  show_cores(bytes);
  order_and_trim(trace);
  sum_up(trace);
  const Converted written = convert(tband::format(), trace);
  if (written.entire) require(show(*open(as_bytes(written.bytes)), json_lines) == shown);
  if (size < kMaxState / 2) {
    const std::string rewritten = rewrite(tband::format(), bytes);
    require(show(*open(as_bytes(rewritten)), json_lines) == shown);
  }
  (void)tband::format().recognises(bytes, true);
  return 0;
}
