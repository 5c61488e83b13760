#include "tracedeck/timeline/latency_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tracedeck::timeline {

std::vector<LatencyCategory> latency_categories(const Latency& latency, std::size_t top) {
  std::vector<LatencyCategory> categories;
  for (const LatencyRow& row : latency.rows()) {
    const std::string_view name = row.is_wait ? std::string_view() : row.name.category;
    auto place = std::ranges::find_if(categories, [&](const LatencyCategory& each) {
      return each.is_wait == row.is_wait && each.name == name;
    });
    if (place == categories.end())
      place = categories.insert(categories.end(), {.is_wait = row.is_wait, .name = name});
    place->rows.push_back(&row);
  }
  std::ranges::stable_partition(categories, &LatencyCategory::is_wait);
  for (LatencyCategory& category : categories) {
    std::ranges::stable_sort(category.rows, [](const LatencyRow* a, const LatencyRow* b) {
      return a->total != b->total ? a->total > b->total : a->left_out > b->left_out;
    });
    if (top == 0 || category.rows.size() <= top) continue;
    category.more = category.rows.size() - top;
    category.rows.resize(top);
  }
  return categories;
}

TrackId shown_under(const Timeline& timeline, TrackId track) {
  const TrackKind kind = timeline.track(track).kind;
  const TrackId parent = timeline.parent_of(track);
  const bool is_of_states = kind == TrackKind::kState || kind == TrackKind::kTask;
  return is_of_states && parent != kNoTrack ? parent : track;
}

std::string_view name_on_host(const Timeline& timeline, TrackId id) {
  constexpr std::string_view kBetween = ": ";
  std::string_view name = timeline.track(id).name;
  const std::string_view host = timeline.shown_origin(id);
  if (!host.empty() && name.starts_with(host) && name.substr(host.size()).starts_with(kBetween))
    name.remove_prefix(host.size() + kBetween.size());
  return name;
}

bool are_of_one_machine(const Timeline& timeline, TrackId a, TrackId b) {
  const OriginId of_a = timeline.origin_of(a).machine;
  const OriginId of_b = timeline.origin_of(b).machine;
  return of_a == of_b || of_a == 0 || of_b == 0;
}

std::string since_begin(const Timeline& timeline, std::int64_t time) {
  return fmt::format("{:+.6f}s", static_cast<double>(time - timeline.begin()) / 1e9);
}

}  // namespace tracedeck::timeline
