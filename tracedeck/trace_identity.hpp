// Which of the inputs that a user named are parts of one trace: the one place that decides it, for
// all formats.
//
// Directories are one trace if they have the identity that their format finds in them, not empty,
// and stand every test that the format has for it (`kTests`); files as `join_files` says. What was
// decided does not depend on how, or in which order, the parts were named.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "tracedeck/format/part_search.hpp"

namespace tracedeck {

struct JoinedTrace {
  const Format* format = nullptr;             // null: a file that no format recognises
  std::vector<std::string> directories = {};  // by name; empty: it is files
  std::vector<std::string> files = {};        // in the order of their times
  FileOrigin origin = {};                     // of files
  // What a user may not expect: what is kept apart, left out or missing. Sentences.
  std::vector<std::string> notices = {};
  std::vector<std::string> named_again = {};  // paths that lead to a part again

  [[nodiscard]] const std::vector<std::string>& parts() const {
    return directories.empty() ? files : directories;
  }
};

// The traces that these parts are: directories in the order of the first of each, then files. A
// part that is there twice counts once.
[[nodiscard]] std::vector<JoinedTrace> join_parts(std::vector<TracePart> parts,
                                                  const std::stop_token& stop = {});

}  // namespace tracedeck
