// Names of partitions, as directories in the way of Hive: `class=sched%2Fswitch`.
#pragma once

#include <string>
#include <string_view>

namespace tracedeck::columns {

// A name as that of a file: bytes outside [A-Za-z0-9_.-] are written as `%XX`; an empty value
// stands as
// `__HIVE_DEFAULT_PARTITION__`, which engines read as null. What would be longer than a file name
// may be ends in `%40` and eight hexadecimal digits of the whole value.
[[nodiscard]] std::string partition_value(std::string_view value);
// `key=VALUE`.
[[nodiscard]] std::string partition_name(std::string_view key, std::string_view value);

}  // namespace tracedeck::columns
