// Traces that are directories: found in a tree of them.
#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/format/format.hpp"

namespace tracedeck {

struct FoundDirectory {
  const Format* format = nullptr;
  std::string directory = {};
};

struct DirectorySearch {
  std::vector<FoundDirectory> found = {};  // in the order in which they were found
  std::vector<Error> unsearched = {};      // folders that cannot be read
};

// How many folders deep a tree is searched.
inline constexpr int kDeepestTrace = 64;

// `root`, if one of `formats` recognises it; or else the directories below it that one does, depth
// first, the names of each folder in bytewise order. Folders in a trace, hidden folders, and
// folders met before by another way (symbolic links are followed) are not looked at. Empty when
// there are none, or once `stop` was requested.
[[nodiscard]] DirectorySearch find_trace_directories(const std::string& root,
                                                     std::span<const Format* const> formats,
                                                     const std::stop_token& stop = {});

}  // namespace tracedeck
