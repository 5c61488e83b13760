// What the front doors share: a pipeline that reports what is no event. Not public.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tracedeck/flow/pipeline.hpp"
#include "tracedeck/tracedeck.hpp"

namespace tracedeck {

struct Reading final : flow::PipelineObserver {
  // `to`: where reports go; empty: to standard error.
  explicit Reading(std::function<void(const Report&)> to);

  // Opens what `paths` name. What the options say of events is the caller's business.
  void open(std::vector<std::string> paths, const OpenOptions& options, flow::Selection selection,
            flow::Needs needs);
  // The next batch; null: there are no more, or an error ended them, which was reported.
  [[nodiscard]] BatchPtr next();
  // Counts and reports a record that is no event.
  void see(const Record& record);

  void failed(const Error& what) override;
  void note(const std::string& sentence) override;

  std::function<void(const Report&)> report;
  std::unique_ptr<flow::Pipeline> pipeline = {};
  std::optional<Error> error = {};
  std::uint64_t problems = 0;
  std::uint64_t lost_events = 0;
};

}  // namespace tracedeck
