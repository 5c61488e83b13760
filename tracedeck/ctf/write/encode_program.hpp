// Encode programs: how the values of a structure become the bits of a packet.
//
// A program is a tree of nodes that mirrors the classes it was made from; `Encoder` walks it along
// the slots of an event. Which values stand for which fields is settled when the program is made
// (target_classes.hpp): nodes write what a slot holds, or step over slots that the target does not
// want.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tracedeck/ctf/write/bit_writer.hpp"
#include "tracedeck/ctf/write/placed_role.hpp"
#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck::ctf {

enum class EncodeOp : std::uint8_t {
  kInteger,    // `width` bits
  kLeb128,     //
  kReal,       // of `width` bits
  kString,     //
  kBlob,       //
  kArray,      // its elements; child: the element
  kStructure,  // children: members
  kOptional,   // child: the value
  kVariant,    // children: options
  kSkip,       // steps over a value
};

// How the end of a string, blob or array is found.
enum class EncodeExtent : std::uint8_t {
  kTerminated,
  kStatic,   // `length`
  kLocated,  // a length that the values hold themselves
};

// A field whose value is remembered while encoding: a node of the program at hand or of the packet
// context's.
struct ValueRef {
  bool of_packet = false;
  std::uint32_t node = 0;
};

struct EncodeNode {
  EncodeOp op = EncodeOp::kSkip;
  bool is_signed = false;
  bool reversed = false;
  bool has_head = true;  // kStructure: the value has a head slot
  ByteOrder byte_order = ByteOrder::kLittle;
  TextEncoding encoding = TextEncoding::kUtf8;
  EncodeExtent extent = EncodeExtent::kStatic;
  std::uint32_t alignment = 1;
  std::uint32_t width = 0;
  std::uint32_t first_child = 0;
  std::uint32_t child_count = 0;
  std::uint32_t first_ref = 0;  // kLocated: where the length may have been written
  std::uint32_t ref_count = 0;
  RoleSet roles = 0;  // of integers
  std::uint64_t length = 0;
};

struct EncodeChild {
  std::uint32_t node = 0;
  // Bytes of a kInteger of at most 64 bits, little-endian, in whole bytes, without a role; else 0.
  std::uint32_t plain_bytes = 0;
  std::uint64_t most = 0;  // then the largest unsigned value
};

// Writes values of members that are plain, as many as are plain too. Returns how many.
[[gnu::always_inline]] inline std::size_t put_plain(BitWriter& out,
                                                    std::span<const EncodeChild> members,
                                                    const Slot* slots) {
  out.align(8);
  std::uint8_t* to = out.begin_bytes(sizeof(std::uint64_t) * members.size());
  std::size_t done = 0;
  for (; done < members.size(); ++done, ++slots) {
    const EncodeChild& member = members[done];
    const std::uint64_t least = slots->kind == SlotKind::kSigned ? (member.most >> 1) + 1 : 0;
    if (slots->kind > SlotKind::kSigned || slots->bits + least > member.most ||
        member.plain_bytes == 0)
      break;
    store_le(to, slots->bits);
    to += member.plain_bytes;
  }
  out.end_bytes(to);
  return done;
}

struct EncodeProgram {
  std::vector<EncodeNode> nodes;
  std::vector<EncodeChild> children;
  std::vector<ValueRef> refs;

  // The members of a structure if all that it takes is to write these, and all are plain; else
  // none.
  [[nodiscard]] std::span<const EncodeChild> plain_members(std::uint32_t structure) const;
};

// The value that a node wrote last, and when.
struct WrittenValue {
  std::uint64_t value = 0;
  std::uint64_t when = 0;
};

enum class EncodeStatus : std::uint8_t {
  kOk,
  kTooLarge,  // an integer does not fit its field
  kLength,    // an array, string or blob is not as long as its length says
  kKind,      // a value is of another kind than its class
  kOption,    // a variant has no such option
};
[[nodiscard]] std::string_view encode_fault(EncodeStatus status);

// Values by a node of a program.
struct EncodeRoot {
  std::uint32_t node = 0;
  std::span<const Slot> slots = {};
};

// One thread at a time.
class Encoder {
 public:
  // Writes the values of `slots` by node `root` of a program. `values` must have an element for
  // each node, or none where no node of a program refers to them; `packet_values` those that the
  // packet context left. On a fault, what was written is of no use.
  [[nodiscard]] EncodeStatus encode(const EncodeProgram& program, std::uint32_t root,
                                    std::span<const Slot> slots, BitWriter& out,
                                    std::span<WrittenValue> values,
                                    std::span<const WrittenValue> packet_values);
  // The same of several roots, one behind the other.
  [[nodiscard]] EncodeStatus encode(const EncodeProgram& program, std::span<const EncodeRoot> roots,
                                    BitWriter& out, std::span<WrittenValue> values,
                                    std::span<const WrittenValue> packet_values);

  // Where fields with roles that are written from now on go. Null: nowhere.
  void note_roles(std::vector<PlacedRole>* to) { roles_ = to; }

  // LEB128 fields with any of these roles take the bytes that every value of 64 bits fits.
  void pad_leb128(RoleSet roles) { padded_ = roles; }

  // How many strings have a NUL character, where they end for readers.
  [[nodiscard]] std::uint64_t cut_strings() const { return cut_strings_; }

 private:
  class Walk;

  std::uint64_t cut_strings_ = 0;
  std::uint64_t clock_ = 0;  // orders what is written
  std::vector<PlacedRole>* roles_ = nullptr;
  RoleSet padded_ = 0;
};

}  // namespace tracedeck::ctf
