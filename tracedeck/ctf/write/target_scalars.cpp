#include "tracedeck/ctf/write/target_scalars.hpp"

#include <utility>

namespace tracedeck::ctf {
namespace {

// CTF2-SPEC-2.0 alone has an order of bits; what readers need of packets comes with that of its
// source.
void set_layout(ScalarTarget& target, FixedLayout& layout, Dialect dialect) {
  if (dialect != Dialect::kFinal) layout.reversed = false;
  target.node.width = layout.width;
  target.node.byte_order = layout.byte_order;
  target.node.reversed = layout.reversed;
}

}  // namespace

ScalarTarget scalar_target(const FieldClass& source, Dialect dialect) {
  ScalarTarget target{.field_class = source};
  auto& kind = target.field_class.kind;
  if (auto* const boolean = std::get_if<BooleanClass>(&kind)) {
    target.node.op = EncodeOp::kInteger;
    set_layout(target, boolean->layout, dialect);
    if (dialect == Dialect::kCtf1) {
      const FixedLayout layout = boolean->layout;
      kind = IntegerClass{.layout = layout,
                          .form = IntegerClass::Form::kEnumeration,
                          .mappings = {{.label = "false", .ranges = {{0, 0}}},
                                       {.label = "true", .ranges = {{1, 1}}}}};
    }
  } else if (auto* const integer = std::get_if<IntegerClass>(&kind)) {
    auto* const fixed = std::get_if<FixedLayout>(&integer->layout);
    target.node.op = fixed == nullptr ? EncodeOp::kLeb128 : EncodeOp::kInteger;
    target.node.is_signed = integer->is_signed;
    target.is_fixed = fixed != nullptr;
    if (fixed != nullptr) {
      set_layout(target, *fixed, dialect);
    } else {
      target.field_class.alignment = 8;
    }
  } else if (auto* const real = std::get_if<RealClass>(&kind)) {
    target.node.op = EncodeOp::kReal;
    set_layout(target, real->layout, dialect);
  }
  return target;
}

void widen_size(ScalarTarget& target) {
  constexpr RoleSet kSizes = role_bit(Role::kTotalSize) | role_bit(Role::kContentSize);
  auto* const integer = std::get_if<IntegerClass>(&target.field_class.kind);
  auto* const fixed = integer == nullptr ? nullptr : std::get_if<FixedLayout>(&integer->layout);
  if ((target.node.roles & kSizes) == 0 || fixed == nullptr || fixed->width >= 64) return;
  fixed->width = target.node.width = 64;
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

bool is_wide(const IntegerClass& integer) {
  const auto* const fixed = std::get_if<FixedLayout>(&integer.layout);
  return fixed != nullptr && fixed->width > 64;
}

}  // namespace tracedeck::ctf
