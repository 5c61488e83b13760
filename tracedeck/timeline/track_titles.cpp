#include "tracedeck/timeline/track_titles.hpp"

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "tracedeck/text/visible.hpp"

namespace tracedeck::timeline {
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

std::optional<std::string> number_of(const Track& track) {
  const bool is_numbered = track.kind == TrackKind::kTask || track.kind == TrackKind::kThread;
  // What is no number of the trace is a word of a key.
  if (!is_numbered || !track.tid || *track.tid < 0 ||
      *track.tid > std::numeric_limits<std::uint32_t>::max())
    return std::nullopt;
  return std::to_string(*track.tid);
}

std::string with_number(std::string name, const std::optional<std::string>& number) {
  if (number && !has_word(name, *number)) name += ' ' + *number;
  return name;
}

// Of several that have had the number, which one it is.
std::string which_of(const Track& track) {
  return track.earlier == 0 ? std::string() : " #" + std::to_string(track.earlier + 1);
}

}  // namespace

std::string track_title(const Timeline& timeline, TrackId id) {
  const Track& track = timeline.track(id);
  return with_number(visible(track.name), number_of(track)) + which_of(track);
}

query::Value TrackTitles::of(const Timeline& timeline, TrackId id) {
  const auto [place, is_new] = titles_.try_emplace(id);
  Title& title = place->second;
  if (is_new) {
    const Track& track = timeline.track(id);
    const std::optional<std::string> number = number_of(track);
    title.text = with_number(track.name, number);
    if (title.text != track.name) {
      title.names.push_back(track.name);
    } else if (number && title.text.ends_with(' ' + *number)) {
      title.names.push_back(title.text.substr(0, title.text.size() - number->size() - 1));
    }
    if (const std::string which = which_of(track); !which.empty()) {
      title.names.push_back(title.text);
      title.text += which;
    }
  }
  return query::Value::of(title.text, title.names);
}

}  // namespace tracedeck::timeline
