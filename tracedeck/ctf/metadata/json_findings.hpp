// Collects what is wrong with a metadata stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/finding.hpp"
#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/metadata/metadata_rules.hpp"
#include "tracedeck/text/json_access.hpp"

namespace tracedeck::ctf {

// The line that the byte at `offset` of the stream stands on. `bytes` begin at offset `begin`, on
// `line`.
[[nodiscard]] JsonLine line_at(ByteSpan bytes, std::uint64_t begin, JsonLine line,
                               std::uint64_t offset);
// "line 3, column 14", columns in bytes
[[nodiscard]] std::string place_words(const JsonLine& line, std::uint64_t offset);

class JsonFindings {
 public:
  // `noun`: what the texts of the stream are called.
  explicit JsonFindings(std::string_view noun) : noun_(noun) {}

  // A finding about a value: "fragment 3, /length: ", `text` and " (line 3, column 14)".
  void report(const Rule& rule, JsonRef at, std::string_view text);
  void report(MetadataRule rule, JsonRef at, std::string_view text) {
    report(metadata_rule(rule, dialect_), at, text);
  }
  // A finding about bytes of the stream.
  void report(MetadataRule rule, std::uint64_t offset, std::uint64_t length, std::string text);

  // "found 3, expected `expected`", about `at`.
  void expect(MetadataRule rule, JsonRef at, std::string_view expected);

  [[nodiscard]] std::string_view noun() const { return noun_; }
  // The document to cite.
  void set_dialect(Dialect dialect) { dialect_ = dialect; }

  // Findings of severity error so far.
  [[nodiscard]] std::uint64_t errors() const { return errors_; }
  // Of any severity.
  [[nodiscard]] std::uint64_t reported() const { return reported_; }
  // Those since the last call.
  [[nodiscard]] std::vector<Finding> take();

 private:
  [[nodiscard]] bool admits(const Rule& rule);
  void add(Finding finding);
  [[nodiscard]] JsonLine line_of(JsonRef at);

  // Where the last finding was made, so that the next one is not looked for from the beginning.
  struct Last {
    std::uint64_t text = 0;  // number, 0: none
    std::uint64_t offset = 0;
    JsonLine line = {};
  };

  std::string_view noun_;
  Dialect dialect_ = Dialect::kRc3;
  std::vector<Finding> findings_;
  std::uint64_t errors_ = 0;
  std::uint64_t reported_ = 0;
  std::size_t count_ = 0;
  Last last_ = {};
};

}  // namespace tracedeck::ctf
