#include "tracedeck/ctf/packet_search.hpp"

#include <algorithm>
#include <string>

#include "tracedeck/ctf/packet_magic.hpp"
#include "tracedeck/ctf/roles.hpp"

namespace tracedeck::ctf {
namespace {

// How many bytes may be walked in vain, in heads of packets that turn out to be none, before the
// search no longer looks inside what was walked: this, and a small multiple of the bytes behind us.
// It keeps hostile input from costing quadratic time.
constexpr std::uint64_t kWalkAllowance = std::uint64_t{64} << 20;
constexpr std::uint64_t kWalkFactor = 4;

// Bytes of a damaged packet that are held, and waited for, to see what is behind it.
constexpr std::uint64_t kMostHeld = std::uint64_t{4} << 20;
constexpr std::uint64_t kMostHeldLive = std::uint64_t{64} << 10;

bool begins_with_magic(const FieldClassPtr& packet_header) {
  const auto* const structure =
      packet_header == nullptr ? nullptr : packet_header->as<StructureClass>();
  if (structure == nullptr || structure->members.empty()) return false;
  return std::ranges::any_of(
      structure->members.front().field_class->roles,
      [](const std::string& word) { return find_role(word) == Role::kMagic; });
}

}  // namespace

PacketSearch::PacketSearch(const TraceDescription& trace)
    : possible_(begins_with_magic(trace.trace_class().packet_header)) {}

std::uint64_t PacketSearch::telling_size() const { return possible_ ? kPacketMagicSize : 1; }

bool PacketSearch::is_no_packet(PaddedView bytes) const {
  return possible_ && !may_begin_with_packet_magic({bytes.data, bytes.size});
}

bool PacketSearch::confirms(PacketCursor& cursor, std::uint64_t from, std::uint64_t size) const {
  if (size > (cursor.live() ? kMostHeldLive : kMostHeld)) return false;
  while (cursor.end() < cursor.offset() + size + kPacketMagicSize) {
    if (!cursor.fetch(from, size + kPacketMagicSize - from))
      return cursor.at_end() && cursor.end() == cursor.offset() + size;
  }
  const PaddedView behind = cursor.bytes(size);
  return begins_with_packet_magic({behind.data, behind.size});
}

bool PacketSearch::find(PacketCursor& cursor, std::uint64_t damage, std::uint64_t walked,
                        const std::function<void()>& waits) {
  walked_in_vain_ += walked;
  const bool spent = walked_in_vain_ > kWalkAllowance + kWalkFactor * damage;
  return cursor.move_to_magic(damage + (spent ? std::max<std::uint64_t>(walked, 1) : 1), waits);
}

}  // namespace tracedeck::ctf
