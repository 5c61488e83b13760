#include "tracedeck/base/spare_memory.hpp"

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace tracedeck {

void give_back_spare_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace tracedeck
