// Rules of a format's specification and the findings that say a trace breaks one.
//
// Each format lists its rules once, in a table of `Rule` (see `dial9/rules.hpp`). Readers,
// validators, tests and documents all point into that table, so that a rule's id, severity and
// section cannot drift apart.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tracedeck {

enum class Severity : std::uint8_t {
  kError,    // a MUST is broken, or bytes could not be read
  kWarning,  // read although it is against the specification
  kNote,     // allowed, and worth knowing
};

[[nodiscard]] constexpr std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return {};
}

// One entry of a format's table of rules. Lives in static storage.
struct Rule {
  std::string_view id = {};  // "dial9/bool-value": format, slash, kebab-case
  Severity severity;
  std::string_view section = {};  // "Field Types", a heading of the specification or of our notes
  std::string_view summary = {};  // one sentence that states the rule
  bool doubts_times = false;   // where it is broken, times may not be in the unit they are given in
  bool lacks_classes = false;  // where it is broken, the trace lacks what describes its bytes
  bool of_metadata = false;    // where it is broken, no event is lost by that alone
};

// A place where a trace breaks a rule.
struct Finding {
  const Rule* rule = nullptr;
  std::uint64_t offset = 0;  // byte offset in the (decompressed) input
  std::uint64_t length = 0;  // bytes concerned, 0 when unknown
  std::string text = {};     // what was found there, a sentence
};

}  // namespace tracedeck
