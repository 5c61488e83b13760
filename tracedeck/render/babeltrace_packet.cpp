#include "tracedeck/render/babeltrace_packet.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/render/value_walk.hpp"

namespace tracedeck::render {
namespace {

// Whether values of a class lie in one slot that says all of them.
bool is_number(const FieldClass* field_class) {
  if (class_as<BooleanClass>(field_class) != nullptr) return true;
  const auto* const integer = class_as<IntegerClass>(field_class);
  if (integer == nullptr) return false;
  const auto* const fixed = std::get_if<FixedLayout>(&integer->layout);
  return fixed != nullptr && fixed->width <= 64;
}

bool is_number(const Member& member) { return is_number(member.field_class.get()); }

}  // namespace

BabeltracePackets::BabeltracePackets(FieldClassPtr context, BabeltracePalette palette,
                                     BabeltraceNames names)
    : context_(std::move(context)),
      notes_(palette),
      values_(palette),
      remembered_(std::size_t{1} << kBits) {
  values_.show_names(names.context);
  if (names.scope) {
    palette.name(scratch_, "stream.packet.context");
    scope_ = scratch_.view();
  }
  const FieldClass* const root = context_.get();
  const auto* const structure = class_as<StructureClass>(root);
  if (structure == nullptr) return;
  notes_.study({&root, 1});
  shown_ = notes_.shows(root);
  if (!std::ranges::all_of(structure->members, [](const Member& m) { return is_number(m); }))
    return;
  slots_ = structure->members.size();
  const std::vector<bool>* const shown = notes_.shown_members(structure);
  for (std::size_t i = 0; i < slots_; ++i) {
    if (shown == nullptr || (*shown)[i]) members_.push_back(i);
  }
}

std::string_view BabeltracePackets::make(Remembered& place, const Packet& packet) {
  scratch_.clear();
  scratch_.append(scope_);
  // The walk wants a structure, whose head packets leave out.
  structure_.assign(
      1, head_slot(SlotKind::kStructure, 0, static_cast<std::uint32_t>(packet.context.size())));
  structure_.insert(structure_.end(), packet.context.begin(), packet.context.end());
  values_.append(scratch_, structure_.data(), context_.get(), notes_);
  if (packet.context.size() != slots_) return scratch_.view();
  place.packet = &packet;
  place.values.clear();
  for (const std::size_t member : members_) place.values.push_back(packet.context[member].bits);
  place.text = scratch_.view();
  return place.text;
}

}  // namespace tracedeck::render
