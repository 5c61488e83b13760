// Working on things that come one by one, several of them at the same time.
#pragma once

#include <cstddef>
#include <functional>

namespace tracedeck::flow {

// A thing to work on, on a thread of its own. Empty: there are no more.
using Job = std::function<void()>;

// Where jobs come from.
struct JobSource {
  // Waits for the next one. Called by one thread at a time.
  std::function<Job()> next;
  // Called when as many jobs are at work as may be, so that the next one will wait. On the thread
  // of the last of them. May be empty.
  std::function<void()> all_at_work = {};
};

// Does all jobs, at most `at_once` of them at the same time, the first on the calling thread.
// Threads are made when they are needed, and take turns waiting for the next job. Returns when
// there are no more and all are done. `at_once` of 1 does one after the other, each gone before the
// next one is waited for.
void serve(const JobSource& source, std::size_t at_once);

}  // namespace tracedeck::flow
