// What of traces is hidden from who gets a result: dropped, or masked by texts that stand for it.
//
// Patterns name fields, event classes, entries of the environment, metadata, names of threads and
// paths of files. They are applied by one stage (`hide.hpp`) between reading and writing, so that
// no writer knows of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/format/writer.hpp"

namespace tracedeck::flow {

enum class HiddenKind : std::uint8_t {
  kField,        // by name or path, and all that is in it
  kClass,        // event classes, by name
  kEnvironment,  // entries, by key
  kMetadata,     // attributes of classes and fields, by key; and what `metadata_words` lists
  kThread,       // names of threads and tasks, by what they are
  kFile,         // paths of inputs and what traces are called after them, by what they are
};

struct HiddenPattern {
  using Test = std::function<bool(std::string_view)>;

  HiddenKind kind = HiddenKind::kField;
  bool drops = false;       // else it masks
  bool only_texts = false;  // numbers stay
  bool is_preset = false;   // counts only where no other pattern of the kind matches
  bool by_path = false;     // of fields: `matches` gets the path, else the last name of it
  std::string given = {};   // as the user wrote it
  std::string said = {};    // as receipts name it, which hold nothing that is hidden
  Test of_class = {};       // of fields: the event classes whose; empty: of all
  Test matches = {};
};

// What is to become of something.
struct Verdict {
  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};

  std::uint32_t pattern = kNothing;  // whose it is
  bool drops = false;
  bool only_texts = false;

  explicit operator bool() const { return pattern != kNothing; }
  [[nodiscard]] bool masks_all() const { return *this && !drops && !only_texts; }
};

// Where a field is.
struct FieldPlace {
  std::optional<std::string_view> event_class = {};  // its name; nothing: it is of all of a stream
  std::string_view scope = {};                       // "fields", "specific", "common", "packet"
  std::string_view path = {};                        // names with dots between them
  std::string_view name = {};                        // the last of them
};

// How often each pattern was applied in one reading of a trace.
using HidingCounts = std::vector<std::uint64_t>;

// May be used by several threads, but for the texts that `path` makes up.
class Hiding {
 public:
  // `mask`: the text that stands for another, the same for equal ones.
  Hiding(std::vector<HiddenPattern> patterns, std::function<std::string(std::string_view)> mask);

  // Not for fields.
  [[nodiscard]] Verdict of(HiddenKind kind, std::string_view text) const;
  [[nodiscard]] Verdict of(const FieldPlace& field) const;
  // Of the names that values have, which events of that class and field gave them.
  [[nodiscard]] Verdict of_value_name(std::string_view name) const;
  [[nodiscard]] std::string mask(std::string_view text) const { return mask_(text); }
  // Whether a text of that field may be the name of a thread, to be looked at as such.
  [[nodiscard]] bool may_name_threads(const FieldPlace& field) const;
  // The name of a trace that it says itself, by its service, host or process, of which the field or
  // entry is not known here.
  [[nodiscard]] std::string own_name(const std::string& name) const;
  // A path as it is to be shown, by itself and by a verdict on the trace that it is of.
  [[nodiscard]] std::string path(std::string_view path, Verdict of_trace = {}) const;
  // Whether fields are dropped, or numbers masked, so that classes may be such as no format has.
  [[nodiscard]] bool hides_fields() const { return hides_fields_; }
  // Whether keys of maps may name what is to be masked whatever it is.
  [[nodiscard]] bool masks_fields() const { return masks_fields_; }

  // What was counted in one reading. `place`: what was read; readings of one place are of the same
  // things. Empty: what comes once.
  void add(const std::string& place, const HidingCounts& counts) const;
  [[nodiscard]] std::size_t size() const { return patterns_.size(); }

  // An entry for each pattern that matched.
  [[nodiscard]] Receipt receipt() const;
  // The patterns, as the user wrote them, that nothing matched.
  [[nodiscard]] std::vector<std::string> unmatched() const;

 private:
  [[nodiscard]] Verdict verdict(std::uint32_t pattern) const;
  template <class Matches>
  [[nodiscard]] Verdict strongest(HiddenKind kind, Matches matches) const;

  std::vector<HiddenPattern> patterns_;
  std::function<std::string(std::string_view)> mask_;
  bool masks_fields_ = false;
  bool hides_fields_ = false;
  bool hides_threads_ = false;
  bool hides_contents_ = false;
  std::unique_ptr<std::atomic<bool>[]> matched_;
  mutable std::mutex mutex_;                          // of what follows
  mutable std::map<std::string, HidingCounts> most_;  // by place
  mutable std::map<std::string, std::size_t, std::less<>> dropped_paths_;
};

}  // namespace tracedeck::flow
