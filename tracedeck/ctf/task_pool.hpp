// Threads that do pieces of work in the order in which these are handed in.
#pragma once

#include <condition_variable>
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

// Handing in is for any thread. What was not begun when the pool goes away is not done.
class TaskPool {
 public:
  explicit TaskPool(unsigned threads);
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  // The future holds what `make` returns or throws.
  template <class Make>
  [[nodiscard]] std::future<std::invoke_result_t<Make>> run(Make make) {
    auto task = std::make_shared<std::packaged_task<std::invoke_result_t<Make>()>>(std::move(make));
    auto result = task->get_future();
    add([task] { (*task)(); });
    return result;
  }

 private:
  void add(std::function<void()> work);
  void serve(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::jthread> threads_;
};

}  // namespace tracedeck::ctf
