// Sources that wait for what they read, each on a thread of its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tracedeck/format/reader.hpp"

namespace tracedeck::flow {

// Where sources come from while others are read.
class SourceFeed {
 public:
  virtual ~SourceFeed() = default;

  // Waits for the next source; null: there are no more. Called by one thread at a time.
  [[nodiscard]] virtual std::unique_ptr<RecordSource> next() = 0;
  // Sources that may be read at the same time.
  [[nodiscard]] virtual std::size_t at_once() const { return 1; }
  // Called when that many are read, so that the next one waits.
  virtual void all_at_work() {}
};

// A source as a feed of one.
[[nodiscard]] std::unique_ptr<SourceFeed> single_source(std::unique_ptr<RecordSource> source);

// The batches of several feeds in the order in which they come. Three batches of each feed wait, or
// more, up to 16, while they are made of less than 4 MiB of its input; then its sources do.
//
// Who takes is not woken for every small batch: after it was served it comes back by itself a
// millisecond later, when there may be many.
class Arrivals final : public RecordSource {
 public:
  // `stop` makes the sources and feeds end that wait for something, so that the stage can be given
  // up; it is called when the stage goes.
  Arrivals(std::vector<std::unique_ptr<SourceFeed>> feeds, std::function<void()> stop);
  ~Arrivals() override;
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;

  // Waits for a batch; null when all sources have ended. An error ends the source that had it
  // alone: ask again for what the others have.
  [[nodiscard]] Result<BatchPtr> next() override;

  // Whether `next` would return within `patience`.
  [[nodiscard]] bool ready(std::chrono::milliseconds patience);

 private:
  struct Arrival {
    std::size_t feed;
    Result<BatchPtr> batch;
    std::uint64_t bytes;  // of the input, that it is made of
  };
  // What waits of a feed.
  struct Waiting {
    std::size_t batches = 0;
    std::uint64_t bytes = 0;

    [[nodiscard]] bool full() const;
  };
  using Clock = std::chrono::steady_clock;

  // What the threads of a feed do: one for each source that is read.
  void read(std::size_t number);
  void read(std::size_t number, RecordSource& source);
  [[nodiscard]] bool something_to_report() const { return !queue_.empty() || running_ == 0; }
  // Waits for something to report; false when there is nothing before `end`, if that is given.
  [[nodiscard]] bool wait(std::unique_lock<std::mutex>& lock, const Clock::time_point* end);

  std::vector<std::unique_ptr<SourceFeed>> feeds_;
  std::function<void()> stop_;

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::condition_variable room_;
  std::deque<Arrival> queue_;
  std::vector<Waiting> waiting_;  // of each feed in the queue
  std::size_t running_;           // feeds that have not ended
  bool urgent_ = false;           // who takes is to be woken, since a source can do no more
  bool sleeps_ = false;           // who takes has nothing to do
  bool given_up_ = false;

  std::vector<std::thread> threads_;
};

}  // namespace tracedeck::flow
