// Reading traces of LTTng shape. Items are events.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "bench/lttng_trace.hpp"
#include "tracedeck/ctf/format.hpp"

namespace tracedeck::bench {
namespace {

constexpr std::uint64_t kEvents = 2'000'000;

// A trace on disk for as long as the program runs.
class TraceOnDisk {
 public:
  explicit TraceOnDisk(unsigned streams) {
    std::string pattern = std::filesystem::temp_directory_path() / "tracedeck-bench-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    directory_ = pattern;
    write_lttng_trace(directory_, {.events = kEvents, .streams = streams});
  }
  ~TraceOnDisk() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  TraceOnDisk(const TraceOnDisk&) = delete;
  TraceOnDisk& operator=(const TraceOnDisk&) = delete;

  [[nodiscard]] const std::string& directory() const { return directory_; }

 private:
  std::string directory_;
};

// Every field of every event to the tape, in the order on disk.
void read_trace(benchmark::State& state) {
  static const TraceOnDisk kTrace(1);
  const std::string directories[] = {kTrace.directory()};
  for (auto _ : state) {
    auto reader = ctf::format().open_directories(
        directories, {.values = state.range(0) != 0, .jobs = static_cast<unsigned>(state.range(1))},
        {});
    std::uint64_t events = 0;
    for (auto batch = (*reader)->next(); batch && *batch != nullptr; batch = (*reader)->next()) {
      for (const Record& record : (*batch)->records()) {
        events += record.kind == RecordKind::kEvent ? 1 : 0;
        benchmark::DoNotOptimize(&record);
      }
    }
    if (events != kEvents) state.SkipWithError("events were lost");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kEvents));
}
BENCHMARK(read_trace)
    ->ArgNames({"values", "jobs"})
    ->Args({1, 1})
    ->Args({0, 1})
    ->Args({1, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tracedeck::bench
