#include "tracedeck/convert/drawing.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/convert/measured_output.hpp"
#include "tracedeck/convert/time_line_receipt.hpp"
#include "tracedeck/io/compressing_output.hpp"
#include "tracedeck/outputs.hpp"
#include "tracedeck/timeline/latency_report.hpp"
#include "tracedeck/timeline/mark_window.hpp"
#include "tracedeck/timeline/short_slices.hpp"
#include "tracedeck/timeline/size_bound.hpp"

namespace tracedeck {
namespace {

// The traces, as results may name them.
std::vector<std::string> shown_operands(const flow::PipelineOptions& reading) {
  std::vector<std::string> operands = reading.operands;
  if (const auto& hiding = reading.selection.hiding; hiding != nullptr)
    for (std::string& operand : operands) operand = hiding->path(operand);
  return operands;
}

// What is said of a whole trace in its picture.
std::vector<exporting::TraceAttribute> attributes_of(const flow::PipelineOptions& reading,
                                                     const timeline::Timeline& timeline) {
  std::vector<exporting::TraceAttribute> attributes;
  const std::vector<std::string> operands = shown_operands(reading);
  for (std::size_t i = 0; i < operands.size(); ++i)
    attributes.push_back({fmt::format("tracedeck.input.{}", i), operands[i]});
  const timeline::TimelineCounts& counts = timeline.counts();
  attributes.push_back({"tracedeck.tables", fmt::format("{}", fmt::join(timeline.tables(), ", "))});
  attributes.push_back({"tracedeck.lost_events", static_cast<std::int64_t>(counts.lost_events)});
  attributes.push_back({"tracedeck.gaps", static_cast<std::int64_t>(counts.gaps)});
  attributes.push_back(
      {"tracedeck.unmatched_ends", static_cast<std::int64_t>(counts.unmatched_ends)});
  return attributes;
}

// What was left out because it is short.
void append_short(Receipt& receipt, const timeline::ShortSlices& slices, std::int64_t shortest) {
  const timeline::ShortSlices::Counts& counts = slices.counts();
  const std::string bound = timeline::exact_duration(shortest);
  if (counts.slices != 0)
    receipt.push_back({.what = "slice shorter than " + bound,
                       .done = fmt::format("counted in 'below {}' of its track", bound),
                       .count = counts.slices});
  if (counts.waits != 0)
    receipt.push_back({.what = "wait shorter than " + bound + " of such a slice",
                       .done = "left out",
                       .count = counts.waits});
  if (counts.not_held != 0)
    receipt.push_back({.what = "slice shorter than " + bound + " around much else",
                       .done = "not left out",
                       .count = counts.not_held,
                       .lossy = false});
}

std::string megabytes(double bytes) {
  return fmt::format("{:.3g} {}", bytes / (bytes < 1e9 ? 1e6 : 1e9), bytes < 1e9 ? "MB" : "GB");
}

// One time through the traces.
class Drawing {
 public:
  struct Attempt {
    std::int64_t shortest;  // ns: shorter slices are left out
    bool again;             // not the first
  };

  Drawing(const ConversionTask& task, ConversionHost& host, Attempt attempt, io::Output& output)
      : task_(task),
        host_(host),
        kind_(*task.kind),
        attempt_(attempt),
        output_(output, task.max_size.value_or(kAnySize)) {}

  // Nothing: there is no result, and why was reported.
  std::optional<ConversionReport> run() {
    output_.watch(kind_.bearable / kFirstLook, [this] { warn(); });
    const ConversionHost::MarksRead read = host_.read_marks(wanted());
    if (!read.complete || exporter_ == nullptr || read.cut_short) return std::nullopt;
    const timeline::Timeline& timeline = read.stream->timeline();
    note_emptiness(timeline, read.stream->begin());
    ConversionReport report{.inputs = task_.reading.operands,
                            .output = task_.out,
                            .to = std::string(kind_.name),
                            .events = timeline.counts().events,
                            .receipt = exporter_->receipt()};
    append_counts(report.receipt, timeline.counts(),
                  kind_.shows_instants ? CountWords::kPicture : CountWords::kSlices);
    if (slices_) append_short(report.receipt, *slices_, attempt_.shortest);
    return report;
  }

  // Bytes of the result, whether or not all of them went into the output.
  [[nodiscard]] std::uint64_t size() const { return output_.size(); }
  [[nodiscard]] const timeline::ShortSlices& slices() const { return *slices_; }

 private:
  static constexpr std::uint64_t kAnySize = ~std::uint64_t{0};
  static constexpr std::uint64_t kFirstLook = 16;  // as a part of what can be borne

  [[nodiscard]] ConversionHost::MarksWanted wanted() {
    ConversionHost::MarksWanted wanted{
        .sink_for = [this](const timeline::MarksAhead& ahead) -> timeline::MarkSink& {
          return open(ahead);
        },
        .symbols = kind_.names_addresses ? flow::Needs::Symbols::kAll : flow::Needs::Symbols::kNone,
        .again = attempt_.again};
    if (kind_.sees_events)
      wanted.see = [this](const timeline::Timeline& timeline, const Batch& batch) {
        exporter_->see(timeline, batch);
      };
    return wanted;
  }

  timeline::MarkSink& open(const timeline::MarksAhead& ahead) {
    OutputSettings settings = task_.settings;
    settings.title = fmt::format("{}", fmt::join(shown_operands(task_.reading), ", "));
    settings.attributes = [this, &line = ahead.timeline] {
      return attributes_of(task_.reading, line);
    };
    settings.source_format = ahead.format;
    settings.begin = ahead.begin;
    settings.shortest = attempt_.shortest;
    settings.is_compressed = io::compression_named(task_.out) != io::Compression::kNone;
    settings.any_size = task_.max_size.has_value();
    exporter_ = kind_.draw(output_, settings);
    timeline::MarkSink* next = exporter_.get();
    if (attempt_.shortest != 0 || task_.max_size) {
      using Mode = timeline::ShortSlices::Mode;
      slices_.emplace(*next, ahead.timeline, attempt_.shortest,
                      kind_.leaves_out_short ? Mode::kCounts : Mode::kLeavesOut);
      next = &*slices_;
    }
    window_.emplace(*next);
    if (ahead.begin) window_->begin_at(*ahead.begin);
    return *window_;
  }

  // Says why there is little or nothing to see.
  void note_emptiness(const timeline::Timeline& timeline, std::optional<std::int64_t> begin) {
    if (const std::string empty = timeline::empty_range_notice(timeline, begin); !empty.empty())
      return host_.note(empty);
    if (output_.size() != 0) return;
    host_.note(
        fmt::format("{} is empty: none of {} events {}; 'tracedeck latency --explain' prints the "
                    "tables that were applied",
                    task_.out, timeline.counts().events,
                    task_.settings.stacks > exporting::FoldedStacks::kAuto
                        ? "is an allocation that counts"
                        : "began or ended a slice or is a sample with a stack"));
  }

  // As soon as it shows that the result will be more than can be borne; once.
  void warn() {
    if (warned_ || kind_.bearable == 0 || task_.max_size) return;
    const double part = host_.part();
    const auto size = static_cast<double>(output_.size());
    const auto bearable = static_cast<double>(kind_.bearable);
    const double whole = part > 0 && part < 1 ? size / part : size;
    if (whole < bearable) return output_.watch(kind_.bearable, [this] { warn(); });
    warned_ = true;
    host_.note(fmt::format(
        "{} {} more than {}, beyond which what shows it fails; --begin and --end choose a part, "
        "and --min-duration or --max-size leave short slices out",
        task_.out, whole > size ? "will likely have" : "has", megabytes(bearable)));
  }

  const ConversionTask& task_;
  ConversionHost& host_;
  const OutputKind& kind_;
  Attempt attempt_;
  MeasuredOutput output_;
  std::unique_ptr<exporting::Exporter> exporter_;
  std::optional<timeline::ShortSlices> slices_;
  std::optional<timeline::MarkWindow> window_;
  bool warned_ = false;
};

}  // namespace

std::optional<ConversionReport> draw(const ConversionTask& task, ConversionHost& host,
                                     const OpenDrawing& open) {
  Drawing::Attempt attempt{.shortest = task.settings.shortest, .again = false};
  std::optional<timeline::SizeBound> bound;
  if (task.max_size) bound.emplace(*task.max_size);
  for (;;) {
    io::Output* const output = open();
    if (output == nullptr) return std::nullopt;
    Drawing drawing(task, host, attempt, *output);
    auto report = drawing.run();
    if (!report || !bound || drawing.size() <= *task.max_size) return report;
    const std::string size = megabytes(static_cast<double>(drawing.size()));
    const auto next = bound->next(drawing.slices(), drawing.size(), attempt.shortest);
    if (!next) {
      host.failed({.code = ErrorCode::kLimitExceeded,
                   .message = fmt::format(
                       "it would have {} without any slice shorter than {}; what is left are "
                       "states, instants, counters and names: choose a part with --begin and "
                       "--end, or a larger --max-size",
                       size, timeline::exact_duration(attempt.shortest)),
                   .input = task.out});
      return std::nullopt;
    }
    attempt = {.shortest = *next, .again = true};
    host.note(fmt::format("{}: {} are too much; once more without slices shorter than {}", task.out,
                          size, timeline::exact_duration(*next)));
  }
}

}  // namespace tracedeck
