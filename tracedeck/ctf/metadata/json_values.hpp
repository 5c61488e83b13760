// Values of JSON metadata that are more than their JSON type: integers of any size, ranges, UUIDs,
// words that stand for an enumerator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tracedeck/ctf/metadata/json_findings.hpp"
#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/text/json_access.hpp"

namespace tracedeck::ctf {

// Every function below reports what is wrong, and then returns nothing.

// An integer of at least `least`, else rule `rule` is broken, and at most `most`, else our limit.
[[nodiscard]] std::optional<std::uint64_t> read_natural(JsonRef value, MetadataRule rule,
                                                        std::uint64_t least, std::uint64_t most,
                                                        JsonFindings& findings);
// A positive power of two.
[[nodiscard]] std::optional<std::uint32_t> read_alignment(JsonRef value, MetadataRule rule,
                                                          JsonFindings& findings);
[[nodiscard]] std::optional<Uuid> read_uuid(JsonRef value, MetadataRule rule,
                                            JsonFindings& findings);

// `value` is an array.
[[nodiscard]] std::optional<IntegerRanges> read_ranges(JsonRef value, JsonFindings& findings);
// `value` is an object whose properties are range sets.
[[nodiscard]] std::optional<std::vector<Mapping>> read_mappings(JsonRef value, bool may_be_empty,
                                                                MetadataRule rule,
                                                                JsonFindings& findings);

}  // namespace tracedeck::ctf
