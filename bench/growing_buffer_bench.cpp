// What it costs to write 16 MiB into memory that nobody used before, by the way the memory grows.
// Every policy gives its memory back at the end, so that the next round meets fresh pages again.
#include "tracedeck/base/growing_buffer.hpp"

#include <benchmark/benchmark.h>
#include <malloc.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace tracedeck::bench {
namespace {

constexpr std::size_t kTotal = std::size_t{16} << 20;
constexpr std::size_t kFirst = 4096;
constexpr std::size_t kRecord = 16;  // about an event

// Memory that was written before: the bound that no policy can beat.
struct Warm {
  static inline std::uint8_t* memory =
      static_cast<std::uint8_t*>(std::memset(std::malloc(kTotal), 1, kTotal));
  std::size_t grow(std::uint8_t*& data, std::size_t) {
    data = memory;
    return kTotal;
  }
  void release() {}
};

struct Realloc {
  std::uint8_t* memory = nullptr;
  std::size_t grow(std::uint8_t*& data, std::size_t used) {
    const std::size_t capacity = used == 0 ? kFirst : 2 * used;
    data = memory = static_cast<std::uint8_t*>(std::realloc(memory, capacity));
    return capacity;
  }
  void release() { std::free(memory); }
};

// One mapping, made large at once: small pages as they are touched, in steps of 2 MiB, or huge
// ones.
template <bool Huge, bool Populate>
struct Mapping {
  static constexpr std::size_t kStep = std::size_t{2} << 20;
  void* memory = nullptr;
  std::size_t grow(std::uint8_t*& data, std::size_t used) {
    if (memory == nullptr) {
      memory =
          mmap(nullptr, kTotal + kStep, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (Huge) madvise(memory, kTotal + kStep, MADV_HUGEPAGE);
    }
    data = static_cast<std::uint8_t*>(memory);
    if (Populate) madvise(data + used, kStep, MADV_POPULATE_WRITE);
    return used + kStep;
  }
  void release() { munmap(memory, kTotal + kStep); }
};

struct Growing {
  GrowingBuffer memory = {};
  std::size_t grow(std::uint8_t*& data, std::size_t used) {
    data = memory.reserve(used, kRecord);
    return memory.capacity();
  }
  void release() {}
};

template <class Policy>
void BM_Write(benchmark::State& state) {
  // Else malloc keeps freed memory and the next round does not start from nothing.
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  mallopt(M_TRIM_THRESHOLD, 128 << 10);
  for (auto _ : state) {
    Policy policy;
    std::uint8_t* data = nullptr;
    std::size_t used = 0;
    std::size_t capacity = 0;
    for (std::uint64_t record = 0; used < kTotal; ++record, used += kRecord) {
      if (capacity - used < kRecord) capacity = policy.grow(data, used);
      std::memcpy(data + used, &record, sizeof record);
      std::memcpy(data + used + 8, &record, sizeof record);
    }
    benchmark::DoNotOptimize(data);
    policy.release();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(kTotal) * state.iterations());
}

BENCHMARK_TEMPLATE(BM_Write, Warm)->Name("grow/warm")->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(BM_Write, Realloc)->Name("grow/realloc_doubling")->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(BM_Write, Mapping<false, false>)
    ->Name("grow/small_pages")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(BM_Write, Mapping<false, true>)
    ->Name("grow/small_pages_populated")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(BM_Write, Mapping<true, false>)
    ->Name("grow/huge_pages")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(BM_Write, Growing)->Name("grow/growing_buffer")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tracedeck::bench
