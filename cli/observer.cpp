#include "cli/observer.hpp"

#include <fmt/format.h>

#include "tracedeck/formats.hpp"
#include "tracedeck/render/time_text.hpp"

namespace tracedeck::cli {

void SessionObserver::opened(const TraceDescription& description) {
  session_.diagnostics.detail(fmt::format("{}: {}, version {}", description.input(),
                                          description.format(), description.version()));
  const Format* const format = find_format(description.format());
  if (condition_ == nullptr || format == nullptr || !format->info().classes_first) return;
  condition_->look_at(description);
  ++known_;
}

bool SessionObserver::refuses(std::size_t traces) const {
  if (condition_ == nullptr || known_ != traces) return false;
  const std::vector<std::string> unknown = condition_->unknown_fields();
  for (const std::string& sentence : unknown)
    session_.diagnostics.error("option '--where': " + sentence);
  if (!unknown.empty()) session_.outcome.note(ExitCode::kUsage);
  return !unknown.empty();
}

void SessionObserver::selected_nothing(const flow::NothingSelected& what) {
  const std::string_view whose = what.traces == 1 ? "the trace has" : "the traces have";
  if (what.by_condition && !what.by_time) {
    session_.diagnostics.note("nothing selected: no event meets the condition of --where");
    return;
  }
  if (!what.range) {
    session_.diagnostics.note(fmt::format("nothing selected: {} no event with a time", whose));
    return;
  }
  session_.diagnostics.note(fmt::format("nothing selected: {} events from {} to {}", whose,
                                        render::time_text(what.range->first, what.origin),
                                        render::time_text(what.range->last, what.origin)));
}

}  // namespace tracedeck::cli
