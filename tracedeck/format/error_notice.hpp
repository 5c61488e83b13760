// Errors that end the reading of a trace, as findings.
#pragma once

#include <string>

#include "tracedeck/base/error.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck {

// `trace`: what the input is called where the error does not say. The rule is that which the error
// names, else one that stands for its code.
[[nodiscard]] Notice error_notice(const Error& error, const std::string& trace);

}  // namespace tracedeck
