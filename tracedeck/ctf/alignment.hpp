// What field classes ask of the positions of their fields (CTF2-SPECRC-3.0, align-dec).
#pragma once

#include <cstdint>
#include <unordered_map>

#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf {

// Alignments of classes, in bits. Remembers them, so that shared classes are looked at once. The
// classes must outlive it.
class Alignments {
 public:
  [[nodiscard]] std::uint32_t of(const FieldClass& field_class);

 private:
  std::unordered_map<const FieldClass*, std::uint32_t> known_;
};

}  // namespace tracedeck::ctf
