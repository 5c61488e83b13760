// `convert` to what shows time lines: pages, Perfetto, Chrome's trace viewer, flame graphs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/commands.hpp"
#include "cli/drawing.hpp"
#include "cli/output_file.hpp"
#include "cli/places.hpp"
#include "tracedeck/io/output.hpp"

namespace tracedeck::cli {

std::string check_draw(const Options& options) {
  constexpr auto kOfEvents = std::to_array<std::string_view>({"where", "limit"});
  for (const std::string_view given : options.given) {
    if (std::ranges::find(kOfEvents, given) == kOfEvents.end()) continue;
    return fmt::format(
        "option '--{}' does not go with '--to {}': without some events, begins and "
        "ends would not be found",
        given, options.to);
  }
  if (!options.max_size) return {};
  // What was written to a pipe cannot be taken back.
  if (options.out == kStandard || io::part_path(options.out).empty())
    return "option '--max-size' tries several times: OUT has to be a file";
  return check_read_again(options, "--max-size");
}

void run_draw(const Options& options, Session& session) {
  if (options.explain) return explain(options, session);
  const bool standard = options.out == kStandard;
  std::unique_ptr<io::Output> file;
  const auto report = draw(options, session, [&]() -> io::Output* {
    if (standard) return &session.out;
    if (file != nullptr) file->discard();
    file = create_output_file(options.out, session);
    return file.get();
  });
  if (report && session.delivered(standard ? session.out.flush() : file->finish()))
    return conclude_conversion(options, session, *report);
  if (session.stop.stop_requested()) {
    if (file != nullptr && !session.delivered(file->flush())) return;
    session.diagnostics.error(interrupted_text(
        options.out, standard || file != nullptr ? unfinished_file(options.out) : ""));
  } else if (file != nullptr && !report) {
    file->discard();
  }
}

}  // namespace tracedeck::cli
