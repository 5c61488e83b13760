#include "cli/observer.hpp"

#include <fmt/format.h>

#include "tracedeck/render/time_text.hpp"

namespace tracedeck::cli {

void SessionObserver::opened(const TraceDescription& description) {
  session_.diagnostics.detail(fmt::format("{}: {}, version {}", description.input(),
                                          description.format(), description.version()));
}

void SessionObserver::selected_nothing(const flow::NothingSelected& what) {
  const std::string_view whose = what.traces == 1 ? "the trace has" : "the traces have";
  if (!what.range) {
    session_.diagnostics.note(fmt::format("nothing selected: {} no event with a time", whose));
    return;
  }
  session_.diagnostics.note(fmt::format("nothing selected: {} events from {} to {}", whose,
                                        render::time_text(what.range->first, what.origin),
                                        render::time_text(what.range->last, what.origin)));
}

}  // namespace tracedeck::cli
