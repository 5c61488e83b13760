// Which field classes come up several times in a root.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf {

class ClassUses {
 public:
  // Counts how often each class is used in a root.
  void count(const FieldClass& root);

  // Whether a structure is worth a sub-program: it comes up again, and is more than a few scalars.
  [[nodiscard]] bool is_shared(const FieldClass& structure) const;

 private:
  std::unordered_map<const FieldClass*, std::size_t> uses_;
};

}  // namespace tracedeck::ctf
