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

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return std::filesystem::equivalent(a, b, ignored);
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

  // Nothing was written: no empty .part file should tell of it.
  void drop_output() {
    if (file_ == nullptr) return;
    file_.reset();
    const std::filesystem::path part = options_.out + ".part";
    std::error_code ignored;
    if (std::filesystem::is_regular_file(part, ignored) &&
        std::filesystem::is_empty(part, ignored)) {
      std::filesystem::remove(part, ignored);
    }
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
  if (options.report == options.out && !options.report.empty())
    return "the report and the result cannot both be " + options.out;
  for (const std::string& trace : options.operands) {
    // The result goes to OUT.part first, so that OUT itself may be an input.
    if (same_file(trace, options.out + ".part"))
      return trace + " would be written over while it is read";
    if (!options.report.empty() && same_file(trace, options.report))
      return "the report would replace " + trace;
  }
  return {};
}

void run_convert(const Options& options, Session& session) { Conversion(options, session).run(); }

}  // namespace tracedeck::cli
