// The file that a command writes its result to.
#pragma once

#include <memory>
#include <string>

#include "cli/session.hpp"
#include "tracedeck/io/output.hpp"

namespace tracedeck::cli {

// Makes `path`, compressed as its name says. Null: it cannot be made, which is reported and wrong
// usage.
[[nodiscard]] std::unique_ptr<io::Output> create_output_file(const std::string& path,
                                                             Session& session);

}  // namespace tracedeck::cli
