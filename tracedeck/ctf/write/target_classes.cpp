#include "tracedeck/ctf/write/target_classes.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/ctf/alignment.hpp"
#include "tracedeck/ctf/write/bit_place.hpp"
#include "tracedeck/ctf/write/conventions.hpp"
#include "tracedeck/ctf/write/dynamic_options.hpp"
#include "tracedeck/ctf/write/mapped_fields.hpp"
#include "tracedeck/ctf/write/program_builder.hpp"
#include "tracedeck/ctf/write/target_names.hpp"
#include "tracedeck/ctf/write/target_plan.hpp"
#include "tracedeck/ctf/write/target_scalars.hpp"
#include "tracedeck/model/class_nesting.hpp"
#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::ctf {

using Root = FieldLocation::Root;

namespace {

FieldClassPtr shared(FieldClass field_class) {
  return std::make_shared<const FieldClass>(std::move(field_class));
}

}  // namespace

class ClassMapper::Impl {
 public:
  explicit Impl(const MapperOptions& options)
      : options_(options), fields_(builder_, options.restoring), planner_(options, fields_) {}

  Result<Mapped> add_root(Root root, const FieldClassPtr& source) {
    const auto* const structure = source->as<StructureClass>();
    fields_.begin_root(root);
    kept_.push_back(source);
    const Value value = this->structure(source, *structure, false);
    if (builder_.error()) return std::unexpected(*builder_.error());
    builder_.node(value.node).has_head = false;
    // The packet layout takes care of it.
    if (root == Root::kPacketContext && !options_.keep_roles)
      builder_.node(value.node).alignment = 1;
    fields_.end_root(*structure, value.node);
    return Mapped{value.target, value.node};
  }

  void restore(bool restoring) {
    options_.restoring = restoring;
    planner_.restore(restoring);
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

  Value fault(std::string message) {
    builder_.fail(std::move(message));
    return {make_field_class(StructureClass{}), builder_.add({.op = EncodeOp::kStructure})};
  }

  Attributes attributes(const Attributes& given) {
    if (!to_ctf1()) return given;
    counts_.attributes_lost += given.size();
    return {};
  }

  // A value that stands in no structure of its own: one is made around it when members have to be
  // added.
  Value in_place(const FieldClassPtr& source) {
    const Plan needed = planner_.plan(*source);
    const bool was_wrapped = planner_.comes_with_added(*source);
    const bool skips = was_wrapped && !is_leb128(*source);
    if (!needed.added) {
      const Value plain = value(source, needed, "", true);
      return was_wrapped ? unwrapping(plain, skips) : plain;
    }
    open_structure(nullptr, true);
    if (skips) fields_.innermost().children.push_back(builder_.add({.op = EncodeOp::kSkip}));
    fields_.innermost().current_name = "value";
    const Value inner = value(source, needed, "", false);
    add_member("value", inner, {});
    const Value wrapped = close_structure(1, {}, false);
    builder_.node(wrapped.node).skips_head = was_wrapped;
    fields_.mark_wrap(wrapped.node);
    return wrapped;
  }

  // The structure around a value is only in the source, not in what is written.
  // `skips`: so is the member that was added to it.
  Value unwrapping(const Value& inner, bool skips) {
    std::vector<std::uint32_t> children;
    if (skips) children.push_back(builder_.add({.op = EncodeOp::kSkip}));
    children.push_back(inner.node);
    const std::uint32_t node =
        builder_.add({.op = EncodeOp::kStructure, .has_head = false, .skips_head = true});
    builder_.set_children(node, children);
    fields_.mark_wrap(node);
    return {inner.target, node};
  }

  void open_structure(const StructureClass* source, bool crossed) {
    OpenStructure opened{.source = source, .crossed = crossed};
    if (source != nullptr) {
      opened.names = target_names(*source, fields_.root(), fields_.depth() == 0, options_);
      counts_.renamed += count_renamed(*source);
      opened.taken.insert(opened.names.begin(), opened.names.end());
    }
    fields_.open(std::move(opened));
  }

  void add_member(std::string_view name, const Value& value, Attributes attributes) {
    OpenStructure& open = fields_.innermost();
    open.members.push_back(
        {.name = name, .field_class = value.target, .attributes = std::move(attributes)});
    open.children.push_back(value.node);
  }

  Value close_structure(std::uint32_t minimum_alignment, Attributes attributes, bool has_head) {
    OpenStructure closed = fields_.close();
    FieldClass target{
        .kind = StructureClass{.members = std::move(closed.members),
                               .minimum_alignment = std::min(minimum_alignment, kMostAlignment)}};
    target.attributes = std::move(attributes);
    FieldClassPtr made = shared(std::move(target));
    kept_.push_back(made);
    const std::uint32_t alignment = alignments_.of(*made);
    const std::uint32_t node =
        builder_.add({.op = EncodeOp::kStructure, .has_head = has_head, .alignment = alignment});
    builder_.set_children(node, closed.children);
    fields_.keep_members(node, std::move(closed));
    return {std::move(made), node};
  }

  Value structure(const FieldClassPtr& source, const StructureClass& of, bool crossed) {
    if (fields_.depth() > kClassNesting) return fault("field classes nested too deep");
    // Its alignment is not known yet.
    if (!place_.begins_byte()) place_.forget_offset();
    open_structure(&of, crossed);
    for (std::size_t i = 0; i < of.members.size() && !builder_.error(); ++i)
      member(of.members[i], i);
    return close_structure(of.minimum_alignment, attributes(source->attributes), true);
  }

  void member(const Member& source, std::size_t index) {
    fields_.innermost().current = index;
    const std::string name = fields_.innermost().names[index];
    fields_.innermost().current_name = name;
    const bool is_idle = this->is_idle(source);
    const bool stays = !is_idle || can_select(*source.field_class);
    if (!stays || has_mark(source.attributes, "added", kAddedSelection)) return leave_out(stays);
    if (!is_leb128(*source.field_class) && planner_.comes_with_added(*source.field_class))
      fields_.innermost().children.push_back(builder_.add({.op = EncodeOp::kSkip}));
    const Plan needed = planner_.plan(*source.field_class);
    const Value made = value(source.field_class, needed, name, false);
    fields_.innermost().nodes.push_back(made.node);
    Attributes own = attributes(source.attributes);
    if (options_.restoring) replace_mark(own, "added", kAddedHere, "true");
    add_member(name, made, std::move(own));
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
    const bool is_number = integer != nullptr && !is_wide(*integer) &&
                           integer->form != IntegerClass::Form::kBitArray &&
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

  // `name`: what members that have to be added are named after.
  Value value(const FieldClassPtr& source, const Plan& plan, const std::string& name,
              bool crossed) {
    if (builder_.error()) return fault({});
    if (++depth_ > kClassNesting) {
      --depth_;
      return fault("field classes nested too deep");
    }
    Value made;
    if (const auto* const structure = source->as<StructureClass>()) {
      made = this->structure(source, *structure, crossed);
    } else if (const auto* const array = source->as<ArrayClass>()) {
      made = this->array(*source, *array, plan, name);
    } else if (const auto* const optional = source->as<OptionalClass>()) {
      made = this->optional(*source, *optional, plan, name);
    } else if (const auto* const variant = source->as<VariantClass>()) {
      made = this->variant(*source, *variant, plan, name);
    } else if (const auto* const map = source->as<MapClass>()) {
      made = this->map(*source, *map, name);
    } else if (source->as<DynamicClass>() != nullptr) {
      made = dynamic(*source, name);
    } else if (const auto* const string = source->as<StringClass>()) {
      made = this->string(*source, *string, plan, name);
    } else if (const auto* const blob = source->as<BlobClass>()) {
      made = this->blob(*source, *blob, plan, name);
    } else {
      made = scalar(*source, plan, name);
    }
    --depth_;
    return made;
  }

  Value scalar(const FieldClass& source, const Plan& plan, const std::string& name) {
    ScalarTarget target = scalar_target(source, options_.dialect);
    target.node.in_parts = options_.restoring && is_leb128(source);
    if (plan.added) add_whole(name, target.node);
    target.field_class.attributes = attributes(target.field_class.attributes);
    if (options_.keep_roles) {
      target.node.roles = roles_of(source);
      if (options_.widen_sizes) widen_size(target);
    } else {
      target.field_class.roles.clear();
    }
    if (target.otherwise) ++counts_.substituted;
    if (target.bytes != 0) return bytes_of(std::move(target));
    place(target);
    target.node.alignment = target.field_class.alignment;
    return {shared(std::move(target.field_class)), builder_.add(target.node)};
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

  // The member that holds a variable-length integer when it does not fit.
  void add_whole(const std::string& name, const EncodeNode& of) {
    EncodeNode node = of;
    node.op = EncodeOp::kWhole;
    add_helper(name.empty() ? "whole" : name + "_whole", whole_class(), node);
  }

  // A number that the dialect has no class for, as its bytes.
  Value bytes_of(ScalarTarget target) {
    const Value byte = {target.element,
                        builder_.add({.op = EncodeOp::kInteger, .alignment = 8, .width = 8})};
    target.node.alignment = 8;
    target.node.width = 8 * target.bytes;
    target.node.byte_order = ByteOrder::kLittle;
    place_ = {};
    target.field_class.kind =
        ArrayClass{.element = byte.target, .extent = StaticLength{target.bytes}};
    return {shared(std::move(target.field_class)), builder_.add(target.node)};
  }

  // CTF2-SPECRC-3.0, fl-ba-field-dec: the byte order must not change inside a byte.
  void place(ScalarTarget& target) {
    FieldClass& field_class = target.field_class;
    field_class.alignment = std::min(field_class.alignment, kMostAlignment);
    if (!target.is_fixed) {
      place_ = {};
      return;
    }
    place_.align(field_class.alignment);
    if (place_.conflicts(target.node.byte_order)) {
      field_class.alignment = 8;
      place_ = {};
      ++counts_.realigned;
    }
    place_.pass(target.node.width, target.node.byte_order);
  }

  // The member that holds a length: its location.
  FieldLocation add_length(const std::string& name, const LengthPrefixed& prefix, EncodeOp op) {
    const std::uint32_t width = prefix.width == 0 || prefix.width > 64 ? 64 : prefix.width;
    FieldClass field_class{
        .kind =
            IntegerClass{.layout = FixedLayout{.width = width, .byte_order = prefix.byte_order}}};
    return add_helper(name.empty() ? "length" : name + "_length", std::move(field_class),
                      {.op = op, .byte_order = prefix.byte_order, .width = width});
  }

  // The member's location.
  FieldLocation add_helper(std::string name, FieldClass field_class, EncodeNode node) {
    ++counts_.lengths_added;
    field_class.alignment = 8;
    node.alignment = 8;
    place_ = {};
    while (!fields_.innermost().taken.insert(name).second) name.push_back('_');
    Attributes marks;
    if (!to_ctf1()) add_mark(marks, "added", options_.keeping ? kAddedHere : "true");
    add_member(name, {shared(std::move(field_class)), builder_.add(node)}, std::move(marks));
    return fields_.added_location(name, options_.dialect);
  }

  // The extent in the target, and in the node how it is found.
  Extent extent(const Extent& source, const Plan& plan, const std::string& name, EncodeNode& node) {
    if (std::holds_alternative<NullTerminated>(source)) {
      node.extent = EncodeExtent::kTerminated;
      return source;
    }
    if (const auto* const fixed = std::get_if<StaticLength>(&source)) {
      node.length = fixed->length;
      return source;
    }
    if (plan.located) {
      builder_.set_refs(node, plan.located->refs);
      return LengthField{fields_.target_location(*plan.located, options_.dialect)};
    }
    node.extent = EncodeExtent::kCounted;
    const auto* const prefix = std::get_if<LengthPrefixed>(&source);
    return LengthField{
        add_length(name, prefix == nullptr ? LengthPrefixed{} : *prefix, EncodeOp::kLength)};
  }

  Value string(const FieldClass& source, const StringClass& of, const Plan& plan,
               const std::string& name) {
    StringClass made{.encoding = of.encoding};
    EncodeNode node{.op = EncodeOp::kString, .alignment = 8};
    FieldClass target = in_bytes(source);
    const bool other_encoding = of.encoding != TextEncoding::kUtf8;
    if (other_encoding && options_.dialect != Dialect::kFinal) {
      made.encoding = TextEncoding::kUtf8;
      node.extent = EncodeExtent::kTerminated;
      made.extent = NullTerminated{};
      ++counts_.substituted;
    } else if (other_encoding && options_.keeping && !plan.located) {
      made.extent = NullTerminated{};
    } else {
      made.extent = extent(of.extent, plan, name, node);
    }
    node.encoding = made.encoding;
    if (of.interned && !to_ctf1()) add_mark(target.attributes, "interned", "true");
    target.kind = std::move(made);
    place_ = {};
    return {shared(std::move(target)), builder_.add(node)};
  }

  Value blob(const FieldClass& source, const BlobClass& of, const Plan& plan,
             const std::string& name) {
    BlobClass made{.media_type = of.media_type};
    EncodeNode node{.op = EncodeOp::kBlob, .alignment = 8};
    FieldClass target = in_bytes(source);
    made.extent = extent(of.extent, plan, name, node);
    if (to_ctf1()) {
      ++counts_.substituted;
      target.kind = ArrayClass{.element = byte_class(), .extent = std::move(made.extent)};
    } else {
      target.kind = std::move(made);
    }
    place_ = {};
    return {shared(std::move(target)), builder_.add(node)};
  }

  // What a string or BLOB has of its source's class besides its kind.
  FieldClass in_bytes(const FieldClass& source) {
    FieldClass target{.kind = BlobClass{}};
    target.attributes = attributes(source.attributes);
    if (options_.keep_roles) target.roles = source.roles;
    return target;
  }

  Value array(const FieldClass& source, const ArrayClass& of, const Plan& plan,
              const std::string& name) {
    if (!source.roles.empty() && options_.keep_roles) return role_array(source, of);
    FieldClass target{.kind = ArrayClass{}};
    target.attributes = attributes(source.attributes);
    if (of.interned && !to_ctf1()) add_mark(target.attributes, "interned", "true");
    EncodeNode node{.op = EncodeOp::kArray};
    ArrayClass made;
    made.extent = extent(of.extent, plan, name, node);
    made.minimum_alignment = to_ctf1() ? 1 : std::min(of.minimum_alignment, kMostAlignment);
    return finish_array(std::move(target), std::move(made), node, of.element);
  }

  // A UUID: a BLOB in CTF 2, an array of bytes in CTF 1.8.
  Value role_array(const FieldClass& source, const ArrayClass& of) {
    FieldClass target{.kind = BlobClass{.extent = of.extent}};
    if (to_ctf1()) target.kind = ArrayClass{.element = byte_class(), .extent = of.extent};
    target.roles = source.roles;
    place_ = {};
    return {shared(std::move(target)), builder_.add({.op = EncodeOp::kSkip})};
  }

  Value finish_array(FieldClass target, ArrayClass made, EncodeNode node,
                     const FieldClassPtr& element) {
    const Value inner = elements(made, element);
    made.element = inner.target;
    target.kind = std::move(made);
    FieldClassPtr field_class = shared(std::move(target));
    kept_.push_back(field_class);
    node.alignment = alignments_.of(*field_class);
    const std::uint32_t index = builder_.add(node);
    builder_.set_children(index, {inner.node});
    return {std::move(field_class), index};
  }

  // The element of an array, which begins where elements before it end.
  Value elements(const ArrayClass& array, const FieldClassPtr& element) {
    if (!place_.begins_byte()) place_.forget_offset();
    const BitPlace before = place_;
    const std::uint8_t orders = orders_.inside(*element);
    if (is_compound(*element)) place_.blur(orders);
    const Value inner = in_place(element);
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

  Value map(const FieldClass& source, const MapClass& of, const std::string& name) {
    ++counts_.substituted;
    FieldClass target{.kind = ArrayClass{}};
    target.attributes = attributes(source.attributes);
    if (!to_ctf1()) add_mark(target.attributes, "kind", "\"map\"");
    const LengthField length{add_length(name, LengthPrefixed{}, EncodeOp::kLength)};
    StructureClass pair;
    pair.members.push_back({.name = "key", .field_class = of.key, .attributes = {}});
    pair.members.push_back({.name = "value", .field_class = of.value, .attributes = {}});
    kept_.push_back(make_field_class(std::move(pair)));
    const FieldClassPtr pair_class = kept_.back();
    Value made = finish_array(std::move(target), ArrayClass{.extent = length},
                              {.op = EncodeOp::kMap, .extent = EncodeExtent::kCounted}, pair_class);
    // Keys and values follow each other without a head.
    builder_.node(builder_.child(made.node, 0)).has_head = false;
    return made;
  }

  Value dynamic(const FieldClass& source, const std::string& name) {
    ++counts_.substituted;
    FieldClass target{.kind = ArrayClass{}};
    target.attributes = attributes(source.attributes);
    if (!to_ctf1()) add_mark(target.attributes, "kind", "\"dynamic\"");
    const LengthField length{add_length(name, LengthPrefixed{}, EncodeOp::kInteger)};
    // The length is written by the node of the array, which knows how many slots it takes.
    const std::uint32_t length_node = fields_.innermost().children.back();
    fields_.innermost().children.pop_back();
    Value made = finish_array(std::move(target), ArrayClass{.extent = length},
                              {.op = EncodeOp::kDynamic, .extent = EncodeExtent::kCounted},
                              dynamic_node_class());
    const std::uint32_t element = builder_.child(made.node, 0);
    builder_.set_children(made.node, {length_node, element});
    return made;
  }

  Value optional(const FieldClass& source, const OptionalClass& of, const Plan& plan,
                 const std::string& name) {
    FieldLocation selector;
    IntegerRanges ranges;
    if (plan.located) {
      selector = fields_.target_location(*plan.located, options_.dialect);
      ranges = of.presence.ranges;
    } else {
      FieldClass presence = presence_class(to_ctf1());
      selector = add_helper(name.empty() ? "present" : name + "_present", std::move(presence),
                            {.op = EncodeOp::kPresence, .width = 8});
    }
    const BitPlace before = place_;
    const Value inner = in_place(of.value);
    place_.join(before);
    FieldClass target{.kind = OptionalClass{}};
    target.attributes = attributes(source.attributes);
    if (!to_ctf1()) {
      target.kind = OptionalClass{.value = inner.target,
                                  .presence = {.selector = selector, .ranges = std::move(ranges)}};
      const std::uint32_t node = builder_.add({.op = EncodeOp::kOptional});
      builder_.set_children(node, {inner.node});
      if (plan.located) builder_.set_refs(builder_.node(node), plan.located->refs);
      return {shared(std::move(target)), node};
    }
    ++counts_.substituted;
    target.kind = presence_variant(std::move(selector), inner.target);
    const std::uint32_t absent = builder_.add({.op = EncodeOp::kStructure});
    const std::uint32_t node = builder_.add({.op = EncodeOp::kVariant});
    builder_.set_children(node, {absent, inner.node});
    return {shared(std::move(target)), node};
  }

  Value variant(const FieldClass& source, const VariantClass& of, const Plan& plan,
                const std::string& name) {
    VariantClass made;
    const std::vector<std::string> names =
        plan.located ? std::vector<std::string>() : option_names(of, to_ctf1());
    if (plan.located) {
      made.selector = fields_.target_location(*plan.located, options_.dialect);
    } else {
      const std::uint32_t width = names.size() <= 0x100 ? 8 : 32;
      made.selector = add_helper(name.empty() ? "tag" : name + "_tag", tag_class(names, width),
                                 {.op = EncodeOp::kOption, .width = width});
    }
    const BitPlace before = place_;
    std::optional<BitPlace> after;
    std::vector<std::uint32_t> children;
    for (std::size_t i = 0; i < of.options.size() && !builder_.error(); ++i) {
      const VariantOption& option = of.options[i];
      place_ = before;
      const Value inner = in_place(option.field_class);
      if (after) place_.join(*after);
      after = place_;
      children.push_back(inner.node);
      VariantOption target{.name = plan.located ? option.name : names[i],
                           .field_class = inner.target,
                           .ranges = option.ranges,
                           .attributes = attributes(option.attributes)};
      if (!plan.located) target.ranges = {{static_cast<Int128>(i), static_cast<Int128>(i)}};
      made.options.push_back(std::move(target));
    }
    FieldClass target{.kind = std::move(made)};
    target.attributes = attributes(source.attributes);
    const std::uint32_t node = builder_.add({.op = EncodeOp::kVariant});
    builder_.set_children(node, children);
    if (plan.located) builder_.set_refs(builder_.node(node), plan.located->refs);
    return {shared(std::move(target)), node};
  }

  MapperOptions options_;
  MapperCounts counts_;
  ProgramBuilder builder_;
  MappedFields fields_;
  Planner planner_;
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
void ClassMapper::restore(bool restoring) { impl_->restore(restoring); }
Result<ClassMapper::Mapped> ClassMapper::add_root(Root root, const FieldClassPtr& source) {
  return impl_->add_root(root, source);
}
const EncodeProgram& ClassMapper::program() const { return impl_->program(); }
const MapperCounts& ClassMapper::counts() const { return impl_->counts(); }

}  // namespace tracedeck::ctf
