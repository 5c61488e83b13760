#include "tracedeck/ctf/write/packet_layout.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "tracedeck/ctf/location_words.hpp"
#include "tracedeck/ctf/packet_magic.hpp"

namespace tracedeck::ctf {
namespace {

using Root = FieldLocation::Root;

RareList<std::string> role_words(Root root, Role role, Dialect dialect) {
  const std::string_view word = role_in(root, role_word(role, Dialect::kRc3), dialect);
  // CTF 1.8 has names for roles; its classes carry the words of CTF2-SPECRC-3.0.
  if (word.empty()) return {};
  return {std::string(word)};
}

FieldClassPtr unsigned_class(std::uint32_t width, std::uint32_t alignment,
                             RareList<std::string> roles,
                             DisplayBase base = DisplayBase::kDecimal) {
  FieldClass made{.kind =
                      IntegerClass{.layout = FixedLayout{.width = width}, .display_base = base}};
  made.alignment = alignment;
  made.roles = std::move(roles);
  return std::make_shared<const FieldClass>(std::move(made));
}

Member member(std::string_view name, FieldClassPtr field_class) {
  return {.name = name, .field_class = std::move(field_class), .attributes = {}};
}

FieldClassPtr uuid_class(Dialect dialect) {
  FieldClass made{.kind = BlobClass{.extent = StaticLength{16}}};
  made.roles = role_words(Root::kPacketHeader, Role::kUuid, dialect);
  return std::make_shared<const FieldClass>(std::move(made));
}

struct ContextMember {
  std::string_view name;
  Role role;
  bool of_clock;
};
constexpr std::array<ContextMember, 6> kContext = {{
    {"packet_size", Role::kTotalSize, false},
    {"content_size", Role::kContentSize, false},
    {"timestamp_begin", Role::kPacketBegin, true},
    {"timestamp_end", Role::kPacketEnd, true},
    {"packet_seq_num", Role::kSequence, false},
    {"events_discarded", Role::kDiscarded, false},
}};

FieldClassPtr structure_of(std::vector<Member> members, std::uint32_t alignment) {
  return make_field_class(
      StructureClass{.members = std::move(members), .minimum_alignment = alignment});
}

}  // namespace

void PacketLayout::write(std::uint8_t* to, const PacketFacts& facts) const {
  std::uint8_t* const context = to + context_begin();
  const auto put = [&to](auto value) {
    store_le(to, value);
    to += sizeof value;
  };
  put(kPacketMagic);
  if (uuid) {
    std::memcpy(to, uuid->data(), uuid->size());
    to += uuid->size();
  }
  put(facts.stream_class_id);
  if (has_stream_ids) put(facts.stream_id);
  to = context;
  put(facts.total_bits);
  put(facts.content_bits);
  if (has_clock) {
    put(facts.begin);
    put(facts.end);
  }
  put(facts.sequence);
  put(facts.discarded);
}

FieldClassPtr PacketLayout::header_class(Dialect dialect) const {
  const auto role = [&](Role of) { return role_words(Root::kPacketHeader, of, dialect); };
  std::vector<Member> members;
  members.push_back(
      member("magic", unsigned_class(32, 8, role(Role::kMagic), DisplayBase::kHexadecimal)));
  if (uuid) members.push_back(member("uuid", uuid_class(dialect)));
  members.push_back(member("stream_id", unsigned_class(64, 8, role(Role::kStreamClassId))));
  if (has_stream_ids)
    members.push_back(member("stream_instance_id", unsigned_class(64, 8, role(Role::kStreamId))));
  return structure_of(std::move(members), 8);
}

FieldClassPtr PacketLayout::context_class(Dialect dialect, std::vector<Member> more) const {
  std::vector<Member> members;
  for (const ContextMember& each : kContext) {
    if (each.of_clock && !has_clock) continue;
    members.push_back(
        member(std::string(each.name),
               unsigned_class(64, 8, role_words(Root::kPacketContext, each.role, dialect))));
  }
  std::ranges::move(more, std::back_inserter(members));
  return structure_of(std::move(members), 8);
}

FieldClassPtr PacketLayout::event_header_class(Dialect dialect) const {
  const auto role = [&](Role of) { return role_words(Root::kEventHeader, of, dialect); };
  const std::uint32_t id_bits = has_wide_ids ? 64 : 32;
  if (!has_clock) {
    return structure_of({member("id", unsigned_class(id_bits, 8, role(Role::kEventClassId)))}, 8);
  }
  constexpr Int128 kLastShort = kExtendedId - 1;
  constexpr Int128 kExtended = kExtendedId;
  FieldClass id{.kind = IntegerClass{
                    .layout = FixedLayout{.width = 5},
                    .form = IntegerClass::Form::kEnumeration,
                    .mappings = {{.label = "compact", .ranges = {{0, kLastShort}}},
                                 {.label = "extended", .ranges = {{kExtended, kExtended}}}}}};
  id.roles = role(Role::kEventClassId);
  FieldLocation selector{.root = Root::kEventHeader, .path = {"id"}};
  if (dialect != Dialect::kRc3) selector.root = Root::kRelative;
  VariantClass header{.options = {}, .selector = selector};
  header.options.push_back(
      {.name = "compact",
       .field_class = structure_of(
           {member("timestamp", unsigned_class(kShortTimeBits, 1, role(Role::kClock)))}, 1),
       .ranges = {{0, kLastShort}},
       .attributes = {}});
  header.options.push_back(
      {.name = "extended",
       .field_class =
           structure_of({member("id", unsigned_class(id_bits, 8, role(Role::kEventClassId))),
                         member("timestamp", unsigned_class(64, 8, role(Role::kClock)))},
                        8),
       .ranges = {{kExtended, kExtended}},
       .attributes = {}});
  std::vector<Member> members;
  members.push_back(member("id", std::make_shared<const FieldClass>(std::move(id))));
  members.push_back(member("v", make_field_class(std::move(header))));
  return structure_of(std::move(members), 8);
}

std::uint8_t* put_event_header(const PacketLayout& layout, std::uint8_t* to, std::uint64_t id,
                               std::uint64_t last, std::uint64_t time) {
  if (layout.has_clock && (!layout.has_wide_ids || has_short_header(id, last, time)))
    return put_event_header(to, id, last, time);
  if (layout.has_clock) *to++ = static_cast<std::uint8_t>(kExtendedId);
  if (layout.has_wide_ids) {
    store_le(to, id);
    to += sizeof id;
  } else {
    store_le(to, static_cast<std::uint32_t>(id));
    to += 4;
  }
  if (!layout.has_clock) return to;
  store_le(to, time);
  return to + sizeof time;
}

bool is_packet_member(std::string_view name) {
  return std::ranges::find(kContext, name, &ContextMember::name) != kContext.end();
}

}  // namespace tracedeck::ctf
