#include "tracedeck/tband/value_naming.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/tband/event_layout.hpp"
#include "tracedeck/tband/names.hpp"

namespace tracedeck::tband {
namespace {

// What the values of an event say, as far as it is one of the table.
struct KnownEvent {
  const EventFacts* facts = nullptr;
  std::array<std::uint64_t, kMaxFields> numbers = {};
  std::string_view text = {};
};

SlotKind kind_of(FieldType type) {
  switch (type) {
    case FieldType::kString:
      return SlotKind::kString;
    case FieldType::kS64:
      return SlotKind::kSigned;
    default:
      return SlotKind::kUnsigned;
  }
}

// Another program may have changed what is stored, so it is held against the table.
KnownEvent known(const Event& event) {
  const EventClass& event_class = *event.event_class;
  if (!event_class.id || *event_class.id > 0xff) return {};
  const EventLayout& layout = kEventTable[static_cast<std::uint8_t>(*event_class.id)];
  if (layout.facts == nullptr || event_class.name != layout.facts->name ||
      event.slot_count != layout.count)
    return {};
  KnownEvent found{.facts = layout.facts};
  for (std::size_t i = 0; i < layout.count; ++i) {
    const Slot& slot = event.slots[i];
    if (slot.kind != kind_of(layout.types[i])) return {};
    if (slot.kind == SlotKind::kString) {
      found.text = slot.text();
    } else {
      found.numbers[i] = slot.bits;
    }
  }
  return found;
}

std::uint32_t core_of(const Event& event) {
  const auto key = std::ranges::find(event.stream->keys, "core", &StreamKey::name);
  return key == event.stream->keys.end() ? 0 : static_cast<std::uint32_t>(key->value);
}

class RestoredNames final : public ValueNaming {
 public:
  explicit RestoredNames(std::uint64_t limit) : limit_(limit), first_(limit / 2) {}

  void look_ahead(const Event& event) override {
    const KnownEvent said = known(event);
    if (said.facts != nullptr && said.facts->names != Naming::kNone)
      first_.see(named_by(*said.facts, said.numbers, core_of(event)), said.text);
  }

  void name(const Event& event, std::span<Slot> values) override {
    const KnownEvent said = known(event);
    if (said.facts == nullptr) return;
    if (!names_) first_.define_in(names_.emplace(*event.event_class->stream_class->trace, limit_));
    const std::uint32_t core = core_of(event);
    if (said.facts->names != Naming::kNone)
      (void)names_->define(named_by(*said.facts, said.numbers, core), said.text);
    if (said.facts->id == kTaskSwitchedIn) switch_task(core, said.numbers[0]);
    const auto task = tasks_.find(core);
    const NamingPlace place{.core = core, .task = task == tasks_.end() ? 0 : task->second};
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint32_t name = names_->of(*said.facts, i, said.numbers[i], place);
      if (name != 0) values[i] = named_slot(said.numbers[i], name);
    }
  }

 private:
  void switch_task(std::uint32_t core, std::uint64_t task) {
    if (tasks_.size() >= kMostCores && !tasks_.contains(core)) tasks_.clear();
    tasks_[core] = static_cast<std::uint32_t>(task);
  }

  std::uint64_t limit_;
  FirstNames first_;
  std::optional<Names> names_ = {};                // from the first event on
  NumberMap<std::uint32_t, std::uint32_t> tasks_;  // the current ones, by core
};

}  // namespace

std::unique_ptr<ValueNaming> value_naming(std::uint64_t limit) {
  return std::make_unique<RestoredNames>(limit);
}

}  // namespace tracedeck::tband
