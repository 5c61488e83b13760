#include "tracedeck/lower/restoring_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tracedeck/lower/mark_rule.hpp"

namespace tracedeck::lower {

Result<BatchPtr> RestoringStage::next_batch() {
  for (;;) {
    while (!output_.full()) {
      const Record* const record = streams_.next();
      if (record == nullptr) break;
      const Taken taken = take(*record);
      if (taken == Taken::kNoRoom) break;
      if (taken == Taken::kYes) streams_.pass();
    }
    if (!output_.empty()) {
      streams_.begin_output();
      return output_.take();
    }
    if (streams_.failure()) return std::unexpected(*streams_.failure());
    if (!streams_.ended() || resume_waiting()) continue;
    if (std::exchange(ended_, true)) return nullptr;
    end();
  }
}

const Slot* RestoringStage::copied_values(const Event& stored, std::uint32_t header_count) {
  const std::span<const Slot> values = values_.slots;
  Slot* const room = output_.room(header_count + values.size());
  if (room == nullptr) return nullptr;
  Slot* const behind = std::copy_n(stored.slots - header_count, header_count, room);
  output_.commit(std::ranges::copy(values, behind).out);
  return behind;
}

void RestoringStage::report(std::uint64_t offset, std::string text) {
  if (!options_.findings) return;
  Notice notice{.input = stored_->description()->input(),
                .finding = {.rule = &kMarkRule, .offset = offset, .text = std::move(text)}};
  output_.add_notice(RecordKind::kFinding, std::move(notice));
}

void RestoringStage::report_missing(const DescriptionReader& trace) {
  const std::uint64_t missing = trace.missing();
  if (missing == 0) return;
  report(0, fmt::format("{} mark{} of what the trace was {} missing", missing,
                        missing == 1 ? "" : "s", missing == 1 ? "is" : "are"));
}

void RestoringStage::report_moved(const Event& stored) {
  report(stored.offset, fmt::format("an event of class `{}` has another time than the value of its "
                                    "clock beside it; such events are shown with their time",
                                    stored.event_class->name.value_or("")));
}

}  // namespace tracedeck::lower
