// Scalars and how they are written.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/write/encode_program.hpp"
#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf {

// The source's own class, unless something in it changes.
class ScalarTarget {
 public:
  explicit ScalarTarget(FieldClassPtr source) : source_(std::move(source)) {}

  EncodeNode node = {};
  bool is_fixed = true;  // it has a byte order

  [[nodiscard]] const FieldClass& field_class() const { return changed_ ? *changed_ : *source_; }
  [[nodiscard]] FieldClass& change() {
    if (!changed_) changed_ = *source_;
    return *changed_;
  }
  void align(std::uint32_t alignment) {
    if (field_class().alignment != alignment) change().alignment = alignment;
  }
  [[nodiscard]] FieldClassPtr take() && {
    return changed_ ? std::make_shared<const FieldClass>(*std::move(changed_)) : source_;
  }

 private:
  FieldClassPtr source_;
  std::optional<FieldClass> changed_;
};
// Of a boolean, integer or real that the dialect has. CTF 1.8 has booleans, which programs record,
// as enumerations.
[[nodiscard]] ScalarTarget scalar_target(const FieldClassPtr& source, Dialect dialect);

// Gives a fixed-length integer that says how long a packet is, by the roles of its node, 64 bits.
void widen_size(ScalarTarget& target);

// An unsigned integer of 8 bits.
[[nodiscard]] FieldClassPtr byte_class();

}  // namespace tracedeck::ctf
