// Any bytes as a trace of any format (of CTF the metadata and data stream files, between them the
// line `%%`), converted to every target as `convert` does it. What comes of it is read without
// damage, and is equal to a trace without findings but for what the receipt names.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/command_ways.hpp"
#include "fuzz/ctf_traces.hpp"
#include "tracedeck/comparison/equal_traces.hpp"
#include "tracedeck/comparison/named_differences_test.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/outputs.hpp"

namespace {

using namespace tracedeck;        // NOLINT(google-build-using-namespace): one small file
using namespace tracedeck::fuzz;  // NOLINT(google-build-using-namespace)

// A trace of a format: bytes, or a folder.
struct Place {
  const Format* format = nullptr;
  ByteSpan bytes = {};
  std::string folder = {};
};

std::unique_ptr<Reader> open(const Place& place, bool headers = false) {
  FoundTrace found{.format = place.format};
  if (place.folder.empty()) {
    found.input = io::memory_input("fuzz", place.bytes, 0);
  } else {
    found.directories = {place.folder};
  }
  auto reader =
      open_found(std::move(found), {.values = true, .headers = headers, .max_state = kMaxState});
  return reader ? *std::move(reader) : nullptr;
}

// What reading a trace to its end shows.
struct Condition {
  bool sound = false;  // it has no damage
  // It has nothing to be reported, nor was it made of another: what such a trace says is its own.
  bool plain = false;
};

Condition condition_of(const Place& place) {
  const std::unique_ptr<Reader> reader = open(place);
  if (reader == nullptr) return {};
  Condition condition{.sound = true, .plain = reader->description()->stored_as().empty()};
  for (;;) {
    const Result<BatchPtr> batch = reader->next();
    if (!batch) return {};
    if (*batch == nullptr) return condition;
    for (const Record& record : (*batch)->records()) {
      if (record.kind == RecordKind::kProblem) return {};
      if (record.kind == RecordKind::kFinding) condition.plain = false;
    }
  }
}

// False: the target cannot hold all of it, and says why.
bool write_all(Reader& source, Writer& writer) {
  Written written;
  for (;;) {
    const Result<BatchPtr> batch = source.next();
    if (!batch) return false;
    if (*batch == nullptr) break;
    if (!writer.write_batch(**batch, written)) return false;
  }
  const TraceDescription& trace = *source.description();
  if (trace.stream_count() == 0 && !writer.describe(trace)) return false;
  return writer.finish().has_value() && written.refused == 0;
}

struct Converted {
  bool entire = false;
  Receipt receipt = {};
};

Converted convert(const Place& from, const OutputKind& kind, std::string& bytes,
                  const std::string& folder) {
  const OutputSettings settings{.write = {.single_source = true}};
  const std::unique_ptr<Reader> source = open(from, kind.makes == OutputKind::Makes::kDirectory);
  require(source != nullptr);
  Converted converted;
  const auto finish = [&](auto& output) {
    const auto writer = create_writer(kind, output, settings);
    require(writer.has_value());
    converted.entire = write_all(*source, **writer);
    converted.receipt = (*writer)->receipt();
  };
  if (kind.makes == OutputKind::Makes::kDirectory) {
    std::filesystem::remove_all(folder);
    std::filesystem::remove_all(io::OutputDirectory::part_path(folder));
    const auto output = io::OutputDirectory::create(folder);
    require(output.has_value());
    finish(**output);
    if (converted.entire) {
      require((*output)->finish().has_value());
    } else {
      (*output)->discard();
    }
  } else {
    const auto output = io::memory_output(bytes);
    finish(*output);
    require(output->finish().has_value());
  }
  return converted;
}

void expect_named(const Place& from, const Place& to, const Receipt& receipt,
                  const OutputKind& kind) {
  const auto compared = comparison::equal_traces(*open(from), *open(to),
                                                 {.most_kinds = 10'000, .most_waiting = 1U << 16});
  require(compared.has_value());
  for (const comparison::Difference& each : compared->differences.found()) {
    if (comparison::names(receipt, each.key)) continue;
    std::fprintf(stderr, "== as %.*s, of class '%s': %s, %s: %s | %s\n",
                 static_cast<int>(kind.name.size()), kind.name.data(), each.key.class_name.c_str(),
                 comparison::place_of(each.key).c_str(), each.key.what.c_str(), each.left.c_str(),
                 each.right.c_str());
    for (const ReceiptEntry& entry : receipt) {
      std::fprintf(stderr, "   receipt: '%s' %s: %s: %s\n", entry.event_class.c_str(),
                   entry.path.c_str(), entry.what.c_str(), entry.done.c_str());
    }
    std::abort();
  }
}

void expect_converted(const Place& from, const std::string& folder) {
  const Condition condition = condition_of(from);
  if (!condition.sound) return;
  for (const OutputKind& kind : outputs()) {
    // What stays in a format of one version is rewritten, not converted.
    if (kind.format == nullptr || (kind.format == from.format && from.folder.empty())) continue;
    std::string bytes;
    const Converted converted = convert(from, kind, bytes, folder);
    if (!converted.entire) continue;
    const bool is_folder = kind.makes == OutputKind::Makes::kDirectory;
    const Place to{.format = kind.format,
                   .bytes = is_folder ? ByteSpan() : as_bytes(bytes),
                   .folder = is_folder ? folder : std::string()};
    require(condition_of(to).sound);
    if (condition.plain) expect_named(from, to, converted.receipt, kind);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ctf::FuzzFolder kFolder;
  const std::string result = (kFolder.path() / "converted").string();
  const std::vector<ByteSpan> parts = ctf::parts_of({data, size});
  if (parts.size() > 1) {
    const std::string folder = kFolder.trace("t", parts[0], 0, parts[1]);
    if (parts.size() > 2) ctf::FuzzFolder::add(folder, 1, parts[2]);
    const Place trace{.format = find_format("ctf"), .folder = folder};
    expect_converted(trace, result);
    return 0;
  }
  if (size == 0) return 0;
  for (const std::string_view format : {"dial9", "heph", "tband"}) {
    const Place trace{.format = find_format(format), .bytes = {data, size}};
    expect_converted(trace, result);
  }
  return 0;
}
