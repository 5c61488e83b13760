// What events of several traces are distinguished by.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "tracedeck/format/trace_names.hpp"
#include "tracedeck/model/record.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::render {

// The names of traces in the form that a renderer wants them. One thread at a time.
class TraceTags {
 public:
  // `form` makes of a name what stands on a line. Without `names` there are no tags.
  TraceTags(TraceNames names, std::function<std::string(std::string_view)> form)
      : names_(std::move(names)), form_(std::move(form)) {}

  // Whether there are any.
  [[nodiscard]] explicit operator bool() const { return names_ != nullptr; }

  // "" where it is not known which trace that is. Valid until the next call. Both need tags.
  [[nodiscard]] std::string_view of(const EventClass& event_class);
  [[nodiscard]] std::string_view of(const Record& record);

 private:
  [[nodiscard]] std::string_view of(const DataStreamClass* stream_class);

  TraceNames names_;
  std::function<std::string(std::string_view)> form_;
  std::uint64_t last_ = 0;  // number of the trace that `tag_` is of
  std::string tag_;
};

}  // namespace tracedeck::render
