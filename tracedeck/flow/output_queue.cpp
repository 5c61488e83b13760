#include "tracedeck/flow/output_queue.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tracedeck::flow {
namespace {

Result<void> copy(const SpillFile& from, io::Output& to) {
  constexpr std::uint64_t kPortion = std::uint64_t{128} << 10;
  std::vector<std::uint8_t> bytes(
      static_cast<std::size_t>(std::min<std::uint64_t>(kPortion, from.size())));
  for (std::uint64_t at = 0; at < from.size();) {
    const auto portion = std::span(bytes).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), from.size() - at)));
    if (auto read = from.read(at, portion); !read) return read;
    if (auto written = to.write(portion); !written) return written;
    at += portion.size();
  }
  return {};
}

}  // namespace

class OutputQueue::Part final : public io::Output {
 public:
  explicit Part(OutputQueue& queue) : queue_(queue) {}
  // What fails here fails for the next part too.
  ~Part() override { [[maybe_unused]] const auto finished = finish(); }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  [[nodiscard]] const std::string& name() const override { return queue_.into_.name(); }
  [[nodiscard]] Result<void> write(ByteSpan bytes) override {
    return bytes.empty() ? Result<void>{} : queue_.write(place_, bytes);
  }
  [[nodiscard]] Result<void> flush() override { return queue_.flush(place_); }
  [[nodiscard]] Result<void> finish() override {
    if (!place_) return {};
    return queue_.finish(*std::exchange(place_, std::nullopt));
  }

 private:
  OutputQueue& queue_;
  std::optional<Places::iterator> place_;
};

std::unique_ptr<io::Output> OutputQueue::add_part() { return std::make_unique<Part>(*this); }

Result<void> OutputQueue::write(std::optional<Places::iterator>& place, ByteSpan bytes) {
  const std::lock_guard lock(mutex_);
  if (!place) place = places_.emplace(places_.end());
  if (*place == places_.begin()) return into_.write(bytes);
  std::unique_ptr<SpillFile>& spilled = (*place)->spilled;
  if (spilled == nullptr) {
    auto created = SpillFile::create(directory_);
    if (!created) return std::unexpected(std::move(created.error()));
    spilled = *std::move(created);
  }
  return spilled->append(bytes);
}

Result<void> OutputQueue::flush(const std::optional<Places::iterator>& place) {
  const std::lock_guard lock(mutex_);
  return place && *place == places_.begin() ? into_.flush() : Result<void>{};
}

Result<void> OutputQueue::finish(Places::iterator place) {
  const std::lock_guard lock(mutex_);
  place->finished = true;
  if (place != places_.begin()) return {};
  if (auto advanced = advance(); !advanced) return advanced;
  // Nobody may come for long.
  return into_.flush();
}

Result<void> OutputQueue::advance() {
  while (!places_.empty()) {
    Place& first = places_.front();
    if (first.spilled != nullptr) {
      const std::unique_ptr<SpillFile> spilled = std::move(first.spilled);
      if (auto copied = copy(*spilled, into_); !copied) return copied;
    }
    if (!first.finished) break;
    places_.pop_front();
  }
  return {};
}

}  // namespace tracedeck::flow
