#include "tracedeck/render/schema.hpp"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/notices.hpp"
#include "cli/traces.hpp"
#include "tracedeck/flow/described_traces.hpp"
#include "tracedeck/lower/nested_description.hpp"
#include "tracedeck/model/written_out.hpp"
#include "tracedeck/text/terminal_output.hpp"

namespace tracedeck::cli {
namespace {

// The target whose metadata any trace can have.
constexpr std::string_view kDefaultTarget = "ctf2";

// Standard output, on which what a trace prints is set apart from the one before.
class ApartOutput final : public io::Output {
 public:
  ApartOutput(io::Output& into, bool apart) : into_(into), apart_(apart) {}

  [[nodiscard]] const std::string& name() const override { return into_.name(); }
  using Output::write;
  [[nodiscard]] Result<void> write(ByteSpan bytes) override {
    if (std::exchange(apart_, false))
      if (auto written = into_.write(std::string_view("\n")); !written) return written;
    return into_.write(bytes);
  }
  [[nodiscard]] Result<void> flush() override { return into_.flush(); }
  [[nodiscard]] Result<void> finish() override { return {}; }

 private:
  io::Output& into_;
  bool apart_;
};

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
    flow::DescribedTraces described((*trace)->reader().description());
    const Result<void> read = read_all(**trace, described);
    if (!read) session_.report(read.error());
    // Metadata with faults would not be what the trace has.
    if (!read && options_.metadata && exit_code_of(read.error()) == ExitCode::kNoTrace) return true;
    session_.diagnostics.progress().erase();
    const std::string target(options_.to.empty() ? (*trace)->reader().target() : options_.to);
    // What was needed to read the trace may be as much as its description.
    trace->reset();
    return std::ranges::all_of(described.list(),
                               [&](const auto& each) { return print(*each, target); });
  }

 private:
  // Returns false when standard output is gone.
  bool print(const TraceDescription& description, std::string_view target) {
    ApartOutput out(session_.out, !first_ && !options_.json);
    const Result<void> written = write(description, target, out);
    const bool refused = !written && written.error().code != ErrorCode::kWriteFailed &&
                         written.error().code != ErrorCode::kBrokenPipe;
    if (!refused) {
      first_ = false;
      return session_.delivered(written);
    }
    session_.report(written.error());
    return true;
  }

  Result<void> read_all(RecordSource& trace, flow::DescribedTraces& described) {
    Notices notices(session_, options_, {.lines_per_rule = NoticePolicy::kFewLines});
    const auto read = read_through(trace, [&](const Batch& batch) {
      notices.see(batch);
      for (const Record& record : batch.records()) described.see(record);
      return true;
    });
    notices.finish();
    return read;
  }

  // `to`: the target whose metadata are asked for.
  Result<void> write(const TraceDescription& description, std::string_view to,
                     io::Output& out) const {
    if (options_.metadata) return write_metadata(description, to, out);
    if (auto fits = WrittenOut().add(description); !fits) return fits;
    TextBuffer text(&out);
    if (options_.json) {
      render::append_schema_json(text, description);
    } else {
      render::append_schema_text(text, description);
    }
    return text.drain();
  }

  static Result<void> write_metadata(const TraceDescription& description, std::string_view to,
                                     io::Output& out) {
    FoundTarget target = find_target(to);
    if (target.target == nullptr || !target.target->directory) target = find_target(kDefaultTarget);
    if (target.format == nullptr) {
      return fail(ErrorCode::kUnsupported, "no format at hand has metadata text",
                  description.input());
    }
    const auto lowered = lower::lowered_description(description, *target.target->profile);
    if (!lowered) return std::unexpected(lowered.error());
    const auto write_to = [&](io::Output& into) {
      return target.format->write_metadata_text(*lowered->description, lowered->event_classes,
                                                target.target->name, into);
    };
    // Metadata are text of the trace's own.
    if (::isatty(STDOUT_FILENO) != 1) return write_to(out);
    const auto terminal = terminal_output(out);
    if (auto written = write_to(*terminal); !written) return written;
    return terminal->finish();
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
  report_interrupt(options, session);
}

}  // namespace tracedeck::cli
