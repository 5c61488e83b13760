// What is to be known of a result that is divided into parts.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "tracedeck/base/time.hpp"
#include "tracedeck/flow/describing_events.hpp"
#include "tracedeck/flow/pipeline_options.hpp"
#include "tracedeck/format/writer.hpp"
#include "tracedeck/timeline/mark_sink.hpp"

namespace tracedeck {

// Counts the slices and waits that lie on both sides of a cut.
class DividedSlices final : public timeline::MarkSink {
 public:
  // In any order.
  explicit DividedSlices(std::vector<Nanoseconds> cuts);

  [[nodiscard]] Result<void> take(const timeline::Timeline& timeline,
                                  std::span<const timeline::Mark> marks) override;
  [[nodiscard]] Result<void> finish(const timeline::Timeline&) override { return {}; }

  // Empty where there are none.
  [[nodiscard]] Receipt receipt() const;

 private:
  std::vector<Nanoseconds> cuts_;
  std::uint64_t count_ = 0;
};

// The events that describe others, of all traces that `reading` names. Null: a trace can be read
// only once, or reading failed, which shows when it is read again. Errors: there are too many.
[[nodiscard]] Result<std::unique_ptr<flow::DescribingEvents>> describing_events(
    flow::PipelineOptions reading, const std::stop_token& stop);

}  // namespace tracedeck
