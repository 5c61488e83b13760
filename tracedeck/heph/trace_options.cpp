#include "tracedeck/heph/trace_options.hpp"

#include <fmt/format.h>

namespace tracedeck::heph {

Finding TraceOptions::add(const Option& option, std::uint64_t offset, std::uint64_t size,
                          bool events_came, TraceDescription& trace) {
  Finding finding;
  std::string value(as_text(option.value));
  if (option.is_epoch()) {
    finding = add_epoch(option.epoch(), events_came);
    value = fmt::format("{}", option.epoch());
  }
  if (!keep(std::string(option.name), std::move(value), trace) && !limit_reported_) {
    limit_reported_ = true;
    finding = {.rule = &rule(RuleId::kOptionLimit),
               .text = "there are more options than are kept; this one and others are skipped"};
  }
  finding.offset = offset;
  finding.length = size;
  return finding;
}

Finding TraceOptions::add_epoch(std::uint64_t epoch, bool events_came) {
  if (epoch_ && *epoch_ == epoch) return {};
  if (epoch_) {
    return {.rule = &rule(RuleId::kEpochConflict),
            .text = fmt::format("the epoch is set to {}, and was {} before, which holds", epoch,
                                *epoch_)};
  }
  epoch_ = epoch;
  if (!events_came) return {};
  return {.rule = &rule(RuleId::kEpochLate),
          .text = fmt::format("the epoch is set to {} after events; theirs is unknown", epoch)};
}

bool TraceOptions::keep(std::string name, std::string value, TraceDescription& trace) {
  const std::size_t size = name.size() + value.size();
  std::pair<std::string, std::string> entry(std::move(name), std::move(value));
  if (kept_.contains(entry)) return true;
  if (kept_.size() >= kMaxOptions || size > kMaxOptionMemory - memory_) return false;
  memory_ += size;
  trace.add_environment({.key = entry.first, .value = entry.second});
  kept_.insert(std::move(entry));
  return true;
}

}  // namespace tracedeck::heph
