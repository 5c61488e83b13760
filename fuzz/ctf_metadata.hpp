// What the fuzz targets of CTF metadata share.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include "tracedeck/ctf/metadata/metadata.hpp"
#include "tracedeck/ctf/metadata/metadata_reader.hpp"
#include "tracedeck/ctf/metadata/metadata_text.hpp"

namespace tracedeck::ctf {

inline void require(bool holds, std::source_location where = std::source_location::current()) {
  if (holds) return;
  fmt::print(stderr, "{}:{}: does not hold\n", where.file_name(), where.line());
  std::abort();
}

inline void require_same(const std::string& a, const std::string& b) {
  if (a == b) return;
  fmt::print(stderr, "== one:\n{}\n== other:\n{}\n", a, b);
  std::abort();
}

using MakeMetadataReader = std::unique_ptr<MetadataReader> (*)(Metadata&);

inline std::unique_ptr<MetadataReader> reader_for(ByteSpan bytes, Metadata& metadata) {
  return metadata_reader(bytes.first(std::min<std::size_t>(bytes.size(), 64)), metadata);
}

// Metadata that was read in portions, and what was found in it.
struct MetadataReading {
  std::unique_ptr<Metadata> metadata = std::make_unique<Metadata>("fuzz", 0);
  std::vector<Finding> findings = {};

  [[nodiscard]] const TraceDescription& description() const { return *metadata->description(); }
  [[nodiscard]] bool has_errors() const {
    return std::ranges::any_of(
        findings, [](const Finding& each) { return each.rule->severity == Severity::kError; });
  }
  // All of it, to compare: classes by their text where they can be put so.
  [[nodiscard]] std::string listing() const {
    std::vector<std::string> lines;
    for (const Finding& each : findings)
      lines.push_back(
          fmt::format("{} {} {} {}\n", each.rule->id, each.offset, each.length, each.text));
    // Of what is found in one portion, packets are judged before their text.
    std::ranges::sort(lines);
    std::string all;
    for (const std::string& each : lines) all += each;
    for (const std::string& each : metadata->extensions) all += each + "\n";
    const Result<std::string> text = metadata_text(description(), Dialect::kFinal);
    return all + (text ? *text : text.error().to_string());
  }
};

// `portions`: bytes of the next portions in turn, 0: all there are. `judge_every`: after so many
// portions the end is judged although more comes; 0: only at the end.
inline MetadataReading read_metadata(ByteSpan bytes, MakeMetadataReader make,
                                     const std::vector<std::size_t>& portions,
                                     std::size_t judge_every = 0) {
  MetadataReading reading;
  const std::unique_ptr<MetadataReader> reader =
      make == nullptr ? reader_for(bytes, *reading.metadata) : make(*reading.metadata);
  for (std::size_t turn = 1;; ++turn) {
    const std::size_t wanted = portions[(turn - 1) % portions.size()];
    const std::size_t size = wanted == 0 ? bytes.size() : std::min(wanted, bytes.size());
    const bool last = size == bytes.size();
    const bool judged = last || (judge_every != 0 && turn % judge_every == 0);
    std::ranges::move(reader->read(bytes.first(size), judged),
                      std::back_inserter(reading.findings));
    if (last) return reading;
    bytes = bytes.subspan(size);
  }
}

// Whatever was read can be written down; what is without faults is so when it is read again from
// its own version of CTF.
inline void expect_written_reads_back(const MetadataReading& reading) {
  for (const Dialect dialect : {Dialect::kRc3, Dialect::kFinal, Dialect::kCtf1}) {
    const Result<std::string> text = metadata_text(reading.description(), dialect);
    if (!text) continue;
    const MetadataReading again = read_metadata(as_bytes(*text), nullptr, {0});
    // CTF 2 has no traces without data stream classes, CTF 1.8 has; and each of them allows what
    // the other does not (headers without ids; fields of headers without roles, options that are
    // never chosen), for which conversions write something else.
    if (reading.has_errors() || reading.description().stream_classes().empty() ||
        (dialect == Dialect::kCtf1) != (reading.metadata->dialect() == Dialect::kCtf1))
      continue;
    if (again.has_errors()) require_same(*text, again.listing());
    if (dialect != Dialect::kFinal) continue;
    // What the most expressive dialect says stays as it is.
    const Result<std::string> twice = metadata_text(again.description(), dialect);
    require(twice.has_value());
    require_same(*text, *twice);
  }
}

// The whole text at once, in portions, and judged too early.
inline void check_metadata(ByteSpan bytes, MakeMetadataReader make) {
  const MetadataReading whole = read_metadata(bytes, make, {0});
  const std::string listing = whole.listing();
  require_same(listing, read_metadata(bytes, make, {1, 7, 2, 64, 3}).listing());
  if (bytes.size() <= 4096) require_same(listing, read_metadata(bytes, make, {1}).listing());
  // Classes are added once, whatever was said about the end.
  (void)read_metadata(bytes, make, {bytes.size() / 3 + 1, 5, 40}, 2);
  expect_written_reads_back(whole);
}

}  // namespace tracedeck::ctf
