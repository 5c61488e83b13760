#include "cli/drawing.hpp"

#include <fmt/format.h>

#include <utility>

#include "cli/hidden.hpp"
#include "cli/measured_output.hpp"
#include "cli/output_options.hpp"
#include "cli/time_lines.hpp"
#include "cli/traces.hpp"
#include "tracedeck/convert/time_line_receipt.hpp"
#include "tracedeck/io/compressing_output.hpp"
#include "tracedeck/outputs.hpp"
#include "tracedeck/timeline/latency_report.hpp"
#include "tracedeck/timeline/mark_window.hpp"
#include "tracedeck/timeline/short_slices.hpp"
#include "tracedeck/timeline/size_bound.hpp"

namespace tracedeck::cli {
namespace {

// What is said of a whole trace in its picture.
std::vector<exporting::TraceAttribute> attributes_of(const Options& options,
                                                     const timeline::Timeline& timeline) {
  std::vector<exporting::TraceAttribute> attributes;
  const std::vector<std::string> operands = shown_operands(options);
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

// Marks that go nowhere: only what was applied is wanted.
class NoMarks final : public timeline::MarkSink {
 public:
  Result<void> take(const timeline::Timeline&, std::span<const timeline::Mark>) override {
    return {};
  }
  Result<void> finish(const timeline::Timeline&) override { return {}; }
};

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

// One time through the TRACEs.
class Drawing {
 public:
  Drawing(const Options& options, Session& session, std::int64_t shortest, io::Output& output)
      : options_(options),
        session_(session),
        kind_(*find_output(options.to)),
        shortest_(shortest),
        output_(output, options.max_size.value_or(kAnySize)) {}

  // Nothing: there is no result, and why was reported.
  std::optional<ConversionReport> run() {
    output_.watch(kind_.bearable / kFirstLook, [this] { warn(); });
    const Interpreted read = interpret(
        options_, session_,
        [this](const MarksAhead& ahead) -> timeline::MarkSink& { return open(ahead); },
        kind_.names_addresses ? flow::Needs::Symbols::kAll : flow::Needs::Symbols::kNone,
        kind_.sees_events
            ? SeeEvents([this](const timeline::Timeline& timeline, const Batch& batch) {
                exporter_->see(timeline, batch);
              })
            : SeeEvents());
    if (read.interpreter == nullptr || exporter_ == nullptr || read.cut_short) return std::nullopt;
    const timeline::Timeline& timeline = read.interpreter->timeline();
    const std::string empty = timeline::empty_range_notice(timeline, read.stream->begin());
    if (!empty.empty()) {
      session_.diagnostics.note(empty);
    } else if (output_.size() == 0) {
      session_.diagnostics.note(fmt::format(
          "{} is empty: none of {} events {}; 'tracedeck latency --explain' prints the tables "
          "that were applied",
          options_.out, timeline.counts().events,
          options_.stacks > exporting::FoldedStacks::kAuto
              ? "is an allocation that counts"
              : "began or ended a slice or is a sample with a stack"));
    }
    ConversionReport report{.inputs = options_.operands,
                            .output = options_.out,
                            .to = options_.to,
                            .events = timeline.counts().events,
                            .receipt = exporter_->receipt()};
    append_counts(report.receipt, timeline.counts(),
                  kind_.shows_instants ? CountWords::kPicture : CountWords::kSlices);
    if (slices_) append_short(report.receipt, *slices_, shortest_);
    return report;
  }

  // Bytes of the result, whether or not all of them went into the output.
  [[nodiscard]] std::uint64_t size() const { return output_.size(); }
  [[nodiscard]] const timeline::ShortSlices& slices() const { return *slices_; }

 private:
  static constexpr std::uint64_t kAnySize = ~std::uint64_t{0};
  static constexpr std::uint64_t kFirstLook = 16;  // as a part of what can be borne

  timeline::MarkSink& open(const MarksAhead& ahead) {
    OutputSettings settings = output_settings(options_);
    settings.attributes = [this, &line = ahead.timeline] { return attributes_of(options_, line); };
    settings.source_format = ahead.format;
    settings.begin = ahead.begin;
    settings.shortest = shortest_;
    settings.is_compressed = io::compression_named(options_.out) != io::Compression::kNone;
    settings.any_size = options_.max_size.has_value();
    exporter_ = kind_.draw(output_, settings);
    timeline::MarkSink* next = exporter_.get();
    if (shortest_ != 0 || options_.max_size) {
      using Mode = timeline::ShortSlices::Mode;
      slices_.emplace(*next, ahead.timeline, shortest_,
                      kind_.leaves_out_short ? Mode::kCounts : Mode::kLeavesOut);
      next = &*slices_;
    }
    window_.emplace(*next);
    if (ahead.begin) window_->begin_at(*ahead.begin);
    return *window_;
  }

  // As soon as it shows that the result will be more than can be borne; once.
  void warn() {
    if (warned_ || kind_.bearable == 0 || options_.max_size) return;
    const double part = session_.diagnostics.progress().part();
    const auto size = static_cast<double>(output_.size());
    const auto bearable = static_cast<double>(kind_.bearable);
    const double whole = part > 0 && part < 1 ? size / part : size;
    if (whole < bearable) return output_.watch(kind_.bearable, [this] { warn(); });
    warned_ = true;
    session_.diagnostics.note(fmt::format(
        "{} {} more than {}, beyond which what shows it fails; --begin and --end choose a part, "
        "and --min-duration or --max-size leave short slices out",
        options_.out, whole > size ? "will likely have" : "has", megabytes(bearable)));
  }

  const Options& options_;
  Session& session_;
  const OutputKind& kind_;
  std::int64_t shortest_;
  MeasuredOutput output_;
  std::unique_ptr<exporting::Exporter> exporter_;
  std::optional<timeline::ShortSlices> slices_;
  std::optional<timeline::MarkWindow> window_;
  bool warned_ = false;
};

}  // namespace

void explain(const Options& options, Session& session) {
  NoMarks none;
  const Interpreted read =
      interpret(options, session, [&](const MarksAhead&) -> timeline::MarkSink& { return none; });
  if (read.interpreter != nullptr) print(session, read.interpreter->explain());
}

std::optional<ConversionReport> draw(const Options& options, Session& session,
                                     const OpenDrawing& open) {
  std::int64_t shortest = options.shortest;
  std::optional<timeline::SizeBound> bound;
  if (options.max_size) bound.emplace(*options.max_size);
  Options reading = options;
  for (;;) {
    io::Output* const output = open();
    if (output == nullptr) return std::nullopt;
    Drawing drawing(reading, session, shortest, *output);
    auto report = drawing.run();
    if (!report || !bound || drawing.size() <= *options.max_size) return report;
    const auto next = bound->next(drawing.slices(), drawing.size(), shortest);
    if (!next) {
      session.report(
          {.code = ErrorCode::kLimitExceeded,
           .message = fmt::format(
               "it would have {} without any slice shorter than {}; what is left are states, "
               "instants, counters and names: choose a part with --begin and --end, or a larger "
               "--max-size",
               megabytes(static_cast<double>(drawing.size())), timeline::exact_duration(shortest)),
           .input = options.out});
      return std::nullopt;
    }
    shortest = *next;
    session.diagnostics.note(
        fmt::format("{}: {} are too much; once more without slices shorter "
                    "than {}",
                    options.out, megabytes(static_cast<double>(drawing.size())),
                    timeline::exact_duration(shortest)));
    reading.again = true;
  }
}

}  // namespace tracedeck::cli
