#include "tracedeck/lower/restoring_stage.hpp"

#include <span>
#include <utility>

#include "tracedeck/lower/mark_rule.hpp"

namespace tracedeck::lower {

Result<BatchPtr> RestoringStage::next_batch() {
  while (true) {
    if (input_ == nullptr) {
      Result<BatchPtr> batch = read();
      if (!batch) return batch;
      if (*batch == nullptr) return end();
      input_ = *std::move(batch);
      at_ = 0;
    }
    pinned_ = false;
    const std::span<const Record> records = input_->records();
    while (at_ < records.size() && !output_.full() && take(records[at_])) ++at_;
    if (at_ == records.size()) input_ = nullptr;
    if (BatchPtr batch = take_output()) return batch;
  }
}

void RestoringStage::report(std::uint64_t offset, std::string text) {
  if (!options_.findings) return;
  Notice notice{.input = stored_->description()->input(),
                .finding = {.rule = &kMarkRule, .offset = offset, .text = std::move(text)}};
  output_.add_notice(RecordKind::kFinding, std::move(notice));
}

}  // namespace tracedeck::lower
