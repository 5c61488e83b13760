// All tables of a result, whose rows go on to a sink when there are many.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "tracedeck/base/error.hpp"
#include "tracedeck/columns/column_losses.hpp"
#include "tracedeck/columns/table.hpp"
#include "tracedeck/columns/table_sink.hpp"

namespace tracedeck::columns {

// Tables for what is no event. Event classes of these names stand in tables with a suffix.
inline constexpr std::string_view kLossTable = "__loss";
inline constexpr std::string_view kProblemTable = "__problem";
// What events mean.
inline constexpr std::string_view kSpanTable = "__span";
inline constexpr std::string_view kStateTable = "__state";
inline constexpr std::string_view kCounterTable = "__counter";
inline constexpr std::string_view kInstantTable = "__instant";
inline constexpr std::string_view kSampleTable = "__sample";
inline constexpr std::string_view kFlowTable = "__flow";

class Tables {
 public:
  // Rows of a row group.
  static constexpr std::size_t kRows = 122'880;
  // What the columns of a table take before it goes on.
  static constexpr std::uint64_t kBytes = std::uint64_t{24} << 20;
  // What those of all take together before the largest goes on: a row group of few rows costs as
  // much as one of many, so more tables have more.
  static constexpr std::uint64_t kBytesOfTable = std::uint64_t{104} << 10;
  static constexpr std::uint64_t kMostBytes = std::uint64_t{128} << 20;

  // `sink` and `losses` must outlive it. `names_columns`: see `TableOptions`.
  Tables(TableSink& sink, ColumnLosses& losses, bool names_columns);

  // The table of what is called `name` and has the columns of `root`. The first of a name is called
  // so, unless columns are named; others `name@` and eight hexadecimal digits of their columns.
  // `partition`: see `Table`; each has a table of its own.
  [[nodiscard]] Table& find_or_make(std::string_view name, const Column& root,
                                    std::string_view partition = {});

  // After rows were appended to a table. Errors: those of the sink.
  [[nodiscard]] Result<void> appended(Table& table) {
    if (table.rows >= kRows || table.bytes >= kBytes) [[unlikely]]
      return hand_on(table);
    return {};
  }
  // Now and then: hands on the largest tables until all are within bounds. Errors: those of the
  // sink.
  [[nodiscard]] Result<void> bound_memory();

  // Hands on all rows. Errors: those of the sink.
  [[nodiscard]] Result<void> finish();

  [[nodiscard]] const std::deque<Table>& all() const { return tables_; }

 private:
  Result<void> hand_on(Table& table);

  TableSink& sink_;
  ColumnLosses& losses_;
  bool names_columns_;
  std::deque<Table> tables_;
  // The tables of one name and of the same columns.
  struct Named {
    std::string full = {};
    std::map<std::string, Table*, std::less<>> partitions = {};
  };
  std::map<std::string, std::map<std::string, Named>, std::less<>> by_name_;  // then by signature
};

}  // namespace tracedeck::columns
