#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/events_out.hpp"
#include "cli/output_options.hpp"
#include "cli/places.hpp"
#include "cli/receipt.hpp"
#include "cli/traces.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/io/output_directory.hpp"
#include "tracedeck/io/watched_input.hpp"
#include "tracedeck/outputs.hpp"

namespace tracedeck::cli {
namespace {

// Whether a trace in the target's format is written anew, not frame by frame as it was.
bool writes_anew(const Options& options) {
  return flow::changes_events(options.selection) || !options.dial9_version.empty() ||
         options.packet_size;
}

bool is_failed_write(const Error& error) {
  return error.code == ErrorCode::kWriteFailed || error.code == ErrorCode::kBrokenPipe;
}

class Conversion {
 public:
  Conversion(const Options& options, Session& session) : options_(options), session_(session) {
    report_.inputs = options.operands;
    report_.output = options.out;
    report_.to = options.to;
  }

  void run() {
    std::vector<flow::TracePlace> places = list_traces(options_, session_.stop);
    if (are_live(places)) return run_live(places);
    if (places.size() != 1 || places.front().failure || places.front().has_core_files())
      return convert(std::move(places), {});
    if (places.front().is_directory()) {
      if (is_rewritten(places.front()) && rewrite(places.front())) return;
      return convert(std::move(places), {});
    }
    auto found = find_traces(places.front().operand, options_.format, session_.stop);
    if (!found) return session_.report(found.error());
    FoundTrace trace = std::move(found->traces.front());
    if (trace.format->info().name == options_.to && !writes_anew(options_)) {
      rewrite(std::move(trace));
    } else {
      convert(std::move(places), std::move(trace));
    }
  }

 private:
  void run_live(const std::vector<flow::TracePlace>& places) {
    // Made at once, so that what is wrong with it shows before anything is waited for.
    if (!open_output()) return;
    auto live = std::make_unique<Live>(options_, session_, needs(false), places);
    if (live->traces().empty()) return drop_output();
    if (live->traces().size() == 1 && is_recorded(*live)) return record(*live);
    convert(OpenPipeline(options_, session_, std::move(live)));
  }

  // Whether what comes is in the target's format already. Waits for the first trace unless the
  // format is given.
  bool is_recorded(Live& live) {
    if (writes_anew(options_)) return false;
    const Format* format = options_.format;
    LiveTraces& traces = *live.traces().front();
    while (format == nullptr) {
      auto found = traces.next(nullptr);
      if (found && !*found) return false;
      if (found) {
        format = (*found)->format;
        traces.put_back(*std::move(*found));
      } else {
        tell(live, found.error());
      }
    }
    return format->info().name == options_.to;
  }

  void tell(Live& live, const Error& error) {
    if (session_.stop.stop_requested()) return;
    if (live.traces().front()->repeats()) return live.report().refuse(error);
    live.report().fail(error);
  }

  // Copies what comes from one place frame by frame.
  void record(Live& live) {
    Notices notices(session_, options_);
    const Format& format = *find_target(options_.to).format;
    LiveTraces& traces = *live.traces().front();
    bool empty = true;
    for (;;) {
      if (!session_.delivered(output_->flush())) return;
      auto found = traces.next(&format);
      if (found && !*found) break;
      const Result<void> copied =
          found ? record(format, **std::move(found), notices) : std::unexpected(found.error());
      if (!copied && is_failed_write(copied.error())) {
        session_.delivered(copied);
        return;
      }
      if (!copied) tell(live, copied.error());
      empty = empty && !copied;
    }
    // Not every format has a trace of no bytes.
    if (empty && !write_empty_trace()) return;
    report_.rewritten = true;
    if (finish_output()) conclude(notices);
  }

  Result<void> record(const Format& format, FoundTrace found, Notices& notices) {
    found.input =
        io::watch_pauses(std::move(found.input), [this] { session_.delivered(output_->flush()); });
    return format.rewrite(
        std::move(found.input), *output_, reading_options(true),
        [&](RecordKind kind, const Notice& notice) { notices.see(kind, notice); }, session_.stop);
  }

  bool write_empty_trace() {
    auto writer = create_writer({});
    if (!writer) session_.report(writer.error());
    return writer && session_.delivered((*writer)->finish());
  }

  // Whether the trace is what it shall become.
  bool is_rewritten(const flow::TracePlace& place) {
    if (find_target(options_.to).format != place.format || writes_anew(options_)) return false;
    const auto reader =
        flow::open_place(place, options_.format, reading_options(false), session_.stop);
    return reader && (*reader)->target() == options_.to;
  }

  // How a trace is read that is copied.
  [[nodiscard]] ReadOptions reading_options(bool live) const {
    return {.max_state = flow::max_state(pipeline_options(options_, {}), live),
            .hexadecimal = options_.tband_hexadecimal};
  }

  void rewrite(FoundTrace trace) {
    if (!open_output()) return;
    (void)rewrite_with([&](const ReadOptions& reading, const Format::NoticeSink& sink) {
      return trace.format->rewrite(std::move(trace.input), *output_, reading, sink, session_.stop);
    });
  }

  // Returns false when the format does not rewrite directories, which are converted then.
  bool rewrite(const flow::TracePlace& place) {
    if (!open_output()) return true;
    return rewrite_with([&](const ReadOptions& reading, const Format::NoticeSink& sink) {
      return place.format->rewrite_directories(place.directories, *directory_, reading, sink,
                                               session_.stop);
    });
  }

  template <class Rewrite>
  bool rewrite_with(Rewrite&& rewrite) {
    Notices notices(session_, options_);
    const Result<void> copied =
        rewrite(reading_options(false),
                [&](RecordKind kind, const Notice& notice) { notices.see(kind, notice); });
    if (!copied) {
      if (is_failed_write(copied.error())) {
        session_.delivered(copied);
        return true;
      }
      if (copied.error().code == ErrorCode::kUnsupported) {
        drop_output();
        return false;
      }
      session_.report(copied.error());
      if (exit_code_of(copied.error()) == ExitCode::kNoTrace) {
        drop_output();
        return true;
      }
    }
    report_.rewritten = true;
    if (finish_output()) conclude(notices);
    return true;
  }

  void convert(std::vector<flow::TracePlace> places, std::optional<FoundTrace> first) {
    single_source_ = places.size() == 1;
    const bool headers = single_source_ && writes_directory(options_);
    Options whole = options_;
    whole.selection.stands_alone = true;
    const OpenPipeline pipeline(whole, session_, needs(headers), std::move(places),
                                std::move(first));
    if (pipeline.empty() || !open_output()) return;
    convert(pipeline);
  }

  static flow::Needs needs(bool headers) {
    return {.values = true, .headers = headers, .findings = true};
  }

  void convert(const OpenPipeline& pipeline) {
    auto writer = create_writer(pipeline.trace_names());
    if (!writer) {
      drop_output();
      return session_.report(writer.error());
    }
    Notices notices(session_, options_);
    const EventsWritten written = write_events({.source = *pipeline,
                                                .writer = **writer,
                                                .output = *output_,
                                                .notices = notices,
                                                .ready = pipeline.pauses()},
                                               session_);
    if (!written.complete) return;
    report_.events = written.written.events;
    report_.receipt = (*writer)->receipt();
    if (written.written.refused > 0) {
      report_.receipt.push_back({.what = "record that the target cannot hold at all",
                                 .done = "left out; the first: " + written.written.first_refusal,
                                 .count = written.written.refused,
                                 .lossy = true});
    }
    if (finish_output()) conclude(notices);
  }

  Result<std::unique_ptr<Writer>> create_writer(render::TraceNames trace_names) {
    OutputSettings settings = output_settings(options_);
    settings.trace_names = std::move(trace_names);
    settings.write.single_source = single_source_;
    const flow::Selection& selection = options_.selection;
    settings.write.part_of_source = selection.begin || selection.end || selection.limit;
    const OutputKind& kind = *find_output(options_.to);
    return directory_ != nullptr ? tracedeck::create_writer(kind, *directory_, settings)
                                 : tracedeck::create_writer(kind, *output_, settings);
  }

  // Makes the place to write to. One that cannot be made is wrong usage.
  bool open_output() {
    // Nothing of a result that is a directory goes there.
    output_ = &session_.out;
    if (options_.out == kStandard) return true;
    if (writes_directory(options_))
      return keep(io::OutputDirectory::create(options_.out), directory_);
    if (!keep(io::create_file(options_.out), file_)) return false;
    output_ = file_.get();
    return true;
  }

  template <class Place>
  bool keep(Result<std::unique_ptr<Place>> made, std::unique_ptr<Place>& place) {
    if (!made) {
      session_.diagnostics.error(made.error());
      session_.outcome.note(ExitCode::kUsage);
      return false;
    }
    place = *std::move(made);
    return true;
  }

  bool finish_output() {
    if (directory_ != nullptr) return session_.delivered(directory_->finish());
    return session_.delivered(file_ != nullptr ? file_->finish() : session_.out.flush());
  }

  // Nothing was written: no .part file should tell of it.
  void drop_output() {
    if (directory_ != nullptr) directory_->discard();
    if (file_ != nullptr) file_->discard();
    directory_.reset();
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
    std::unique_ptr<io::Output> file;
    if (!keep(io::create_file(options_.report), file)) return;
    if (session_.delivered(file->write(report_json(report_)))) session_.delivered(file->finish());
  }

  const Options& options_;
  Session& session_;
  std::unique_ptr<io::Output> file_;
  std::unique_ptr<io::OutputDirectory> directory_;
  io::Output* output_ = nullptr;  // the file or standard output
  bool single_source_ = false;
  ConversionReport report_;
};

}  // namespace

namespace {

std::string endings() {
  std::vector<std::string_view> all;
  for (const OutputKind& kind : outputs()) {
    if (kind.converts() && !kind.suffixes[0].empty()) all.push_back(kind.suffixes[0]);
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace

std::string check_convert(Options& options) {
  if (options.out.empty()) return "needs -o OUT, where to write to";
  if (options.to.empty()) {
    const OutputKind* const kind = output_of_name(options.out);
    if (kind == nullptr) {
      return fmt::format(
          "needs --to FORMAT, what to convert to, or an OUT whose name ends in one of {}",
          endings());
    }
    options.to = kind->name;
  }
  std::string wrong = check_output_options(options, *find_output(options.to), "--to");
  return wrong.empty() ? check_places(options) : wrong;
}

void run_convert(const Options& options, Session& session) { Conversion(options, session).run(); }

}  // namespace tracedeck::cli
