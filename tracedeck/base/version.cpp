#include "tracedeck/base/version.hpp"

namespace tracedeck {

// The build defines TRACEDECK_VERSION from the project's version.
std::string_view version() noexcept { return TRACEDECK_VERSION; }

}  // namespace tracedeck
