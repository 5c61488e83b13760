// What descriptions lose in a target that is poorer than the model: that in which they differ from
// what a reader of the target makes of the result.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tracedeck/format/open_traces.hpp"
#include "tracedeck/lower/loss_receipt.hpp"
#include "tracedeck/model/record.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::lower {

class DescriptionLosses {
 public:
  // `target`: the class of all data streams of the result, which must outlive it. Before anything
  // is taken.
  void set_target(const DataStreamClass& target) { target_ = &target; }

  // The result is a part of its sources. Those of this format have the classes that their events
  // have, so that none is lost which has no event in the part. `format` must outlive it.
  void set_part_of(std::string_view format) { part_of_ = format; }

  void add(Lost loss, std::string_view event_class, std::string_view path, const FirstPlace& first,
           std::uint64_t count = 1) {
    receipt_.add(loss, event_class, path, first, count);
  }

  // What a trace has come to describe, apart from its environment.
  void take(const TraceDescription& trace);
  // Entries of the environment that were not looked at before.
  [[nodiscard]] std::vector<const Attribute*> new_environment(const TraceDescription& trace);

  void add_environment(Lost lost, const TraceDescription& trace, std::string_view key);
  // Of a trace without data streams.
  void classes_without_events(const TraceDescription& trace);
  // Of a data stream whose keys the target does not have.
  void other_keys(const DataStream& stream);
  // Which begins; what is kept of traces that are gone may go: true.
  [[nodiscard]] bool begin(const DataStream& stream);
  void end(const DataStream& stream);
  [[nodiscard]] bool has(std::uint64_t trace) const { return open_.has(trace); }

  // Of an event class that the target adds; to be increased at each event.
  [[nodiscard]] std::uint64_t& added(std::string_view event_class) {
    return receipt_.events_of(std::string(event_class), {{Lost::kEventAdded, ""}}, {});
  }
  // What some events of a class lose; to be increased at each of them.
  [[nodiscard]] std::uint64_t& some_events(Lost loss, std::string event_class,
                                           const FirstPlace& first) {
    return receipt_.events_of(std::move(event_class), {{loss, ""}}, first);
  }
  // Of a class, for the first event of it, and the class that stands for it; to be increased at
  // each event.
  [[nodiscard]] std::uint64_t& events_of(const Event& first, const EventClass& target,
                                         LossList lost = {});
  // Classes of which no event came count as well.
  [[nodiscard]] Receipt entries() const;

 private:
  struct Source {
    std::size_t environment = 0;
    std::size_t clocks = 0;
    std::size_t stream_classes = 0;
    bool known = false;
    std::vector<bool> has_events = {};  // by the ordinals of event classes
    std::size_t with_events = 0;
    // Classes, when its last data stream ended: the names of some, and how many there are more.
    std::vector<std::string> without = {};
    std::uint64_t more_without = 0;

    void forget_without() {
      without.clear();
      more_without = 0;
    }
  };
  void forget(const Source& source, LossReceipt& receipt) const;

  LossReceipt receipt_;
  std::uint64_t traces_ = 0;
  std::string first_input_;  // of those
  const DataStreamClass* target_ = nullptr;
  std::string_view part_of_ = {};  // the format of sources of which the result is a part
  std::unordered_map<std::uint64_t, Source> sources_;  // by the numbers of their descriptions
  OpenTraces open_;
};

}  // namespace tracedeck::lower
