#include "tracedeck/event_view.hpp"

#include <span>

namespace tracedeck {
namespace {

// Members that lie one after the other without a head.
std::vector<Value::Named> members_of(std::span<const Slot> slots, const FieldClass* members) {
  std::vector<Value::Named> named;
  const auto* const structure = members == nullptr ? nullptr : members->as<StructureClass>();
  if (structure == nullptr || slots.empty()) return named;
  const Slot* at = slots.data();
  for (const Member& member : structure->members) {
    if (at >= slots.data() + slots.size()) break;
    named.push_back({member.name, Value(at, member.field_class.get())});
    at = at->next();
  }
  return named;
}

// Events that describe themselves are a name and a map.
Value described_map(const Event& event) {
  const auto payload = event.payload();
  if (payload.empty()) return {};
  const Slot* const map = payload.data()->next();
  return map < payload.data() + payload.size() ? Value(map, nullptr) : Value();
}

}  // namespace

std::string_view EventView::name() const {
  const EventClass& event_class = *event_->event_class;
  if (event_class.self_described && !event_->payload().empty())
    return event_->payload().front().text();
  return event_class.name ? std::string_view(*event_class.name) : std::string_view();
}

std::optional<Nanoseconds> EventView::time() const {
  if (!event_->has_time()) return {};
  return event_->began_at();
}

std::optional<Nanoseconds> EventView::duration() const {
  if (!event_->has_time() || !event_->event_class->has_duration) return {};
  return event_->event_class->clock->interval(event_->time, event_->end_time);
}

Value EventView::described(std::string_view path) const { return described_map(*event_)[path]; }

Value EventView::context(std::string_view path) const {
  return class_routes().context(path).in(*event_);
}

std::vector<Value::Named> EventView::fields() const {
  if (event_->event_class->self_described) return described_map(*event_).members();
  return members_of(event_->payload(), event_->event_class->payload.get());
}

}  // namespace tracedeck
