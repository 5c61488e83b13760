#include "cli/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "cli/output_options.hpp"
#include "cli/places.hpp"
#include "cli/time_lines.hpp"
#include "cli/traces.hpp"
#include "tracedeck/part_files.hpp"
#include "tracedeck/timeline/mark_sink.hpp"

namespace tracedeck::cli {
namespace {

// Who reads the traces again hears all there is to say.
class Silent final : public flow::PipelineObserver {
 public:
  void failed(const Error&) override {}
};

std::filesystem::path place_folder(const std::string& name) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(name, error);
  return (error ? std::filesystem::absolute(name, error) : whole).parent_path();
}

// Counts the slices and waits that cuts divide.
class DividedSlices final : public timeline::MarkSink {
 public:
  explicit DividedSlices(std::vector<Nanoseconds> cuts) : cuts_(std::move(cuts)) {
    std::ranges::sort(cuts_);
  }

  Result<void> take(const timeline::Timeline&, std::span<const timeline::Mark> marks) override {
    for (const timeline::Mark& mark : marks) {
      const bool ends = mark.kind == timeline::MarkKind::kSliceEnd && !mark.has(timeline::kMoved);
      if (!ends && mark.kind != timeline::MarkKind::kWait) continue;
      const auto cut = std::ranges::upper_bound(cuts_, Nanoseconds(mark.begin));
      if (cut != cuts_.end() && *cut <= Nanoseconds(mark.time)) ++count_;
    }
    return {};
  }
  Result<void> finish(const timeline::Timeline&) override { return {}; }

  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  std::vector<Nanoseconds> cuts_;
  std::uint64_t count_ = 0;
};

// Whether a part may get that name.
bool is_part(const std::string& name, const Options& options, const OutputKind& kind) {
  return !name.empty() && is_part_name(name, options.out, kind) &&
         place_folder(name) == place_folder(options.out);
}

}  // namespace

bool is_split(const Options& options) {
  return options.split_size.has_value() || options.split_duration.has_value();
}

bool sorts_parts(const Options& options, std::span<const flow::TracePlace> places) {
  return options.split_duration && !options.order_given &&
         std::ranges::all_of(places, &flow::TracePlace::reopens);
}

std::string check_split(const Options& options, const OutputKind& kind) {
  if (!is_split(options)) return {};
  const std::string_view option = options.split_size ? "--split-size" : "--split-duration";
  if (options.spans) {
    return fmt::format(
        "option '{0}' does not go with '--spans', whose slices are found as a whole; "
        "divide the result by another 'tracedeck convert {0}'",
        option);
  }
  if (draws(options, kind)) {
    return fmt::format("option '{}' goes with results that hold events, and '--to {}' shows them",
                       option, kind.name);
  }
  if (options.split_size && (kind.at_end || options.flat)) {
    return fmt::format(
        "option '--split-size' does not go with '--to {}{}', whose size shows at the "
        "end; '--split-duration' divides it by time",
        kind.name, options.flat ? " --flat" : "");
  }
  if (options.out == kStandard)
    return fmt::format("option '{}' writes several files, and standard output is one", option);
  if (is_part(options.report, options, kind))
    return fmt::format("the report cannot be {}, the name of a part", options.report);
  if (options.tables.empty()) return {};
  return check_read_again(options, fmt::format("--table with {}", option));
}

flow::SplitOptions split_options(const Options& options) {
  return {.size = options.split_size,
          .duration = options.split_duration,
          .by_begin = options.selection.order == flow::Order::kTime,
          .max_state = flow::max_state(pipeline_options(options, {}), false)};
}

Receipt divided_slices(const Options& options, Session& session, std::vector<Nanoseconds> cuts) {
  DividedSlices slices(std::move(cuts));
  Options reading = options;
  // What is to be known of the TRACEs was said.
  reading.quiet = true;
  const Interpreted read =
      interpret(reading, session, [&](const MarksAhead&) -> timeline::MarkSink& { return slices; });
  if (read.interpreter == nullptr || slices.count() == 0) return {};
  return {
      {.what = "slices of tables that a cut divides",
       .done = "their events are in two parts, a begin without an end and an end without a begin",
       .count = slices.count(),
       .lossy = false}};
}

std::unique_ptr<flow::DescribingEvents> describing_events(const Options& options,
                                                          Session& session) {
  std::vector<flow::TracePlace> places = list_traces(options, session.stop);
  if (!std::ranges::all_of(places, &flow::TracePlace::reopens)) return nullptr;
  const bool begun_first = places.size() == 1 || options.selection.order == flow::Order::kMerged;
  Silent observer;
  const auto pipeline = flow::Pipeline::open(pipeline_options(options, {.values = true}), observer,
                                             session.stop, std::move(places));
  if (pipeline == nullptr) return nullptr;
  auto events = std::make_unique<flow::DescribingEvents>(split_options(options).max_state);
  const auto collected = flow::collect_describing(*pipeline, begun_first, *events);
  if (collected) return events;
  session.diagnostics.note(
      fmt::format("{}: parts have of them what came before", collected.error().to_string()));
  return nullptr;
}

void report_other_parts(const Options& options, Session& session, std::size_t parts) {
  const std::string next = part_name(options.out, *find_output(options.to), parts + 1);
  std::error_code ignored;
  if (!std::filesystem::exists(next, ignored)) return;
  session.diagnostics.note(fmt::format("{} was there before, and is no part of this result", next));
}

}  // namespace tracedeck::cli
