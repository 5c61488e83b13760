// What a manifest says of the traces that a result was made of.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tracedeck/format/trace_names.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck::columns {

// One thread at a time.
class TraceFacts {
 public:
  // `names`: see `columns_writer`.
  explicit TraceFacts(TraceNames names) : names_(std::move(names)) {}

  // What is known of a trace now, which may have grown.
  void see(const TraceDescription& trace);
  // Nothing, if it was seen.
  void see_once(const TraceDescription& trace);

  // What rows call a trace: its name among others, or the last part of its input's. The same
  // wherever the input lies.
  [[nodiscard]] std::string name_of(const TraceDescription& trace) const;
  // The same by `TraceDescription::input`.
  [[nodiscard]] std::string name_of_input(std::string_view input) const;

  // An array of objects, in the order in which traces were seen.
  void append(TextBuffer& out) const;

 private:
  TraceNames names_;
  std::map<std::uint64_t, std::string> texts_;  // objects, by the numbers of descriptions
  std::unordered_map<std::string, std::string> by_input_;
};

}  // namespace tracedeck::columns
