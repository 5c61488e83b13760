// The entries of an environment that hold the classes a trace of CTF 1.8 had before, as classes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/finding.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::ctf {

// Entries may be anything: those that are no fragments of metadata, or depend on such, are ignored.
class KeptEntries {
 public:
  // `source` must outlive it. `ignored`: where findings go; null: nowhere.
  KeptEntries(const TraceDescription& source, std::vector<Finding>* ignored);

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  // The classes of those that can be read. Null: of none.
  [[nodiscard]] std::shared_ptr<const TraceDescription> read();

  enum class Kind : std::uint8_t { kStreamClass, kEventClass };
  // What of that is ignored, and why: all, or class `index` of its kind.
  void ignore_all(std::string_view why);
  void ignore_class(Kind kind, std::size_t index, std::string_view why);

 private:
  struct Entry {
    std::uint64_t number = 0;
    std::string_view value = {};
  };

  void ignore(std::string_view name, std::string_view why);
  void find_classes();
  // Ignores those with faults. Returns whether there were any.
  bool ignore_faulty(const std::vector<Finding>& findings, const std::vector<std::size_t>& ends);

  const TraceDescription& source_;
  std::vector<Finding>* ignored_;
  std::vector<Entry> entries_;  // by number
  // Numbers of the entries with classes, by kind; found when first needed.
  std::array<std::vector<std::uint64_t>, 2> classes_ = {};
};

}  // namespace tracedeck::ctf
