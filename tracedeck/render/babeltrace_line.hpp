// What every line of an event class has in common.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "tracedeck/model/event_class.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/render/babeltrace.hpp"
#include "tracedeck/render/babeltrace_notes.hpp"
#include "tracedeck/render/babeltrace_packet.hpp"
#include "tracedeck/render/babeltrace_time.hpp"

namespace tracedeck::render {

// An entry of a trace's environment that is a string; null when there is none.
[[nodiscard]] const std::string* environment_text(const TraceDescription* trace,
                                                  std::string_view key);

class BabeltraceLine {
 public:
  // The structures whose members a line shows, in their order on the tape.
  static constexpr std::size_t kStructures = 3;  // common context, specific context, payload

  // What a line is made with.
  struct Form {
    BabeltracePalette palette;
    BabeltraceNames names;
    BabeltraceFields fields;
    std::string trace;  // the trace's name
  };

  // `packets` are those of its data stream class. `values` is what its programs run with.
  BabeltraceLine(const EventClass& event_class, std::shared_ptr<BabeltracePackets> packets,
                 const Form& form, BabeltraceValues& values);
  BabeltraceLine(const BabeltraceLine&) = delete;
  BabeltraceLine& operator=(const BabeltraceLine&) = delete;

  [[nodiscard]] const BabeltraceClock& clock() const { return clock_; }
  [[nodiscard]] BabeltracePackets& packets() { return *packets_; }
  [[nodiscard]] BabeltraceNotes& notes() { return notes_; }

  [[nodiscard]] const Literal& head() const { return head_; }  // `host:proc:(7) name: `
  [[nodiscard]] bool has_structures() const { return has_structures_; }
  [[nodiscard]] MemberProgram<BabeltraceStyle>& program(std::size_t structure) {
    return programs_[structure];
  }
  [[nodiscard]] const Literal& tail() const { return tail_; }  // ` }`, and the line's end

 private:
  void make_head(const EventClass& event_class, const Form& form);
  void make_programs(const Form& form, BabeltraceValues& values);

  // Which the programs point into.
  FieldClassPtr common_context_;
  FieldClassPtr specific_context_;
  FieldClassPtr payload_;
  BabeltraceClock clock_;
  std::shared_ptr<BabeltracePackets> packets_;
  BabeltraceNotes notes_;
  Literal head_;
  std::array<MemberProgram<BabeltraceStyle>, kStructures> programs_;
  bool has_structures_ = false;
  Literal tail_;
};

}  // namespace tracedeck::render
