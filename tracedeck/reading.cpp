#include "tracedeck/reading.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace tracedeck {
namespace {

void write_to_standard_error(const Report& report) {
  if (report.kind == Report::Kind::kFinding) return;
  std::fprintf(stderr, "%s\n", report.text.c_str());
}

std::string text_of(const Notice& notice) {
  return fmt::format("{}:{}: {}", notice.input, notice.finding.offset, notice.finding.text);
}

std::string text_of(const Loss& loss) {
  const std::string& input = loss.stream == nullptr || loss.stream->stream_class == nullptr ||
                                     loss.stream->stream_class->trace == nullptr
                                 ? std::string("trace")
                                 : loss.stream->stream_class->trace->input();
  const std::string what = loss.events    ? fmt::format("{} events", *loss.events)
                           : loss.packets ? fmt::format("{} packets", *loss.packets)
                                          : std::string("an unknown number of events");
  return fmt::format("{}: {} {}", input, what,
                     loss.taken_back ? "that were counted as lost came late" : "were lost");
}

}  // namespace

Reading::Reading(std::function<void(const Report&)> to)
    : to_(to ? std::move(to) : write_to_standard_error) {}

void Reading::report(const Report& report) {
  if (report.error != nullptr) {
    const std::lock_guard lock(failure_mutex_);
    if (!failure_) failure_ = *report.error;
  }
  const std::lock_guard lock(report_mutex_);
  to_(report);
}

const std::optional<Error>& Reading::error() {
  const std::lock_guard lock(failure_mutex_);
  if (!error_) error_ = failure_;
  return error_;
}

void Reading::failed(const Error& what) {
  report(
      {.kind = Report::Kind::kError, .text = what.to_string(), .error = &what, .record = nullptr});
}

void Reading::note(const std::string& sentence) {
  report({.kind = Report::Kind::kNote, .text = sentence, .error = nullptr, .record = nullptr});
}

Result<flow::PipelineOptions> Reading::pipeline_options(std::vector<std::string> paths,
                                                        const OpenOptions& options,
                                                        flow::Selection selection,
                                                        flow::Needs needs) {
  flow::PipelineOptions wanted;
  wanted.operands = std::move(paths);
  wanted.format = options.format;
  wanted.selection = std::move(selection);
  wanted.needs = needs;
  wanted.max_state = options.max_state;
  wanted.jobs = options.jobs;
  wanted.follow = options.follow;
  wanted.baud = options.baud;
  wanted.wall_between_hosts = !options.keeps_clock && wanted.selection.clock_offsets.empty();
  if (options.metadata.empty()) return wanted;
  if (wanted.format == nullptr) wanted.format = find_format("ctf");
  if (std::string sentence = check_given_metadata(*wanted.format, wanted.operands);
      !sentence.empty())
    return fail(ErrorCode::kInvalidArgument, std::move(sentence));
  auto metadata =
      read_given_metadata(options.metadata, flow::max_state(wanted, false), options.stop);
  if (!metadata) return std::unexpected(metadata.error());
  wanted.metadata = *std::move(metadata);
  return wanted;
}

void Reading::open(std::vector<std::string> paths, const OpenOptions& options,
                   flow::Selection selection, flow::Needs needs) {
  auto wanted = pipeline_options(std::move(paths), options, std::move(selection), needs);
  if (!wanted) return failed(wanted.error());
  expect(wanted->selection);
  pipeline = flow::Pipeline::open(*std::move(wanted), *this, options.stop);
}

BatchPtr Reading::next() {
  if (pipeline == nullptr) return nullptr;
  auto batch = pipeline->next();
  if (!batch) failed(batch.error());
  if (batch && *batch != nullptr) return *std::move(batch);
  pipeline = nullptr;
  return nullptr;
}

void Reading::see(const Record& record) {
  switch (record.kind) {
    case RecordKind::kProblem:
      ++problems;
      report({.kind = Report::Kind::kProblem,
              .text = text_of(*record.notice),
              .error = nullptr,
              .record = &record});
      break;
    case RecordKind::kFinding:
      report({.kind = Report::Kind::kFinding,
              .text = text_of(*record.notice),
              .error = nullptr,
              .record = &record});
      break;
    case RecordKind::kLoss:
      if (record.loss->taken_back) {
        lost_events -= record.loss->events.value_or(0);
      } else {
        lost_events += record.loss->events.value_or(0);
      }
      report({.kind = Report::Kind::kLoss,
              .text = text_of(*record.loss),
              .error = nullptr,
              .record = &record});
      break;
    default:
      break;
  }
}

}  // namespace tracedeck
