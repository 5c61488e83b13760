// Runs one workload once, for tools that count instructions.
//
//   instructions MODE EVENTS FILE
//
// Encoding modes leave FILE alone; `write-` modes put the workload into it (a directory for
// `lttng`) and the others decode it. Instructions an event are the difference of two sizes, which
// leaves out what the process costs: scripts/count-instructions.sh does both runs under callgrind.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "bench/counting_output.hpp"
#include "bench/dial9_decoding.hpp"
#include "bench/dial9_workload.hpp"
#include "bench/heph_workload.hpp"
#include "bench/lttng_trace.hpp"
#include "bench/mark_workload.hpp"
#include "bench/tband_workload.hpp"
#include "tracedeck/export/perfetto.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/io/output.hpp"

namespace tracedeck::bench {
namespace {

template <std::size_t Frames>
bool encode(std::uint64_t events, const char*) {
  dial9::Encoder encoder;
  return encode_workload<Frames>(encoder, events);
}

template <std::size_t Frames>
bool write_file(std::uint64_t events, const char* file) {
  const auto output = io::create_file(file);
  if (!output) return false;
  dial9::Encoder encoder([&output](ByteSpan chunk) { return (*output)->write(chunk); });
  return encode_workload<Frames>(encoder, events) && encoder.finish().has_value() &&
         (*output)->finish().has_value();
}

bool write_lttng(std::uint64_t events, const char* directory) {
  std::filesystem::create_directories(directory);
  return write_lttng_trace(directory, {.events = events}) > 0;
}

bool write_bytes(const char* file, ByteSpan bytes) {
  const auto output = io::create_file(file);
  return output && (*output)->write(bytes) && (*output)->finish();
}

bool write_heph(std::uint64_t events, const char* file) {
  heph::Encoder encoder;
  return encode_heph_workload(encoder, events) && write_bytes(file, encoder.bytes());
}

bool write_tband(std::uint64_t events, const char* file) {
  return write_bytes(file, ByteSpan(tband_workload(events)));
}

// The file in fresh, hence zeroed, pages that reach beyond its end: padded, and filled by the
// kernel alone.
bool visit_file(std::uint64_t events, const char* file) {
  const int descriptor = open(file, O_RDONLY | O_CLOEXEC);
  struct stat facts{};
  if (descriptor < 0 || fstat(descriptor, &facts) != 0) return false;
  const auto size = static_cast<std::size_t>(facts.st_size);
  void* const memory =
      mmap(nullptr, size + kPadding, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  const bool filled = pread(descriptor, memory, size, 0) == facts.st_size;
  close(descriptor);
  return filled && visit({static_cast<const std::uint8_t*>(memory), size}) == events;
}

// Events that the reader puts on the tape, or examines without keeping their values.
template <bool Values>
bool read_file(std::uint64_t events, const char* path) {
  const auto reader = open_trace(path, {.values = Values, .jobs = 1});
  return reader && count_events(**reader) == events;
}

// The events are slices; making their marks is counted too.
bool export_perfetto(std::uint64_t slices, const char*) {
  CountingOutput output;
  return PollMarks().give(*exporting::make_perfetto(output, {}), slices);
}

// The marks are made, and go nowhere.
bool write_polls(std::uint64_t slices, const char* file) {
  struct Nowhere final : timeline::MarkSink {
    Result<void> take(const timeline::Timeline&, std::span<const timeline::Mark>) override {
      return {};
    }
    Result<void> finish(const timeline::Timeline&) override { return {}; }
  } nowhere;
  return PollMarks().give(nowhere, slices) && write_bytes(file, {});
}

struct Mode {
  const char* name;
  bool (*run)(std::uint64_t events, const char* file);
};

constexpr std::array kModes = {
    Mode{"encode-mix3", encode<kMix3>},      Mode{"encode-mix16", encode<kMix16>},
    Mode{"visit-mix3", visit_file},          Mode{"visit-mix16", visit_file},
    Mode{"write-mix3", write_file<kMix3>},   Mode{"write-mix16", write_file<kMix16>},
    Mode{"write-lttng", write_lttng},        Mode{"write-heph", write_heph},
    Mode{"write-tband", write_tband},        Mode{"tape-mix3", read_file<true>},
    Mode{"tape-mix16", read_file<true>},     Mode{"tape-lttng", read_file<true>},
    Mode{"tape-heph", read_file<true>},      Mode{"tape-tband", read_file<true>},
    Mode{"skip-mix3", read_file<false>},     Mode{"skip-mix16", read_file<false>},
    Mode{"skip-lttng", read_file<false>},    Mode{"skip-heph", read_file<false>},
    Mode{"skip-tband", read_file<false>},    Mode{"write-polls", write_polls},
    Mode{"perfetto-polls", export_perfetto},
};

bool run(std::string_view name, std::uint64_t events, const char* file) {
  for (const Mode& mode : kModes) {
    if (mode.name == name) return mode.run(events, file);
  }
  return false;
}

}  // namespace
}  // namespace tracedeck::bench

int main(int argc, char** argv) {
  std::uint64_t events = 0;
  if (argc == 4) std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), events);
  if (events == 0) {
    std::fputs("usage: instructions MODE EVENTS FILE, with one of these modes:\n", stderr);
    for (const auto& mode : tracedeck::bench::kModes) std::fprintf(stderr, "  %s\n", mode.name);
    return 2;
  }
  if (tracedeck::bench::run(argv[1], events, argv[3])) return 0;
  std::fprintf(stderr, "instructions: %s: no such mode, or it failed\n", argv[1]);
  return 1;
}
