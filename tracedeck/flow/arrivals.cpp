#include "tracedeck/flow/arrivals.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/flow/serve.hpp"

namespace tracedeck::flow {
namespace {

// Enough for a source to work on while what it read before is used. Each batch may keep a window.
constexpr std::size_t kFewBatches = 3;
constexpr std::size_t kManyBatches = 16;
constexpr std::uint64_t kMuchInput = std::uint64_t{4} << 20;

// After so long who takes looks again by itself.
constexpr std::chrono::milliseconds kNap{1};

// Where the events of a batch end in the input, 0 without any.
std::uint64_t end_of(const Batch& batch) {
  const auto records = batch.records();
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    if (record->kind == RecordKind::kEvent) return record->event.offset + record->event.size;
  }
  return 0;
}

class SingleSource final : public SourceFeed {
 public:
  explicit SingleSource(std::unique_ptr<RecordSource> source) : source_(std::move(source)) {}
  std::unique_ptr<RecordSource> next() override { return std::move(source_); }

 private:
  std::unique_ptr<RecordSource> source_;
};

}  // namespace

std::unique_ptr<SourceFeed> single_source(std::unique_ptr<RecordSource> source) {
  return std::make_unique<SingleSource>(std::move(source));
}

Arrivals::Arrivals(std::vector<std::unique_ptr<SourceFeed>> feeds, std::function<void()> stop)
    : feeds_(std::move(feeds)),
      stop_(std::move(stop)),
      waiting_(feeds_.size()),
      running_(feeds_.size()) {
  threads_.reserve(feeds_.size());
  for (std::size_t i = 0; i < feeds_.size(); ++i) {
    threads_.emplace_back([this, i] { read(i); });
  }
}

Arrivals::~Arrivals() {
  {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
  }
  room_.notify_all();
  if (stop_) stop_();
  for (std::thread& thread : threads_) thread.join();
}

bool Arrivals::Waiting::full() const {
  return batches >= kManyBatches || (batches >= kFewBatches && bytes >= kMuchInput);
}

void Arrivals::read(std::size_t number) {
  SourceFeed& feed = *feeds_[number];
  const auto next = [&]() -> Job {
    std::shared_ptr<RecordSource> source = feed.next();
    if (source == nullptr) return {};
    return [this, number, source = std::move(source)] { read(number, *source); };
  };
  serve({.next = next, .all_at_work = [&feed] { feed.all_at_work(); }}, feed.at_once());
  {
    const std::lock_guard lock(mutex_);
    --running_;
    urgent_ = true;
  }
  arrived_.notify_one();
}

void Arrivals::read(std::size_t number, RecordSource& source) {
  Waiting& waiting = waiting_[number];
  std::uint64_t reached = 0;
  for (bool more = true; more;) {
    Result<BatchPtr> batch = source.next();
    more = batch && *batch != nullptr;
    const std::uint64_t end = more ? end_of(**batch) : 0;
    // A source may be several traces, each of which begins at 0.
    const std::uint64_t bytes = end >= reached ? end - reached : end;
    if (end != 0) reached = end;

    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return given_up_ || !waiting.full(); });
    if (given_up_) more = false;
    if (!given_up_ && (!batch || *batch != nullptr)) {
      ++waiting.batches;
      waiting.bytes += bytes;
      queue_.push_back({.feed = number, .batch = std::move(batch), .bytes = bytes});
    }
    urgent_ = urgent_ || !more || waiting.full();
    const bool wakes = sleeps_ || urgent_;
    lock.unlock();
    if (wakes) arrived_.notify_one();
  }
}

bool Arrivals::wait(std::unique_lock<std::mutex>& lock, const Clock::time_point* end) {
  if (something_to_report()) return true;
  urgent_ = false;
  const auto nap = Clock::now() + kNap;
  arrived_.wait_until(lock, end == nullptr ? nap : std::min(nap, *end),
                      [this] { return urgent_ && something_to_report(); });
  sleeps_ = true;
  const auto has_news = [this] { return something_to_report(); };
  if (end == nullptr) {
    arrived_.wait(lock, has_news);
  } else {
    arrived_.wait_until(lock, *end, has_news);
  }
  sleeps_ = false;
  return something_to_report();
}

Result<BatchPtr> Arrivals::next() {
  std::unique_lock lock(mutex_);
  static_cast<void>(wait(lock, nullptr));
  if (queue_.empty()) return nullptr;
  Arrival first = std::move(queue_.front());
  queue_.pop_front();
  Waiting& waiting = waiting_[first.feed];
  const bool was_full = waiting.full();
  --waiting.batches;
  waiting.bytes -= first.bytes;
  const bool makes_room = was_full && !waiting.full();
  lock.unlock();
  if (makes_room) room_.notify_all();
  return std::move(first.batch);
}

bool Arrivals::ready(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  const Clock::time_point end = Clock::now() + patience;
  return wait(lock, &end);
}

}  // namespace tracedeck::flow
