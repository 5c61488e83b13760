#include "tracedeck/flow/named_values.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "tracedeck/format/output_batch.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/model/class_table.hpp"

namespace tracedeck::flow {
namespace {

bool names_values(const TraceDescription& description) {
  const Format* const format = find_format(description.format());
  return format != nullptr && format->names_values();
}

// Of the traces of one result.
class Namings {
 public:
  explicit Namings(std::uint64_t limit) : limit_(limit) {}

  // Null: the trace that the event is of names no values.
  [[nodiscard]] ValueNaming* of(const Event& event) {
    OfClass& found = classes_[*event.event_class];
    if (!std::exchange(found.is_known, true)) found.naming = of(*event.event_class);
    return found.naming;
  }

 private:
  struct OfClass {
    explicit OfClass(const EventClass&) {}
    ValueNaming* naming = nullptr;
    bool is_known = false;
  };

  ValueNaming* of(const EventClass& event_class) {
    const DataStreamClass* const streams = event_class.stream_class;
    const TraceDescription* const trace = streams == nullptr ? nullptr : streams->trace;
    if (trace == nullptr || trace->stored_as().empty() || !names_values(*trace)) return nullptr;
    std::unique_ptr<ValueNaming>& naming = by_name_[trace->name_among_others()];
    if (naming == nullptr) naming = find_format(trace->format())->value_naming(limit_);
    return naming.get();
  }

  std::uint64_t limit_;
  ClassTable<OfClass> classes_;
  std::map<std::string, std::unique_ptr<ValueNaming>> by_name_;  // of the trace among others
};

class NamedValues final : public RecordSource {
 public:
  NamedValues(RecordSourcePtr source, RecordSourcePtr again, std::uint64_t limit)
      : source_(std::move(source)), again_(std::move(again)), namings_(limit) {}

  Result<BatchPtr> next() override {
    if (again_ != nullptr) look_through(*std::exchange(again_, nullptr));
    if (left_.empty()) {
      auto batch = source_->next();
      if (!batch || *batch == nullptr) return batch;
      batch_ = *std::move(batch);
      left_ = batch_->records();
    }
    output_.pin(batch_);
    while (!left_.empty() && take(left_.front())) left_ = left_.subspan(1);
    return output_.take();
  }

 private:
  // How it ends is reported when it is read.
  void look_through(RecordSource& source) {
    for (auto batch = source.next(); batch && *batch != nullptr; batch = source.next()) {
      for (const Record& record : (*batch)->records()) {
        if (record.kind != RecordKind::kEvent) continue;
        if (ValueNaming* const naming = namings_.of(record.event)) naming->look_ahead(record.event);
      }
    }
  }

  // False: the batch has no room for its values.
  bool take(const Record& record) {
    ValueNaming* const naming =
        record.kind == RecordKind::kEvent ? namings_.of(record.event) : nullptr;
    if (naming == nullptr) {
      output_.add(record);
      return true;
    }
    const Event& event = record.event;
    const std::size_t slots = event.header_count + event.slot_count;
    Slot* const room = output_.room(slots);
    if (room == nullptr) return false;
    std::copy_n(event.slots - event.header_count, slots, room);
    output_.commit(room + slots);
    Event& named = output_.add_event();
    named = event;
    named.slots = room + event.header_count;
    naming->name(event, {room + event.header_count, event.slot_count});
    return true;
  }

  RecordSourcePtr source_;
  RecordSourcePtr again_;  // until it was looked through
  Namings namings_;
  BatchPtr batch_;
  std::span<const Record> left_;  // of the batch
  OutputBatch output_;
};

}  // namespace

bool may_name_values(const TraceDescription& description) {
  if (description.stored_as().empty()) return false;
  return names_values(description) || !description.name_among_others().empty();
}

RecordSourcePtr named_values(RecordSourcePtr source, RecordSourcePtr again, std::uint64_t limit) {
  return std::make_unique<NamedValues>(std::move(source), std::move(again), limit);
}

}  // namespace tracedeck::flow
