#include "tracedeck/dial9/kept_segments.hpp"

#include <algorithm>
#include <string>

#include "tracedeck/format/kept_metadata.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::dial9 {
namespace {

bool is_marked(const Attributes& attributes) {
  return std::ranges::any_of(attributes, [](const Attribute& attribute) {
    return attribute.key == "tracedeck" &&
           attribute.value.find(R"("kind":"part")") != std::string::npos;
  });
}

// CTF 1.8 has no attributes; what we wrote has entries of ours in the environment.
bool is_ours_without_marks(const DataStreamClass& stream_class) {
  if (stream_class.trace == nullptr || stream_class.trace->version() != "1.8") return false;
  return std::ranges::any_of(stream_class.trace->environment(), [](const Attribute& entry) {
    return entry.key.starts_with(kMetadataEntry);
  });
}

}  // namespace

std::optional<std::size_t> segment_member(const DataStreamClass& stream_class) {
  if (stream_class.packet_context == nullptr) return {};
  const auto* const context = stream_class.packet_context->as<StructureClass>();
  if (context == nullptr) return {};
  const auto found = std::ranges::find(context->members, "segment", &Member::name);
  if (found == context->members.end()) return {};
  if (!is_marked(found->field_class->attributes) && !is_ours_without_marks(stream_class)) return {};
  return static_cast<std::size_t>(found - context->members.begin());
}

std::optional<std::uint64_t> segment_of(const Packet& packet, std::size_t member) {
  const Slot* slot = packet.context.data();
  const Slot* const end = slot + packet.context.size();
  for (; member != 0 && slot < end; --member) slot = slot->next();
  if (slot >= end || slot->kind != SlotKind::kUnsigned) return {};
  return slot->bits;
}

}  // namespace tracedeck::dial9
