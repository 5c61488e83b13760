#include "tracedeck/ctf/write/target_classes.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/ctf/alignment.hpp"
#include "tracedeck/ctf/write/bit_place.hpp"
#include "tracedeck/ctf/write/conventions.hpp"
#include "tracedeck/ctf/write/mapped_fields.hpp"
#include "tracedeck/ctf/write/program_builder.hpp"
#include "tracedeck/ctf/write/target_names.hpp"
#include "tracedeck/ctf/write/target_scalars.hpp"
#include "tracedeck/model/class_nesting.hpp"
#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::ctf {

using Root = FieldLocation::Root;

namespace {

// So many options of a variant take memory of their own.
constexpr std::size_t kManyOptions = 1024;

FieldClassPtr shared(FieldClass field_class) {
  return std::make_shared<const FieldClass>(std::move(field_class));
}

}  // namespace

class ClassMapper::Impl {
 public:
  explicit Impl(const MapperOptions& options) : options_(options), fields_(builder_) {}

  Result<Mapped> add_root(Root root, const FieldClassPtr& source) {
    const auto* const structure = source->as<StructureClass>();
    fields_.begin_root(root);
    kept_.push_back(source);
    const Value value = this->structure(source, *structure);
    if (builder_.error()) return std::unexpected(*builder_.error());
    builder_.node(value.node).has_head = false;
    // The packet layout takes care of it.
    if (root == Root::kPacketContext && !options_.keep_roles)
      builder_.node(value.node).alignment = 1;
    fields_.end_root(*structure, value.node);
    return Mapped{value.target, value.node};
  }

  [[nodiscard]] const EncodeProgram& program() const { return builder_.program(); }
  [[nodiscard]] const MapperCounts& counts() const { return counts_; }
  void use(const Impl& packet_context) { fields_.use_packet_context(packet_context.fields_); }

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

  void open_structure(const StructureClass& source) {
    OpenStructure opened{.source = &source};
    opened.names = target_names(source, fields_.root(), fields_.depth() == 0, options_);
    opened.taken.insert(opened.names.begin(), opened.names.end());
    fields_.open(std::move(opened));
  }

  void add_member(std::string_view name, const Value& value, Attributes attributes) {
    OpenStructure& open = fields_.innermost();
    open.members.push_back(
        {.name = name, .field_class = value.target, .attributes = std::move(attributes)});
    open.children.push_back(value.node);
  }

  Value close_structure(std::uint32_t minimum_alignment, const Attributes& attributes) {
    OpenStructure closed = fields_.close();
    FieldClass target{
        .kind = StructureClass{.members = std::move(closed.members),
                               .minimum_alignment = std::min(minimum_alignment, kMostAlignment)}};
    target.attributes = attributes;
    FieldClassPtr made = shared(std::move(target));
    kept_.push_back(made);
    const std::uint32_t alignment = alignments_.of(*made);
    const std::uint32_t node = builder_.add({.op = EncodeOp::kStructure, .alignment = alignment});
    builder_.set_children(node, closed.children);
    fields_.keep_members(node, std::move(closed));
    return {std::move(made), node};
  }

  Value structure(const FieldClassPtr& source, const StructureClass& of) {
    if (fields_.depth() > kClassNesting) return fault("field classes nested too deep");
    // Its alignment is not known yet.
    if (!place_.begins_byte()) place_.forget_offset();
    open_structure(of);
    for (std::size_t i = 0; i < of.members.size() && !builder_.error(); ++i)
      member(of.members[i], i);
    return close_structure(of.minimum_alignment, source->attributes);
  }

  void member(const Member& source, std::size_t index) {
    fields_.innermost().current = index;
    const std::string name = fields_.innermost().names[index];
    fields_.innermost().current_name = name;
    const bool is_idle = this->is_idle(source);
    const bool stays = !is_idle || can_select(*source.field_class);
    if (!stays || has_mark(source.attributes, "added", kAddedSelection)) return leave_out(stays);
    const Value made = value(source.field_class);
    fields_.innermost().nodes.push_back(made.node);
    add_member(name, made, source.attributes);
    if (is_idle) add_selection(name, *made.target);
  }

  // Whether CTF 2 does not allow the member where it is.
  [[nodiscard]] bool is_idle(const Member& source) const {
    const bool in_header =
        fields_.root() == Root::kPacketHeader || fields_.root() == Root::kEventHeader;
    return in_header && options_.head_selectors != nullptr &&
           options_.head_selectors->is_idle(*source.field_class, fields_.root(), source.name);
  }

  // Whether an optional can be selected by fields of the class.
  static bool can_select(const FieldClass& field_class) {
    const auto* const integer = field_class.as<IntegerClass>();
    const bool is_number = integer != nullptr && integer->form != IntegerClass::Form::kBitArray &&
                           integer->form != IntegerClass::Form::kBitMap;
    return is_number || field_class.as<BooleanClass>() != nullptr;
  }

  // An optional that takes no bits, selected by the member before it, which is allowed thereby.
  void add_selection(const std::string& selector, const FieldClass& selected_by) {
    std::string name = selector + "_selects";
    while (!fields_.innermost().taken.insert(name).second) name.push_back('_');
    OptionalClass optional{
        .value = make_field_class(StructureClass{}),
        .presence = {.selector = fields_.added_location(selector, options_.dialect)}};
    if (selected_by.as<BooleanClass>() == nullptr) optional.presence.ranges = {{0, 0}};
    Attributes marks;
    add_mark(marks, "added", kAddedSelection);
    const std::uint32_t nothing = builder_.add({.op = EncodeOp::kStructure, .has_head = false});
    add_member(name, {make_field_class(std::move(optional)), nothing}, std::move(marks));
  }

  void leave_out(bool was_added) {
    if (!was_added) ++counts_.left_out;
    const std::uint32_t skip = builder_.add({.op = EncodeOp::kSkip});
    fields_.innermost().nodes.push_back(skip);
    fields_.innermost().children.push_back(skip);
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
      made = this->array(*source, *array);
    } else if (const auto* const optional = source->as<OptionalClass>()) {
      made = this->optional(*source, *optional);
    } else if (const auto* const variant = source->as<VariantClass>()) {
      made = this->variant(source, *variant);
    } else if (const auto* const string = source->as<StringClass>()) {
      made = this->string(*source, *string);
    } else if (const auto* const blob = source->as<BlobClass>()) {
      made = this->blob(*source, *blob);
    } else if (source->as<MapClass>() != nullptr || source->as<DynamicClass>() != nullptr) {
      made = fault("a field class that CTF lacks", ErrorCode::kUnsupported);
    } else {
      made = scalar(source);
    }
    --depth_;
    return made;
  }

  Value scalar(const FieldClassPtr& source) {
    ScalarTarget target = scalar_target(source, options_.dialect);
    if (options_.keep_roles) {
      target.node.roles = roles_of(*source);
      if (options_.widen_sizes) widen_size(target);
    } else if (!source->roles.empty()) {
      target.change().roles.clear();
    }
    place(target);
    target.node.alignment = target.field_class().alignment;
    const std::uint32_t node = builder_.add(target.node);
    return {std::move(target).take(), node};
  }

  [[nodiscard]] RoleSet roles_of(const FieldClass& source) const {
    RoleSet roles = 0;
    for (const std::string& word : source.roles) {
      std::optional<Role> role = find_role(word);
      if (role == Role::kClock && fields_.root() == Root::kPacketContext) role = Role::kPacketBegin;
      if (role && accepts_role(fields_.root(), *role, Dialect::kRc3)) roles |= role_bit(*role);
    }
    return roles;
  }

  // CTF2-SPECRC-3.0, fl-ba-field-dec: the byte order must not change inside a byte.
  void place(ScalarTarget& target) {
    target.align(std::min(target.field_class().alignment, kMostAlignment));
    if (!target.is_fixed) {
      place_ = {};
      return;
    }
    place_.align(target.field_class().alignment);
    if (place_.conflicts(target.node.byte_order)) {
      target.align(8);
      place_ = {};
      ++counts_.realigned;
    }
    place_.pass(target.node.width, target.node.byte_order);
  }

  // The extent in the target, and in the node how it is found.
  Extent extent(const Extent& source, EncodeNode& node) {
    if (std::holds_alternative<NullTerminated>(source)) {
      node.extent = EncodeExtent::kTerminated;
      return source;
    }
    if (const auto* const fixed = std::get_if<StaticLength>(&source)) {
      node.length = fixed->length;
      return source;
    }
    const auto* const field = std::get_if<LengthField>(&source);
    const auto located = field == nullptr ? std::nullopt : fields_.find(field->location);
    if (!located) {
      builder_.fail("a length that is no field before what it measures", ErrorCode::kUnsupported);
      return source;
    }
    builder_.set_refs(node, located->refs);
    return LengthField{fields_.target_location(*located, options_.dialect)};
  }

  // The location of a selector in the target.
  FieldLocation selector(const std::optional<FieldLocation>& source) {
    const auto located = source ? fields_.find(*source) : std::nullopt;
    if (located) return fields_.target_location(*located, options_.dialect);
    builder_.fail("a selector that is no field before what it selects", ErrorCode::kUnsupported);
    return {};
  }

  Value string(const FieldClass& source, const StringClass& of) {
    EncodeNode node{.op = EncodeOp::kString, .encoding = of.encoding, .alignment = 8};
    FieldClass target = in_bytes(source);
    target.kind = StringClass{.extent = extent(of.extent, node), .encoding = of.encoding};
    place_ = {};
    return {shared(std::move(target)), builder_.add(node)};
  }

  Value blob(const FieldClass& source, const BlobClass& of) {
    EncodeNode node{.op = EncodeOp::kBlob, .alignment = 8};
    FieldClass target = in_bytes(source);
    target.kind = BlobClass{.extent = extent(of.extent, node), .media_type = of.media_type};
    place_ = {};
    return {shared(std::move(target)), builder_.add(node)};
  }

  // What a string or BLOB has of its source's class besides its kind.
  FieldClass in_bytes(const FieldClass& source) {
    FieldClass target{.kind = BlobClass{}};
    target.attributes = source.attributes;
    if (options_.keep_roles) target.roles = source.roles;
    return target;
  }

  Value array(const FieldClass& source, const ArrayClass& of) {
    if (!source.roles.empty() && options_.keep_roles) return role_array(source, of);
    EncodeNode node{.op = EncodeOp::kArray};
    ArrayClass made;
    made.extent = extent(of.extent, node);
    made.minimum_alignment = to_ctf1() ? 1 : std::min(of.minimum_alignment, kMostAlignment);
    const Value inner = elements(made, of.element);
    made.element = inner.target;
    FieldClass target{.kind = std::move(made)};
    target.attributes = source.attributes;
    FieldClassPtr field_class = shared(std::move(target));
    kept_.push_back(field_class);
    node.alignment = alignments_.of(*field_class);
    const std::uint32_t index = builder_.add(node);
    builder_.set_children(index, {inner.node});
    return {std::move(field_class), index};
  }

  // A UUID: a BLOB in CTF 2, an array of bytes in CTF 1.8.
  Value role_array(const FieldClass& source, const ArrayClass& of) {
    FieldClass target{.kind = BlobClass{.extent = of.extent}};
    if (to_ctf1()) target.kind = ArrayClass{.element = byte_class(), .extent = of.extent};
    target.roles = source.roles;
    place_ = {};
    return {shared(std::move(target)), builder_.add({.op = EncodeOp::kSkip})};
  }

  // The element of an array, which begins where elements before it end.
  Value elements(const ArrayClass& array, const FieldClassPtr& element) {
    if (!place_.begins_byte()) place_.forget_offset();
    const BitPlace before = place_;
    const std::uint8_t orders = orders_.inside(*element);
    if (is_compound(*element)) place_.blur(orders);
    const Value inner = value(element);
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
    return inner;
  }

  Value optional(const FieldClass& source, const OptionalClass& of) {
    OptionalClass made{
        .presence = {.selector = selector(of.presence.selector), .ranges = of.presence.ranges}};
    const BitPlace before = place_;
    const Value inner = value(of.value);
    place_.join(before);
    made.value = inner.target;
    FieldClass target{.kind = std::move(made)};
    target.attributes = source.attributes;
    const std::uint32_t node = builder_.add({.op = EncodeOp::kOptional});
    builder_.set_children(node, {inner.node});
    return {shared(std::move(target)), node};
  }

  Value variant(const FieldClassPtr& source, const VariantClass& of) {
    const auto is_unselected = [](const VariantOption& option) { return option.ranges.empty(); };
    if (!to_ctf1() && std::ranges::any_of(of.options, is_unselected))
      return fault("an option that no value selects", ErrorCode::kUnsupported);
    FieldLocation location = selector(of.selector);
    const BitPlace before = place_;
    std::optional<BitPlace> after;
    std::vector<FieldClassPtr> values;
    std::vector<std::uint32_t> children;
    if (of.options.size() > kManyOptions) {
      values.reserve(of.options.size());
      children.reserve(of.options.size());
      builder_.expect(of.options.size());
    }
    bool is_same = of.selector == location && source->alignment == 1 && source->roles.empty();
    for (const VariantOption& option : of.options) {
      if (builder_.error()) break;
      place_ = before;
      Value inner = value(option.field_class);
      if (after) place_.join(*after);
      after = place_;
      children.push_back(inner.node);
      is_same = is_same && inner.target == option.field_class;
      values.push_back(std::move(inner.target));
    }
    const std::uint32_t node = builder_.add({.op = EncodeOp::kVariant});
    builder_.set_children(node, children);
    if (is_same || builder_.error()) return {source, node};
    VariantClass made{.options = of.options, .selector = std::move(location)};
    for (std::size_t i = 0; i < values.size(); ++i)
      made.options[i].field_class = std::move(values[i]);
    FieldClass target{.kind = std::move(made)};
    target.attributes = source->attributes;
    return {shared(std::move(target)), node};
  }

  MapperOptions options_;
  MapperCounts counts_;
  ProgramBuilder builder_;
  MappedFields fields_;
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
const MapperCounts& ClassMapper::counts() const { return impl_->counts(); }

}  // namespace tracedeck::ctf
