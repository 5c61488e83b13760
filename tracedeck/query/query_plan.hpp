// What a query is built from: its stages as things that take events and rows.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/query/all_columns.hpp"
#include "tracedeck/query/condition.hpp"
#include "tracedeck/query/field_watch.hpp"
#include "tracedeck/query/grouping.hpp"
#include "tracedeck/query/measures.hpp"
#include "tracedeck/query/pairing.hpp"
#include "tracedeck/query/projection.hpp"
#include "tracedeck/query/row_stages.hpp"
#include "tracedeck/query/rows.hpp"
#include "tracedeck/query/span_rows.hpp"

namespace tracedeck::query {

// So many events, and what is asked of each of them behind it.
struct EventLimit {
  std::uint64_t most = 0;
  std::uint64_t passed = 0;
  std::optional<EventProjection> condition = {};
  std::shared_ptr<Tried> tried = {};  // with a condition

  [[nodiscard]] bool reached() const { return passed >= most; }
};

struct QueryPlan {
  // Makes a stage before the one that it is given. Groupings are also added to the list.
  using MakeSink =
      std::function<std::unique_ptr<RowSink>(std::unique_ptr<RowSink>, std::vector<Grouping*>&)>;

  std::string question;                            // its text, with the condition beside it
  std::optional<Error> apart = {};                 // why parts of the answer do not add up
  std::shared_ptr<const Condition> condition;      // on events, at the front
  std::deque<EventLimit> limits = {};              // of events
  std::optional<EventProjection> projection = {};  // what makes rows of events
  std::optional<PairingPlan> pairing = {};         // where the rows are of pairs
  RowSource source = RowSource::kEvents;           // of others they are made elsewhere
  std::optional<SpanPlan> spans = {};              // of spans
  bool groups_events = false;                      // where events are grouped
  std::vector<MakeSink> makers = {};               // of the stages that rows pass, in order
  std::vector<std::shared_ptr<Tried>> tried = {};  // conditions on rows and behind limits, in order
  std::vector<Column> columns = {};                // of the answer
  std::deque<SeenUnit> units = {};                 // of columns that are of fields
  std::vector<SeenUnit*> argument_units = {};      // of `units`: those of arguments of spans
  ComparedColumns compared = {};
  bool selects_all = false;  // of events
  bool needs_order = false;
  bool any_order = false;
  bool needs_values = false;
  bool needs_names = false;
  bool needs_symbols = false;
  bool reads_times = false;        // of events, or between them
  bool compares_times = false;     // the same, apart from `condition`
  std::optional<Error> date = {};  // why no answer is right where times do not count from 1970
  FieldWatch fields = {};          // of what is named behind the conditions
};

// `all`: see `Query::parse`. Errors: those of it.
[[nodiscard]] Result<std::unique_ptr<QueryPlan>> make_plan(
    std::string_view text, const std::shared_ptr<const Condition>& where,
    const std::optional<std::vector<AllColumn>>& all);

}  // namespace tracedeck::query
