// Field classes: what a field of an event is, and how it lay on the wire.
//
// The words are those of CTF 2 (CTF2-SPECRC-3.0, "Field classes"); every format's types are put
// in these terms. A class keeps what must survive conversion to another format and back: widths,
// byte and bit order, alignment, encodings, interning, roles, option names, mappings in order and
// user attributes. Classes are immutable once built and shared by reference: an alias that is
// used a thousand times is one node.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tracedeck/base/time.hpp"
#include "tracedeck/model/attribute.hpp"
#include "tracedeck/model/integer_ranges.hpp"
#include "tracedeck/model/name.hpp"

namespace tracedeck {

struct FieldClass;
using FieldClassPtr = std::shared_ptr<const FieldClass>;

enum class ByteOrder : std::uint8_t { kLittle, kBig };
enum class DisplayBase : std::uint8_t { kBinary = 2, kOctal = 8, kDecimal = 10, kHexadecimal = 16 };

// Where a length or a selector is found (CTF2-SPECRC-3.0, "Field location").
struct FieldLocation {
  enum class Root : std::uint8_t {
    kRelative,
    kPacketHeader,
    kPacketContext,
    kEventHeader,
    kCommonContext,
    kSpecificContext,
    kPayload,
  };
  Root root = Root::kRelative;
  std::vector<std::optional<std::string>> path = {};  // nullopt steps out to the parent

  friend bool operator==(const FieldLocation&, const FieldLocation&) = default;
};

// How many bits a fixed-length field takes and in which order they lie.
struct FixedLayout {
  std::uint32_t width = 8;  // bits
  ByteOrder byte_order = ByteOrder::kLittle;
  // The bits come in the other order than is usual for the byte order (CTF2-SPEC-2.0: `bit-order`
  // is last-to-first of a little-endian field, first-to-last of a big-endian one).
  bool reversed = false;
};
struct Leb128Layout {};  // variable length, 7 bits a byte, least significant group first

// How the length of a string, blob or array is known.
struct NullTerminated {};
struct StaticLength {
  std::uint64_t length = 0;  // bytes of a string or blob, elements of an array
};
struct LengthPrefixed {
  std::uint32_t width = 32;  // bits of the unsigned length directly before the content
  ByteOrder byte_order = ByteOrder::kLittle;
};
struct LengthField {
  FieldLocation location = {};
};
struct RestOfRecord {};
using Extent =
    std::variant<NullTerminated, StaticLength, LengthPrefixed, LengthField, RestOfRecord>;

struct Mapping {
  Name label = {};
  IntegerRanges ranges = {};
};

struct BooleanClass {
  FixedLayout layout = {};
};

struct IntegerClass {
  enum class Form : std::uint8_t { kNumber, kEnumeration, kBitArray, kBitMap, kAddress };
  bool is_signed = false;
  std::variant<FixedLayout, Leb128Layout> layout = {};
  Form form = Form::kNumber;
  DisplayBase display_base = DisplayBase::kDecimal;
  std::vector<Mapping> mappings = {};  // in the order of the metadata
};

struct RealClass {
  FixedLayout layout{.width = 64};
};

enum class TextEncoding : std::uint8_t { kUtf8, kUtf16Le, kUtf16Be, kUtf32Le, kUtf32Be };

struct StringClass {
  Extent extent = {};
  TextEncoding encoding = TextEncoding::kUtf8;
  bool interned = false;  // the wire holds the id of a pool entry
};

struct BlobClass {
  Extent extent = {};
  Name media_type = "application/octet-stream";
};

struct ArrayClass {
  FieldClassPtr element = {};
  Extent extent = {};
  std::uint32_t minimum_alignment = 1;  // bits
  bool interned = false;                // the wire holds the id of a pool entry
};

struct Member {
  Name name = {};
  FieldClassPtr field_class = {};
  Attributes attributes = {};
};

struct StructureClass {
  std::vector<Member> members = {};
  std::uint32_t minimum_alignment = 1;  // bits
};

// An ordered list of key-value pairs; keys may repeat.
struct MapClass {
  FieldClassPtr key = {};
  FieldClassPtr value = {};
};

struct SelectorRanges {
  std::optional<FieldLocation> selector = {};  // nullopt: a presence byte or tag directly before
  IntegerRanges ranges = {};                   // empty: a boolean selector
};

struct OptionalClass {
  FieldClassPtr value = {};
  SelectorRanges presence = {};
};

struct VariantOption {
  Name name = {};
  FieldClassPtr field_class = {};
  IntegerRanges ranges = {};
  Attributes attributes = {};
};

struct VariantClass {
  std::vector<VariantOption> options = {};
  std::optional<FieldLocation> selector = {};
};

// A value that carries its own type on the wire (elements of dial9 lists and maps).
struct DynamicClass {};

struct FieldClass {
  using Kind =
      std::variant<BooleanClass, IntegerClass, RealClass, StringClass, BlobClass, ArrayClass,
                   StructureClass, MapClass, OptionalClass, VariantClass, DynamicClass>;
  Kind kind;
  std::uint32_t alignment = 1;  // bits
  RareList<std::string> roles = {};
  Attributes attributes = {};

  template <class T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&kind);
  }
};

// A shared class of the given kind, with no alignment, roles or attributes.
[[nodiscard]] FieldClassPtr make_field_class(FieldClass::Kind kind);

// The word of `schema` for a class's kind: "unsigned-integer", "enumeration", "string", ...
[[nodiscard]] std::string_view kind_name(const FieldClass& field_class);

}  // namespace tracedeck
