// Which options of a conversion cannot be together.
#pragma once

#include <string>

#include "tracedeck/convert/conversion.hpp"

namespace tracedeck {

// What of the task cannot be together, in the words of the command, or "".
[[nodiscard]] std::string conflict_of(const ConversionTask& task);

}  // namespace tracedeck
