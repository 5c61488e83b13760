// Any bytes as a dial9 trace that a conversion may have made of another: marks in it are nobody's
// in particular. What is restored goes along the ways of the command, and what is lowered once more
// must be restored as the same events.

#include "fuzz/command_ways.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/outputs.hpp"

namespace {

using namespace tracedeck;        // NOLINT(google-build-using-namespace): one small file
using namespace tracedeck::fuzz;  // NOLINT(google-build-using-namespace)

std::unique_ptr<Reader> open(ByteSpan bytes, std::size_t chunk = 0, bool values = true) {
  auto reader =
      open_found({.format = find_format("dial9"), .input = io::memory_input("fuzz", bytes, chunk)},
                 {.values = values, .max_state = kMaxState});
  return reader ? *std::move(reader) : nullptr;
}

std::string lower(RecordSource& source) {
  std::string bytes;
  const auto output = io::memory_output(bytes);
  const auto writer = create_writer(*find_output("dial9"), *output, {});
  require(writer.has_value());
  Written written;
  for (;;) {
    const Result<BatchPtr> batch = source.next();
    require(batch.has_value());
    if (*batch == nullptr) break;
    require((*writer)->write_batch(**batch, written).has_value());
  }
  require((*writer)->finish().has_value() && output->finish().has_value());
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan bytes(data, size);
  const std::unique_ptr<Reader> reader = open(bytes);
  if (reader == nullptr) return 0;
  const bool restored = !reader->description()->stored_as().empty();
  const std::string shown = show(*reader, json_lines);
  const Open trace = [&](std::size_t chunk, bool values) { return open(bytes, chunk, values); };
  show_every_form(trace);
  order_and_trim(trace);
  sum_up(trace);
  const std::string once = lower(*open(bytes));
  // Events that no mark is about are of no trace that a mark describes, and come in another order.
  if (restored && shown.find(R"("stream":{"segment")") == std::string::npos)
    require(show(*open(as_bytes(once)), json_lines) == shown);
  return 0;
}
