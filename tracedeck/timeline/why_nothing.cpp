#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "tracedeck/base/nearest.hpp"
#include "tracedeck/render/visible.hpp"
#include "tracedeck/timeline/latency_parts.hpp"
#include "tracedeck/timeline/why.hpp"

namespace tracedeck::timeline {
namespace {

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
    return fmt::format("; is '{}' meant?", render::visible(near));
  std::vector<std::string> having;
  for (const std::string_view each : words) {
    if (word.size() < kShortest || having.size() == kMost || !contains_word(each, word)) continue;
    std::string text = fmt::format("'{}'", render::visible(each));
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
  const auto any = [](const query::TextMatcher& matcher, const std::vector<std::string>& known) {
    return std::ranges::any_of(known,
                               [&](const std::string& each) { return matcher.matches(each); });
  };
  const std::vector<std::string> tracks = tracks_of(timeline);
  if (!question_.track.empty() && !any(*tracks_, tracks))
    return fmt::format("no track is called '{}'{}", render::visible(question_.track),
                       meant(question_.track, tracks));
  const std::string_view where = question_.track.empty() ? "" : " on such a track";
  const std::string name = render::visible(question_.name);
  const std::vector<std::string> names = names_of(timeline);
  if (!question_.name.empty() && !any(*names_, names))
    return fmt::format("nothing is called '{}'{}; 'tracedeck latency --top 0' lists all names",
                       name, meant(question_.name, names));
  if (question_.at) {
    const std::string what =
        question_.name.empty() ? "that" : fmt::format("called '{}' that", name);
    if (*question_.at >= timeline.begin() && *question_.at <= timeline.end())
      return fmt::format("nothing {} lasted is known at that time{}", what, where);
    return fmt::format(
        "{} is not in the trace, which lasts from {} to {} (+TIME counts from its begin)",
        since_begin(timeline, *question_.at), since_begin(timeline, timeline.begin()),
        since_begin(timeline, timeline.end()));
  }
  if (known() == 0) return fmt::format("nothing called '{}'{} has a known duration", name, where);
  return fmt::format("only {} of what is called '{}'{} {} a known duration", known(), name, where,
                     known() == 1 ? "has" : "have");
}

}  // namespace tracedeck::timeline
