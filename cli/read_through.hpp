// Commands that look at each trace by itself.
#pragma once

#include <string>
#include <utility>

#include "cli/session.hpp"
#include "cli/trace_place.hpp"

namespace tracedeck::cli {

// Reads `reader` to its end, showing progress, and hands each batch to `consume`, which returns
// whether to go on. An error is handed back; what came before it was consumed.
template <class Consume>
[[nodiscard]] Result<void> read_through(Reader& reader, Session& session, Consume&& consume) {
  for (;;) {
    session.diagnostics.progress().show(reader.progress());
    auto batch = reader.next();
    if (!batch) return std::unexpected(std::move(batch.error()));
    if (*batch == nullptr || !consume(**batch)) return {};
  }
}

// Writes `text` to standard output. Returns whether that went well.
inline bool print(Session& session, const std::string& text) {
  session.diagnostics.progress().erase();
  return session.delivered(session.out.write(text));
}

}  // namespace tracedeck::cli
