// Records written as several parts, each of which stands alone.
//
// A part has a writer of its own, which learns of the data streams that are open and is given the
// events that describe others (names, symbols) of the whole of the traces: those that came before
// at its begin, those that come later at its end. All other records are in one part, in their
// order, so the parts one after the other are the result that is not divided.
//
// With a duration the parts are cut at whole multiples of it from the first event's time on; an
// interval without events has no part. An event goes by when it was recorded, its end, unless
// events come in the order of their begins. One that is earlier than the part at hand is written
// into it and counted, and one without a time goes with the event before it. With a size a part
// ends with the event that brings it to so many bytes, as far as its writer has handed them on;
// those up to its first event do not count, which are mostly what all parts have.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "tracedeck/base/time.hpp"
#include "tracedeck/flow/describing_events.hpp"
#include "tracedeck/format/writer.hpp"

namespace tracedeck::flow {

// Where parts go. One is open at a time.
class Parts {
 public:
  virtual ~Parts() = default;

  // Begins the next one. Its writer is valid until `end`. Errors: those of the output.
  [[nodiscard]] virtual Result<Writer*> begin() = 0;
  // Ends the part, whose writer has finished. Errors: those of the output.
  [[nodiscard]] virtual Result<void> end() = 0;
  // Bytes of the part until now. Errors: those of the output.
  [[nodiscard]] virtual Result<std::uint64_t> size() = 0;
  // Hands what was written of the part to the operating system. Errors: those of the output.
  [[nodiscard]] virtual Result<void> flush() = 0;
};

struct SplitOptions {
  std::optional<std::uint64_t> size = {};       // bytes
  std::optional<Nanoseconds> duration = {};     // more than 0
  bool by_begin = false;                        // events come in the order of their begins
  std::uint64_t max_state = ~std::uint64_t{0};  // bytes, of the events that describe others
  // Is told where parts begin but the first, as far as there are times.
  std::function<void(const Nanoseconds& begin)> cut = {};
};

// The first part has begun, and the last one is left to the caller to end, after `finish`.
// `describing`: such events of all that will be written, when it was read before; null: a part has
// those that came until it ends. `parts` must outlive the writer. Errors: those of the output.
[[nodiscard]] Result<std::unique_ptr<Writer>> split_writer(
    Parts& parts, const SplitOptions& options, std::unique_ptr<DescribingEvents> describing);

}  // namespace tracedeck::flow
