// A conversion: traces become one result, which gets its name when it is complete.
//
// `Conversion` decides how: frame by frame where the target has the format of the one source, as
// tables or time lines of what events mean, in parts, or event by event. How traces are read and
// what is said meanwhile is the business of a `ConversionHost`: the command, or the library's front
// doors.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "tracedeck/columns/mark_tables.hpp"
#include "tracedeck/convert/report.hpp"
#include "tracedeck/convert/segment_name.hpp"
#include "tracedeck/flow/live.hpp"
#include "tracedeck/flow/pipeline.hpp"
#include "tracedeck/flow/split.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/io/output_directory.hpp"
#include "tracedeck/outputs.hpp"
#include "tracedeck/part_files.hpp"
#include "tracedeck/timeline/mark_stream.hpp"

namespace tracedeck {

struct ConversionTask {
  // `operands` are the traces; what is needed of them is up to the conversion.
  flow::PipelineOptions reading = {};
  bool keeps_order = false;          // an order was asked for
  const OutputKind* kind = nullptr;  // which `converts()`
  std::string out = {};              // a path, or "-": the host's standard output
  OutputSettings settings = {};      // with the segment "" named by content
  TableLayout layout = TableLayout::kUsual;
  TableContent content = TableContent::kEvents;
  bool spans = false;                            // of a format: time lines in place of events
  std::vector<timeline::Table> tables = {};      // beside the built-in ones
  bool all_flows = false;                        // also of what took less than tables ask for
  std::optional<std::uint64_t> max_size = {};    // bytes of what is drawn
  std::optional<std::uint64_t> split_size = {};  // bytes of a part
  std::optional<Nanoseconds> split_duration = {};
  std::optional<std::uint64_t> packet_size = {};  // bytes, of formats with packets
  std::vector<Change> changes = {};               // that the segment is named by

  [[nodiscard]] bool is_drawn() const { return kind->draws(spans); }
  [[nodiscard]] bool is_split() const { return split_size || split_duration; }
  // Whether a trace of the target's format is written anew, not frame by frame as it was.
  [[nodiscard]] bool writes_anew() const {
    return flow::changes_events(reading.selection) || !settings.write.version.empty() ||
           packet_size || is_split();
  }
  [[nodiscard]] bool writes_directory() const { return kind->in_directory(layout); }
};

// How a conversion reads, and whom it reports to. All calls come on the thread that converts, but
// for those of the observer and `see`, which come on others too where traces are live, one at a
// time.
class ConversionHost {
 public:
  ConversionHost() = default;
  ConversionHost(const ConversionHost&) = delete;
  ConversionHost& operator=(const ConversionHost&) = delete;
  virtual ~ConversionHost() = default;

  [[nodiscard]] virtual std::stop_token stop() const = 0;
  [[nodiscard]] virtual io::Output& standard_output() = 0;
  [[nodiscard]] virtual flow::PipelineObserver& observer() = 0;

  // The traces as one stream of records. Null: none can be read, or what is asked of them cannot
  // be, which was reported.
  [[nodiscard]] virtual std::unique_ptr<flow::Pipeline> open(flow::PipelineOptions options,
                                                             std::vector<flow::TracePlace> places,
                                                             std::optional<FoundTrace> first) = 0;

  struct MarksWanted {
    timeline::SinkFor sink_for = {};
    // Is given each batch of events behind their marks. May be empty, as the next.
    std::function<void(const timeline::Timeline& timeline, const Batch& batch)> see = {};
    // Is given what is read, before the first mark; it is open until the marks have ended.
    std::function<void(flow::Pipeline& pipeline)> opened = {};
    flow::Needs::Symbols symbols = flow::Needs::Symbols::kNone;
    bool again = false;  // the traces were read before, and all is said that there is to say
  };
  struct MarksRead {
    std::unique_ptr<timeline::MarkStream> stream = {};
    bool complete = false;  // else the reading or the sink failed, which was reported
    bool cut_short = false;
  };
  [[nodiscard]] virtual MarksRead read_marks(const MarksWanted& wanted) = 0;

  struct EventsWanted {
    flow::Pipeline& pipeline;
    Writer& writer;
    io::Output& output;
    // What the writer is told behind the last record.
    std::function<Result<void>(Writer&)> at_end = {};
  };
  // Writes every record, and finishes the writer. Nothing: reading or writing failed, or who reads
  // the output went away, which was reported.
  [[nodiscard]] virtual std::optional<Written> write_events(const EventsWanted& wanted) = 0;

  // A problem or finding of what is copied frame by frame.
  virtual void see(RecordKind kind, const Notice& notice) = 0;

  // How much of the traces was read, 0 to 1; negative: that is not known.
  [[nodiscard]] virtual double part() const = 0;

  // Whether writing went well; what went wrong is reported.
  virtual bool delivered(const Result<void>& written) = 0;
  // Reading ended by an error.
  virtual void failed(const Error& error) = 0;
  // The result cannot be made where it is wanted, or as it is wanted.
  virtual void refused(const Error& error) = 0;
  virtual void note(const std::string& sentence) = 0;
  // A stop request came before the result was whole; `written`: the files that were made until
  // then, "": none.
  virtual void interrupted(const std::string& written) = 0;
  // The result is in its place.
  virtual void conclude(const ConversionReport& report) = 0;
};

class Conversion {
 public:
  // The host must outlive it.
  Conversion(ConversionTask task, ConversionHost& host);

  void run();

 private:
  struct Recording;

  void run(std::vector<flow::TracePlace> places);
  void run_live(std::vector<flow::TracePlace> places);
  void run_meaning(std::vector<flow::TracePlace> places);
  void run_drawn();
  bool name_segment(std::span<const flow::TracePlace> places);
  bool is_recorded(flow::LiveTraces& traces);
  void record(flow::Live& live);
  void record(flow::Live& live, Recording& recording, flow::Arrived arrived);
  Result<void> copy(Recording& recording, FoundTrace found, io::Output& part);
  bool write_empty_trace();
  [[nodiscard]] bool is_rewritten(const flow::TracePlace& place) const;
  [[nodiscard]] ReadOptions reading_options(bool live) const;
  void rewrite(const flow::TracePlace& place, FoundTrace trace);
  bool rewrite(const flow::TracePlace& place);
  template <class Rewrite>
  bool rewrite_with(Rewrite&& rewrite);
  void note_missing_files(const io::Input& input);
  void convert(std::vector<flow::TracePlace> places, std::optional<FoundTrace> first);
  void convert(flow::Pipeline& pipeline);
  Result<std::unique_ptr<Writer>> create_writer(TraceNames trace_names);
  bool open_output();
  template <class Place>
  bool keep(Result<std::unique_ptr<Place>> made, std::unique_ptr<Place>& place);
  [[nodiscard]] bool is_cut_short() const;
  bool finish_output();
  bool name_output();
  void leave_output();
  [[nodiscard]] std::string where_written() const;
  void drop_output();
  void note_refused(const Written& written);
  void note_damaged(std::uint64_t ranges);
  void see_copied(RecordKind kind, const Notice& notice);
  void conclude();

  ConversionTask task_;
  ConversionHost& host_;
  std::unique_ptr<io::Output> file_;
  std::unique_ptr<io::OutputDirectory> directory_;
  std::unique_ptr<flow::DescribingEvents> describing_;  // for the parts
  std::unique_ptr<PartFiles> parts_;
  std::vector<Nanoseconds> cuts_;  // between parts
  columns::MarkTables marks_;      // of tables of what events mean
  io::Output* output_ = nullptr;   // the file or standard output
  bool single_source_ = false;
  bool restores_several_ = false;    // of the one source
  bool recording_ = false;           // of what arrives while it is read
  bool complete_ = false;            // the result has its name
  std::uint64_t copied_damage_ = 0;  // ranges that could not be copied
  ConversionReport report_;
};

}  // namespace tracedeck
