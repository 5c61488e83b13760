#include "tracedeck/spill/sorted_run.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tracedeck/spill/spill_bytes.hpp"

namespace tracedeck {
namespace {

// Before a packed record: two varints and an exact time.
constexpr std::size_t kHeadBound = 2 * kMaxVarint + kExactTimeSize;

}  // namespace

RunWriter::RunWriter(SpillFile& file, std::size_t buffer)
    : file_(file), buffer_(std::max(buffer, kHeadBound)) {}

Result<void> RunWriter::add(const OrderKey& key, ByteSpan packed) {
  if (run_empty_) {
    run_ = {.begin = file_.size() + used_, .end = 0, .first = key, .last = {}};
    run_empty_ = false;
  }
  if (buffer_.size() - used_ < kHeadBound + packed.size()) {
    if (Result<void> flushed = flush(); !flushed) return flushed;
  }
  std::uint8_t* to = buffer_.data() + used_;
  to = put_varint(to, key.coarse - run_.last.coarse);
  if (OrderKey::needs_exact(key.coarse)) to = put_exact_time(to, key.exact);
  to = put_varint(to, packed.size());
  used_ = static_cast<std::size_t>(to - buffer_.data());
  run_.last = key;
  if (buffer_.size() - used_ >= packed.size()) {
    std::memcpy(to, packed.data(), packed.size());
    used_ += packed.size();
    return {};
  }
  if (Result<void> flushed = flush(); !flushed) return flushed;
  return file_.append(packed);
}

Result<SortedRun> RunWriter::finish_run() {
  if (Result<void> flushed = flush(); !flushed) return std::unexpected(flushed.error());
  run_.end = file_.size();
  const SortedRun run = run_;
  run_ = {};
  run_empty_ = true;
  return run;
}

Result<void> RunWriter::flush() {
  const ByteSpan bytes{buffer_.data(), std::exchange(used_, 0)};
  return file_.append(bytes);
}

Result<void> RunReader::advance() {
  packed_ = {};
  if (buffered() < kHeadBound) {
    if (Result<void> filled = fill(kHeadBound); !filled) return filled;
    if (buffered() == 0) {
      ended_ = true;
      return {};
    }
  }
  const std::uint8_t* from = buffer_.data() + used_;
  key_.coarse += take_varint(from);
  key_.exact = OrderKey::needs_exact(key_.coarse) ? take_exact_time(from) : Nanoseconds{};
  const std::size_t size = take_varint(from);
  used_ = static_cast<std::size_t>(from - buffer_.data());
  if (buffered() < size) {
    if (Result<void> filled = fill(size); !filled) return filled;
  }
  packed_ = {buffer_.data() + used_, size};
  used_ += size;
  return {};
}

// Buffers at least `least` bytes, or what is left of the run.
Result<void> RunReader::fill(std::size_t least) {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(used_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(filled_), buffer_.begin());
  filled_ -= std::exchange(used_, 0);
  if (buffer_.size() < least) buffer_.resize(least);
  const std::size_t count = std::min<std::uint64_t>(buffer_.size() - filled_, end_ - position_);
  Result<void> read = file_.read(position_, {buffer_.data() + filled_, count});
  position_ += count;
  filled_ += count;
  return read;
}

}  // namespace tracedeck
