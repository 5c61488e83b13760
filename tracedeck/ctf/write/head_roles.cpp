#include "tracedeck/ctf/write/head_roles.hpp"

#include <string_view>
#include <variant>

#include "tracedeck/ctf/location_words.hpp"
#include "tracedeck/model/class_nesting.hpp"
#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::ctf {

using Root = FieldLocation::Root;

void HeadRoles::collect(const FieldClassPtr& field_class, Root root, std::size_t depth) {
  if (field_class == nullptr || depth > kClassNesting) return;
  const auto* const integer = field_class->as<IntegerClass>();
  const auto* const fixed =
      integer == nullptr ? nullptr : std::get_if<FixedLayout>(&integer->layout);
  has_array =
      has_array || (field_class->as<ArrayClass>() != nullptr && !field_class->roles.empty());
  for (const std::string& word : field_class->roles) {
    const std::string_view name = reserved_name(root, word);
    if (integer == nullptr || name.empty()) continue;
    plain = plain && fixed != nullptr && fixed->width <= 64 && !fixed->reversed;
    const bool is_clock = find_role(word) == Role::kClock;
    if (find_role(word) == Role::kEventClassId)
      has_wide_id = has_wide_id || fixed == nullptr || fixed->width > 32;
    const bool is_begin = is_clock && root == Root::kPacketContext;
    roles |= role_bit(is_begin ? Role::kPacketBegin : *find_role(word));
    has_begin = (roles & role_bit(Role::kPacketBegin)) != 0;
    if (root != Root::kEventHeader || !is_clock) continue;
    has_clock = true;
    has_narrow_clock = has_narrow_clock || fixed == nullptr || fixed->width < 64;
  }
  for_each_child(*field_class,
                 [&](const FieldClassPtr& inner) { collect(inner, root, depth + 1); });
}

void HeadRoles::collect(const FieldClassPtr& packet_header, const DataStreamClass& stream_class) {
  collect(packet_header, Root::kPacketHeader);
  collect(stream_class.packet_context, Root::kPacketContext);
  collect(stream_class.event_header, Root::kEventHeader);
}

bool HeadRoles::serve(bool from_ctf1, bool to_ctf1, bool has_clock_class) const {
  if (has_array) return false;
  // Not all dialects let fields have times without a clock.
  constexpr RoleSet kTimes =
      role_bit(Role::kPacketBegin) | role_bit(Role::kPacketEnd) | role_bit(Role::kClock);
  if (!has_clock_class && (roles & kTimes) != 0) return false;
  // A packet without a begin starts with the clock at 0 in CTF 2, where it stood in CTF 1.8.
  const bool untold = has_narrow_clock || !has_clock;
  if (has_clock_class && to_ctf1 != from_ctf1 && untold && !has_begin) return false;
  if (!to_ctf1) return true;
  return plain && (!has_clock_class || has_clock);
}

}  // namespace tracedeck::ctf
