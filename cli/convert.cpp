#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <mutex>

#include "cli/commands.hpp"
#include "cli/drawing.hpp"
#include "cli/events_out.hpp"
#include "cli/hidden.hpp"
#include "cli/output_file.hpp"
#include "cli/output_options.hpp"
#include "cli/places.hpp"
#include "cli/receipt.hpp"
#include "cli/segment.hpp"
#include "cli/split.hpp"
#include "cli/time_lines.hpp"
#include "cli/traces.hpp"
#include "tracedeck/columns/mark_tables.hpp"
#include "tracedeck/columns/trace_facts.hpp"
#include "tracedeck/flow/output_queue.hpp"
#include "tracedeck/format/file_origin.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/io/output_directory.hpp"
#include "tracedeck/io/watched_input.hpp"
#include "tracedeck/outputs.hpp"
#include "tracedeck/part_files.hpp"
#include "tracedeck/timeline/latency_report.hpp"
#include "tracedeck/timeline/mark_window.hpp"

namespace tracedeck::cli {
namespace {

// Whether a trace in the target's format is written anew, not frame by frame as it was.
bool writes_anew(const Options& options) {
  return flow::changes_events(options.selection) || !options.dial9_version.empty() ||
         options.packet_size || is_split(options);
}

bool is_failed_write(const Error& error) {
  return error.code == ErrorCode::kWriteFailed || error.code == ErrorCode::kBrokenPipe;
}

// Marks and the events that they were made of, on their way to tables.
class MeaningOut final : public timeline::MarkSink {
 public:
  // `writer`: was given `marks`, which must outlive this. `at_end`: what it is told at last.
  MeaningOut(columns::MarkTables& marks, std::optional<std::int64_t> begin,
             Result<std::unique_ptr<Writer>> writer, std::function<Result<void>(Writer&)> at_end)
      : window_(marks), at_end_(std::move(at_end)) {
    if (begin) window_.begin_at(*begin);
    if (writer) {
      writer_ = *std::move(writer);
    } else {
      status_ = std::unexpected(std::move(writer.error()));
    }
  }

  Result<void> take(const timeline::Timeline& timeline,
                    std::span<const timeline::Mark> marks) override {
    return status_ ? window_.take(timeline, marks) : status_;
  }
  // Behind the marks of its events. An error is the next call's.
  void see(const Batch& batch) {
    if (status_) status_ = writer_->write_batch(batch, written_);
  }
  Result<void> finish(const timeline::Timeline& timeline) override {
    if (status_) status_ = window_.finish(timeline);
    if (status_) status_ = at_end_(*writer_);
    return status_ ? writer_->finish() : status_;
  }

  [[nodiscard]] Writer& writer() { return *writer_; }
  [[nodiscard]] const Written& written() const { return written_; }

 private:
  timeline::MarkWindow window_;
  std::unique_ptr<Writer> writer_;
  std::function<Result<void>(Writer&)> at_end_;
  Written written_;
  Result<void> status_;
};

class Conversion {
 public:
  Conversion(const Options& options, Session& session) : options_(options), session_(session) {
    report_.inputs = options.operands;
    report_.output = options.out;
    report_.to = options.to;
  }

  void run() {
    std::vector<flow::TracePlace> places = list_traces(options_, session_.stop);
    if (options_.what != What::kEvents) return run_meaning(places);
    recording_ = std::ranges::any_of(places, [](const flow::TracePlace& place) {
      return place.live || comes_live(place.operand);
    });
    run(std::move(places));
    if (!is_cut_short() || complete_) return;
    leave_output();
    session_.cut_short();
  }

 private:
  void run(std::vector<flow::TracePlace> places) {
    if (flow::are_live(places)) return run_live(std::move(places));
    if (places.size() != 1 || places.front().failure || places.front().has_core_files())
      return convert(std::move(places), {});
    if (places.front().is_directory()) {
      if (is_rewritten(places.front()) && rewrite(places.front())) return;
      return convert(std::move(places), {});
    }
    auto found = find_place(places.front(), options_.format, session_.stop);
    if (!found) return session_.report(found.error());
    FoundTrace trace = *std::move(found);
    if (trace.format->info().name == options_.to && !writes_anew(options_)) {
      rewrite(places.front(), std::move(trace));
    } else {
      convert(std::move(places), std::move(trace));
    }
  }

  void run_live(std::vector<flow::TracePlace> places) {
    // Made at once, so that what is wrong with it shows before anything is waited for.
    if (!name_segment(places) || !open_output()) return;
    SessionObserver observer(session_, options_);
    auto live = std::make_unique<flow::Live>(pipeline_options(options_, needs(false)), observer,
                                             session_.stop, std::move(places));
    if (live->traces().empty()) return drop_output();
    if (live->traces().size() == 1 && is_recorded(*live->traces().front())) return record(*live);
    OpenPipeline pipeline(options_, session_, std::move(live));
    convert(pipeline);
  }

  // Writes tables of what events mean, and of events if they are asked for.
  void run_meaning(std::span<const flow::TracePlace> places) {
    if (!name_segment(places) || !open_output()) return;
    single_source_ = places.size() == 1;
    OpenPipeline* pipeline = nullptr;
    std::optional<MeaningOut> out;
    const Interpreted read = interpret(
        options_, session_,
        [&](const MarksAhead& ahead) -> timeline::MarkSink& {
          marks_.call_trace(only_trace(*pipeline));
          out.emplace(marks_, ahead.begin, create_writer(pipeline->trace_names()),
                      describe_streamless(*pipeline));
          return *out;
        },
        flow::Needs::Symbols::kAll,
        [&](const timeline::Timeline&, const Batch& batch) { out->see(batch); },
        [&](OpenPipeline& opened) { pipeline = &opened; });
    if (read.interpreter == nullptr || !out || read.cut_short) {
      if (is_cut_short()) return leave_output();
      return drop_output();
    }
    const timeline::Timeline& timeline = read.interpreter->timeline();
    if (const std::string empty = timeline::empty_range_notice(timeline, read.stream->begin());
        !empty.empty())
      session_.diagnostics.note(empty);
    report_.events = options_.what == What::kAll ? out->written().events : timeline.counts().events;
    report_.receipt = out->writer().receipt();
    append_counts(report_.receipt, timeline.counts(), CountWords::kTables);
    note_refused(out->written());
    if (finish_output()) conclude_conversion(options_, session_, report_);
  }

  // What rows call the trace, if there is one.
  static std::string only_trace(OpenPipeline& pipeline) {
    const auto descriptions = pipeline->descriptions();
    if (descriptions.size() != 1) return {};
    return columns::TraceFacts(pipeline.trace_names()).name_of(*descriptions.front());
  }

  // Where tables are written that no option names: after what is stored. False: it cannot be read,
  // which is reported.
  bool name_segment(std::span<const flow::TracePlace> places) {
    if (!find_output(options_.to)->has_segment() || !options_.segment.empty()) return true;
    Result<std::string> segment = segment_of(places, options_);
    if (!segment) {
      session_.report(segment.error());
      return false;
    }
    options_.segment = *std::move(segment);
    return true;
  }

  // Whether what arrives is in the target's format already. Waits for the first trace unless the
  // format is given.
  bool is_recorded(flow::LiveTraces& traces) {
    if (writes_anew(options_) || traces.place().has_core_files()) return false;
    const Format* format = options_.format;
    while (format == nullptr) {
      auto arrived = traces.wait();
      if (!arrived) return false;
      auto found = traces.recognise(*std::move(arrived), nullptr);
      if (!found) traces.report_error(found.error());
      if (!found || !*found) continue;
      format = (*found)->format;
      traces.put_back(*std::move(*found));
    }
    return format->info().name == options_.to;
  }

  // Copies what arrives from one place frame by frame, each trace as a whole.
  void record(flow::Live& live) {
    Notices notices(session_, options_);
    if (!session_.delivered(output_->flush())) return;
    Recording recording{.format = *find_target(options_.to).format,
                        .reading = reading_options(true),
                        .queue = flow::OutputQueue(*output_),
                        .notices = notices};
    live.traces().front()->serve(
        [&](flow::Arrived arrived) { record(live, recording, std::move(arrived)); });
    if (recording.write_failed) return;
    // Not every format has a trace of no bytes.
    if (recording.empty && !write_empty_trace()) return;
    report_.rewritten = true;
    if (finish_output()) conclude(notices);
  }

  // What the threads share that record what arrives.
  struct Recording {
    const Format& format;
    ReadOptions reading;
    flow::OutputQueue queue;
    std::mutex mutex = {};  // of what follows, and of the session
    Notices& notices;
    bool empty = true;
    bool write_failed = false;
  };

  // On a thread of its own.
  void record(flow::Live& live, Recording& recording, flow::Arrived arrived) {
    const flow::LiveTraces& traces = *live.traces().front();
    auto found = traces.recognise(std::move(arrived), &recording.format);
    if (found && !*found) return;
    const std::unique_ptr<io::Output> part = recording.queue.add_part();
    Result<void> copied = found ? copy(recording, **std::move(found), *part)
                                : Result<void>(std::unexpected(found.error()));
    const std::lock_guard lock(recording.mutex);
    if (const Result<void> finished = part->finish(); copied && !finished) copied = finished;
    if (!copied && is_failed_write(copied.error())) {
      session_.delivered(copied);
      recording.write_failed = true;
      live.stop();
    } else if (!copied) {
      traces.report_error(copied.error());
    }
    recording.empty = recording.empty && !copied;
  }

  Result<void> copy(Recording& recording, FoundTrace found, io::Output& part) {
    found.input = io::watch_pauses(std::move(found.input), [&] {
      // The next write meets the same error.
      [[maybe_unused]] const auto flushed = part.flush();
    });
    return recording.format.rewrite(std::move(found.input), part, recording.reading,
                                    [&](RecordKind kind, const Notice& notice) {
                                      const std::lock_guard lock(recording.mutex);
                                      recording.notices.see(kind, notice);
                                    },
                                    // The input ends by itself, after what has arrived.
                                    {});
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

  void rewrite(const flow::TracePlace& place, FoundTrace trace) {
    if (!open_output()) return;
    for (const std::string& each : place.notices) session_.diagnostics.note(each);
    note_missing_files(*trace.input);
    (void)rewrite_with([&](const ReadOptions& reading, const Format::NoticeSink& sink) {
      return trace.format->rewrite(std::move(trace.input), *output_, reading, sink, session_.stop);
    });
  }

  // Where a file is missing, nothing of the copy says so.
  void note_missing_files(const io::Input& input) {
    const MissingFiles missing = missing_files(input.part_files());
    const auto gaps = std::ranges::count_if(missing.before, [](auto files) { return files > 0; });
    if (gaps == 0) return;
    report_.receipt.push_back({.what = "losses, of files that are missing",
                               .done = "left out",
                               .count = static_cast<std::uint64_t>(gaps),
                               .lossy = true});
  }

  // Returns false when the format does not rewrite directories, which are converted then.
  bool rewrite(const flow::TracePlace& place) {
    if (!open_output()) return true;
    for (const std::string& each : place.notices) session_.diagnostics.note(each);
    return rewrite_with([&](ReadOptions reading, const Format::NoticeSink& sink) {
      reading.notice = [&](const std::string& sentence) { session_.diagnostics.note(sentence); };
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
    if (sorts_parts(options_, places)) options_.selection.order = flow::Order::kTime;
    if (!name_segment(places)) return;
    const bool headers =
        single_source_ && writes_directory(options_) && find_output(options_.to)->format != nullptr;
    Options whole = options_;
    whole.selection.stands_alone = true;
    OpenPipeline pipeline(whole, session_, needs(headers), std::move(places), std::move(first));
    if (pipeline.empty() || !open_output()) return;
    if (is_split(options_)) describing_ = describing_events(whole, session_);
    convert(pipeline);
  }

  static std::function<Result<void>(Writer&)> describe_streamless(OpenPipeline& pipeline) {
    return [&pipeline](Writer& writer) -> Result<void> {
      for (const auto& trace : pipeline.take_streamless()) {
        if (auto described = writer.describe(*trace); !described) return described;
      }
      return {};
    };
  }

  static flow::Needs needs(bool headers) {
    return {.values = true, .headers = headers, .findings = true};
  }

  void convert(OpenPipeline& pipeline) {
    auto writer = create_writer(pipeline.trace_names());
    if (!writer) {
      drop_output();
      session_.report(writer.error());
      if (is_split(options_)) session_.outcome.note(ExitCode::kUsage);
      return;
    }
    Notices notices(session_, options_);
    notices.relate_by(
        [&](std::uint64_t one, std::uint64_t other) { return pipeline->share_clock(one, other); });
    const EventsWritten written = write_events({.source = *pipeline,
                                                .writer = **writer,
                                                .output = *output_,
                                                .notices = notices,
                                                .at_end = describe_streamless(pipeline),
                                                .ready = pipeline.pauses()},
                                               session_);
    if (!written.complete) return;
    report_.events = written.written.events;
    report_.receipt = (*writer)->receipt();
    note_refused(written.written);
    if (finish_output()) conclude(notices);
  }

  void note_refused(const Written& written) {
    if (written.refused == 0) return;
    report_.receipt.push_back({.what = "records that the target cannot hold at all",
                               .done = "left out; the first: " + written.first_refusal,
                               .count = written.refused,
                               .lossy = true});
  }

  Result<std::unique_ptr<Writer>> create_writer(render::TraceNames trace_names) {
    OutputSettings settings = output_settings(options_);
    settings.trace_names = std::move(trace_names);
    settings.write.single_source = single_source_;
    if (options_.what != What::kEvents) settings.tables.marks = &marks_;
    settings.tables.events = options_.what != What::kSpans;
    const flow::Selection& selection = options_.selection;
    settings.write.part_of_source = selection.limits_times() || selection.limit;
    const OutputKind& kind = *find_output(options_.to);
    if (is_split(options_)) {
      parts_ = std::make_unique<PartFiles>(kind, std::move(settings), options_.out, session_.stop);
      flow::SplitOptions split = split_options(options_);
      split.cut = [this](const Nanoseconds& begin) { cuts_.push_back(begin); };
      return flow::split_writer(*parts_, split, std::move(describing_));
    }
    return directory_ != nullptr ? tracedeck::create_writer(kind, *directory_, settings)
                                 : tracedeck::create_writer(kind, *output_, settings);
  }

  // Makes the place to write to. One that cannot be made is wrong usage.
  bool open_output() {
    // Nothing of a result that is a directory goes there.
    output_ = &session_.out;
    // Parts are made by who writes them.
    if (options_.out == kStandard || is_split(options_)) return true;
    if (writes_directory(options_))
      return keep(io::OutputDirectory::create(options_.out), directory_);
    file_ = create_output_file(options_.out, session_);
    output_ = file_.get();
    return file_ != nullptr;
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

  // Whether a stop request keeps this from being the whole result.
  bool is_cut_short() const { return session_.stop.stop_requested() && !recording_; }

  // Gives the result its name. False: it is not to have it, which is reported.
  bool finish_output() {
    if (is_cut_short()) return false;
    complete_ = session_.delivered(parts_ != nullptr       ? parts_->end()
                                   : directory_ != nullptr ? directory_->finish()
                                   : file_ != nullptr      ? file_->finish()
                                                           : session_.out.flush());
    return complete_;
  }

  // What was written stays where it is.
  void leave_output() {
    if (!session_.delivered(parts_ != nullptr  ? parts_->flush()
                            : file_ != nullptr ? file_->flush()
                                               : session_.out.flush()))
      return;
    session_.diagnostics.error(interrupted_text(options_.out, where_written()));
  }

  // The files that were made until now; "": none.
  [[nodiscard]] std::string where_written() const {
    if (directory_ != nullptr) return io::OutputDirectory::part_path(options_.out);
    if (file_ != nullptr) return unfinished_file(options_.out);
    if (parts_ == nullptr)
      return output_ != nullptr && options_.out == kStandard ? options_.out : std::string();
    const std::vector<std::string>& names = parts_->names();
    std::string files = parts_->unfinished();
    if (names.empty()) return files;
    const std::string complete =
        names.size() == 1 ? names.front() : fmt::format("{} to {}", names.front(), names.back());
    return files.empty() ? complete : fmt::format("{} and {}", complete, files);
  }

  // Nothing was written: no .part file should remain of it.
  void drop_output() {
    if (parts_ != nullptr) parts_->discard();
    if (directory_ != nullptr) directory_->discard();
    if (file_ != nullptr) file_->discard();
    directory_.reset();
    file_.reset();
    output_ = nullptr;
  }

  // Reports how it went, once the result is in its place.
  void conclude(Notices& notices) {
    if (parts_ != nullptr) report_.parts = parts_->names();
    notices.finish();
    if (!options_.tables.empty())
      std::ranges::move(divided_slices(options_, session_, std::move(cuts_)),
                        std::back_inserter(report_.receipt));
    conclude_conversion(options_, session_, report_);
    if (parts_ != nullptr) report_other_parts(options_, session_, report_.parts.size());
  }

  Options options_;
  Session& session_;
  std::unique_ptr<io::Output> file_;
  std::unique_ptr<io::OutputDirectory> directory_;
  std::unique_ptr<flow::DescribingEvents> describing_;  // for the parts
  std::unique_ptr<PartFiles> parts_;
  std::vector<Nanoseconds> cuts_;  // between parts
  columns::MarkTables marks_;      // of --what
  io::Output* output_ = nullptr;   // the file or standard output
  bool single_source_ = false;
  bool recording_ = false;  // of what arrives while it is read
  bool complete_ = false;   // the result has its name
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

// What a name may stand for that stands for no target alone: "--to dial9 or --to tband"; or "".
std::string possible_targets(std::string_view name) {
  std::vector<std::string> possible;
  for (const OutputKind& kind : outputs()) {
    const bool is_one = kind.target != nullptr && !kind.target->recorded_suffix.empty() &&
                        name.ends_with(kind.target->recorded_suffix);
    if (is_one) possible.push_back(fmt::format("--to {}", kind.name));
  }
  return fmt::format("{}", fmt::join(possible, " or "));
}

// What is wrong with the options of tables of what events mean, or "".
std::string check_what(const Options& options, const OutputKind& kind) {
  if (!kind.has_option("what")) return {};
  const auto given = [&](std::string_view option) {
    return std::ranges::find(options.given, option) != options.given.end();
  };
  if (options.what == What::kEvents) {
    return given("table") && !is_split(options)
               ? "option '--table' goes with '--what spans' or '--what all', which apply it"
               : "";
  }
  if (options.layout == TableLayout::kOne)
    return "option '--what' goes with '--layout class' or 'schema': one table has events alone";
  if (is_split(options))
    return "a divided result has events alone: '--what' does not go with '--split-size' and "
           "'--split-duration'";
  if (given("begin") && options.what == What::kAll)
    return "option '--begin' goes with '--what events' or '--what spans', not with both at once";
  for (const std::string_view of_events : {"where", "limit"}) {
    if (given(of_events))
      return fmt::format(
          "option '--{}' goes with '--what events': without some events, begins and ends would not "
          "be found",
          of_events);
  }
  return {};
}

}  // namespace

std::string check_convert(Options& options) {
  if (options.out.empty()) return "needs -o OUT, where to write to";
  if (options.to.empty()) {
    const OutputKind* const kind = output_of_name(options.out);
    if (const std::string possible = possible_targets(options.out);
        kind == nullptr && !possible.empty()) {
      return fmt::format("the name '{}' does not say what to convert to; its ending goes with {}",
                         options.out, possible);
    }
    if (kind == nullptr) {
      return fmt::format(
          "needs --to FORMAT, what to convert to, or an OUT whose name ends in one of {}",
          endings());
    }
    options.to = kind->name;
  }
  const OutputKind& kind = *find_output(options.to);
  std::string wrong = check_output_options(options, kind, "--to");
  if (wrong.empty()) wrong = check_split(options, kind);
  if (wrong.empty()) wrong = check_what(options, kind);
  if (wrong.empty()) wrong = check_hidden(options);
  if (wrong.empty() && draws(options, kind)) wrong = check_draw(options);
  return wrong.empty() ? check_places(options) : wrong;
}

void run_convert(const Options& options, Session& session) {
  if (draws(options, *find_output(options.to))) return run_draw(options, session);
  Conversion(options, session).run();
}

}  // namespace tracedeck::cli
