#include "cli/receipt.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "cli/hidden.hpp"
#include "cli/places.hpp"
#include "tracedeck/convert/hidden_patterns.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/io/output.hpp"

namespace tracedeck::cli {

void conclude_conversion(const Options& options, Session& session, const ConversionReport& done) {
  const ConversionReport report = hidden_report(done, options.selection.hiding.get());
  Diagnostics& diagnostics = session.diagnostics;
  for (const ReceiptEntry& entry : by_kind(report.receipt))
    diagnostics.note(fmt::format("{}: {}", options.out, receipt_sentence(entry)));
  report_hidden(options, session, report);
  if (report.parts.size() > 1) {
    diagnostics.note(fmt::format("{}: written as {} parts, {} to {}", options.out,
                                 report.parts.size(), report.parts.front(), report.parts.back()));
  }
  // A trace of no bytes does not say what it is.
  std::error_code unknown;
  if (find_format(options.to) != nullptr &&
      std::filesystem::is_regular_file(options.out, unknown) &&
      std::filesystem::file_size(options.out, unknown) == 0)
    diagnostics.note(
        fmt::format("{}: it is empty, as there was no event to write; --format {} reads it",
                    options.out, options.to));
  // Any other conversion that comes to its end was not cut.
  if (session.stop.stop_requested() && reads_live(options))
    diagnostics.note(fmt::format("interrupted; {} holds what was read until then", options.out));
  if (options.strict && is_lossy(report.receipt)) {
    diagnostics.error(fmt::format("{} does not hold everything that the input does", options.out));
    session.outcome.note(ExitCode::kDamage);
  }
  if (options.report.empty()) return;
  if (options.report == kStandard) {
    session.delivered(session.out.write(report_json(report)));
    return;
  }
  auto file = io::create_file(options.report, session.stop);
  if (!file) {
    diagnostics.error(file.error());
    session.outcome.note(ExitCode::kUsage);
    return;
  }
  if (session.delivered((*file)->write(report_json(report)))) session.delivered((*file)->finish());
}

}  // namespace tracedeck::cli
