#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ranges>
#include <string_view>
#include <vector>

#include "tracedeck/base/nearest.hpp"
#include "tracedeck/render/sentences.hpp"
#include "tracedeck/text/visible.hpp"
#include "tracedeck/timeline/latency_parts.hpp"
#include "tracedeck/timeline/why.hpp"

namespace tracedeck::timeline {
namespace {

using render::Plain;
using render::say;

// Whatever the case of its letters.
bool contains_word(std::string_view text, std::string_view word) {
  const auto lower = [](char each) { return std::tolower(static_cast<unsigned char>(each)); };
  return !std::ranges::search(text, word, {}, lower, lower).empty();
}

// "; is 'poll' meant?": what is written nearly so, else what the word is a part of.
std::string meant(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kMost = 3;
  constexpr std::size_t kShortest = 3;
  const std::vector<std::string_view> words(known.begin(), known.end());
  if (const std::string_view near = nearest(word, words); !near.empty())
    return fmt::format("; is '{}' meant?", visible(near));
  std::vector<std::string> having;
  for (const std::string_view each : words) {
    if (word.size() < kShortest || having.size() == kMost || !contains_word(each, word)) continue;
    std::string text = fmt::format("'{}'", visible(each));
    if (std::ranges::find(having, text) == having.end()) having.push_back(std::move(text));
  }
  return having.empty() ? std::string() : fmt::format("; is {} meant?", fmt::join(having, " or "));
}

// Labels and categories.
std::vector<std::string> names_of(const Timeline& timeline) {
  std::vector<std::string> names;
  for (NameId id = 1; id <= timeline.name_count(); ++id) {
    names.push_back(timeline.name(id).label());
    names.push_back(timeline.name(id).category);
  }
  return names;
}

std::vector<std::string> tracks_of(const Timeline& timeline) {
  std::vector<std::string> tracks;
  for (TrackId id = 1; id <= timeline.track_count(); ++id)
    tracks.push_back(timeline.track(id).name);
  return tracks;
}

}  // namespace

std::string SliceFinder::nothing(const Timeline& timeline) const {
  const auto any = [](std::size_t count, const auto& is_meant) {
    return std::ranges::any_of(std::views::iota(std::size_t{1}, count + 1), is_meant);
  };
  const auto is_track = [&](std::size_t id) {
    return tracks_.matches(timeline.track(static_cast<TrackId>(id)));
  };
  const auto is_name = [&](std::size_t id) {
    return names_.matches(timeline.name(static_cast<NameId>(id)));
  };
  if (!question_.track.empty() && !any(timeline.track_count(), is_track))
    return say<"why/no-track">(visible(question_.track),
                               meant(question_.track, tracks_of(timeline)));
  const std::string_view where = question_.track.empty() ? "" : " on such a track";
  const std::string name = visible(question_.name);
  if (!question_.name.empty() && !any(timeline.name_count(), is_name))
    return say<"why/no-name">(name, meant(question_.name, names_of(timeline)));
  if (question_.at) {
    const std::string what =
        question_.name.empty() ? "that" : fmt::format("called '{}' that", name);
    if (*question_.at >= timeline.begin() && *question_.at <= timeline.end())
      return say<"why/nothing-lasts">(what, where);
    return say<"why/not-in-trace">(since_begin(timeline, *question_.at),
                                   since_begin(timeline, timeline.begin()),
                                   since_begin(timeline, timeline.end()));
  }
  if (known() == 0) return say<"why/none-known">(name, where);
  return say<"why/few-known">(Plain(known()), name, where);
}

}  // namespace tracedeck::timeline
