// What makes the rows of a query that begins with `spans`, `allocations` or `samples`.
//
//   auto rows = QueryRows::make(query, {.selection = wanted});
//   // Reads a pipeline with `rows->selection()` and `rows->needs()`, and `rows->add(batch)`s all.
//   rows->finish();
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tracedeck/query/query.hpp"
#include "tracedeck/timeline/mark_stream.hpp"
#include "tracedeck/timeline/shown_times.hpp"

namespace tracedeck::timeline {

// One thread at a time.
class QueryRows {
 public:
  // Null: the query is about events. It must outlive the rows. Errors: kInvalidArgument, a rule of
  // a table that cannot be.
  [[nodiscard]] static Result<std::unique_ptr<QueryRows>> make(query::Query& query,
                                                               MarkStreamOptions options);
  QueryRows() = default;
  QueryRows(const QueryRows&) = delete;
  QueryRows& operator=(const QueryRows&) = delete;
  virtual ~QueryRows() = default;

  // What is to be read, and what is wanted of it.
  [[nodiscard]] virtual const flow::Selection& selection() const = 0;
  [[nodiscard]] virtual flow::Needs needs() const = 0;
  virtual void show_utc_by(FrameOfTrace frame_of) = 0;
  // Whether a batch came; before the first one, which traces are read.
  [[nodiscard]] virtual bool has_begun() const { return true; }
  virtual void expect_hosts_of(std::span<const std::shared_ptr<const TraceDescription>>) {}
  // Errors: those of the query.
  [[nodiscard]] virtual Result<void> add(const BatchPtr& batch) = 0;
  // No more batches come.
  [[nodiscard]] virtual Result<void> finish() = 0;
  // What the user should know of the rows, as sentences. Behind `finish`.
  [[nodiscard]] virtual std::vector<std::string> notices() const = 0;
  // The tables by which they were found, in TOML.
  [[nodiscard]] virtual std::string explain() const { return {}; }
};

}  // namespace tracedeck::timeline
