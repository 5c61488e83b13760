#include "tracedeck/render/schema.hpp"

#include <unistd.h>

#include <utility>

#include "cli/commands.hpp"
#include "cli/notices.hpp"
#include "cli/traces.hpp"
#include "tracedeck/model/written_out.hpp"
#include "tracedeck/render/terminal_output.hpp"

namespace tracedeck::cli {
namespace {

// The target whose metadata any trace can have.
constexpr std::string_view kUsual = "ctf2";

// Prints the classes of one trace after the other.
class SchemaPrinter {
 public:
  SchemaPrinter(const Options& options, Session& session) : options_(options), session_(session) {}

  // Returns false when standard output is gone.
  bool print(Result<std::unique_ptr<flow::SingleTrace>> trace) {
    if (!trace) {
      session_.report(trace.error());
      return true;
    }
    const Result<void> read = read_all(**trace);
    if (!read) session_.report(read.error());
    // Metadata with faults would not be what the trace has.
    if (!read && options_.metadata && exit_code_of(read.error()) == ExitCode::kNoTrace) return true;
    const Result<std::string> text = text_of((*trace)->reader());
    if (!text) {
      session_.report(text.error());
      return true;
    }
    const bool apart = !std::exchange(first_, false) && !options_.json;
    return (!apart || cli::print(session_, "\n")) && print_text(*text);
  }

 private:
  // Metadata are text of the trace's own.
  bool print_text(const std::string& text) {
    if (!options_.metadata || ::isatty(STDOUT_FILENO) != 1) return cli::print(session_, text);
    session_.diagnostics.progress().erase();
    const auto out = render::terminal_output(session_.out);
    return session_.delivered(out->write(text)) && session_.delivered(out->finish());
  }

  Result<void> read_all(RecordSource& trace) {
    Notices notices(session_, options_, {.lines_per_rule = NoticePolicy::kFewLines});
    const auto read = read_through(trace, [&](const Batch& batch) {
      notices.see(batch);
      return true;
    });
    notices.finish();
    return read;
  }

  Result<std::string> text_of(const Reader& reader) const {
    const std::shared_ptr<const TraceDescription> description = reader.description();
    if (!options_.metadata) {
      if (auto fits = WrittenOut().add(*description); !fits) return std::unexpected(fits.error());
      return options_.json ? render::schema_json(*description) : render::schema_text(*description);
    }
    return metadata_of(*description,
                       options_.to.empty() ? reader.target() : std::string_view(options_.to));
  }

  static Result<std::string> metadata_of(const TraceDescription& description, std::string_view to) {
    FoundTarget target = find_target(to);
    if (target.target == nullptr || !target.target->directory) target = find_target(kUsual);
    if (target.format == nullptr) {
      return fail(ErrorCode::kUnsupported, "no format at hand has metadata text",
                  description.input());
    }
    return target.format->metadata_text(description, target.target->name);
  }

  const Options& options_;
  Session& session_;
  bool first_ = true;
};

}  // namespace

std::string check_schema(Options& options) {
  if (options.json && options.metadata)
    return "options '--json' and '--output metadata' exclude each other";
  if (!options.to.empty() && !options.metadata)
    return "option '--to' goes with '--output metadata' only";
  return {};
}

void run_schema(const Options& options, Session& session) {
  SchemaPrinter printer(options, session);
  for_each_trace(options, session, {.findings = true}, [&](const auto& place, auto trace) {
    return printer.print(std::move(trace)) &&
           (!place.live || session.delivered(session.out.flush()));
  });
}

}  // namespace tracedeck::cli
