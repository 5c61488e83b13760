#include "tracedeck/convert/conversion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "tracedeck/columns/trace_facts.hpp"
#include "tracedeck/convert/divided_result.hpp"
#include "tracedeck/convert/drawing.hpp"
#include "tracedeck/convert/several_traces.hpp"
#include "tracedeck/convert/time_line_receipt.hpp"
#include "tracedeck/flow/hiding.hpp"
#include "tracedeck/flow/output_queue.hpp"
#include "tracedeck/format/file_origin.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/io/compressing_output.hpp"
#include "tracedeck/io/live.hpp"
#include "tracedeck/io/watched_input.hpp"
#include "tracedeck/timeline/latency_report.hpp"
#include "tracedeck/timeline/mark_window.hpp"

namespace tracedeck {
namespace {

constexpr std::string_view kStandard = "-";

bool is_failed_write(const Error& error) {
  return error.code == ErrorCode::kWriteFailed || error.code == ErrorCode::kBrokenPipe;
}

// Whether nothing was read at all.
bool has_no_trace(const Error& error) {
  return error.code == ErrorCode::kCannotOpen || error.code == ErrorCode::kUnrecognised ||
         error.code == ErrorCode::kMustReject;
}

// Where what goes to the file `out` is while it is not complete: its .part file, or `out`.
std::string unfinished_file(const std::string& out) {
  const std::string part = out == kStandard ? std::string() : io::part_path(out);
  return part.empty() ? out : part;
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

std::function<Result<void>(Writer&)> describe_streamless(flow::Pipeline& pipeline) {
  return [&pipeline](Writer& writer) -> Result<void> {
    for (const auto& trace : pipeline.take_streamless()) {
      if (auto described = writer.describe(*trace); !described) return described;
    }
    return {};
  };
}

// What rows call the trace, if there is one.
std::string only_trace(const flow::Pipeline& pipeline) {
  const auto descriptions = pipeline.descriptions();
  if (descriptions.size() != 1) return {};
  return columns::TraceFacts(pipeline.trace_names()).name_of(*descriptions.front());
}

flow::Needs needs(bool headers) { return {.values = true, .headers = headers, .findings = true}; }

std::vector<flow::TracePlace> list_traces(const flow::PipelineOptions& reading,
                                          const std::stop_token& stop) {
  return flow::list_traces(
      {.names = reading.operands, .format = reading.format, .follow = reading.follow}, stop);
}

}  // namespace

// What the threads share that record what arrives.
struct Conversion::Recording {
  const Format& format;
  ReadOptions reading;
  flow::OutputQueue queue;
  std::mutex mutex = {};  // of what follows, and of the host
  bool empty = true;
  bool write_failed = false;
};

Conversion::Conversion(ConversionTask task, ConversionHost& host)
    : task_(std::move(task)), host_(host) {
  report_.inputs = task_.reading.operands;
  report_.output = task_.out;
  report_.to = task_.kind->name;
}

void Conversion::run() {
  if (task_.is_drawn()) return run_drawn();
  std::vector<flow::TracePlace> places = list_traces(task_.reading, host_.stop());
  if (task_.content != TableContent::kEvents) return run_meaning(std::move(places));
  recording_ = std::ranges::any_of(places, [](const flow::TracePlace& place) {
    return place.live || io::comes_live(place.operand);
  });
  run(std::move(places));
  if (is_cut_short() && !complete_) leave_output();
}

void Conversion::run(std::vector<flow::TracePlace> places) {
  if (flow::are_live(places)) return run_live(std::move(places));
  if (places.size() != 1 || places.front().failure || places.front().has_core_files())
    return convert(std::move(places), {});
  if (places.front().is_directory()) {
    if (is_rewritten(places.front()) && rewrite(places.front())) return;
    return convert(std::move(places), {});
  }
  auto found = find_place(places.front(), task_.reading.format, host_.stop());
  if (!found) {
    host_.failed(found.error());
    return;
  }
  FoundTrace trace = *std::move(found);
  if (trace.format->info().name == task_.kind->name && !task_.writes_anew()) {
    rewrite(places.front(), std::move(trace));
  } else {
    convert(std::move(places), std::move(trace));
  }
}

void Conversion::run_live(std::vector<flow::TracePlace> places) {
  // Made at once, so that what is wrong with it shows before anything is waited for.
  if (!name_segment(places) || !open_output()) return;
  flow::PipelineOptions reading = task_.reading;
  reading.needs = needs(false);
  auto live = std::make_unique<flow::Live>(std::move(reading), host_.observer(), host_.stop(),
                                           std::move(places));
  if (live->traces().empty()) return drop_output();
  if (live->traces().size() == 1 && is_recorded(*live->traces().front())) return record(*live);
  const auto pipeline = flow::Pipeline::arriving(std::move(live));
  if (pipeline != nullptr) convert(*pipeline);
}

// Writes tables of what events mean, and of events if they are asked for.
void Conversion::run_meaning(std::vector<flow::TracePlace> places) {
  if (!name_segment(places) || !open_output()) return;
  single_source_ = places.size() == 1;
  flow::Pipeline* pipeline = nullptr;
  std::optional<MeaningOut> out;
  const ConversionHost::MarksRead read = host_.read_marks(
      {.sink_for = [&](const timeline::MarksAhead& ahead) -> timeline::MarkSink& {
         marks_.call_trace(only_trace(*pipeline));
         out.emplace(marks_, ahead.begin, create_writer(pipeline->trace_names()),
                     describe_streamless(*pipeline));
         return *out;
       },
       .see = [&](const timeline::Timeline&, const Batch& batch) { out->see(batch); },
       .opened = [&](flow::Pipeline& opened) { pipeline = &opened; },
       .symbols = flow::Needs::Symbols::kAll});
  if (!read.complete || !out || read.cut_short) {
    if (is_cut_short()) return leave_output();
    return drop_output();
  }
  const timeline::Timeline& timeline = read.stream->timeline();
  if (const std::string empty = timeline::empty_range_notice(timeline, read.stream->begin());
      !empty.empty())
    host_.note(empty);
  report_.events =
      task_.content == TableContent::kAll ? out->written().events : timeline.counts().events;
  report_.receipt = out->writer().receipt();
  append_counts(report_.receipt, timeline.counts(), CountWords::kTables);
  note_refused(out->written());
  if (finish_output()) host_.conclude(report_);
}

// Draws what events mean.
void Conversion::run_drawn() {
  const auto drawn = draw(task_, host_, [this]() -> io::Output* {
    drop_output();
    return open_output() ? output_ : nullptr;
  });
  if (drawn) report_ = *drawn;
  if (drawn && name_output()) return host_.conclude(report_);
  if (host_.stop().stop_requested()) return leave_output();
  if (!drawn) drop_output();
}

// Where tables are written that nobody names: after what is stored. False: it cannot be read, which
// is reported.
bool Conversion::name_segment(std::span<const flow::TracePlace> places) {
  std::string& segment = task_.settings.tables.segment;
  if (!task_.kind->has_segment() || !segment.empty()) return true;
  Result<std::string> name =
      segment_of(places, task_.changes, task_.reading.selection.hiding.get());
  if (!name) {
    host_.failed(name.error());
    return false;
  }
  segment = *std::move(name);
  return true;
}

// Whether what arrives is in the target's format already. Waits for the first trace unless the
// format is given.
bool Conversion::is_recorded(flow::LiveTraces& traces) {
  if (task_.writes_anew() || traces.place().has_core_files()) return false;
  const Format* format = task_.reading.format;
  while (format == nullptr) {
    auto arrived = traces.wait();
    if (!arrived) return false;
    auto found = traces.recognise(*std::move(arrived), nullptr);
    if (!found) traces.report_error(found.error());
    if (!found || !*found) continue;
    format = (*found)->format;
    traces.put_back(*std::move(*found));
  }
  return format->info().name == task_.kind->name;
}

// Copies what arrives from one place frame by frame, each trace as a whole.
void Conversion::record(flow::Live& live) {
  if (!host_.delivered(output_->flush())) return;
  Recording recording{.format = *task_.kind->format,
                      .reading = reading_options(true),
                      .queue = flow::OutputQueue(*output_)};
  live.traces().front()->serve(
      [&](flow::Arrived arrived) { record(live, recording, std::move(arrived)); });
  if (recording.write_failed) return;
  // Not every format has a trace of no bytes.
  if (recording.empty && !write_empty_trace()) return;
  report_.rewritten = true;
  note_damaged(copied_damage_);
  if (finish_output()) conclude();
}

// On a thread of its own.
void Conversion::record(flow::Live& live, Recording& recording, flow::Arrived arrived) {
  const flow::LiveTraces& traces = *live.traces().front();
  auto found = traces.recognise(std::move(arrived), &recording.format);
  if (found && !*found) return;
  const std::unique_ptr<io::Output> part = recording.queue.add_part();
  Result<void> copied = found ? copy(recording, **std::move(found), *part)
                              : Result<void>(std::unexpected(found.error()));
  const std::lock_guard lock(recording.mutex);
  if (const Result<void> finished = part->finish(); copied && !finished) copied = finished;
  if (!copied && is_failed_write(copied.error())) {
    host_.delivered(copied);
    recording.write_failed = true;
    live.stop();
  } else if (!copied) {
    traces.report_error(copied.error());
  }
  recording.empty = recording.empty && !copied;
}

Result<void> Conversion::copy(Recording& recording, FoundTrace found, io::Output& part) {
  found.input = io::watch_pauses(std::move(found.input), [&] {
    // The next write meets the same error.
    [[maybe_unused]] const auto flushed = part.flush();
  });
  return recording.format.rewrite(std::move(found.input), part, recording.reading,
                                  [&](RecordKind kind, const Notice& notice) {
                                    const std::lock_guard lock(recording.mutex);
                                    see_copied(kind, notice);
                                  },
                                  // The input ends by itself, after what has arrived.
                                  {});
}

// What is to be said of a trace that is copied frame by frame.
void Conversion::see_copied(RecordKind kind, const Notice& notice) {
  if (kind == RecordKind::kProblem && notice.may_cost_events()) ++copied_damage_;
  host_.see(kind, notice);
}

bool Conversion::write_empty_trace() {
  auto writer = create_writer({});
  if (!writer) host_.failed(writer.error());
  return writer && host_.delivered((*writer)->finish());
}

// Whether the trace is what it shall become.
bool Conversion::is_rewritten(const flow::TracePlace& place) const {
  if (task_.kind->format != place.format || task_.writes_anew()) return false;
  const auto reader =
      flow::open_place(place, task_.reading.format, reading_options(false), host_.stop());
  return reader && (*reader)->target() == task_.kind->name;
}

// How a trace is read that is copied.
ReadOptions Conversion::reading_options(bool live) const {
  return {.max_state = flow::max_state(task_.reading, live),
          .hexadecimal = task_.reading.hexadecimal};
}

void Conversion::rewrite(const flow::TracePlace& place, FoundTrace trace) {
  if (!open_output()) return;
  for (const std::string& each : place.notices) host_.note(each);
  note_missing_files(*trace.input);
  (void)rewrite_with([&](const ReadOptions& reading, const NoticeSink& sink) {
    return trace.format->rewrite(std::move(trace.input), *output_, reading, sink, host_.stop());
  });
}

// Where a file is missing, nothing of the copy says so.
void Conversion::note_missing_files(const io::Input& input) {
  const MissingFiles missing = missing_files(input.part_files());
  const auto gaps = std::ranges::count_if(missing.before, [](auto files) { return files > 0; });
  if (gaps == 0) return;
  report_.receipt.push_back({.what = "losses, of files that are missing",
                             .done = "left out",
                             .count = static_cast<std::uint64_t>(gaps),
                             .lossy = true});
}

// Returns false when the format does not rewrite directories, which are converted then.
bool Conversion::rewrite(const flow::TracePlace& place) {
  if (!open_output()) return true;
  for (const std::string& each : place.notices) host_.note(each);
  return rewrite_with([&](ReadOptions reading, const NoticeSink& sink) {
    reading.notice = [&](const std::string& sentence) { host_.note(sentence); };
    return place.format->rewrite_directories(place.directories, *directory_, reading, sink,
                                             host_.stop());
  });
}

template <class Rewrite>
bool Conversion::rewrite_with(Rewrite&& rewrite) {
  const Result<void> copied =
      rewrite(reading_options(false),
              [&](RecordKind kind, const Notice& notice) { see_copied(kind, notice); });
  if (!copied) {
    if (is_failed_write(copied.error())) {
      host_.delivered(copied);
      return true;
    }
    if (copied.error().code == ErrorCode::kUnsupported) {
      drop_output();
      return false;
    }
    host_.failed(copied.error());
    if (has_no_trace(copied.error())) {
      drop_output();
      return true;
    }
  }
  report_.rewritten = true;
  note_damaged(copied_damage_);
  if (finish_output()) conclude();
  return true;
}

void Conversion::convert(std::vector<flow::TracePlace> places, std::optional<FoundTrace> first) {
  const bool to_ctf = task_.writes_directory() && task_.kind->format != nullptr;
  restores_several_ = to_ctf && holds_several_traces(task_.reading, host_.stop());
  single_source_ = places.size() == 1 && !restores_several_;
  flow::Selection& selection = task_.reading.selection;
  // Each part has the events of its time, where traces can be sorted and no order was asked for.
  if (task_.split_duration && !task_.keeps_order &&
      std::ranges::all_of(places, &flow::TracePlace::reopens))
    selection.order = flow::Order::kTime;
  if (!name_segment(places)) return;
  const bool headers = single_source_ && to_ctf;
  flow::PipelineOptions whole = task_.reading;
  whole.selection.stands_alone = true;
  whole.needs = needs(headers);
  const auto pipeline = host_.open(whole, std::move(places), std::move(first));
  if (pipeline == nullptr || !open_output()) return;
  if (task_.is_split()) {
    whole.needs = {.values = true};
    auto describing = describing_events(std::move(whole), host_.stop());
    if (describing) {
      describing_ = *std::move(describing);
    } else {
      host_.note(
          fmt::format("{}: parts have of them what came before", describing.error().to_string()));
    }
  }
  convert(*pipeline);
}

void Conversion::convert(flow::Pipeline& pipeline) {
  TraceNames names = pipeline.trace_names();
  if (restores_several_ && !names)
    names = [&pipeline](const TraceDescription& trace) { return pipeline.name_of(trace); };
  auto writer = create_writer(std::move(names));
  if (!writer) {
    drop_output();
    // Of a divided result it is made now, and may be what cannot be made.
    if (task_.is_split()) {
      host_.refused(writer.error());
    } else {
      host_.failed(writer.error());
    }
    return;
  }
  const std::optional<Written> written =
      host_.write_events({.pipeline = pipeline,
                          .writer = **writer,
                          .output = *output_,
                          .at_end = describe_streamless(pipeline)});
  if (!written) return;
  report_.events = written->events;
  report_.receipt = (*writer)->receipt();
  note_refused(*written);
  // Others are text or tables, and have a receipt for it.
  if (task_.kind->format != nullptr) note_damaged(written->damaged);
  if (finish_output()) conclude();
}

void Conversion::note_refused(const Written& written) {
  if (written.refused == 0) return;
  report_.receipt.push_back({.what = "records that the target cannot hold at all",
                             .done = "left out; the first: " + written.first_refusal,
                             .count = written.refused,
                             .lossy = true});
}

void Conversion::note_damaged(std::uint64_t ranges) {
  if (ranges == 0) return;
  report_.receipt.push_back(
      {.what = "damaged ranges", .done = "left out", .count = ranges, .lossy = true});
}

Result<std::unique_ptr<Writer>> Conversion::create_writer(TraceNames trace_names) {
  OutputSettings settings = task_.settings;
  settings.trace_names = std::move(trace_names);
  settings.write.single_source = single_source_;
  if (task_.packet_size) {
    settings.write.packet_size = *task_.packet_size;
  } else if (task_.split_size) {
    // A part ends with a whole packet.
    constexpr std::uint64_t kLeast = 4096;
    settings.write.packet_size =
        std::clamp(*task_.split_size / 8, kLeast, settings.write.packet_size);
  }
  if (task_.content != TableContent::kEvents) settings.tables.marks = &marks_;
  settings.tables.events = task_.content != TableContent::kSpans;
  const flow::Selection& selection = task_.reading.selection;
  settings.write.part_of_source = selection.limits_times() || selection.limit;
  // Of parts it is not known how much of it is in each.
  if (selection.hiding != nullptr && !task_.is_split())
    settings.tables.hidden = [hiding = selection.hiding] { return hiding->receipt(); };
  if (task_.is_split()) {
    parts_ = std::make_unique<PartFiles>(*task_.kind, std::move(settings), task_.out, host_.stop());
    return flow::split_writer(*parts_,
                              {.size = task_.split_size,
                               .duration = task_.split_duration,
                               .by_begin = selection.order == flow::Order::kTime,
                               .max_state = flow::max_state(task_.reading, false),
                               .cut = [this](const Nanoseconds& begin) { cuts_.push_back(begin); }},
                              std::move(describing_));
  }
  return directory_ != nullptr ? tracedeck::create_writer(*task_.kind, *directory_, settings)
                               : tracedeck::create_writer(*task_.kind, *output_, settings);
}

// Makes the place to write to.
bool Conversion::open_output() {
  // Nothing of a result that is a directory goes there.
  output_ = &host_.standard_output();
  // Parts are made by who writes them.
  if (task_.out == kStandard || task_.is_split()) return true;
  if (task_.writes_directory()) return keep(io::OutputDirectory::create(task_.out), directory_);
  if (!keep(io::create_file(task_.out, host_.stop()), file_)) return false;
  file_ = io::compress(std::move(file_), io::compression_named(task_.out));
  output_ = file_.get();
  return true;
}

template <class Place>
bool Conversion::keep(Result<std::unique_ptr<Place>> made, std::unique_ptr<Place>& place) {
  if (!made) {
    host_.refused(made.error());
    return false;
  }
  place = *std::move(made);
  return true;
}

// Whether a stop request keeps this from being the whole result.
bool Conversion::is_cut_short() const { return host_.stop().stop_requested() && !recording_; }

// Gives the result its name. False: it is not to have it, which is reported.
bool Conversion::finish_output() { return !is_cut_short() && name_output(); }

// Does so whether or not a stop request came.
bool Conversion::name_output() {
  complete_ = host_.delivered(parts_ != nullptr       ? parts_->end()
                              : directory_ != nullptr ? directory_->finish()
                              : file_ != nullptr      ? file_->finish()
                                                      : host_.standard_output().flush());
  return complete_;
}

// What was written stays where it is.
void Conversion::leave_output() {
  if (host_.delivered(parts_ != nullptr  ? parts_->flush()
                      : file_ != nullptr ? file_->flush()
                                         : host_.standard_output().flush()))
    host_.interrupted(where_written());
}

// The files that were made until now; "": none.
std::string Conversion::where_written() const {
  if (directory_ != nullptr) return io::OutputDirectory::part_path(task_.out);
  if (file_ != nullptr) return unfinished_file(task_.out);
  if (parts_ == nullptr)
    return output_ != nullptr && task_.out == kStandard ? task_.out : std::string();
  const std::vector<std::string>& names = parts_->names();
  std::string files = parts_->unfinished();
  if (names.empty()) return files;
  const std::string complete =
      names.size() == 1 ? names.front() : fmt::format("{} to {}", names.front(), names.back());
  return files.empty() ? complete : fmt::format("{} and {}", complete, files);
}

// Nothing was written: no .part file should remain of it.
void Conversion::drop_output() {
  if (parts_ != nullptr) parts_->discard();
  if (directory_ != nullptr) directory_->discard();
  if (file_ != nullptr) file_->discard();
  directory_.reset();
  file_.reset();
  output_ = nullptr;
}

// Reports how it went, once the result is in its place.
void Conversion::conclude() {
  if (parts_ != nullptr) report_.parts = parts_->names();
  if (parts_ != nullptr && !task_.tables.empty()) {
    DividedSlices slices(std::move(cuts_));
    const auto read = host_.read_marks(
        {.sink_for = [&](const timeline::MarksAhead&) -> timeline::MarkSink& { return slices; },
         .again = true});
    if (read.complete) {
      for (const std::string& sentence : read.stream->interpreter().notices()) host_.note(sentence);
      std::ranges::move(slices.receipt(), std::back_inserter(report_.receipt));
    }
  }
  host_.conclude(report_);
}

}  // namespace tracedeck
