#include "tracedeck/render/schema.hpp"

#include "cli/commands.hpp"
#include "cli/notices.hpp"
#include "cli/read_through.hpp"

namespace tracedeck::cli {
namespace {

// The description of one trace, read to its end; null when it cannot be opened, which was reported
// then.
std::shared_ptr<const TraceDescription> describe(const Options& options, Session& session,
                                                 const TracePlace& place) {
  auto reader = open_reader(options, place, {.values = false}, session.stop);
  if (!reader) {
    session.report(reader.error());
    return nullptr;
  }
  Notices notices(session, options);
  const auto read = read_through(**reader, session, [&](const Batch& batch) {
    notices.see(batch);
    return true;
  });
  if (!read) session.report(read.error());
  notices.finish();
  return (*reader)->description();
}

}  // namespace

void run_schema(const Options& options, Session& session) {
  bool first = true;
  for (const TracePlace& place : list_traces(options, session.stop)) {
    const auto description = describe(options, session, place);
    if (description == nullptr) continue;
    if (!first && !options.json && !print(session, "\n")) return;
    first = false;
    if (!print(session, options.json ? render::schema_json(*description)
                                     : render::schema_text(*description)))
      return;
  }
}

}  // namespace tracedeck::cli
