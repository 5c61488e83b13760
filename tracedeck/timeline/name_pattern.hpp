// Which names are meant by a text: by their label, with or without the host that it is shown with,
// or their category, or a glob over both. A place
// in a program is meant by each of its endings (`place_names.hpp`).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/query/pattern.hpp"
#include "tracedeck/timeline/timeline.hpp"

namespace tracedeck::timeline {

class NamePattern {
 public:
  NamePattern() = default;
  // Errors: kInvalidArgument, a glob that is none.
  [[nodiscard]] static Result<NamePattern> from(std::string_view text) {
    auto matcher = query::glob_matcher(text);
    if (!matcher) return std::unexpected(matcher.error());
    NamePattern pattern;
    pattern.matcher_ = *std::move(matcher);
    pattern.is_glob_ = text.find_first_of("*?\\") != std::string_view::npos;
    return pattern;
  }

  [[nodiscard]] bool matches(const MarkName& name) const {
    return matcher_->matches(name.category) || is_called(name);
  }
  [[nodiscard]] bool matches(const Track& track) const {
    return matcher_->matches(track.name) ||
           any_way_to_say(track.full_name, track.place,
                          [this](std::string_view way) { return matcher_->matches(way); });
  }
  // Whether it is one of the ways to say this name, not a category nor a glob. Several names that
  // it says are different things that end alike.
  [[nodiscard]] bool says(const MarkName& name) const { return !is_glob_ && is_called(name); }

 private:
  [[nodiscard]] bool is_called(const MarkName& name) const {
    return any_way_to_say(name.identity(), name.place, [&](std::string_view way) {
      const std::string label = name.with_category(way);
      return matcher_->matches(label) || (name.place.size != 0 && matcher_->matches(way)) ||
             (!name.host.empty() && matcher_->matches(name.host + ": " + label));
    });
  }

  query::TextMatcherPtr matcher_;
  bool is_glob_ = false;
};

// All ways to say a name, and those with its category before it: for conditions on names.
struct WaysToSay {
  explicit WaysToSay(const MarkName& name) : full_label(name.with_category(name.identity())) {
    if (name.place.size == 0) return;
    (void)any_way_to_say(name.identity(), name.place, [&](std::string_view way) {
      names.emplace_back(way);
      labels.push_back(name.with_category(way));
      return false;
    });
  }

  std::string full_label;
  std::vector<std::string> names = {};  // of a place; of others there is one, which is not here
  std::vector<std::string> labels = {};
};

}  // namespace tracedeck::timeline
