#include "tracedeck/ctf/write/target_classes.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/base/utf8.hpp"
#include "tracedeck/ctf/alignment.hpp"
#include "tracedeck/ctf/metadata/conventions.hpp"
#include "tracedeck/ctf/write/bit_place.hpp"
#include "tracedeck/ctf/write/program_builder.hpp"
#include "tracedeck/model/class_nesting.hpp"
#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::ctf {

using Root = FieldLocation::Root;

namespace {

FixedLayout* fixed_layout(FieldClass& field_class) {
  if (auto* const boolean = std::get_if<BooleanClass>(&field_class.kind)) return &boolean->layout;
  if (auto* const real = std::get_if<RealClass>(&field_class.kind)) return &real->layout;
  auto* const integer = std::get_if<IntegerClass>(&field_class.kind);
  return integer == nullptr ? nullptr : std::get_if<FixedLayout>(&integer->layout);
}

// Of a boolean, integer or real. CTF2-SPEC-2.0 alone has an order of bits.
EncodeNode scalar_node(const FieldClass& source, Dialect dialect) {
  EncodeNode node{.op = EncodeOp::kInteger};
  const FixedLayout* layout = nullptr;
  if (const auto* const boolean = source.as<BooleanClass>()) layout = &boolean->layout;
  if (const auto* const integer = source.as<IntegerClass>()) {
    layout = std::get_if<FixedLayout>(&integer->layout);
    node.is_signed = integer->is_signed;
    if (layout == nullptr) node.op = EncodeOp::kLeb128;
  } else if (const auto* const real = source.as<RealClass>()) {
    layout = &real->layout;
    node.op = EncodeOp::kReal;
  }
  if (layout == nullptr) return node;
  node.width = layout->width;
  node.byte_order = layout->byte_order;
  node.reversed = layout->reversed && dialect == Dialect::kFinal;
  return node;
}

// CTF 2: names are UTF-8, and those of one structure differ.
bool has_names_of_ctf2(const StructureClass& structure) {
  TextViewSet names;
  return std::ranges::all_of(structure.members, [&](const Member& member) {
    return is_valid_utf8(member.name.view()) && names.insert(member.name.view()).second;
  });
}

}  // namespace

class ClassMapper::Impl {
 public:
  explicit Impl(const MapperOptions& options) : options_(options) {}

  Result<Mapped> add_root(Root root, const FieldClassPtr& source) {
    builder_.begin_root(root);
    kept_.push_back(source);
    const Value value = structure(source, *source->as<StructureClass>());
    if (builder_.error()) return std::unexpected(*builder_.error());
    builder_.node(value.node).has_head = false;
    // The packet layout takes care of it.
    if (root == Root::kPacketContext && !options_.keep_roles)
      builder_.node(value.node).alignment = 1;
    return Mapped{value.target, value.node};
  }

  [[nodiscard]] const EncodeProgram& program() const { return builder_.program(); }
  [[nodiscard]] EncodeProgram take_program() { return builder_.take_program(); }
  [[nodiscard]] const MapperCounts& counts() const { return counts_; }
  void use(const Impl& packet_context) { builder_.use_packet_context(packet_context.builder_); }

 private:
  struct Value {
    FieldClassPtr target = nullptr;
    std::uint32_t node = 0;
  };

  [[nodiscard]] bool to_ctf1() const { return options_.dialect == Dialect::kCtf1; }

  Value fault(std::string message, ErrorCode code = ErrorCode::kLimitExceeded) {
    builder_.fail(std::move(message), code);
    return {make_field_class(StructureClass{}), builder_.add({.op = EncodeOp::kStructure})};
  }

  Value structure(const FieldClassPtr& source, const StructureClass& of) {
    if (!to_ctf1() && !has_names_of_ctf2(of))
      return fault("a structure with names that CTF 2 lacks", ErrorCode::kUnsupported);
    // Its alignment is not known yet.
    if (!place_.begins_byte()) place_.forget_offset();
    const std::uint32_t node =
        builder_.open(*source, {.op = EncodeOp::kStructure}, of.members.size());
    StructureClass made{.minimum_alignment = std::min(of.minimum_alignment, kMostAlignment)};
    made.members.reserve(of.members.size());
    for (std::size_t i = 0; i < of.members.size() && !builder_.error(); ++i)
      member(of.members[i], of, made);
    builder_.close();
    const bool is_same = made.minimum_alignment == of.minimum_alignment &&
                         std::ranges::equal(of.members, made.members, {}, &Member::field_class,
                                            &Member::field_class);
    FieldClassPtr target = finished(source, is_same, std::move(made));
    builder_.node(node).alignment = alignments_.of(*target);
    return {std::move(target), node};
  }

  // A compound class, which is the source's if what is in it is.
  template <class Kind>
  FieldClassPtr finished(const FieldClassPtr& source, bool is_same, Kind kind) {
    if (is_same && source->alignment == 1 && source->roles.empty()) return source;
    FieldClass target{.kind = std::move(kind)};
    target.attributes = source->attributes;
    return kept_.emplace_back(std::make_shared<const FieldClass>(std::move(target)));
  }

  void member(const Member& source, const StructureClass& of, StructureClass& to) {
    const bool is_idle = this->is_idle(source);
    const bool stays = !is_idle || can_select(*source.field_class);
    if (!stays || has_mark(source.attributes, "added", kAddedSelection)) {
      if (!stays) ++counts_.left_out;
      return builder_.add_child(builder_.add({.op = EncodeOp::kSkip}));
    }
    const Value made = value(source.field_class);
    builder_.add_child(made.node);
    to.members.push_back(
        {.name = source.name, .field_class = made.target, .attributes = source.attributes});
    if (is_idle) to.members.push_back(selection(source.name, *made.target, of));
  }

  // Whether CTF 2 does not allow the member where it is.
  [[nodiscard]] bool is_idle(const Member& source) const {
    const bool in_header =
        builder_.root() == Root::kPacketHeader || builder_.root() == Root::kEventHeader;
    return in_header && options_.head_selectors != nullptr &&
           options_.head_selectors->is_idle(*source.field_class, builder_.root(), source.name);
  }

  // Whether an optional can be selected by fields of the class.
  static bool can_select(const FieldClass& field_class) {
    const auto* const integer = field_class.as<IntegerClass>();
    const bool is_number = integer != nullptr && integer->form != IntegerClass::Form::kBitArray &&
                           integer->form != IntegerClass::Form::kBitMap;
    return is_number || field_class.as<BooleanClass>() != nullptr;
  }

  // An optional that takes no bits, selected by the member before it, which is allowed thereby.
  static Member selection(const Name& selector, const FieldClass& selected_by,
                          const StructureClass& beside) {
    std::string name = selector.str() + "_selects";
    while (std::ranges::find(beside.members, name, &Member::name) != beside.members.end())
      name.push_back('_');
    OptionalClass optional{.value = make_field_class(StructureClass{}),
                           .presence = {.selector = FieldLocation{.path = {selector.str()}}}};
    if (selected_by.as<BooleanClass>() == nullptr) optional.presence.ranges = {{0, 0}};
    Member made{
        .name = name, .field_class = make_field_class(std::move(optional)), .attributes = {}};
    add_mark(made.attributes, "added", kAddedSelection);
    return made;
  }

  Value value(const FieldClassPtr& source) {
    if (builder_.error()) return fault({});
    if (++depth_ > kClassNesting) {
      --depth_;
      return fault("field classes nested too deep");
    }
    Value made;
    if (const auto* const structure = source->as<StructureClass>()) {
      made = this->structure(source, *structure);
    } else if (const auto* const array = source->as<ArrayClass>()) {
      made = this->array(source, *array);
    } else if (const auto* const optional = source->as<OptionalClass>()) {
      made = this->optional(source, *optional);
    } else if (const auto* const variant = source->as<VariantClass>()) {
      made = this->variant(source, *variant);
    } else if (const auto* const string = source->as<StringClass>()) {
      made =
          in_bytes(source, {.op = EncodeOp::kString, .encoding = string->encoding, .alignment = 8},
                   string->extent);
    } else if (const auto* const blob = source->as<BlobClass>()) {
      made = in_bytes(source, {.op = EncodeOp::kBlob, .alignment = 8}, blob->extent);
    } else if (source->as<MapClass>() != nullptr || source->as<DynamicClass>() != nullptr) {
      made = fault("a field class that CTF lacks", ErrorCode::kUnsupported);
    } else {
      made = scalar(source);
    }
    --depth_;
    return made;
  }

  Value scalar(const FieldClassPtr& source) {
    EncodeNode node = scalar_node(*source, options_.dialect);
    if (options_.keep_roles) node.roles = roles_of(*source);
    const std::uint32_t width = node.width;
    if (options_.widen_sizes && is_size(*source, node)) node.width = std::max(width, 64U);
    node.alignment = std::min(source->alignment, kMostAlignment);
    place(node);
    FieldClassPtr target = of_node(source, node, width);
    return {std::move(target), builder_.add(node)};
  }

  // Whether it says how long a packet is.
  static bool is_size(const FieldClass& source, const EncodeNode& node) {
    constexpr RoleSet kSizes = role_bit(Role::kTotalSize) | role_bit(Role::kContentSize);
    return (node.roles & kSizes) != 0 && node.op == EncodeOp::kInteger &&
           source.as<IntegerClass>() != nullptr;
  }

  // The source's own class, unless something in it changes.
  FieldClassPtr of_node(const FieldClassPtr& source, const EncodeNode& node, std::uint32_t width) {
    const bool strips = !options_.keep_roles && !source->roles.empty();
    if (!strips && node.alignment == source->alignment && node.width == width) return source;
    FieldClass target = *source;
    target.alignment = node.alignment;
    if (strips) target.roles.clear();
    if (node.width != width) fixed_layout(target)->width = node.width;
    return std::make_shared<const FieldClass>(std::move(target));
  }

  [[nodiscard]] RoleSet roles_of(const FieldClass& source) const {
    RoleSet roles = 0;
    for (const std::string& word : source.roles) {
      std::optional<Role> role = find_role(word);
      if (role == Role::kClock && builder_.root() == Root::kPacketContext)
        role = Role::kPacketBegin;
      if (role && accepts_role(builder_.root(), *role, Dialect::kRc3)) roles |= role_bit(*role);
    }
    return roles;
  }

  // CTF2-SPECRC-3.0, fl-ba-field-dec: the byte order must not change inside a byte.
  void place(EncodeNode& node) {
    if (node.op == EncodeOp::kLeb128) {
      place_ = {};
      return;
    }
    place_.align(node.alignment);
    if (place_.conflicts(node.byte_order)) {
      node.alignment = std::max(node.alignment, 8U);
      place_ = {};
      ++counts_.realigned;
    }
    place_.pass(node.width, node.byte_order);
  }

  // Notes in a node how its end is found.
  void set_extent(const Extent& extent, EncodeNode& node) {
    if (std::holds_alternative<NullTerminated>(extent)) {
      node.extent = EncodeExtent::kTerminated;
    } else if (const auto* const fixed = std::get_if<StaticLength>(&extent)) {
      node.length = fixed->length;
    } else {
      const auto* const field = std::get_if<LengthField>(&extent);
      if (field == nullptr || !builder_.set_length(node, field->location))
        builder_.fail("a length that is no field before what it measures", ErrorCode::kUnsupported);
    }
  }

  void check_selector(const std::optional<FieldLocation>& selector) {
    if (!selector || !builder_.is_found(*selector))
      builder_.fail("a selector that is no field before what it selects", ErrorCode::kUnsupported);
  }

  // A string or BLOB.
  Value in_bytes(const FieldClassPtr& source, EncodeNode node, const Extent& extent) {
    set_extent(extent, node);
    place_ = {};
    EncodeNode same{.alignment = source->alignment};
    return {of_node(source, same, 0), builder_.add(node)};
  }

  Value array(const FieldClassPtr& source, const ArrayClass& of) {
    EncodeNode node{.op = EncodeOp::kArray};
    set_extent(of.extent, node);
    ArrayClass made{.extent = of.extent};
    made.minimum_alignment = to_ctf1() ? 1 : std::min(of.minimum_alignment, kMostAlignment);
    const std::uint32_t index = builder_.open(*source, node, 1);
    made.element = elements(made, of.element);
    builder_.close();
    const bool is_same =
        made.element == of.element && made.minimum_alignment == of.minimum_alignment;
    FieldClassPtr target = finished(source, is_same, std::move(made));
    builder_.node(index).alignment = alignments_.of(*target);
    return {std::move(target), index};
  }

  // The element of an array, which begins where elements before it end.
  FieldClassPtr elements(const ArrayClass& array, const FieldClassPtr& element) {
    if (!place_.begins_byte()) place_.forget_offset();
    const BitPlace before = place_;
    const std::uint8_t orders = orders_.inside(*element);
    if (is_compound(*element)) place_.blur(orders);
    const Value inner = value(element);
    builder_.add_child(inner.node);
    const auto* const fixed = std::get_if<StaticLength>(&array.extent);
    if (is_compound(*element) || fixed == nullptr || inner.target->alignment != 1) {
      place_.blur(orders);
    } else {
      // In the first element there was nothing to realign, so the others follow it bit by bit.
      const EncodeNode& node = builder_.node(inner.node);
      for (std::uint64_t i = 1; i < fixed->length % 8 + 8; ++i)
        place_.pass(node.width, node.byte_order);
    }
    if (fixed == nullptr || fixed->length == 0) place_.join(before);
    return inner.target;
  }

  Value optional(const FieldClassPtr& source, const OptionalClass& of) {
    check_selector(of.presence.selector);
    const std::uint32_t node = builder_.open(*source, {.op = EncodeOp::kOptional}, 1);
    const BitPlace before = place_;
    const Value inner = value(of.value);
    place_.join(before);
    builder_.add_child(inner.node);
    builder_.close();
    const bool is_same = inner.target == of.value;
    OptionalClass made{.value = inner.target, .presence = of.presence};
    return {finished(source, is_same, std::move(made)), node};
  }

  Value variant(const FieldClassPtr& source, const VariantClass& of) {
    const auto is_unselected = [](const VariantOption& option) { return option.ranges.empty(); };
    if (!to_ctf1() && std::ranges::any_of(of.options, is_unselected))
      return fault("an option that no value selects", ErrorCode::kUnsupported);
    check_selector(of.selector);
    const std::uint32_t node =
        builder_.open(*source, {.op = EncodeOp::kVariant}, of.options.size());
    const BitPlace before = place_;
    std::optional<BitPlace> after;
    std::vector<FieldClassPtr> values;
    bool is_same = true;
    for (const VariantOption& option : of.options) {
      if (builder_.error()) break;
      place_ = before;
      Value inner = value(option.field_class);
      if (after) place_.join(*after);
      after = place_;
      builder_.add_child(inner.node);
      is_same = is_same && inner.target == option.field_class;
      values.push_back(std::move(inner.target));
    }
    builder_.close();
    if (is_same || builder_.error()) return {source, node};
    VariantClass made = of;
    for (std::size_t i = 0; i < values.size(); ++i)
      made.options[i].field_class = std::move(values[i]);
    return {finished(source, false, std::move(made)), node};
  }

  MapperOptions options_;
  MapperCounts counts_;
  ProgramBuilder builder_;
  Alignments alignments_;
  ByteOrders orders_;
  std::vector<FieldClassPtr> kept_;  // whose addresses are keys
  BitPlace place_;                   // what is first begins at a byte
  std::size_t depth_ = 0;
};

ClassMapper::ClassMapper(const MapperOptions& options) : impl_(std::make_unique<Impl>(options)) {}
ClassMapper::~ClassMapper() = default;
ClassMapper::ClassMapper(ClassMapper&&) noexcept = default;
ClassMapper& ClassMapper::operator=(ClassMapper&&) noexcept = default;
void ClassMapper::use_packet_context(const ClassMapper& packet_context) {
  impl_->use(*packet_context.impl_);
}
Result<ClassMapper::Mapped> ClassMapper::add_root(Root root, const FieldClassPtr& source) {
  return impl_->add_root(root, source);
}
const EncodeProgram& ClassMapper::program() const { return impl_->program(); }
EncodeProgram ClassMapper::take_program() && { return impl_->take_program(); }
const MapperCounts& ClassMapper::counts() const { return impl_->counts(); }

}  // namespace tracedeck::ctf
