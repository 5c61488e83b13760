// What the front doors share: a pipeline that reports what is no event. Not public.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tracedeck/flow/pipeline.hpp"
#include "tracedeck/noting_observer.hpp"
#include "tracedeck/tracedeck.hpp"

namespace tracedeck {

// Reports come on the thread that reads, of live traces on theirs too. All else is called by the
// former.
struct Reading final : NotingObserver {
  // `to`: where reports go; empty: to standard error.
  explicit Reading(std::function<void(const Report&)> to);

  // How the traces are read that `paths` name. What the options say of events is the caller's
  // business. Errors: metadata that cannot be read.
  [[nodiscard]] static Result<flow::PipelineOptions> pipeline_options(
      std::vector<std::string> paths, const OpenOptions& options, flow::Selection selection,
      flow::Needs needs);
  // Opens what `paths` name. What the options say of events is the caller's business.
  void open(std::vector<std::string> paths, const OpenOptions& options, flow::Selection selection,
            flow::Needs needs);
  // The next batch; null: there are no more, or an error ended them, which was reported.
  [[nodiscard]] BatchPtr next();
  // The first error that was reported.
  [[nodiscard]] const std::optional<Error>& error();
  // Counts and reports a record that is no event.
  void see(const Record& record);

  void failed(const Error& what) override;
  void note(const std::string& sentence) override;
  void progress(double of_all) override { part = of_all; }

  double part = -1;  // of what is read, that was; negative: that is not known
  std::uint64_t problems = 0;
  std::uint64_t lost_events = 0;

 private:
  void report(const Report& report);

  std::mutex report_mutex_;
  std::function<void(const Report&)> to_;  // may ask for `error`
  std::mutex failure_mutex_;
  std::optional<Error> failure_;
  std::optional<Error> error_;  // the same, as far as the caller asked for it

 public:
  std::unique_ptr<flow::Pipeline> pipeline = {};  // goes before what it reports to
};

}  // namespace tracedeck
