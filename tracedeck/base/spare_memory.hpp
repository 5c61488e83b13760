// Memory that was let go of, and that the process still has.
#pragma once

namespace tracedeck {

// Gives it back to the system, where the allocator would keep it: what lies between things that
// stay. It takes some milliseconds, so it is for the end of what takes megabytes.
void give_back_spare_memory();

}  // namespace tracedeck
