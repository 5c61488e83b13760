// An event as its reader sees it: by names.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tracedeck/field_path.hpp"
#include "tracedeck/model/batch.hpp"
#include "tracedeck/model/class_table.hpp"
#include "tracedeck/value.hpp"

namespace tracedeck {

// An event of a batch. Lives as long as the batch, and finds its fields by way of a cache that is
// shared with the other events of whoever reads: one thread at a time.
class EventView {
 public:
  using Routes = ClassTable<ClassRoutes>;

  EventView() = default;
  // `event` is a record of `batch`. All three must outlive the view.
  EventView(const Event& event, const BatchPtr& batch, Routes& routes)
      : event_(&event), batch_(&batch), routes_(&routes) {}

  // "" where the format gives events no name.
  [[nodiscard]] std::string_view name() const;
  // The numeric id of its class on the wire.
  [[nodiscard]] std::optional<std::uint64_t> id() const { return event_->event_class->id; }
  // When it began: ns since the Unix epoch if its clock has that origin, else since the clock's
  // own. Absent of events without a time.
  [[nodiscard]] std::optional<Nanoseconds> time() const;
  // How long it took, of events with a begin and an end; negative if it ended before it began.
  [[nodiscard]] std::optional<Nanoseconds> duration() const;

  // The field at `path`: `label`, `header.flags[2]` (see `field_path.hpp`). No value where events
  // of this class, or this event, have none. The path is looked up once for each class.
  // Inline, so that the length of a literal is known.
  [[nodiscard, gnu::always_inline]] Value operator[](std::string_view path) const {
    if (event_->event_class->self_described) [[unlikely]]
      return described(path);
    return class_routes().payload(path).in(event_->payload());
  }
  // The same in the contexts: in that of the event, in that which events of its data stream have in
  // common, and in that of its packet: the first that has it.
  [[nodiscard]] Value context(std::string_view path) const;
  // All fields, in their order.
  [[nodiscard]] std::vector<Value::Named> fields() const;

  // The event as it stands in its batch, with all that the model knows of it.
  [[nodiscard]] const Event& record() const { return *event_; }
  // To be held by who keeps the event, or views of its text, for longer.
  [[nodiscard]] const BatchPtr& batch() const { return *batch_; }

 private:
  [[nodiscard]] ClassRoutes& class_routes() const {
    if (class_routes_ == nullptr) class_routes_ = &(*routes_)[*event_->event_class];
    return *class_routes_;
  }
  // Of events that carry their own name and fields.
  [[nodiscard]] Value described(std::string_view path) const;

  const Event* event_ = nullptr;
  const BatchPtr* batch_ = nullptr;
  Routes* routes_ = nullptr;
  mutable ClassRoutes* class_routes_ = nullptr;  // of its class, once a field was asked for
};

}  // namespace tracedeck
