// Records what a few threads do as a Heph trace: record_spans FILE
//
// Then: tracedeck print FILE
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "tracedeck/heph/recorder.hpp"
#include "tracedeck/io/output.hpp"

namespace {

// Work on some tasks by turns, each a substream of the thread.
tracedeck::Result<void> work(tracedeck::heph::Recorder& recorder) {
  tracedeck::heph::RecorderStream& stream = recorder.this_thread();
  const tracedeck::heph::Span all = stream.start();
  std::uint64_t sum = 0;
  for (std::uint64_t task = 1; task <= 3; ++task) {
    const tracedeck::heph::Span span = stream.start(task);
    for (std::uint64_t i = 0; i < task * 1000; ++i) sum += i * i;
    auto recorded = stream.finish(span, "run task", {{"task", task}, {"sum", sum}});
    if (!recorded) return recorded;
  }
  return stream.finish(all, "work");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: record_spans FILE\n", stderr);
    return 2;
  }
  auto output = tracedeck::io::create_file(argv[1]);
  if (!output) {
    std::fprintf(stderr, "%s\n", output.error().to_string().c_str());
    return 1;
  }
  tracedeck::heph::Recorder recorder(
      [&output](tracedeck::ByteSpan bytes) { return (*output)->write(bytes); });
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      // What fails in a thread is what `finish` then returns.
      threads.emplace_back([&recorder] { [[maybe_unused]] const auto worked = work(recorder); });
    }
  }
  auto finished = recorder.finish();
  if (finished) finished = (*output)->finish();
  if (!finished) {
    std::fprintf(stderr, "%s\n", finished.error().to_string().c_str());
    return 1;
  }
  return 0;
}
