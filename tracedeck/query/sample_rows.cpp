#include "tracedeck/query/sample_rows.hpp"

namespace tracedeck::query {

const std::vector<Column>& sample_columns() {
  static const std::vector<Column> kColumns = {{"time", Unit::kTime},
                                               {"name"},
                                               {"track"},
                                               {"tid"},
                                               {"thread"},
                                               {"inside"},
                                               {"symbol"},
                                               {"stack"},
                                               {"trace"},
                                               {"host"},
                                               {"process"}};
  return kColumns;
}

}  // namespace tracedeck::query
