// What field classes ask of the positions of their fields (CTF2-SPECRC-3.0, align-dec).
#pragma once

#include <cstdint>
#include <unordered_map>

#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf {

// Alignments of classes, in bits. Remembers those of compound classes inside of others, so that
// shared ones are looked at once. The classes must outlive it.
class Alignments {
 public:
  [[nodiscard]] std::uint32_t of(const FieldClass& field_class);

 private:
  [[nodiscard]] std::uint32_t inside(const FieldClass& field_class);

  std::unordered_map<const FieldClass*, std::uint32_t> known_;
};

}  // namespace tracedeck::ctf
