#include "tracedeck/ctf/task_pool.hpp"

#include <system_error>

namespace tracedeck::ctf {

TaskPool::~TaskPool() {
  for (std::jthread& thread : threads_) thread.request_stop();
  wake_.notify_all();
  threads_.clear();
}

void TaskPool::add(std::function<void()> work) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(std::move(work));
    if (waiting_.size() > 1 && threads_.size() < most_threads_) start_thread();
  }
  wake_.notify_one();
}

void TaskPool::start_thread() {
  try {
    threads_.emplace_back([this](const std::stop_token& stop) { serve(stop); });
  } catch (const std::system_error&) {
    most_threads_ = threads_.size();  // the system has no more of them; whoever waits does the work
  }
}

std::function<void()> TaskPool::take_first() {
  std::function<void()> work = std::move(waiting_.front());
  waiting_.pop_front();
  return work;
}

bool TaskPool::do_first() {
  std::unique_lock lock(mutex_);
  if (waiting_.empty()) return false;
  const std::function<void()> work = take_first();
  lock.unlock();
  work();
  return true;
}

void TaskPool::serve(const std::stop_token& stop) {
  for (;;) {
    std::unique_lock lock(mutex_);
    if (!wake_.wait(lock, stop, [this] { return !waiting_.empty(); }) || stop.stop_requested())
      return;
    const std::function<void()> work = take_first();
    lock.unlock();
    work();
  }
}

}  // namespace tracedeck::ctf
