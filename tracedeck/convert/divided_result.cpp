#include "tracedeck/convert/divided_result.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/convert/silent_observer.hpp"
#include "tracedeck/flow/pipeline.hpp"

namespace tracedeck {

DividedSlices::DividedSlices(std::vector<Nanoseconds> cuts) : cuts_(std::move(cuts)) {
  std::ranges::sort(cuts_);
}

Result<void> DividedSlices::take(const timeline::Timeline&, std::span<const timeline::Mark> marks) {
  for (const timeline::Mark& mark : marks) {
    const bool ends = mark.kind == timeline::MarkKind::kSliceEnd && !mark.has(timeline::kMoved);
    if (!ends && mark.kind != timeline::MarkKind::kWait) continue;
    const auto cut = std::ranges::upper_bound(cuts_, Nanoseconds(mark.begin));
    if (cut != cuts_.end() && *cut <= Nanoseconds(mark.time)) ++count_;
  }
  return {};
}

Receipt DividedSlices::receipt() const {
  if (count_ == 0) return {};
  return {
      {.what = "slices of tables that a cut divides",
       .done = "their events are in two parts, a begin without an end and an end without a begin",
       .count = count_,
       .lossy = false}};
}

Result<std::unique_ptr<flow::DescribingEvents>> describing_events(flow::PipelineOptions reading,
                                                                  const std::stop_token& stop) {
  std::vector<flow::TracePlace> places = flow::list_traces(
      {.names = reading.operands, .format = reading.format, .follow = reading.follow}, stop);
  if (!std::ranges::all_of(places, &flow::TracePlace::reopens)) return nullptr;
  const bool begun_first = places.size() == 1 || reading.selection.order == flow::Order::kMerged;
  const std::uint64_t most = flow::max_state(reading, false);
  SilentObserver observer;
  const auto pipeline = flow::Pipeline::open(std::move(reading), observer, stop, std::move(places));
  if (pipeline == nullptr) return nullptr;
  auto events = std::make_unique<flow::DescribingEvents>(most);
  const auto collected = flow::collect_describing(*pipeline, begun_first, *events);
  if (!collected) return std::unexpected(collected.error());
  return events;
}

}  // namespace tracedeck
