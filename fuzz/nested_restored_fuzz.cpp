// Any bytes as a CTF trace (metadata and data stream files, between them the line `%%`) that a
// conversion may have made of another: marks in it are nobody's in particular. What is restored
// goes along the ways of the command.

#include "fuzz/command_ways.hpp"
#include "fuzz/ctf_traces.hpp"
#include "tracedeck/formats.hpp"

namespace {

using namespace tracedeck;        // NOLINT(google-build-using-namespace): one small file
using namespace tracedeck::fuzz;  // NOLINT(google-build-using-namespace)

std::unique_ptr<Reader> open(const std::string& folder, bool values) {
  auto reader = open_found({.format = find_format("ctf"), .directories = {folder}},
                           {.values = values, .max_state = kMaxState});
  return reader ? *std::move(reader) : nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ctf::FuzzFolder kFolder;
  const std::vector<ByteSpan> parts = ctf::parts_of({data, size});
  const std::string folder = kFolder.trace("t", parts.front(), parts.size() > 1 ? 0 : -1,
                                           parts.size() > 1 ? parts[1] : ByteSpan());
  if (parts.size() > 2) ctf::FuzzFolder::add(folder, 1, parts[2]);
  const std::unique_ptr<Reader> reader = open(folder, true);
  if (reader == nullptr || reader->description()->stored_as().empty()) return 0;
  // What has to be rejected ends with an error.
  for (;;) {
    const Result<BatchPtr> batch = reader->next();
    if (!batch) return 0;
    if (*batch == nullptr) break;
  }
  const Open trace = [&](std::size_t, bool values) { return open(folder, values); };
  show_every_form(trace);
  order_and_trim(trace);
  sum_up(trace);
  return 0;
}
