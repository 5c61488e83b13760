// What a pipeline reports of the traces and of the selection, as sentences. Not public.
#pragma once

#include <optional>
#include <string>

#include "tracedeck/flow/pipeline_options.hpp"
#include "tracedeck/flow/recording_sessions.hpp"

namespace tracedeck {

// They go to `note`.
class NotingObserver : public flow::PipelineObserver {
 public:
  // Before traces are opened: what selects their events. `condition`: what sentences call the
  // condition on them.
  void expect(const flow::Selection& selection, std::string condition = "the condition");

  void opened(const TraceDescription& description) override;
  void common_time(const std::string& trace, const TraceDescription& description,
                   const flow::TimeRange& range) override;
  void wall_clock(const std::string& trace, const flow::WallClock& wall,
                  bool by_one_offset) override;
  void one_part(const std::string& trace, std::optional<Nanoseconds> first,
                std::optional<Nanoseconds> last) override;
  void selected_nothing(const flow::NothingSelected& what) override;

 private:
  flow::RecordingSessions sessions_;
  std::string condition_ = {};
  bool selects_dates_ = false;
};

}  // namespace tracedeck
