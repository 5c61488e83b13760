#include "tracedeck/query/query.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <span>
#include <system_error>
#include <utility>

#include "cli/commands.hpp"
#include "cli/live_answer.hpp"
#include "cli/notices.hpp"
#include "cli/output_file.hpp"
#include "cli/places.hpp"
#include "cli/time_lines.hpp"
#include "cli/traces.hpp"
#include "tracedeck/columns/answer_table.hpp"
#include "tracedeck/columns/arrow/ipc_format.hpp"
#include "tracedeck/columns/parquet/parquet_format.hpp"
#include "tracedeck/flow/slack_order.hpp"
#include "tracedeck/query/answers.hpp"
#include "tracedeck/query/partial.hpp"
#include "tracedeck/timeline/query_order.hpp"
#include "tracedeck/timeline/query_rows.hpp"

namespace tracedeck::cli {
namespace {

bool is_json(const Options& options) {
  return options.json || options.output == "jsonl" || options.output == "json";
}

// Whether the answer is columns for other programs.
bool is_table(const Options& options) {
  return options.output == "arrow" || options.output == "parquet";
}

std::unique_ptr<columns::AnswerTable> table_sink(const Options& options, io::Output& out,
                                                 const query::Query& query) {
  const columns::TableOptions alone{.segment = "answer", .one_table = true, .alone = true};
  auto format =
      options.output == "arrow" ? arrow::stream_format(alone) : parquet::parquet_format(alone);
  return std::make_unique<columns::AnswerTable>(query, columns::file_sink(out, std::move(format)));
}

// What is known of an answer beside its rows.
struct AnswerFacts {
  std::shared_ptr<query::Estimates> estimates = std::make_shared<query::Estimates>();
  const columns::AnswerTable* table = nullptr;  // of the query
};

std::unique_ptr<query::RowSink> plain_sink(const Options& options, io::Output& out,
                                           const query::Query& query, AnswerFacts& facts) {
  if (is_table(options)) {
    auto table = table_sink(options, out, query);
    facts.table = table.get();
    return table;
  }
  if (is_json(options)) return query::json_answer(out, query);
  if (options.output == "csv") return query::csv_answer(out, query);
  return query::text_answer(out, query, {.width = terminal_size().width});
}

// Rows that are made of events.
struct MadeRows {
  std::unique_ptr<timeline::QueryRows> maker = {};  // null: the query is about events
  TraceNames name_of = {};                          // once the traces are open
};

// Errors: those of tables.
Result<void> make_rows(const Options& options, query::Query& query, MadeRows& rows) {
  timeline::MarkStreamOptions marks = mark_options(options);
  marks.name_of_trace = [&name_of = rows.name_of](const TraceDescription& trace) {
    return name_of ? name_of(trace) : std::string();
  };
  auto maker = timeline::QueryRows::make(query, std::move(marks));
  if (!maker) return std::unexpected(maker.error());
  rows.maker = *std::move(maker);
  return {};
}

flow::Needs needs_of(const query::Query& query, const timeline::QueryRows* rows) {
  if (rows != nullptr) return rows->needs();
  return {
      .values = query.needs_values(),
      .names = query.needs_names(),
      .findings = true,
      .symbols = query.needs_symbols() ? flow::Needs::Symbols::kAll : flow::Needs::Symbols::kNone};
}

// How the traces are to be read.
Options reading_options(const Options& options, query::Query& query,
                        const timeline::QueryRows* rows) {
  Options reading = options;
  reading.stages_select = query.condition() != options.condition;
  reading.condition = query.condition();
  reading.selection.where = reading.condition;
  reading.watches = {&query.fields()};
  if (reading.condition != nullptr) reading.watches.push_back(&reading.condition->fields());
  if (rows != nullptr) {
    reading.selection = rows->selection();
    return reading;
  }
  timeline::choose_order(reading.selection, query, options.order_given);
  return reading;
}

// Who reads the TRACEs again hears all there is to say.
class SilentReading final : public flow::PipelineObserver {
 public:
  void failed(const Error&) override {}
};

// What `*` stands for among the events of the TRACEs.
std::vector<query::AllColumn> all_columns(const Options& options, Session& session,
                                          query::Query& query) {
  const Options reading = reading_options(options, query, nullptr);
  SilentReading observer;
  query::AllColumns columns;
  const auto pipeline = flow::Pipeline::open(pipeline_options(reading, {}), observer, session.stop,
                                             list_traces(reading, session.stop));
  if (pipeline == nullptr) return columns.columns();
  // How it ends is reported when it is read for the answer.
  (void)read_through(*pipeline, [&](const Batch& batch) {
    for (const Record& record : batch.records())
      if (record.kind == RecordKind::kEvent) columns.see(record.event);
    return true;
  });
  return columns.columns();
}

// The same as far as it says whether times of several traces are compared: grouped by times they
// are, in whatever order events come.
Options comparing_options(const Options& reading, const query::Query& query) {
  Options comparing = reading;
  if (query.compares_times() && comparing.selection.order == flow::Order::kRecorded)
    comparing.selection.order = flow::Order::kMerged;
  return comparing;
}

void report_counts(const Options& options, Session& session, query::QueryCounts counts,
                   const AnswerFacts& facts) {
  counts.estimates = facts.estimates->columns();
  if (facts.table != nullptr) {
    for (const ReceiptEntry& entry : facts.table->receipt())
      session.diagnostics.note(fmt::format("{} {}: {}", entry.count, entry.what, entry.done));
  }
  if (is_json(options)) {
    print(session, query::counts_json(counts));
  } else if (options.output == "csv" || is_table(options)) {
    session.diagnostics.note(query::counts_text(counts));
  } else {
    print(session, fmt::format("\n{}\n", query::counts_text(counts)));
  }
}

// Options for reading events.
constexpr auto kReadingOptions = std::to_array<std::string_view>(
    {"table", "begin", "end", "stream-intersection", "where", "order", "clock", "clock-offset",
     "follow", "slack", "baud", "stall-limit", "metadata", "format", "tband-encoding", "max-state",
     "jobs", "strict"});

// The first of `ids` that was given, as it is spelled; or "".
std::string given_of(const Options& options, std::span<const std::string_view> ids) {
  for (const std::string_view id : options.given) {
    if (std::ranges::find(ids, id) != ids.end()) return option(id).spelling();
  }
  return {};
}

std::string check_merge(const Options& options) {
  if (options.operands.empty())
    return "option '--merge' needs FILEs that --partial wrote: tracedeck query --merge FILE...";
  // Partial answers hold their question, and it comes first elsewhere.
  const std::string& first = options.operands.front();
  std::error_code unknown;
  if (!std::filesystem::exists(first, unknown) && query::Query::parse(first)) {
    return fmt::format(
        "--merge takes no STAGES: the FILEs hold their question; leave out '{}', or add stages to "
        "the question that --partial is asked",
        first);
  }
  const std::string reading = given_of(options, kReadingOptions);
  if (reading.empty()) return {};
  return fmt::format("option '{}' does not go with '--merge', which reads no events", reading);
}

// Where a partial answer goes.
class PartialOutput {
 public:
  PartialOutput(const Options& options, Session& session)
      : session_(session),
        path_(options.partial),
        file_(path_.empty() || path_ == kStandard ? nullptr : create_output_file(path_, session)) {}

  // Whether nothing can be written; that was reported.
  [[nodiscard]] bool failed() const {
    return !path_.empty() && path_ != kStandard && file_ == nullptr;
  }

  void write(query::Query& query) {
    io::Output& output = file_ != nullptr ? *file_ : session_.out;
    if (!session_.delivered(query::write_partial_answer(query, output))) return;
    if (!session_.delivered(file_ != nullptr ? file_->finish() : output.flush())) return;
    session_.diagnostics.note(query::counts_text(query.counts()));
  }
  void discard() {
    if (file_ != nullptr) file_->discard();
  }

 private:
  Session& session_;
  std::string path_;
  std::unique_ptr<io::Output> file_;
};

std::unique_ptr<query::RowSink> sink_of(const Options& options, Session& session,
                                        const query::Query& query, AnswerFacts& facts) {
  if (!options.partial.empty() || options.explain) return query::no_answer();
  return query::watch_estimates(plain_sink(options, session.out, query, facts), query,
                                facts.estimates);
}

// Files that were named so far, whatever their names.
class NamedFiles {
 public:
  // Says that a file counts as often as it is named.
  void note(const std::string& name, Diagnostics& diagnostics) {
    struct stat file = {};
    if (::stat(name.c_str(), &file) != 0) return;
    const auto [first, is_new] = first_.try_emplace({file.st_dev, file.st_ino}, name);
    if (is_new) return;
    diagnostics.note(
        first->second == name
            ? fmt::format("{} is named more than once, and counts as often", name)
            : fmt::format("{} is the file {} too, and counts once more", name, first->second));
  }

 private:
  std::map<std::pair<dev_t, ino_t>, std::string> first_;
};

void run_merge(const Options& options, Session& session) {
  PartialOutput partial(options, session);
  if (partial.failed()) return;
  AnswerFacts facts;
  query::PartialMerge merge(
      [&](const query::Query& query) { return sink_of(options, session, query, facts); },
      options.partial_key);
  NamedFiles named;
  for (const std::string& operand : options.operands) {
    if (session.stop.stop_requested()) break;
    auto input = io::open_input(operand, session.stop);
    const auto added = input ? merge.add(**input) : std::unexpected(input.error());
    if (added) named.note(operand, session.diagnostics);
    if (added || session.stop.stop_requested()) continue;
    session.report(added.error());
    // Whatever is wrong with it, it is left out as a whole.
    session.outcome.note(ExitCode::kNoTrace);
  }
  // A part of them would look like all.
  if (session.stop.stop_requested()) session.cut_short();
  if (session.stop.stop_requested() || merge.query() == nullptr) return partial.discard();
  if (!options.partial.empty()) return partial.write(*merge.query());
  if (!session.delivered(merge.query()->finish())) return;
  report_counts(options, session, merge.query()->counts(), facts);
  for (const std::string& sentence : merge.query()->notices()) session.diagnostics.note(sentence);
}

// Reads what the answer is of, and adds it. Returns whether there can be an answer; what reading
// failed at is reported.
Result<void> read_events(const Options& options, Session& session, query::Query& query,
                         timeline::QueryRows* rows, OpenPipeline& pipeline, LiveAnswer& live,
                         Notices& notices) {
  flow::SlackOrder ordered(
      *pipeline, [&](std::chrono::milliseconds patience) { return pipeline->ready(patience); },
      options.slack);
  const bool slack = options.slack > Nanoseconds();
  RecordSource& source = slack ? ordered : static_cast<RecordSource&>(*pipeline);
  const auto ready = [&](std::chrono::milliseconds patience) {
    return slack ? ordered.ready(patience) : pipeline->ready(patience);
  };
  const bool several = pipeline->several();
  Result<void> answered;
  const auto read = read_through(source, [&](const BatchPtr& batch) {
    notices.see(*batch);
    if (several) notices.see_order(*batch);
    answered = query.add(*batch);
    if (answered && rows != nullptr) {
      if (!rows->has_begun()) rows->expect_hosts_of(pipeline->descriptions());
      answered = rows->add(batch);
    }
    live.came();
    if (answered && !query.full() && pipeline->live()) answered = live.before_next(ready);
    return answered.has_value() && !query.full();
  });
  if (!read) session.report(read.error());
  query.note_unread(pipeline.failures() + (read ? 0 : 1));
  notices.relate();
  if (answered && rows != nullptr && !query.full()) answered = rows->finish();
  query.note_late(ordered.late());
  if (ordered.hurried() != 0)
    session.diagnostics.note(
        fmt::format("{} events and other records went on before --slack was over: no more are held",
                    ordered.hurried()));
  live.end();
  session.diagnostics.progress().erase();
  return answered;
}

// What may be wrong with the question itself.
void report_doubts_of(const Options& options, Session& session, const query::Query& query,
                      std::vector<query::FieldWatch*> watches) {
  // Who runs commands reports those of --where.
  std::erase_if(watches, [&](query::FieldWatch* each) {
    return std::ranges::find(options.watches, each) != options.watches.end();
  });
  for (const std::string& sentence : query.notices()) session.diagnostics.note(sentence);
  if (query.full())
    for (query::FieldWatch* const each : watches) each->stop_early();
  report_doubts(watches, session);
}

}  // namespace

std::string check_query(Options& options) {
  if (is_table(options) && ::isatty(STDOUT_FILENO) == 1)
    return fmt::format(
        "'--output {0}' is not for a terminal: tracedeck query --output {0} ... > FILE",
        options.output);
  if (!options.partial.empty()) {
    constexpr auto kForms = std::to_array<std::string_view>({"json", "answer-output", "explain"});
    if (const std::string form = given_of(options, kForms); !form.empty())
      return fmt::format("option '{}' does not go with '--partial', whose form is its own", form);
  }
  if (options.merge) return check_merge(options);
  const bool live = options.follow || std::ranges::any_of(options.operands, io::is_live_address);
  if (options.slack > Nanoseconds() && !live)
    return "option '--slack' goes with live TRACEs only; files are put in order as they are";
  const auto query = query::Query::parse(options.stages, options.condition);
  if (!query) {
    std::error_code none;
    if (!std::filesystem::exists(options.stages, none)) return query.error().message;
    return fmt::format("'{0}' is a file, and the question comes first: tracedeck query 'count' {0}",
                       options.stages);
  }
  const query::RowSource source = (*query)->source();
  if (source != query::RowSource::kSpans && source != query::RowSource::kSamples) {
    constexpr auto kOfMarks = std::to_array<std::string_view>({"table", "explain"});
    if (const std::string option = given_of(options, kOfMarks); !option.empty())
      return fmt::format("option '{}' goes with the stages `spans` and `samples`", option);
  }
  if ((*query)->selects_all()) {
    if (std::string wrong = check_read_again(options, "`select *`"); !wrong.empty()) return wrong;
  }
  const auto adds_up = options.partial.empty() ? Result<void>() : (*query)->adds_up();
  return adds_up ? std::string() : "option '--partial': " + adds_up.error().message;
}

void run_query(const Options& options, Session& session) {
  if (options.merge) return run_merge(options, session);
  auto parsed = query::Query::parse(options.stages, options.condition);
  if (parsed && (*parsed)->selects_all()) {
    const auto all = all_columns(options, session, **parsed);
    parsed = query::Query::parse(options.stages, options.condition, all);
  }
  if (!parsed) {
    // As it was for any other question that is wrong.
    session.diagnostics.error(parsed.error().message);
    return session.outcome.note(ExitCode::kUsage);
  }
  query::Query& query = **parsed;
  if (options.partial_key) query.set_distinct_key(*options.partial_key);
  MadeRows rows;
  if (auto made = make_rows(options, query, rows); !made) return session.report(made.error());
  const Options reading = reading_options(options, query, rows.maker.get());
  PartialOutput partial(options, session);
  if (partial.failed()) return;
  // Goes after what reports on other threads.
  LiveAnswer live(options, session, query);
  OpenPipeline pipeline(reading, session, needs_of(query, rows.maker.get()));
  if (pipeline.empty()) {
    report_interrupt(options, session);
    return partial.discard();
  }
  query.name_traces(pipeline.trace_names_as_they_come());
  if (rows.maker != nullptr) {
    rows.name_of = pipeline.trace_names_as_they_come();
    rows.maker->show_utc_by(
        [&pipeline](const std::string& trace) { return pipeline->frame_of_moved(trace); });
  }
  AnswerFacts facts;
  query.answer_to(sink_of(options, session, query, facts));
  const Options compared = comparing_options(reading, query);
  Notices notices(session, compared, {.lines_per_rule = NoticePolicy::kFewLines});
  notices.relate_by(
      [&](std::uint64_t one, std::uint64_t other) { return pipeline->share_clock(one, other); });
  auto answered = read_events(options, session, query, rows.maker.get(), pipeline, live, notices);
  const bool cut_short = session.stop.stop_requested() && !pipeline->live();
  if (answered && options.partial.empty()) answered = query.finish();
  // That it does not go with these traces.
  if (!answered && answered.error().code == ErrorCode::kInvalidArgument)
    return session.report(answered.error());
  if (!session.delivered(answered)) return;
  pipeline.close();
  if (options.explain) {
    print(session, rows.maker->explain());
  } else if (options.partial.empty()) {
    report_counts(options, session, query.counts(), facts);
  } else if (cut_short) {
    report_no_answer(session);
    session.cut_short();
    partial.discard();
  } else {
    partial.write(query);
  }
  notices.finish();
  if (rows.maker != nullptr) {
    for (const std::string& sentence : rows.maker->notices()) session.diagnostics.note(sentence);
  }
  report_doubts_of(options, session, query, reading.watches);
  if (options.partial.empty()) report_interrupt(options, session);
}

}  // namespace tracedeck::cli
