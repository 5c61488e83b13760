// Places of two versions of a program whose line moved, as code was added or removed above them.
#pragma once

#include <string>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/timeline/place_names.hpp"

namespace tracedeck::timeline {

// A name of one trace that is a place.
struct LinedName {
  std::string key;    // what tells it from all others
  std::string group;  // the same without its line: places of one group are of one file or function
  SourceLine line;
};

// Of names of B that are those of A in other lines: the key in A by the key in B.
//
// Within a group places keep their order. As many places in A as in B are paired in that order, if
// this leaves those in place that are in both, or if all move by as many lines. Of groups of
// different sizes, two places or more of the smaller one are paired where one distance alone takes
// all of them to places of the other. Whatever else changed is left as it is.
[[nodiscard]] TextMap<std::string> moved_places(const std::vector<LinedName>& a,
                                                const std::vector<LinedName>& b);

}  // namespace tracedeck::timeline
