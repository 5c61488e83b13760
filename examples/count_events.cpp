// Counts the events of a trace of any format by their names, and says what could not be read.
//
//   count_events TRACE

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

#include "tracedeck/formats.hpp"

tracedeck::Result<void> count_events(const std::string& path) {
  const auto reader = tracedeck::open_trace(path);
  if (!reader) return std::unexpected(reader.error());
  std::map<std::string, std::uint64_t> counts;
  for (;;) {
    const auto batch = (*reader)->next();
    if (!batch) return std::unexpected(batch.error());
    if (*batch == nullptr) break;
    for (const tracedeck::Record& record : (*batch)->records()) {
      if (record.kind == tracedeck::RecordKind::kEvent) {
        ++counts[record.event.event_class->name.value_or("")];
      } else if (record.kind == tracedeck::RecordKind::kProblem) {
        std::fprintf(stderr, "%s\n", record.notice->finding.text.c_str());
      }
    }
  }
  for (const auto& [name, events] : counts)
    std::printf("%8llu %s\n", static_cast<unsigned long long>(events), name.c_str());
  return {};
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const auto counted = count_events(arguments[1]);
  if (counted) return 0;
  std::fprintf(stderr, "%s\n", counted.error().to_string().c_str());
  return 1;
}
