// From the records of traces to marks, by tables.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/model/batch.hpp"
#include "tracedeck/timeline/mark_sink.hpp"
#include "tracedeck/timeline/table.hpp"
#include "tracedeck/timeline/timeline.hpp"
#include "tracedeck/timeline/trace_origins.hpp"

namespace tracedeck::timeline {

struct InterpreterOptions {
  // Beside the built-in tables, or in place of one of the same name.
  std::vector<Table> tables = {};
  // Flows of all that led to something, also what took less than tables ask for.
  bool all_flows = false;
  // Each data stream comes in the order of time, but where its clock steps back.
  bool in_order = false;
  // See `RelatesTraces`. Asked where clocks do not relate traces.
  std::function<bool(std::uint64_t first, std::uint64_t second)> relates = {};
  TraceOrigins::NameOfTrace name_of_trace = {};
};

// Tables in TOML as one file, which holds each once.
[[nodiscard]] std::string join_tables(const std::vector<std::string>& tables);

// Records come in the order of time, of each track at least; what has a duration, in the order in
// which it began. One thread at a time.
class Interpreter {
 public:
  // Errors: kInvalidArgument, a rule of a table that cannot be.
  [[nodiscard]] static Result<std::unique_ptr<Interpreter>> make(InterpreterOptions options);
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;
  ~Interpreter();

  // `TimelineCounts` are to be of what comes from the first event at that time or later on; before
  // that comes.
  void count_from(std::int64_t time);
  // Errors: those of the sink.
  [[nodiscard]] Result<void> add(const BatchPtr& batch, MarkSink& sink);
  // No more batches come.
  [[nodiscard]] Result<void> finish(MarkSink& sink);

  [[nodiscard]] const Timeline& timeline() const;
  // What marks refer to: of those that a sink is given, while it is called.
  [[nodiscard]] const std::vector<BatchPtr>& batches() const;
  // The records of the last batch that were no events, for who would look for them too. They live
  // as long as the batch.
  [[nodiscard]] const std::vector<const Record*>& others() const;
  // For sinks that have tracks of their own beside those of marks.
  [[nodiscard]] Timeline& timeline();
  // What was applied and inferred, as tables in TOML: each, and all in one text.
  [[nodiscard]] std::vector<std::string> explained() const;
  [[nodiscard]] std::string explain() const { return join_tables(explained()); }
  // What a user should know about the tables and these traces, as sentences.
  [[nodiscard]] std::vector<std::string> notices() const;

 private:
  class Work;

  explicit Interpreter(std::unique_ptr<Work> work);

  std::unique_ptr<Work> work_;
};

}  // namespace tracedeck::timeline
