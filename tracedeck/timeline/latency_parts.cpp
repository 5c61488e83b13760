#include "tracedeck/timeline/latency_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "tracedeck/render/visible.hpp"

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

namespace {

// Not as a part of a longer word: "mytask1" is not task 1.
bool has_word(std::string_view text, std::string_view word) {
  const auto is_of_word = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0);
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    if (!is_of_word(at - 1) && !is_of_word(at + word.size())) return true;
  }
  return false;
}

}  // namespace

TrackId shown_under(const Timeline& timeline, TrackId track) {
  const TrackKind kind = timeline.track(track).kind;
  const TrackId parent = timeline.parent_of(track);
  const bool is_of_states = kind == TrackKind::kState || kind == TrackKind::kTask;
  return is_of_states && parent != kNoTrack ? parent : track;
}

std::string track_title(const Timeline& timeline, TrackId id) {
  const Track& track = timeline.track(id);
  std::string title = render::visible(track.name);
  const bool is_numbered = track.kind == TrackKind::kTask || track.kind == TrackKind::kThread;
  // What is no number of the trace is a word of a key.
  if (!is_numbered || !track.tid || *track.tid < 0 ||
      *track.tid > std::numeric_limits<std::uint32_t>::max())
    return title;
  const std::string number = std::to_string(*track.tid);
  if (!has_word(title, number)) title += ' ' + number;
  return title;
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
