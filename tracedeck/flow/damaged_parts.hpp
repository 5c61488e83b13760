// From where on, and until when, damage of an input whose data streams are parts of it may have
// cost events: parts overlap in time, so that what is missing may be of any time up to the input's
// end, or up to when a file of it was begun behind the damage.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tracedeck/base/time.hpp"
#include "tracedeck/model/record.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::flow {

// What is known of an input; who looks at damage may derive from it to keep more.
struct DamagedInput {
  std::int64_t open_parts = 0;
  bool waits_for_parts = false;  // it is damaged, and whether parts overlap there is not known
  bool is_going_on = false;      // the next event may be of the time of damage
  std::optional<Nanoseconds> until = {};  // where that is known

  // Nothing is known of damage from then on.
  [[nodiscard]] bool goes_on_past_end() const { return is_going_on && !until; }
};

template <class Input = DamagedInput>
class DamagedParts {
 public:
  // `overlap`: whether parts do, as far as is known.
  explicit DamagedParts(bool overlap) : overlap_(overlap) {}

  [[nodiscard]] static bool is_part(const DataStream& stream) {
    const DataStreamClass* const stream_class = stream.stream_class;
    return stream_class != nullptr && stream_class->streams_are_parts &&
           stream_class->trace != nullptr;
  }
  // Of a part.
  [[nodiscard]] Input& input_of(const DataStream& part) {
    return inputs_[part.stream_class->trace->input()];
  }

  // Parts overlap. `begins(input)`: where damage that came before goes on.
  template <class Begins>
  void overlap(Begins begins) {
    if (std::exchange(overlap_, true)) return;
    for (auto& [name, input] : inputs_) {
      if (may_begin(input) && input.waits_for_parts) {
        begin(input);
        begins(input);
      }
    }
  }
  // A data stream begins. Returns the input where damage that came before goes on from here.
  Input* begin_stream(const DataStream& stream) {
    if (!is_part(stream)) return nullptr;
    Input& input = input_of(stream);
    ++input.open_parts;
    Input* const begun = may_begin(input) && input.waits_for_parts ? &input : nullptr;
    if (begun != nullptr) begin(input);
    if (stream.damage_end && input.goes_on_past_end()) {
      input.until = stream.stream_class->default_clock->to_nanoseconds(*stream.damage_end);
      may_end_ = true;
    }
    return begun;
  }
  // Returns its input, if it is a part.
  Input* end_stream(const DataStream& stream) {
    if (!is_part(stream)) return nullptr;
    Input& input = input_of(stream);
    --input.open_parts;
    // The next one may begin before the next event.
    may_end_ = may_end_ || input.is_going_on;
    return &input;
  }

  enum class Extent : std::uint8_t {
    kPlace,   // nothing beside what lies there is missing, as far as is known
    kBegins,  // it goes on from here
    kGoesOn,  // it did already
  };
  struct Damage {
    Input* input;
    Extent extent;
  };
  Damage damage(const std::string& name) {
    Input& input = inputs_[name];
    input.until.reset();
    input.waits_for_parts = !may_begin(input) && !input.is_going_on;
    if (input.is_going_on) return {&input, Extent::kGoesOn};
    if (input.waits_for_parts) return {&input, Extent::kPlace};
    begin(input);
    return {&input, Extent::kBegins};
  }

  // Before an event. `has_come(time)`: whether it is of that time or later. `ends(input)`: where
  // damage is over; `until` says when, if that is known.
  template <class HasCome, class Ends>
  void pass(HasCome has_come, Ends ends) {
    if (!may_end_) return;
    may_end_ = false;
    for (auto& [name, input] : inputs_) {
      if (!input.is_going_on) continue;
      if (input.open_parts <= 0 || (input.until && has_come(*input.until)))
        end(input, ends);
      else
        may_end_ = may_end_ || input.until.has_value();
    }
  }
  // No more events come.
  template <class Ends>
  void finish(Ends ends) {
    for (auto& [name, input] : inputs_) {
      if (input.is_going_on) end(input, ends);
    }
  }

 private:
  [[nodiscard]] bool may_begin(const Input& input) const {
    return overlap_ && input.open_parts > 0;
  }
  static void begin(Input& input) {
    input.waits_for_parts = false;
    input.is_going_on = true;
  }
  template <class Ends>
  static void end(Input& input, Ends& ends) {
    ends(input);
    input.is_going_on = false;
    input.until.reset();
  }

  std::map<std::string, Input> inputs_;
  bool overlap_;
  bool may_end_ = false;  // a part has ended, or a file was begun behind damage
};

}  // namespace tracedeck::flow
