// Where the value that a path names lies in the events of one class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tracedeck/model/record.hpp"
#include "tracedeck/query/expression.hpp"
#include "tracedeck/query/value.hpp"

namespace tracedeck::query {

// A field as far as it lies at a fixed place, and the steps from there on.
struct FieldReference {
  enum class Part : std::uint8_t {
    kPayload,
    kSpecificContext,
    kCommonContext,
    kPacketContext,
    kElement
  };
  Part part = Part::kPayload;
  std::uint32_t offset = 0;  // slots to a value at a fixed place
  std::uint32_t values = 0;  // values, of whatever extent, to pass over from there
  const FieldClass* field_class =
      nullptr;                           // of the value behind those; null where the trace has none
  std::span<const PathStep> steps = {};  // from that value on; those of the path itself

  // Whether the value is one slot at a fixed place.
  [[nodiscard]] bool is_direct() const { return values == 0 && steps.empty(); }
};

// Where a value lies that is one slot at a fixed place in events of one class.
class DirectSlot {
 public:
  DirectSlot() = default;

  // The event must have values.
  [[nodiscard]] const Slot& in(const Event& event) const {
    return *reinterpret_cast<const Slot*>(reinterpret_cast<const std::byte*>(event.slots) +
                                          offset_);
  }
  friend bool operator==(const DirectSlot&, const DirectSlot&) = default;

 private:
  friend std::optional<DirectSlot> direct_slot(const FieldReference&, const EventClass&);

  std::uint32_t offset_ = 0;  // bytes
};
// Nothing where the place is not fixed, as behind contexts that vary in extent.
[[nodiscard]] std::optional<DirectSlot> direct_slot(const FieldReference& field,
                                                    const EventClass& event_class);

using tracedeck::Located;

// The fields that `path` may name in events of that class; the first is the one that counts where
// it has a value. Empty when no event of that class can have such a field. Paths of event values
// and of streams have none. The path must outlive them.
[[nodiscard]] std::optional<FieldReference> find_field(const EventClass& event_class,
                                                       const Path& path);

// What the numbers of that field count, as its class says: of an element as of its array. Empty:
// nothing says it; nothing: there is no such field.
[[nodiscard]] std::optional<std::string_view> unit_of_field(const EventClass& event_class,
                                                            const Path& path);

// Whether that field has a name that others within one another spell too: `a.b`, and a `b` in an
// `a`.
[[nodiscard]] bool is_ambiguous(const EventClass& event_class, const Path& path);

// The part of `event` in which the reference begins, or null where the event has none.
[[nodiscard]] const Slot* begin_of(FieldReference::Part part, const Event& event);

// The value behind fixed places and passed values, before `steps` are taken.
[[nodiscard]] Located locate(const FieldReference& field, const Slot* part);

// The value at the end of `steps`, none of which is [*]; unknown when there is none.
[[nodiscard]] Value read(Located from, std::span<const PathStep> steps, const ValueNames* names);

}  // namespace tracedeck::query
