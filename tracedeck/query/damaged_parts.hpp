// From where on, and until when, damage of an input whose data streams are parts of it may have
// cost events: parts overlap in time, so that what is missing may be of any time up to the input's
// end, or up to when a file of it was begun behind the damage.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "tracedeck/model/event_class.hpp"
#include "tracedeck/model/record.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::query {

class DamagedParts {
 public:
  // Looks at streams that begin and end, and at damage.
  void see(const Record& record) {
    switch (record.kind) {
      case RecordKind::kStreamBegin:
        return begin(*record.stream);
      case RecordKind::kStreamEnd:
        return end(*record.stream);
      case RecordKind::kProblem:
        return damage(inputs_[record.notice->trace_input()]);
      default:
        return;
    }
  }
  // Before an event is looked at. `time`: its own.
  void pass(Nanoseconds time) {
    if (until_ == 0 && !may_end_) return;
    may_end_ = false;
    for (auto& [name, input] : inputs_) {
      const bool is_over = input.open_parts <= 0 || (input.until && *input.until <= time);
      if (input.is_going_on && is_over) stop(input);
    }
  }
  // Whether the next event may be of the time of damage.
  [[nodiscard]] bool is_going_on() const { return going_on_ != 0; }

 private:
  struct Input {
    std::int64_t open_parts = 0;
    bool is_damaged = false;  // since it began
    bool is_going_on = false;
    std::optional<Nanoseconds> until = {};
  };

  [[nodiscard]] static bool is_part(const DataStream& stream) {
    const DataStreamClass* const stream_class = stream.stream_class;
    return stream_class != nullptr && stream_class->streams_are_parts &&
           stream_class->trace != nullptr;
  }
  void begin(const DataStream& part) {
    if (!is_part(part)) return;
    Input& input = inputs_[part.stream_class->trace->input()];
    ++input.open_parts;
    // It may have been damaged before it was known to have parts.
    if (input.is_damaged) damage(input);
    if (!input.is_going_on || input.until || !part.damage_end) return;
    input.until = part.stream_class->default_clock->to_nanoseconds(*part.damage_end);
    ++until_;
  }
  void end(const DataStream& part) {
    if (!is_part(part)) return;
    Input& input = inputs_[part.stream_class->trace->input()];
    --input.open_parts;
    // The next one may begin before the next event.
    may_end_ = true;
  }
  void damage(Input& input) {
    if (input.until) --until_;
    input.until.reset();
    input.is_damaged = input.open_parts <= 0;
    if (input.is_damaged || input.is_going_on) return;
    input.is_going_on = true;
    ++going_on_;
  }
  void stop(Input& input) {
    if (input.until) --until_;
    input.until.reset();
    if (input.is_going_on) --going_on_;
    input.is_going_on = false;
  }

  std::map<std::string, Input> inputs_;
  std::uint64_t going_on_ = 0;
  std::uint64_t until_ = 0;  // of these, those whose end is known
  bool may_end_ = false;     // a part has ended
};

}  // namespace tracedeck::query
