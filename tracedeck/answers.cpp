#include "tracedeck/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/clock_sentences.hpp"
#include "tracedeck/flow/order_watch.hpp"
#include "tracedeck/flow/recording_survey.hpp"
#include "tracedeck/flow/trace_by_trace.hpp"
#include "tracedeck/format/error_notice.hpp"
#include "tracedeck/io/live.hpp"
#include "tracedeck/progress.hpp"
#include "tracedeck/query/answers.hpp"
#include "tracedeck/query/partial.hpp"
#include "tracedeck/reading.hpp"
#include "tracedeck/render/finding.hpp"
#include "tracedeck/timeline/comparison.hpp"
#include "tracedeck/timeline/comparison_report.hpp"
#include "tracedeck/timeline/latency.hpp"
#include "tracedeck/timeline/latency_report.hpp"
#include "tracedeck/timeline/mark_stream.hpp"
#include "tracedeck/timeline/query_order.hpp"
#include "tracedeck/timeline/query_rows.hpp"
#include "tracedeck/timeline/table.hpp"
#include "tracedeck/timeline/why.hpp"

namespace tracedeck {
namespace {

std::unexpected<Error> refused() { return fail(ErrorCode::kBrokenPipe, "cancelled"); }

// Traces that are read to their end for an answer.
class ReadForAnswer {
 public:
  explicit ReadForAnswer(const Question& question)
      : reading_(question.reading.report), progress_(question.go_on) {}

  Result<void> open(const Question& question, flow::Selection selection, flow::Needs needs) {
    reading_.open(question.paths, question.reading, std::move(selection), needs);
    if (reading_.pipeline == nullptr) {
      if (const auto& error = reading_.error()) return std::unexpected(*error);
      return fail(ErrorCode::kCannotOpen, "there is no trace");
    }
    if (reading_.pipeline->live())
      return fail(ErrorCode::kUnsupported, "live traces are not read by this interface");
    return {};
  }

  // Hands each batch to `take`, which returns whether to go on, until there are no more.
  Result<void> read(const std::function<Result<bool>(const BatchPtr&)>& take) {
    for (;;) {
      if (!progress_.ask()) return refused();
      auto next = reading_.pipeline->next();
      if (!next) reading_.failed(next.error());
      if (!next || *next == nullptr) break;
      const BatchPtr batch = *std::move(next);
      for (const Record& record : batch->records()) {
        if (record.kind != RecordKind::kEvent) reading_.see(record);
      }
      if (watches_order_) order_.see(*batch);
      progress_.count(batch->size());
      const Result<bool> goes_on = take(batch);
      if (!goes_on) return std::unexpected(goes_on.error());
      if (!*goes_on) break;
    }
    note_order();
    return {};
  }

  [[nodiscard]] flow::Pipeline& pipeline() { return *reading_.pipeline; }
  // Reports sentences, each once.
  void note(const std::vector<std::string>& sentences) {
    for (const std::string& sentence : sentences) {
      if (noted_.insert(sentence).second) reading_.note(sentence);
    }
  }
  // Reports what an expression names and no class has that came. `is_whole`: all came.
  void note_unknown(query::FieldWatch& watch, bool is_whole) {
    if (!is_whole) watch.stop_early();
    note(watch.unknown_fields());
    note(watch.unknown_names());
    note(watch.notices());
  }
  // From here on it is watched in which order events of several traces come.
  void watch_order() { watches_order_ = reading_.pipeline->several(); }
  // Whether a trace could not be read to its end.
  [[nodiscard]] bool has_failed() { return reading_.error().has_value(); }

 private:
  // Reports what the order is worth.
  void note_order() {
    const auto relates = [this](std::uint64_t one, std::uint64_t other) {
      return reading_.pipeline->share_clock(one, other);
    };
    if (const auto traces = order_.unrelated(relates))
      reading_.note(unrelated_order(traces->first, traces->others));
    if (const auto traces = order_.of_other_hosts(relates))
      reading_.note(other_hosts(traces->first, traces->others));
  }

  Reading reading_;
  Progress progress_;
  std::set<std::string> noted_ = {};
  bool watches_order_ = false;
  flow::OrderWatch order_;
};

// How marks are made of what `read` reads, once it is open.
timeline::MarkStreamOptions mark_options(const Question& question, ReadForAnswer& read) {
  return {
      .tables = question.tables,
      .selection = question.reading.selection,
      .keeps_order = question.keeps_order,
      .relates = [&read](std::uint64_t one,
                         std::uint64_t other) { return read.pipeline().share_clock(one, other); },
      .name_of_trace =
          [&read](const TraceDescription& trace) { return read.pipeline().name_of(trace); }};
}

flow::Selection selection_for(const Question& question, query::Query& query) {
  flow::Selection selection = question.reading.selection;
  selection.where = query.condition();
  timeline::choose_order(selection, query, question.keeps_order);
  return selection;
}

// What fails is what is looked for.
class SilentObserver final : public flow::PipelineObserver {
 public:
  void failed(const Error&) override {}
};

flow::Needs needs_of(const query::Query& query) {
  using Symbols = flow::Needs::Symbols;
  return {.values = query.needs_values(),
          .names = query.needs_names(),
          .findings = true,
          .symbols = query.needs_symbols() ? Symbols::kAll : Symbols::kNone};
}

// What `*` stands for among the events. What cannot be read of them is reported by who reads next.
Result<std::vector<query::AllColumn>> all_columns(Question question, query::Query& query) {
  question.reading.report = [](const Report&) {};
  ReadForAnswer read(question);
  if (auto opened = read.open(question, selection_for(question, query), {}); !opened)
    return std::unexpected(opened.error());
  query::AllColumns columns;
  const auto done = read.read([&](const BatchPtr& batch) -> Result<bool> {
    for (const Record& record : batch->records()) {
      if (record.kind == RecordKind::kEvent) columns.see(record.event);
    }
    return true;
  });
  if (!done) return std::unexpected(done.error());
  return columns.columns();
}

Result<std::unique_ptr<query::Query>> parse_query(const Question& question,
                                                  std::string_view stages) {
  std::shared_ptr<const query::Condition> where;
  if (!question.reading.where.empty()) {
    auto condition = query::Condition::parse(std::span(&question.reading.where, 1));
    if (!condition) return std::unexpected(condition.error());
    where = *std::move(condition);
  }
  auto query = query::Query::parse(stages, where);
  if (!query || !(*query)->selects_all()) return query;
  auto all = all_columns(question, **query);
  if (!all) return std::unexpected(all.error());
  return query::Query::parse(stages, where, *all);
}

// Whether times of several traces are compared: grouped by times they are, in whatever order events
// come.
bool compares_traces(const query::Query& query, const flow::Selection& selection) {
  return query.compares_times() || selection.order != flow::Order::kRecorded;
}

Result<void> answer_events(const Question& question, query::Query& query, ReadForAnswer& read,
                           std::unique_ptr<query::RowSink> sink) {
  const flow::Selection selection = selection_for(question, query);
  if (auto opened = read.open(question, selection, needs_of(query)); !opened) return opened;
  if (compares_traces(query, selection)) read.watch_order();
  query.name_traces(read.pipeline().trace_names());
  query.answer_to(std::move(sink));
  return read.read([&](const BatchPtr& batch) -> Result<bool> {
    if (auto added = query.add(*batch); !added) return std::unexpected(added.error());
    return !query.full();
  });
}

// Of rows that are made of events, one after the other.
Result<void> answer_rows(const Question& question, query::Query& query, ReadForAnswer& read,
                         std::unique_ptr<query::RowSink> sink) {
  auto made = timeline::QueryRows::make(query, mark_options(question, read));
  if (!made) return std::unexpected(made.error());
  timeline::QueryRows& rows = **made;
  if (auto opened = read.open(question, rows.selection(), rows.needs()); !opened) return opened;
  if (compares_traces(query, rows.selection())) read.watch_order();
  query.name_traces(read.pipeline().trace_names());
  rows.show_utc_by(
      [&read](const std::string& trace) { return read.pipeline().frame_of_moved(trace); });
  query.answer_to(std::move(sink));
  auto done = read.read([&](const BatchPtr& batch) -> Result<bool> {
    if (auto added = query.add(*batch); !added) return std::unexpected(added.error());
    if (!rows.has_begun()) rows.expect_hosts_of(read.pipeline().descriptions());
    if (auto added = rows.add(batch); !added) return std::unexpected(added.error());
    return !query.full();
  });
  if (done && !query.full()) done = rows.finish();
  read.note(rows.notices());
  return done;
}

}  // namespace

namespace {

// Error: kInvalidArgument, a literal has a unit, and what it is compared with has none or another.
Result<void> check_units(const query::FieldWatch& watch) {
  const std::vector<std::string> wrong = watch.without_unit();
  return wrong.empty() ? Result<void>() : fail(ErrorCode::kInvalidArgument, wrong.front());
}

// Lets a query see its events or rows. It is closed by who asks.
Result<void> feed(const Question& question, query::Query& query,
                  std::unique_ptr<query::RowSink> sink) {
  ReadForAnswer read(question);
  auto done = query.source() == query::RowSource::kEvents
                  ? answer_events(question, query, read, std::move(sink))
                  : answer_rows(question, query, read, std::move(sink));
  if (!done) return done;
  if (read.has_failed()) query.note_unread(1);
  read.note(query.notices());
  std::vector<query::FieldWatch*> watches = {&query.fields()};
  if (query.condition() != nullptr) watches.push_back(&query.condition()->fields());
  for (query::FieldWatch* const watch : watches) {
    if (auto fits = check_units(*watch); !fits) return fits;
    read.note_unknown(*watch, !query.full());
  }
  return {};
}

Result<void> finish_answer(query::Query& query, const query::Estimates& estimates,
                           io::Output& output) {
  if (auto finished = query.finish(); !finished) return finished;
  query::QueryCounts counts = query.counts();
  counts.estimates = estimates.columns();
  if (auto written = output.write(query::counts_json(counts)); !written) return written;
  return output.flush();
}

}  // namespace

Result<void> answer_query(Question question, std::string_view stages, io::Output& output) {
  auto query = parse_query(question, stages);
  if (!query) return std::unexpected(query.error());
  const auto estimates = std::make_shared<query::Estimates>();
  auto sink = query::watch_estimates(query::json_answer(output, **query), **query, estimates);
  auto done = feed(question, **query, std::move(sink));
  return done ? finish_answer(**query, *estimates, output) : done;
}

Result<void> answer_partially(Question question, std::string_view stages, io::Output& output) {
  auto query = parse_query(question, stages);
  if (!query) return std::unexpected(query.error());
  if (auto adds_up = (*query)->adds_up(); !adds_up) return adds_up;
  if (auto done = feed(question, **query, query::no_answer()); !done) return done;
  auto written = query::write_partial_answer(**query, output);
  return written ? output.flush() : written;
}

Result<void> merge_parts(std::span<const ByteSpan> parts, bool as_part, io::Output& output) {
  const auto estimates = std::make_shared<query::Estimates>();
  query::PartialMerge merge([&](const query::Query& query) {
    return as_part ? query::no_answer()
                   : query::watch_estimates(query::json_answer(output, query), query, estimates);
  });
  std::size_t number = 0;
  for (const ByteSpan part : parts) {
    const auto input = io::memory_input(fmt::format("part {}", ++number), part);
    if (auto added = merge.add(*input); !added) return added;
  }
  if (merge.query() == nullptr) return fail(ErrorCode::kInvalidArgument, "there are no parts");
  if (!as_part) return finish_answer(*merge.query(), *estimates, output);
  auto written = query::write_partial_answer(*merge.query(), output);
  return written ? output.flush() : written;
}

namespace {

// Marks of a question's traces, all of which were given to a sink. What they were read by goes
// last.
struct ReadMarks {
  std::unique_ptr<ReadForAnswer> read = {};
  std::unique_ptr<timeline::MarkStream> stream = {};

  [[nodiscard]] const timeline::Timeline& timeline() const { return stream->timeline(); }
};

struct MarkReading {
  flow::Needs::Symbols symbols = flow::Needs::Symbols::kNone;
  // Before the first batch. May be empty, as the next.
  std::function<void(flow::Pipeline& pipeline)> opened = {};
  // Each batch, behind its marks.
  std::function<void(const timeline::Timeline& timeline, const Batch& batch)> see = {};
};

Result<ReadMarks> read_marks(const Question& question, const timeline::SinkFor& sink_for,
                             const MarkReading& how = {}) {
  ReadMarks marks{.read = std::make_unique<ReadForAnswer>(question)};
  std::string format;
  auto made =
      timeline::MarkStream::make(mark_options(question, *marks.read),
                                 [&](const timeline::MarksAhead& ahead) -> timeline::MarkSink& {
                                   format = ahead.format;
                                   return sink_for(ahead);
                                 });
  if (!made) return std::unexpected(made.error());
  marks.stream = *std::move(made);
  timeline::MarkStream& stream = *marks.stream;
  if (auto opened =
          marks.read->open(question, stream.selection(), timeline::MarkStream::needs(how.symbols));
      !opened)
    return std::unexpected(opened.error());
  if (how.opened) how.opened(marks.read->pipeline());
  auto done = marks.read->read([&](const BatchPtr& batch) -> Result<bool> {
    if (!stream.has_begun()) stream.expect_hosts_of(marks.read->pipeline().descriptions());
    if (auto added = stream.add(batch); !added) return std::unexpected(added.error());
    if (how.see) how.see(stream.timeline(), *batch);
    return true;
  });
  if (done) done = stream.finish();
  if (!done) return std::unexpected(done.error());
  marks.read->note(stream.interpreter().notices());
  const timeline::Timeline& timeline = stream.timeline();
  const std::string& first = timeline.first_trace();
  if (const auto& others = timeline.unrelated_traces(); !others.empty())
    marks.read->note({unrelated_clocks(first, others, format)});
  if (const auto& others = timeline.traces_of_other_hosts(); !others.empty())
    marks.read->note({other_hosts(first, others)});
  return marks;
}

Result<void> deliver(const std::string& text, io::Output& output) {
  auto written = output.write(text);
  return written ? output.flush() : written;
}

}  // namespace

Result<void> answer_latency(Question question, std::string by, io::Output& output) {
  auto made =
      timeline::Latency::make({.where = std::move(question.reading.where), .by = std::move(by)});
  if (!made) return std::unexpected(made.error());
  question.reading.where.clear();
  timeline::Latency& latency = **made;
  timeline::LatencyReportOptions report;
  std::optional<flow::RecordingSurvey> survey;
  const auto marks = read_marks(question,
                                [&](const timeline::MarksAhead& ahead) -> timeline::MarkSink& {
                                  report.begin = ahead.begin;
                                  if (ahead.begin) latency.begin_at(*ahead.begin);
                                  return latency;
                                },
                                {.opened =
                                     [&](flow::Pipeline& pipeline) {
                                       survey = flow::RecordingSurvey::of(pipeline.descriptions());
                                     },
                                 .see =
                                     [&](const timeline::Timeline&, const Batch& batch) {
                                       if (survey) survey->see(batch);
                                     }});
  if (!marks) return std::unexpected(marks.error());
  if (const auto unknown = latency.unknown_arguments(); !unknown.empty())
    return fail(ErrorCode::kInvalidArgument, unknown.front());
  marks->read->note(latency.notices());
  report.top = 0;
  report.events_before = marks->stream->events_before();
  if (survey) report.quality = survey->finish(marks->timeline().counts().has_losses());
  return deliver(timeline::latency_json(latency, marks->timeline(), report), output);
}

namespace {

// One of two traces that are compared.
struct ComparedRead {
  std::unique_ptr<timeline::ComparedTrace> compared = {};
  ReadMarks marks = {};
};

Result<ComparedRead> read_compared(Question question, std::string by) {
  auto made = timeline::ComparedTrace::make(
      {.where = std::exchange(question.reading.where, {}), .by = std::move(by)});
  if (!made) return std::unexpected(made.error());
  ComparedRead one{.compared = *std::move(made)};
  timeline::ComparedTrace& compared = *one.compared;
  auto marks = read_marks(question,
                          [&](const timeline::MarksAhead& ahead) -> timeline::MarkSink& {
                            if (ahead.begin) compared.begin_at(*ahead.begin);
                            return compared;
                          },
                          {.see = [&](const timeline::Timeline& timeline, const Batch& batch) {
                            compared.see(timeline, batch);
                          }});
  if (!marks) return std::unexpected(marks.error());
  one.marks = *std::move(marks);
  return one;
}

}  // namespace

Result<void> answer_diff(const Question& question, const std::string& by, io::Output& output) {
  if (question.paths.size() != 2)
    return fail(ErrorCode::kInvalidArgument, "two traces are compared, A and B");
  const auto one_of = [&](std::size_t number) {
    Question alone = question;
    alone.paths = {question.paths[number]};
    return read_compared(std::move(alone), by);
  };
  const auto a = one_of(0);
  if (!a) return std::unexpected(a.error());
  const auto b = one_of(1);
  if (!b) return std::unexpected(b.error());
  // What one of them has is enough.
  const std::vector<std::string> missing = b->compared->unknown_arguments();
  for (const std::string& sentence : a->compared->unknown_arguments()) {
    if (std::ranges::find(missing, sentence) != missing.end())
      return fail(ErrorCode::kInvalidArgument, sentence);
  }
  const timeline::Comparison comparison(*a->compared, *b->compared);
  constexpr std::size_t kAll = 0;
  return deliver(timeline::comparison_json(
                     comparison, {.name = question.paths[0], .timeline = a->marks.timeline()},
                     {.name = question.paths[1], .timeline = b->marks.timeline()}, kAll),
                 output);
}

Result<void> answer_why(const Question& question, const WhyQuestion& why, io::Output& output) {
  const auto comes_once = [](const std::string& path) {
    return path == "-" || io::comes_live(path);
  };
  if (const auto once = std::ranges::find_if(question.paths, comes_once);
      once != question.paths.end())
    return fail(ErrorCode::kUnsupported,
                fmt::format("the traces are read twice, and '{}' can be read once", *once));
  auto finder = timeline::SliceFinder::make(why.slice);
  if (!finder) return std::unexpected(finder.error());
  // The moment is resolved as a begin is.
  Question first = question;
  first.tables = timeline::with_priorities(question.tables);
  if (why.at) first.reading.selection.begin = why.at;
  const auto found =
      read_marks(first, [&](const timeline::MarksAhead& ahead) -> timeline::MarkSink& {
        if (why.at) finder->look_at(ahead.begin);
        return *finder;
      });
  if (!found) return std::unexpected(found.error());
  if (!finder->found())
    return deliver(timeline::why_nothing_json(finder->nothing(found->timeline())), output);
  timeline::SliceWitness witness(*finder->found());
  Question again = question;
  again.tables = first.tables;
  again.reading.report = [](const Report&) {};  // as the first time
  const auto seen =
      read_marks(again, [&](const timeline::MarksAhead&) -> timeline::MarkSink& { return witness; },
                 {.symbols = flow::Needs::Symbols::kAll});
  if (!seen) return std::unexpected(seen.error());
  return deliver(timeline::why_json(witness.evidence(), seen->timeline(), finder->durations(),
                                    finder->beside()),
                 output);
}

Result<void> validate(Question question, io::Output& output) {
  Progress progress(std::move(question.go_on));
  Result<void> delivered;
  const auto show = [&](const Notice& notice) {
    if (delivered) delivered = output.write(render::finding_json(notice) + "\n");
  };
  const auto look = [&](const Batch& batch) {
    for (const Record& record : batch.records()) {
      if (record.kind == RecordKind::kProblem || record.kind == RecordKind::kFinding)
        show(*record.notice);
    }
    progress.count(batch.size());
    if (delivered && !progress.ask()) delivered = refused();
  };
  const auto look_at = [&](const flow::TracePlace& place,
                           Result<std::unique_ptr<flow::SingleTrace>> trace) {
    while (trace && delivered) {
      const auto batch = (*trace)->next();
      if (!batch) show(error_notice(batch.error(), place.operand));
      if (!batch || *batch == nullptr) return delivered.has_value();
      look(**batch);
    }
    if (!trace) show(error_notice(trace.error(), place.operand));
    return delivered.has_value();
  };
  SilentObserver observer;
  auto options =
      Reading::pipeline_options(question.paths, question.reading, question.reading.selection,
                                {.values = true, .findings = true});
  if (!options) return std::unexpected(options.error());
  auto places = flow::list_traces({.names = question.paths, .format = options->format}, {});
  if (flow::are_live(places))
    return fail(ErrorCode::kUnsupported, "live traces are not read by this interface");
  flow::for_each_trace(*std::move(options), observer, {}, std::move(places), look_at);
  return delivered ? output.flush() : delivered;
}

}  // namespace tracedeck
