// Bit fields as GNU C lays them out (CTF 1.8.3, 4.1.6): `unit_type name : size`.
//
// A bit field lies in a unit as large as its type, and units lie behind each other from the begin
// of the structure on. It follows the field before it bit by bit where the unit has room for it,
// and begins the next unit where not. As a field class the first is an alignment of 1, the second
// one of the unit's. Which it is must be known without the data.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf::tsdl {

// What is known of the number of bits from one place to another: `bits`, modulo `known`, a power of
// two.
struct BitPosition {
  std::uint64_t known = std::uint64_t{1} << 63;
  std::uint64_t bits = 0;
};

// Where the fields of structures lie. The classes must outlive it.
class BitFields {
 public:
  enum class Place : std::uint8_t { kBehind, kNextUnit, kUnknown };

  // Goes on behind a field. `position` counts from the structure's begin.
  void pass(const FieldClass& field_class, BitPosition& position);

  // Before a class goes.
  void forget(const FieldClass& field_class) { sizes_.erase(&field_class); }

  // Where a bit field of `width` bits lies behind what is passed; `unit`: an integer of fixed
  // width.
  [[nodiscard]] static Place place(const FieldClass& unit, std::uint32_t width,
                                   const BitPosition& position);

 private:
  struct Size {
    std::uint32_t alignment = 1;
    BitPosition length = {};
  };

  [[nodiscard]] const Size& size_of(const FieldClass& field_class);
  [[nodiscard]] Size make(const FieldClass& field_class);
  [[nodiscard]] Size make(const StructureClass& structure);
  [[nodiscard]] Size make(const ArrayClass& array);

  std::unordered_map<const FieldClass*, Size> sizes_;
};

}  // namespace tracedeck::ctf::tsdl
