#include "tracedeck/base/time.hpp"

#include <fmt/format.h>

namespace tracedeck {

std::string Nanoseconds::to_string() const {
  return fmt::format("{}{}", negative_ ? "-" : "", magnitude_);
}

}  // namespace tracedeck
