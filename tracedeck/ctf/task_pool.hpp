// Threads that do pieces of work in the order in which these are handed in.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace tracedeck::ctf {

// Handing in and waiting are for any thread. A thread is started when two pieces of work wait, so a
// single one, which whoever waits for it does, starts none. What was not begun when the pool goes
// away is not done.
class TaskPool {
 public:
  explicit TaskPool(unsigned threads) : most_threads_(threads) {}
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  // The future holds what `make` returns or throws, and is for `wait`.
  template <class Make>
  [[nodiscard]] std::future<std::invoke_result_t<Make>> run(Make make) {
    auto task = std::make_shared<std::packaged_task<std::invoke_result_t<Make>()>>(std::move(make));
    auto result = task->get_future();
    add([task] { (*task)(); });
    return result;
  }

  // What `run` is about to yield. Until then the caller does what no thread has begun.
  template <class Value>
  Value wait(std::future<Value>& result) {
    using std::chrono_literals::operator""s;
    while (result.wait_for(0s) != std::future_status::ready && do_first()) {
    }
    return result.get();
  }

 private:
  void add(std::function<void()> work);
  // These two with the mutex held.
  void start_thread();
  std::function<void()> take_first();
  // Does what waits longest; false if nothing does.
  bool do_first();
  void serve(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<std::function<void()>> waiting_;
  std::size_t most_threads_;
  std::vector<std::jthread> threads_;
};

}  // namespace tracedeck::ctf
