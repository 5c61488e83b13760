// What is said of a conversion whose result is in its place.
#pragma once

#include "cli/options.hpp"
#include "cli/session.hpp"
#include "tracedeck/convert/report.hpp"

namespace tracedeck::cli {

// Reports how a conversion went, and writes the file of --report.
void conclude_conversion(const Options& options, Session& session, const ConversionReport& done);

}  // namespace tracedeck::cli
