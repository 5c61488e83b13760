// The answer of a query as a table.
//
// docs/query.md: "Answers as columns". What the columns are of is known from the first rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/columns/column_losses.hpp"
#include "tracedeck/columns/table.hpp"
#include "tracedeck/columns/table_sink.hpp"
#include "tracedeck/query/cell.hpp"
#include "tracedeck/query/query.hpp"
#include "tracedeck/query/rows.hpp"

namespace tracedeck::columns {

// Rows of `query`, which must outlive it. One thread at a time.
class AnswerTable final : public query::RowSink {
 public:
  // How many rows decide what columns are of, fewer where they take more than `kFirstBytes`.
  static constexpr std::size_t kFirstRows = 65'536;
  static constexpr std::size_t kFirstBytes = std::size_t{8} << 20;

  AnswerTable(const query::Query& query, std::unique_ptr<TableSink> sink)
      : query_(query), sink_(std::move(sink)) {}

  Result<void> add(std::span<const query::Value> row) override;
  Result<void> finish() override;

  // What columns hold otherwise than the answer has it.
  [[nodiscard]] Receipt receipt() const { return receipt_of(losses_); }

 private:
  // What the values of a column were so far.
  struct Seen {
    bool booleans = false;
    bool integers = false;
    bool negative = false;
    bool large = false;  // integers that no 64 bits hold, with the sign that others have
    bool huge = false;   // that 38 digits do not hold
    std::uint64_t largest = 0;
    bool reals = false;
    bool texts = false;
    bool blobs = false;
    bool labels = false;

    void note(const query::Cell& cell);
    [[nodiscard]] ColumnType type() const;
  };
  struct Target {
    std::size_t column = 0;  // among the children of the root
    bool labelled = false;   // the next one is of labels
  };

  Result<void> begin();
  Result<void> append(std::span<const query::Cell> row);
  void append_cell(const Target& target, const query::Cell& cell);
  // Whether the column holds the value, which is then appended.
  bool append_value(Column& column, const query::Cell& cell);
  void append_text(Column& column, std::string_view text);

  const query::Query& query_;
  std::unique_ptr<TableSink> sink_;
  ColumnLosses losses_;
  std::vector<std::string> first_;  // rows before there is a table, as `query::encode` has them
  std::size_t first_bytes_ = 0;
  std::vector<Seen> seen_;
  std::vector<Target> targets_;
  std::unique_ptr<Table> table_;
};

}  // namespace tracedeck::columns
