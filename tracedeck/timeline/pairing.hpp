// Which event classes begin and end the same, as their names say: "job_start" with "job_stop" and
// "job_done".
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::timeline {

// The classes of one name.
struct NamedClasses {
  std::string_view name = {};
  std::vector<const EventClass*> classes = {};
  // The fields that say in all of them which of several things an event is about, in the order of
  // the first class; as far as `Pairings` was asked for them.
  std::vector<std::string_view> keys = {};
  std::size_t keyed = 0;  // classes that `keys` is of
};

struct Pairing {
  std::string prefix = {};  // "job"
  std::vector<NamedClasses*> begins = {};
  std::vector<NamedClasses*> ends = {};

  [[nodiscard]] bool empty() const { return begins.empty(); }
  [[nodiscard]] bool has(std::string_view name) const;
};

// The pairings of all traces. A class is looked at once. One thread at a time.
class Pairings {
 public:
  // The pairing of a class, by the classes that its trace has by now; an empty one if it has none.
  // Valid until the next call.
  [[nodiscard]] Pairing find(const EventClass& event_class);

  // The fields that say in all classes of a pairing which of several things an event is about.
  [[nodiscard]] static std::vector<std::string_view> common_keys(const Pairing& pairing);

 private:
  struct Trace {
    std::weak_ptr<const TraceDescription> description = {};
    std::size_t seen = 0;                                   // of its classes
    std::map<std::string_view, NamedClasses> by_name = {};  // those whose names have an ending
  };

  [[nodiscard]] Trace& trace_of(const TraceDescription& description);
  [[nodiscard]] static Pairing with_prefix(Trace& trace, std::string_view prefix);

  std::map<std::uint64_t, Trace> traces_;  // by number
  std::size_t many_ = 64;                  // traces, beyond which those that are gone are removed
};

// Whether all characters are letters, digits and `_`.
[[nodiscard]] bool is_simple(std::string_view name);

}  // namespace tracedeck::timeline
