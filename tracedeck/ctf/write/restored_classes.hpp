// Classes that CTF 1.8 could not say, out of the environment and back.
//
// What our CTF 1.8 traces say in other words they also say as it was: as fragments of CTF2-SPEC-2.0
// metadata, one an environment entry, `tracedeck_metadata_0`, `tracedeck_metadata_1` and so on.
// When such a trace is converted, classes are mapped from those, so that booleans are booleans
// again and members that were added are gone. Entries are what anybody may have written there: one
// that does not fit what is recorded is ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/base/finding.hpp"
#include "tracedeck/ctf/write/json_metadata_writer.hpp"
#include "tracedeck/ctf/write/metadata_text.hpp"
#include "tracedeck/format/kept_metadata.hpp"

namespace tracedeck::ctf {

class KeptEntries;

// The environment without our entries.
[[nodiscard]] Attributes own_environment(const Attributes& environment);

// Collects fragments for the environment.
class KeptMetadata {
 public:
  // To be called first and once. `packet_header`: as CTF2-SPEC-2.0 has it, or null. `uuid`: of the
  // trace.
  [[nodiscard]] Result<void> begin(const std::optional<Uuid>& uuid, FieldClassPtr packet_header);
  [[nodiscard]] MetadataWriter& writer() { return *writer_; }
  // The entries for what was added since the last call.
  [[nodiscard]] Attributes take();

 private:
  std::unique_ptr<MetadataWriter> writer_ = json_metadata_writer(Dialect::kFinal);
  std::size_t next_ = 0;
};

// The classes that a description of CTF 1.8 had before.
class RestoredClasses {
 public:
  // Null when the description has none that fit. `ignored`: where findings about entries that do
  // not fit go, each naming its entry; null: nowhere.
  [[nodiscard]] static std::unique_ptr<RestoredClasses> from(
      const TraceDescription& source, std::vector<Finding>* ignored = nullptr);

  // Of all data streams; null: packets had none.
  [[nodiscard]] const FieldClassPtr& packet_header() const {
    return before_->trace_class().packet_header;
  }
  // A clock of `source` as it was, with the shift that it has; the clock itself where nothing else
  // is known of it.
  [[nodiscard]] ClockClass clock(const TraceDescription& source, const ClockClass& stored) const;
  // Null: the class is as it was.
  [[nodiscard]] const DataStreamClass* find(const DataStreamClass& source) const;
  // Null: the same. Its data stream class is to be found too.
  [[nodiscard]] const EventClass* find(const EventClass& source) const;

 private:
  using Ids = std::pair<std::uint64_t, std::uint64_t>;

  explicit RestoredClasses(std::shared_ptr<const TraceDescription> before)
      : before_(std::move(before)) {}
  // Takes those that fit.
  void choose(const TraceDescription& source, KeptEntries& entries);

  std::shared_ptr<const TraceDescription> before_;
  std::map<std::uint64_t, const DataStreamClass*> stream_classes_;
  std::map<Ids, const EventClass*> event_classes_;  // by the ids of data stream class and class
};

}  // namespace tracedeck::ctf
