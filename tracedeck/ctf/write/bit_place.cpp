#include "tracedeck/ctf/write/bit_place.hpp"

#include <variant>

#include "tracedeck/model/class_nesting.hpp"
#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::ctf {

std::uint8_t ByteOrders::inside(const FieldClass& field_class) {
  const auto known = known_.find(&field_class);
  if (known != known_.end()) return known->second;
  std::uint8_t orders = 0;
  if (const auto* const boolean = field_class.as<BooleanClass>())
    orders = BitPlace::bit(boolean->layout.byte_order);
  if (const auto* const real = field_class.as<RealClass>())
    orders = BitPlace::bit(real->layout.byte_order);
  if (const auto* const integer = field_class.as<IntegerClass>()) {
    if (const auto* const fixed = std::get_if<FixedLayout>(&integer->layout))
      orders = BitPlace::bit(fixed->byte_order);
  }
  if (++depth_ <= kClassNesting) {
    for_each_child(field_class, [&](const FieldClassPtr& inner) { orders |= inside(*inner); });
  }
  --depth_;
  known_.emplace(&field_class, orders);
  return orders;
}

}  // namespace tracedeck::ctf
