// Tables of the events of `mix3`, written into nowhere: from the tape, which is read each time.
// Items are events; `columns/tape` is what reading takes.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>

#include "bench/dial9_workload.hpp"
#include "tracedeck/columns/arrow/ipc_format.hpp"
#include "tracedeck/columns/clickhouse/native_format.hpp"
#include "tracedeck/columns/columns_writer.hpp"
#include "tracedeck/columns/directory_sink.hpp"
#include "tracedeck/columns/parquet/parquet_format.hpp"
#include "tracedeck/formats.hpp"

namespace tracedeck::bench {
namespace {

// The files of a result, of which the bytes are counted.
class CountingDirectory final : public io::OutputDirectory {
 public:
  explicit CountingDirectory(std::size_t& bytes) : bytes_(bytes) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] Result<std::unique_ptr<io::Output>> create_file(const std::string&) override {
    struct File final : io::Output {
      explicit File(std::size_t& count) : bytes(count) {}
      [[nodiscard]] const std::string& name() const override { return own_name; }
      [[nodiscard]] Result<void> write(ByteSpan span) override {
        bytes += span.size();
        return {};
      }
      [[nodiscard]] Result<void> flush() override { return {}; }
      [[nodiscard]] Result<void> finish() override { return {}; }
      std::size_t& bytes;
      std::string own_name = "nowhere";
    };
    return std::make_unique<File>(bytes_);
  }
  [[nodiscard]] Result<void> finish() override { return {}; }
  void discard() override {}

 private:
  std::string name_ = "nowhere";
  std::size_t& bytes_;
};

// The workload in a file that is removed at the end.
class WorkloadFile {
 public:
  WorkloadFile() {
    const auto output = io::create_file(path_);
    if (!output) return;
    dial9::Encoder encoder([&output](ByteSpan chunk) { return (*output)->write(chunk); });
    is_whole_ = encode_workload<kMix3>(encoder, kWorkloadEvents) && encoder.finish().has_value() &&
                (*output)->finish().has_value();
  }
  ~WorkloadFile() { std::remove(path_.c_str()); }
  WorkloadFile(const WorkloadFile&) = delete;
  WorkloadFile& operator=(const WorkloadFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_whole() const { return is_whole_; }

 private:
  std::string path_ = "columns_bench.bin";
  bool is_whole_ = false;
};

// `writer`: null where the events are only read.
bool read_into(const std::string& path, Writer* writer) {
  const auto reader = open_trace(path, {.values = true, .jobs = 1});
  if (!reader) return false;
  Written written;
  for (;;) {
    const auto batch = (*reader)->next();
    if (!batch) return false;
    if (*batch == nullptr) break;
    if (writer != nullptr && !writer->write_batch(**batch, written)) return false;
  }
  return writer == nullptr || (writer->finish() && written.events == kWorkloadEvents);
}

template <class MakeFormat>
void write(benchmark::State& state, MakeFormat make_format) {
  const WorkloadFile file;
  const columns::TableOptions options{.segment = "s"};
  std::size_t bytes = 0;
  bool done = file.is_whole();
  for (auto _ : state) {
    bytes = 0;
    CountingDirectory directory(bytes);
    const auto writer = columns::columns_writer(
        columns::directory_sink(directory, options, make_format(options)), options, {});
    done = done && read_into(file.path(), writer.get());
  }
  if (!done) state.SkipWithError("writing failed");
  state.SetItemsProcessed(static_cast<std::int64_t>(kWorkloadEvents) * state.iterations());
  state.counters["bytes/event"] = static_cast<double>(bytes) / static_cast<double>(kWorkloadEvents);
}

void BM_tape(benchmark::State& state) {
  const WorkloadFile file;
  bool done = file.is_whole();
  for (auto _ : state) done = done && read_into(file.path(), nullptr);
  if (!done) state.SkipWithError("reading failed");
  state.SetItemsProcessed(static_cast<std::int64_t>(kWorkloadEvents) * state.iterations());
}
BENCHMARK(BM_tape)->Name("columns/tape")->Unit(benchmark::kMillisecond);

void BM_parquet(benchmark::State& state) { write(state, parquet::parquet_format); }
BENCHMARK(BM_parquet)->Name("columns/parquet")->Unit(benchmark::kMillisecond);

void BM_arrow(benchmark::State& state) { write(state, arrow::file_format); }
BENCHMARK(BM_arrow)->Name("columns/arrow")->Unit(benchmark::kMillisecond);

void BM_clickhouse(benchmark::State& state) {
  write(state, [](const columns::TableOptions&) { return clickhouse::native_format(); });
}
BENCHMARK(BM_clickhouse)->Name("columns/clickhouse")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tracedeck::bench
