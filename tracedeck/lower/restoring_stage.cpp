#include "tracedeck/lower/restoring_stage.hpp"

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

}  // namespace tracedeck::lower
