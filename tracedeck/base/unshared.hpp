// Using again what others had.
#pragma once

#include <memory>

namespace tracedeck {

// Whether nobody holds what `pointer` points to but the `own` pointers of the caller, so that it
// can be written to again. Nobody else can then get hold of it.
template <class T>
[[nodiscard]] bool unshared(const std::shared_ptr<T>& pointer, long own = 1) {
  if (pointer.use_count() > own) return false;
  // use_count() alone does not order the reads of a thread that let go before our next writes;
  // taking and dropping a pointer does, as an acquiring read-modify-write of the same counter.
  std::shared_ptr<T>(pointer).reset();
  return true;
}

}  // namespace tracedeck
