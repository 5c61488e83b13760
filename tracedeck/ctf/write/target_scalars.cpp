#include "tracedeck/ctf/write/target_scalars.hpp"

#include <utility>

namespace tracedeck::ctf {
namespace {

FixedLayout* fixed_layout(FieldClass& field_class) {
  if (auto* const boolean = std::get_if<BooleanClass>(&field_class.kind)) return &boolean->layout;
  if (auto* const real = std::get_if<RealClass>(&field_class.kind)) return &real->layout;
  auto* const integer = std::get_if<IntegerClass>(&field_class.kind);
  return integer == nullptr ? nullptr : std::get_if<FixedLayout>(&integer->layout);
}

// CTF2-SPEC-2.0 alone has an order of bits; what readers need of packets comes with that of its
// source.
void set_layout(ScalarTarget& target, const FixedLayout& layout, Dialect dialect) {
  const bool turns = layout.reversed && dialect != Dialect::kFinal;
  target.node.width = layout.width;
  target.node.byte_order = layout.byte_order;
  target.node.reversed = layout.reversed && !turns;
  if (turns) fixed_layout(target.change())->reversed = false;
}

}  // namespace

ScalarTarget scalar_target(const FieldClassPtr& source, Dialect dialect) {
  ScalarTarget target(source);
  if (const auto* const boolean = source->as<BooleanClass>()) {
    target.node.op = EncodeOp::kInteger;
    set_layout(target, boolean->layout, dialect);
    if (dialect == Dialect::kCtf1) {
      FixedLayout layout = boolean->layout;
      layout.reversed = false;
      target.change().kind = IntegerClass{.layout = layout,
                                          .form = IntegerClass::Form::kEnumeration,
                                          .mappings = {{.label = "false", .ranges = {{0, 0}}},
                                                       {.label = "true", .ranges = {{1, 1}}}}};
    }
  } else if (const auto* const integer = source->as<IntegerClass>()) {
    const auto* const fixed = std::get_if<FixedLayout>(&integer->layout);
    target.node.op = fixed == nullptr ? EncodeOp::kLeb128 : EncodeOp::kInteger;
    target.node.is_signed = integer->is_signed;
    target.is_fixed = fixed != nullptr;
    if (fixed != nullptr) {
      set_layout(target, *fixed, dialect);
    } else {
      target.align(8);
    }
  } else if (const auto* const real = source->as<RealClass>()) {
    target.node.op = EncodeOp::kReal;
    set_layout(target, real->layout, dialect);
  }
  return target;
}

void widen_size(ScalarTarget& target) {
  constexpr RoleSet kSizes = role_bit(Role::kTotalSize) | role_bit(Role::kContentSize);
  const bool is_size = (target.node.roles & kSizes) != 0 && target.is_fixed &&
                       target.field_class().as<IntegerClass>() != nullptr;
  if (!is_size || target.node.width >= 64) return;
  fixed_layout(target.change())->width = target.node.width = 64;
}

FieldClassPtr byte_class() {
  static const FieldClassPtr kByte = [] {
    FieldClass made{.kind = IntegerClass{.layout = FixedLayout{.width = 8},
                                         .display_base = DisplayBase::kHexadecimal}};
    made.alignment = 8;
    return std::make_shared<const FieldClass>(std::move(made));
  }();
  return kByte;
}

}  // namespace tracedeck::ctf
