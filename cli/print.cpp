#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/events_out.hpp"
#include "cli/pipeline.hpp"
#include "tracedeck/render/csv.hpp"
#include "tracedeck/render/json_lines.hpp"
#include "tracedeck/render/text.hpp"

namespace tracedeck::cli {
namespace {

std::unique_ptr<Writer> renderer(const Options& options, Session& session) {
  switch (options.output) {
    case OutputForm::kJsonLines:
      return render::json_lines_writer(session.out, {.all_records = options.all_records});
    case OutputForm::kCsv:
      return render::csv_writer(session.out, {.all_records = options.all_records});
    case OutputForm::kText:
      break;
  }
  return render::text_writer(session.out,
                             {.color = session.color, .all_records = options.all_records});
}

// Somebody may be waiting at the other end of a pipe or before a terminal, nobody in a file.
bool somebody_waits() {
  struct stat status{};
  return ::fstat(STDOUT_FILENO, &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

void run_print(const Options& options, Session& session) {
  const auto pipeline =
      Pipeline::open(options, session, {.findings = !options.quiet || options.all_records});
  if (pipeline == nullptr) return;
  const auto writer = renderer(options, session);
  Notices notices(session, options.strict);
  const EventsWritten written = write_events({.source = *pipeline,
                                              .writer = *writer,
                                              .output = session.out,
                                              .notices = notices,
                                              .show_at_once = somebody_waits()},
                                             session);
  if (written.complete && !session.delivered(session.out.flush())) return;
  notices.finish();
}

}  // namespace tracedeck::cli
