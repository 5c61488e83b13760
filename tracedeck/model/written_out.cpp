#include "tracedeck/model/written_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

namespace tracedeck {
namespace {

// Beyond every limit, and far from the end of 64 bits.
constexpr std::uint64_t kEndless = std::uint64_t{1} << 60;

// Calls `visit` for each class that is directly in another.
template <class Visit>
struct Inside {
  Visit& visit;

  void operator()(const ArrayClass& array) const { visit(array.element); }
  void operator()(const OptionalClass& optional) const { visit(optional.value); }
  void operator()(const MapClass& map) const {
    visit(map.key);
    visit(map.value);
  }
  void operator()(const StructureClass& structure) const {
    for (const Member& member : structure.members) visit(member.field_class);
  }
  void operator()(const VariantClass& variant) const {
    for (const VariantOption& option : variant.options) visit(option.field_class);
  }
  template <class Scalar>
  void operator()(const Scalar&) const {}
};

}  // namespace

std::uint64_t WrittenOut::size_of(const FieldClass* field_class) {
  if (field_class == nullptr) return 0;
  if (const auto known = sizes_.find(field_class); known != sizes_.end()) return known->second;
  std::uint64_t size = 1;
  const auto visit = [&](const FieldClassPtr& inside) {
    ++there_;
    size = std::min(kEndless, size + size_of(inside.get()));
  };
  std::visit(Inside<decltype(visit)>{visit}, field_class->kind);
  sizes_.emplace(field_class, size);
  return size;
}

Result<void> WrittenOut::add(std::initializer_list<const FieldClass*> classes,
                             const std::string& name) {
  std::uint64_t total = total_;
  for (const FieldClass* const each : classes) {
    ++there_;
    total = std::min(kEndless, total + size_of(each));
  }
  if (total <= kMost + there_) {
    total_ = total;
    return {};
  }
  return fail(ErrorCode::kLimitExceeded,
              fmt::format("field classes that are more than {} when each is written out wherever "
                          "it is used",
                          kMost),
              name);
}

Result<void> WrittenOut::add(const TraceDescription& description) {
  for (const DataStreamClass& each : description.stream_classes()) {
    if (auto added =
            add({each.packet_context.get(), each.event_header.get(), each.common_context.get()},
                description.input());
        !added)
      return added;
  }
  for (const EventClass& each : description.event_classes()) {
    if (auto added = add({each.specific_context.get(), each.payload.get()}, description.input());
        !added)
      return added;
  }
  return {};
}

}  // namespace tracedeck
