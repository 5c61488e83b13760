#include "tracedeck/flow/serve.hpp"

#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tracedeck::flow {
namespace {

class Crew {
 public:
  Crew(const JobSource& source, std::size_t at_once) : source_(source), at_once_(at_once) {}

  void work() {
    while (Job job = take_next()) {
      job();
      job = nullptr;
      const std::lock_guard lock(mutex_);
      --busy_;
    }
  }

  // Once `work` has returned on the first thread there are no more jobs, and so no more threads.
  void join() {
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  Job take_next() {
    const std::lock_guard turn(turn_);
    Job job = ended_ ? Job() : source_.next();
    ended_ = ended_ || !job;
    if (ended_) return job;
    const std::lock_guard lock(mutex_);
    if (++busy_ == at_once_) {
      if (source_.all_at_work) source_.all_at_work();
    } else if (busy_ == threads_.size() + 1) {
      add_thread();
    }
    return job;
  }

  void add_thread() {
    if (no_more_threads_) return;
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // It goes on with those there are.
      no_more_threads_ = true;
    }
  }

  const JobSource& source_;
  const std::size_t at_once_;
  std::mutex turn_;  // to wait for the next job
  bool ended_ = false;
  std::mutex mutex_;
  std::size_t busy_ = 0;
  std::vector<std::thread> threads_;  // besides the first
  bool no_more_threads_ = false;      // that the system gives us
};

}  // namespace

void serve(const JobSource& source, std::size_t at_once) {
  Crew crew(source, at_once);
  crew.work();
  crew.join();
}

}  // namespace tracedeck::flow
