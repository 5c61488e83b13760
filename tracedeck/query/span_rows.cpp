#include "tracedeck/query/span_rows.hpp"

namespace tracedeck::query {

const std::vector<Column>& span_columns() {
  static const std::vector<Column> kColumns = {{"name"},
                                               {"category"},
                                               {"label"},
                                               {"track"},
                                               {"trace"},
                                               {"host"},
                                               {"process"},
                                               {"kind"},
                                               {"time", Unit::kTime},
                                               {"end", Unit::kTime},
                                               {"duration", Unit::kDuration},
                                               {"whole"},
                                               {"began_before"},
                                               {"open_at_end"},
                                               {"across_loss"},
                                               {"inferred_end"},
                                               {"negative"},
                                               {"clock_step"},
                                               {"overlap_lane"}};
  return kColumns;
}

}  // namespace tracedeck::query
