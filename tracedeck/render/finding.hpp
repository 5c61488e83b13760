// Findings and problems as `validate` and standard error show them.
#pragma once

#include <string>

#include "tracedeck/model/record.hpp"

namespace tracedeck::render {

// `FILE:OFFSET: severity: RULE: sentence [section]`, without a line end. What is from the trace
// is made safe to show. `notice.finding.rule` must not be null.
[[nodiscard]] std::string finding_line(const Notice& notice);

// One object (docs/json/finding.schema.json), without a line end.
[[nodiscard]] std::string finding_json(const Notice& notice);

}  // namespace tracedeck::render
