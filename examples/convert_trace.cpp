// Converts traces as the command `convert` does. The receipt of what the target could not hold as
// it is goes to standard output as JSON, and as sentences to standard error.
//
//   convert_trace TARGET OUT TRACE...

#include <cstdio>
#include <string>
#include <vector>

#include "tracedeck/convert.hpp"

int main(int count, char** arguments) {
  if (count < 4) {
    std::fputs("usage: convert_trace TARGET OUT TRACE...\n", stderr);
    return 2;
  }
  const std::string out = arguments[2];
  const std::vector<std::string> paths(arguments + 3, arguments + count);
  const auto report = tracedeck::convert(paths, arguments[1], out);
  if (!report) {
    std::fprintf(stderr, "%s\n", report.error().to_string().c_str());
    return 1;
  }
  for (const auto& entry : tracedeck::by_kind(report->receipt))
    std::fprintf(stderr, "%s: %s\n", out.c_str(), tracedeck::receipt_sentence(entry).c_str());
  std::fputs(tracedeck::report_json(*report).c_str(), stdout);
  return tracedeck::is_lossy(report->receipt) ? 4 : 0;
}
