// What the tests of JSON metadata share.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/ctf/metadata/metadata_reader.hpp"

namespace tracedeck::ctf {

// A stream of texts, given one a line.
inline std::string as_sequence(std::string_view lines) {
  std::string stream;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    stream.append("\x1E").append(line).append("\n");
    lines.remove_prefix(line.size() == lines.size() ? line.size() : line.size() + 1);
  }
  return stream;
}

struct ReadStream {
  std::unique_ptr<Metadata> metadata;
  std::vector<Finding> findings;

  [[nodiscard]] bool has_errors() const {
    for (const Finding& finding : findings) {
      if (finding.rule->severity == Severity::kError) return true;
    }
    return false;
  }
  // For messages: one finding a line.
  [[nodiscard]] std::string listing() const {
    std::string all;
    for (const Finding& finding : findings) {
      all.append(finding.rule->id).append(" [").append(finding.rule->section).append("] ");
      all.append(finding.text).append("\n");
    }
    return all;
  }
};

inline ReadStream read_stream(std::string_view bytes) {
  ReadStream result{.metadata = std::make_unique<Metadata>("trace", 0), .findings = {}};
  result.findings = metadata_reader(as_bytes(bytes), *result.metadata)->read(as_bytes(bytes), true);
  return result;
}

// Of texts, one a line.
inline ReadStream read_lines(std::string_view lines) { return read_stream(as_sequence(lines)); }

// Both spellings, to start a stream with whose dialect is settled.
inline constexpr std::string_view kRc3Start =
    "{\"type\":\"preamble\",\"version\":2,\"user-attributes\":{}}\n";
inline constexpr std::string_view kFinalStart =
    "{\"type\":\"preamble\",\"version\":2,\"attributes\":{}}\n";

inline std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace tracedeck::ctf
