// Which of the inputs that a user named are parts of one trace: the one place that decides it, for
// all formats.
//
// Parts are one trace if they have the identity that their format finds in them, not empty, and
// stand every test that the format has for it (`kTests`). What was decided does not depend on how,
// or in which order, the parts were named.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "tracedeck/format/directory_search.hpp"

namespace tracedeck {

struct JoinedTrace {
  const Format* format = nullptr;
  std::vector<std::string> directories = {};  // by name, never empty
  // What a user may not expect: what was named twice, or is kept apart. Sentences.
  std::vector<std::string> notices = {};
};

// The traces that these directories are, in the order of their first directories. A directory that
// is there twice counts once.
[[nodiscard]] std::vector<JoinedTrace> join_parts(const std::vector<FoundDirectory>& parts,
                                                  const std::stop_token& stop = {});

}  // namespace tracedeck
