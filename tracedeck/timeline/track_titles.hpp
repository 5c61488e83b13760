// What tracks are called in answers.
#pragma once

#include <string>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/query/value.hpp"
#include "tracedeck/timeline/timeline.hpp"

namespace tracedeck::timeline {

// A track as it is shown to people: its name, and the number of its thread or task where the name
// does not say it.
[[nodiscard]] std::string track_title(const Timeline& timeline, TrackId track);

// Tracks in the rows of queries.
class TrackTitles {
 public:
  // The title as a text, equal to the name without that number too. Valid as long as this.
  [[nodiscard]] query::Value of(const Timeline& timeline, TrackId track);

 private:
  struct Title {
    std::string text = {};
    std::vector<std::string> names = {};
  };
  NumberMap<TrackId, Title> titles_;
};

}  // namespace tracedeck::timeline
