#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "cli/commands.hpp"
#include "cli/events_out.hpp"
#include "cli/pipeline.hpp"
#include "cli/receipt.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/render/csv.hpp"
#include "tracedeck/render/json_lines.hpp"

namespace tracedeck::cli {
namespace {

constexpr std::string_view kStandard = "-";

// What `name` leads to, links followed, whether or not there is such a file.
std::filesystem::path place_of(const std::string& name) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(name, error);
  const std::filesystem::path place = std::filesystem::weakly_canonical(whole, error);
  return error ? whole : place;
}

// Whether both name one place. An empty name is none.
bool same_place(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code ignored;
  return place_of(a) == place_of(b) || std::filesystem::equivalent(a, b, ignored);
}

// What is wrong with where the command would write to, seen against what it reads. Results go to
// their .part files first, so that OUT itself may be an input.
std::string check_places(const Options& options) {
  const std::string out = options.out == kStandard ? "/dev/stdout" : options.out;
  const std::string& report = options.report;
  const std::string out_part = io::part_path(out);
  const std::string report_part = report.empty() ? std::string() : io::part_path(report);
  if (report == options.out || same_place(report, out))
    return "the report and the result cannot both be " + options.out;
  if (same_place(report, out_part))
    return fmt::format("the report cannot be {}, where the result is written first", report);
  if (same_place(report_part, out))
    return fmt::format("the result cannot be {}, where the report is written first", options.out);
  for (const std::string& operand : options.operands) {
    const std::string trace = operand == kStandard ? "/dev/stdin" : operand;
    if (same_place(trace, out_part))
      return operand + " would be written over while it is read: the result is written there first";
    if (same_place(trace, report_part))
      return operand + " would be written over: the report is written there first";
    if (same_place(trace, report)) return "the report would replace " + operand;
  }
  return {};
}

// Whether events would come out changed, left out or in another place.
bool something_selected(const Options& options) {
  return options.operands.size() != 1 || options.order == Order::kTime || options.begin ||
         options.end || options.limit || !options.clock_offsets.empty() ||
         !options.dial9_version.empty();
}

Result<std::unique_ptr<Writer>> create_writer(const Options& options, io::Output& output) {
  if (options.to == "jsonl") return render::json_lines_writer(output, {});
  if (options.to == "csv") return render::csv_writer(output, {});
  return find_format(options.to)->create(output, {.version = options.dial9_version});
}

class Conversion {
 public:
  Conversion(const Options& options, Session& session) : options_(options), session_(session) {
    report_.inputs = options.operands;
    report_.output = options.out;
    report_.to = options.to;
  }

  void run() {
    std::optional<OpenedInput> opened;
    if (options_.operands.size() == 1) {
      auto input = open_input(options_.operands.front(), options_.format, session_.stop);
      if (!input) return session_.report(input.error());
      opened = *std::move(input);
    }
    if (opened && opened->format->info().name == options_.to && !something_selected(options_)) {
      rewrite(*std::move(opened));
    } else {
      convert(std::move(opened));
    }
  }

 private:
  void rewrite(OpenedInput opened) {
    if (!open_output()) return;
    Notices notices(session_, options_.strict);
    const auto copied = opened.format->rewrite(
        std::move(opened.input), *output_, {.max_state = options_.max_state},
        [&](RecordKind kind, const Notice& notice) { notices.see(kind, notice); }, session_.stop);
    if (!copied) {
      const ErrorCode code = copied.error().code;
      if (code == ErrorCode::kWriteFailed || code == ErrorCode::kBrokenPipe) {
        session_.delivered(copied);
        return;
      }
      session_.report(copied.error());
      if (exit_code_of(copied.error()) == ExitCode::kNoTrace) return drop_output();
    }
    report_.rewritten = true;
    if (finish_output()) conclude(notices);
  }

  void convert(std::optional<OpenedInput> opened) {
    const auto pipeline = Pipeline::open(options_, session_, {}, std::move(opened));
    if (pipeline == nullptr || !open_output()) return;
    auto writer = create_writer(options_, *output_);
    if (!writer) return session_.report(writer.error());
    Notices notices(session_, options_.strict);
    const EventsWritten written = write_events(
        {.source = *pipeline, .writer = **writer, .output = *output_, .notices = notices},
        session_);
    if (!written.complete) return;
    report_.events = written.events;
    report_.receipt = (*writer)->receipt();
    if (written.refused > 0) {
      report_.receipt.push_back({.what = "record that the target cannot hold at all",
                                 .done = "left out; the first: " + written.first_refusal,
                                 .count = written.refused,
                                 .lossy = true});
    }
    if (finish_output()) conclude(notices);
  }

  // Makes `output_` the place to write to. An output that cannot be made is wrong usage.
  bool open_output() {
    if (options_.out == kStandard) {
      output_ = &session_.out;
      return true;
    }
    auto file = io::create_file(options_.out);
    if (!file) {
      session_.diagnostics.error(file.error());
      session_.outcome.note(ExitCode::kUsage);
      return false;
    }
    file_ = *std::move(file);
    output_ = file_.get();
    return true;
  }

  bool finish_output() {
    return session_.delivered(file_ != nullptr ? file_->finish() : session_.out.flush());
  }

  // Nothing was written: no .part file should tell of it.
  void drop_output() {
    if (file_ == nullptr) return;
    file_->discard();
    file_.reset();
  }

  // Tells how it went, once the result is in its place.
  void conclude(Notices& notices) {
    notices.finish();
    Diagnostics& diagnostics = session_.diagnostics;
    for (const ReceiptEntry& entry : report_.receipt) {
      diagnostics.note(fmt::format("{}: {}", options_.out, receipt_sentence(entry)));
    }
    if (session_.stop.stop_requested()) {
      diagnostics.note(fmt::format("interrupted; {} holds what was read until then", options_.out));
    }
    if (options_.strict && is_lossy(report_.receipt)) {
      diagnostics.error(
          fmt::format("{} does not hold everything that the input does", options_.out));
      session_.outcome.note(ExitCode::kDamage);
    }
    if (!options_.report.empty()) write_report();
  }

  void write_report() {
    auto file = io::create_file(options_.report);
    if (!file) {
      session_.diagnostics.error(file.error());
      session_.outcome.note(ExitCode::kUsage);
      return;
    }
    if (session_.delivered((*file)->write(report_json(report_))))
      session_.delivered((*file)->finish());
  }

  const Options& options_;
  Session& session_;
  std::unique_ptr<io::Output> file_;  // unless standard output is written to
  io::Output* output_ = nullptr;
  ConversionReport report_;
};

}  // namespace

std::string check_convert(const Options& options) {
  if (options.out.empty()) return "needs -o OUT, where to write to";
  if (options.to.empty()) return "needs --to FORMAT, what to convert to";
  if (!options.dial9_version.empty() && options.to != "dial9")
    return "option '--dial9-version' goes with '--to dial9' only";
  return check_places(options);
}

void run_convert(const Options& options, Session& session) { Conversion(options, session).run(); }

}  // namespace tracedeck::cli
