#include "tracedeck/query/query.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "cli/commands.hpp"
#include "cli/notices.hpp"
#include "cli/traces.hpp"
#include "tracedeck/query/answers.hpp"

namespace tracedeck::cli {
namespace {

std::size_t terminal_width() {
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0;
  return known ? size.ws_col : query::AnswerOptions{}.width;
}

bool is_json(const Options& options) {
  return options.json || options.output == "jsonl" || options.output == "json";
}

std::unique_ptr<query::RowSink> answer_sink(const Options& options, io::Output& out,
                                            const query::Query& query) {
  if (is_json(options)) return query::json_answer(out, query);
  if (options.output == "csv") return query::csv_answer(out, query);
  return query::text_answer(out, query, {.width = terminal_width()});
}

// What the traces are to be read for.
Options reading_options(const Options& options, query::Query& query) {
  Options reading = options;
  reading.condition = query.condition();
  reading.selection.where = reading.condition;
  reading.watches = {&query.fields()};
  if (reading.condition != nullptr) reading.watches.push_back(&reading.condition->fields());
  if (options.order_given) return reading;
  if (query.needs_order()) reading.selection.order = flow::Order::kTime;
  // One TRACE after the other takes the least memory.
  if (query.any_order()) reading.selection.order = flow::Order::kRecorded;
  return reading;
}

void report_counts(const Options& options, Session& session, const query::QueryCounts& counts) {
  if (is_json(options)) {
    print(session, query::counts_json(counts));
  } else if (options.output == "csv") {
    session.diagnostics.note(query::counts_text(counts));
  } else {
    print(session, fmt::format("\n{}\n", query::counts_text(counts)));
  }
}

}  // namespace

std::string check_query(Options& options) {
  const auto query = query::Query::parse(options.stages);
  return query ? std::string() : query.error().message;
}

void run_query(const Options& options, Session& session) {
  const auto parsed = query::Query::parse(options.stages, options.condition);
  if (!parsed) return session.report(parsed.error());
  query::Query& query = **parsed;
  Options reading = reading_options(options, query);
  OpenPipeline pipeline(reading, session,
                        {.values = query.needs_values(),
                         .names = query.needs_names(),
                         .findings = true,
                         .symbols = query.needs_symbols() ? flow::Needs::Symbols::kAll
                                                          : flow::Needs::Symbols::kNone});
  if (pipeline.empty()) return;
  query.answer_to(answer_sink(options, session.out, query));
  Notices notices(session, options, {.lines_per_rule = NoticePolicy::kFewLines});
  Result<void> answered;
  const auto read = read_through(*pipeline, [&](const Batch& batch) {
    notices.see(batch);
    answered = query.add(batch);
    return answered.has_value() && !query.full();
  });
  if (!read) session.report(read.error());
  session.diagnostics.progress().erase();
  if (answered) answered = query.finish();
  if (!session.delivered(answered)) return;
  pipeline.close();
  report_counts(options, session, query.counts());
  notices.finish();
  // Who runs commands reports those of --where.
  std::erase_if(reading.watches, [&](query::FieldWatch* each) {
    return std::ranges::find(options.watches, each) != options.watches.end();
  });
  report_doubts(reading.watches, session);
}

}  // namespace tracedeck::cli
