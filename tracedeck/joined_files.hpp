// Files that recorders rotate through: which of them are of one process, and in which order.
//
// Files are of one process if they say so themselves, or the folders that they lie in do; else if
// they lie in one folder, are called STEM.N with one stem, have one clock, and their times go on
// with their numbers; of STEM-NNNN also their first clock anchor and their metadata are one. A file
// that no format recognises is damaged where its name is one of those.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "tracedeck/format/part_search.hpp"

namespace tracedeck {

// One trace.
struct JoinedFiles {
  const Format* format = nullptr;       // null: no format recognises it
  std::vector<std::string> files = {};  // in the order of their times, never empty
  FileOrigin origin = {};               // what the first that says something does
  // What a user may not expect. Sentences.
  std::vector<std::string> notices = {};
  std::vector<std::string> named_again = {};  // paths that lead to one of the files again
};

// The traces that these files are. The order of `files` makes no difference; one that is there
// twice counts once.
[[nodiscard]] std::vector<JoinedFiles> join_files(std::vector<TracePart> files,
                                                  const std::stop_token& stop = {});

}  // namespace tracedeck
