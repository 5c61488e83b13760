// Decode programs: what the fields of a root structure come to, as steps.
//
// A field class tree is compiled once (`compile.hpp`) into a flat list of steps, which `Machine`
// runs for each packet or event record. Fields of known size whose places are known from each other
// are one bounds check and loads. Compound classes that are used in several places, as aliases are,
// become one sub-program that is called.
//
// Positions are in bits from the beginning of the packet, as in the specification's O - PO.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tracedeck/ctf/roles.hpp"
#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck::ctf {

enum class Op : std::uint8_t {
  kEnd,
  kNeed,   // `a` bits from here on are there
  kAlign,  // to `a` + 1 bits, a power of two
  kPass,   // over `a` bits, checked by kNeed
  // Loads of fixed-length bit arrays of `width` (1 to 64) bits, checked by kNeed; first `skip` bits
  // are passed over. Aligned: the position is known to be at a byte.
  kAlignedLittle,
  kAlignedLittleSigned,
  kAlignedBig,
  kAlignedBigSigned,
  kLittle,
  kLittleSigned,
  kBig,
  kBigSigned,
  // The same with the check of their own: `a` bits.
  kCheckedAlignedLittle,
  kCheckedLittle,
  kWide,  // `a` bits, more than 64; see WideField
  // Change the slot that was just made.
  kReverse,  // of `width` bits; signed values are extended again
  kToBoolean,
  kToReal,      // from binary64
  kToReal32,    // from binary32
  kToReal16,    // from binary16
  kCheckOrder,  // inside a byte, the byte order must still be `width`
  kSetOrder,    // remembers that it is `width`
  kLeb128,
  kLeb128Signed,
  kText,          // texts[a]
  kBlob,          // blobs[a]
  kOpen,          // a structure begins: its head
  kClose,         // and ends
  kArray,         // arrays[a]
  kOptional,      // variants[a]
  kVariant,       // variants[a]
  kLeave,         // an option ends: its head, then steps from `a` on
  kCall,          // steps from `a` on, which make at most `tail` slots
  kSave,          // the last slot into register `a`
  kForget,        // register `a` holds nothing
  kEventClassId,  // the last slot is the id of the event record class
  kClock,         // the last slot updates the clock; `a`: 2^bits - 1 of the field
  kRole,  // the last slot has role `width`; `a`: bits of a clock's value, 0: as many as it had
};

struct Step {
  Op op = Op::kEnd;
  std::uint8_t width = 0;
  std::uint16_t skip = 0;
  std::uint32_t place = 0;  // index of the field's place, for messages
  std::uint64_t a = 0;
  std::uint64_t tail = 0;  // loads: the second half of the slot to make
};

inline constexpr std::uint32_t kNoRegister = 0xFFFF'FFFF;

// How a field of more than 64 bits lies.
struct WideField {
  std::uint32_t width = 0;
  bool big_endian = false;
  bool reversed = false;
  SlotKind kind = SlotKind::kWideUnsigned;  // kWideUnsigned, kWideSigned, kWideReal or kBoolean
};

// The length of a text, BLOB or array: a number, or what a register holds.
struct Length {
  std::uint64_t fixed = 0;
  std::uint32_t from = kNoRegister;
};

struct TextField {
  bool terminated = false;  // by a code unit of zero; else of the given length in bytes
  Length length = {};
  TextEncoding encoding = TextEncoding::kUtf8;
};

struct BlobField {
  Length length = {};
};

struct ArrayField {
  Length length = {};
  std::uint32_t body = 0;                    // steps of an element
  std::uint64_t element_bits = 0;            // an element takes at least so many
  std::uint64_t element_slots = 0;           // and makes at most so many, arrays in it apart
  std::optional<PackedElement> packed = {};  // elements can stay as they are at a byte
  std::uint32_t packed_bits = 0;
};

// An interval of a selector's values and what it selects.
struct Choice {
  Int128 lower = 0;
  Int128 upper = 0;
  std::uint32_t option = 0;
};

struct VariantField {
  // Values of that range select `option`.
  void add_choice(const IntegerRange& range, std::uint32_t number);

  std::uint32_t selector = kNoRegister;
  bool boolean = false;              // the selector is a boolean: of an optional
  std::vector<Choice> choices = {};  // sorted, not overlapping
  // The same for values that only 128 bits without a sign hold, by these bits.
  std::vector<Choice> top_choices = {};
  // What each of the values 0 to 255 selects, kNone: nothing. Empty unless that is all there is.
  std::vector<std::uint8_t> table = {};
  std::vector<std::uint32_t> bodies = {};   // steps of each option; of an optional, one
  std::vector<std::uint32_t> forgets = {};  // registers of fields that may not be there

  // Makes the table of the choices, if one is enough: small selectors are looked up rather than
  // searched.
  void make_table();

  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
  static constexpr std::uint8_t kNotInTable = 0xFF;
};

// Where a field stands among others, for messages.
struct FieldPlace {
  std::uint32_t parent = 0;  // 0: the root itself
  const Name* name = nullptr;
};

// Steps of one root structure. Immutable once compiled. Refers to the classes it was made from.
struct Program {
  std::vector<Step> steps = {};  // begins with the root's; ends with kEnd; empty: there is no class
  std::vector<WideField> wides = {};
  std::vector<TextField> texts = {};
  std::vector<BlobField> blobs = {};
  std::vector<ArrayField> arrays = {};
  std::vector<VariantField> variants = {};
  std::vector<FieldPlace> places = {};
  FieldLocation::Root root = FieldLocation::Root::kPayload;
  std::uint64_t slots = 0;  // it makes at most so many, what lies in arrays apart

  [[nodiscard]] bool empty() const { return steps.empty(); }
  // "event-record-payload.a.b"
  [[nodiscard]] std::string path_of(const Step& step) const;
};

}  // namespace tracedeck::ctf
