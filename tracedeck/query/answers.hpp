// What an answer looks like: a table for people, JSON lines and CSV for programs.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tracedeck/io/output.hpp"
#include "tracedeck/model/clock.hpp"
#include "tracedeck/query/cell.hpp"
#include "tracedeck/query/query.hpp"
#include "tracedeck/query/rows.hpp"

namespace tracedeck::query {

struct AnswerOptions {
  std::size_t width = 80;  // characters of a line that bars may take
};

// Rows of `query`, which must outlive the sink, as `output` must. Text aligns the columns by the
// first thousand rows; histograms are bars below their row.
[[nodiscard]] std::unique_ptr<RowSink> text_answer(io::Output& output, const Query& query,
                                                   const AnswerOptions& options = {});
// An object a row, with the columns for keys; a histogram is an array of [lower, upper, count].
[[nodiscard]] std::unique_ptr<RowSink> json_answer(io::Output& output, const Query& query);
[[nodiscard]] std::unique_ptr<RowSink> csv_answer(io::Output& output, const Query& query);

// A value as the answer in JSON has it.
[[nodiscard]] std::string json_of(const Cell& cell);

// Columns of an answer that hold counts which are about right, by their names.
class Estimates {
 public:
  void note(std::size_t column, const std::string& name);
  // In the order of the columns; for `QueryCounts::estimates`.
  [[nodiscard]] std::vector<std::string> columns() const;

 private:
  std::map<std::size_t, std::string> columns_;
};
// Hands on to `answer`, and notes in `estimates` what is one. `query` must outlive the sink.
[[nodiscard]] std::unique_ptr<RowSink> watch_estimates(std::unique_ptr<RowSink> answer,
                                                       const Query& query,
                                                       std::shared_ptr<Estimates> estimates);

// What the answer was made of: a sentence that ends in no newline, and the last JSON line.
[[nodiscard]] std::string counts_text(const QueryCounts& counts);
[[nodiscard]] std::string counts_json(const QueryCounts& counts);

}  // namespace tracedeck::query
