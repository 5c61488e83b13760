// What writes marks into a file for other programs.
//
// Perfetto's format, JSON of Chrome's trace viewer and folded stacks each have a header with their
// options and what makes such an exporter.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "tracedeck/format/writer.hpp"
#include "tracedeck/model/batch.hpp"
#include "tracedeck/timeline/mark_sink.hpp"

namespace tracedeck::exporting {

// Something about the whole trace: "tracedeck.input.0".
struct TraceAttribute {
  std::string key = {};
  std::variant<std::int64_t, std::string> value = {};
};
// What there is to say when no more marks come; may be empty.
using TraceAttributes = std::function<std::vector<TraceAttribute>()>;

// Writes into an output that the caller owns and finishes, which must outlive the exporter.
class Exporter : public timeline::MarkSink {
 public:
  // Each batch of events, after its marks, of outputs that see events.
  virtual void see(const timeline::Timeline&, const Batch&) {}
  // What the target could not hold, or holds in another way. Complete after `finish`.
  [[nodiscard]] virtual Receipt receipt() const = 0;
};

}  // namespace tracedeck::exporting
