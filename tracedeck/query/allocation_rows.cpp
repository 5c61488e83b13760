#include "tracedeck/query/allocation_rows.hpp"

namespace tracedeck::query {

const std::vector<Column>& allocation_columns() {
  static const std::vector<Column> kColumns = {{"time", Unit::kTime},
                                               {"size", Unit::kBytes},
                                               {"weight"},
                                               {"weight_bytes", Unit::kBytes},
                                               {"live"},
                                               {"freed_at", Unit::kTime},
                                               {"lifetime", Unit::kDuration},
                                               {"symbol"},
                                               {"stack"},
                                               {"tid"},
                                               {"address"},
                                               {"trace"}};
  return kColumns;
}

}  // namespace tracedeck::query
