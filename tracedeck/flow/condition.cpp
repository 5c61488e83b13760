#include "tracedeck/flow/condition.hpp"

#include <utility>

#include "tracedeck/flow/select.hpp"

namespace tracedeck::flow {
namespace {

class Passing {
 public:
  Passing(std::unique_ptr<EventFilter> filter, bool keeps_describing)
      : filter_(std::move(filter)), keeps_describing_(keeps_describing) {}

  bool passes(const Record& record) {
    if (record.kind != RecordKind::kEvent) {
      if (record.kind == RecordKind::kDescription && record.event_class != nullptr)
        filter_->described(*record.event_class);
      return true;
    }
    if (keeps_describing_ && record.event.event_class->describes_others) return true;
    return filter_->passes(record.event);
  }
  void left_out(const Record&) {}

 private:
  std::unique_ptr<EventFilter> filter_;
  bool keeps_describing_;
};

}  // namespace

std::unique_ptr<RecordSource> where(std::unique_ptr<RecordSource> source,
                                    std::unique_ptr<EventFilter> filter, bool keeps_describing) {
  return std::make_unique<Select<Passing>>(std::move(source),
                                           Passing(std::move(filter), keeps_describing));
}

}  // namespace tracedeck::flow
