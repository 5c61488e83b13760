#include "tracedeck/ctf/stream/compile.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/ctf/stream/class_uses.hpp"
#include "tracedeck/ctf/stream/program_blocks.hpp"
#include "tracedeck/model/packed_elements.hpp"

namespace tracedeck::ctf {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return a > kMost - b ? kMost : a + b; }
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kMost / b ? kMost : a * b;
}

std::uint64_t tail_of(SlotKind kind) {
  const Slot slot{.bits = 0, .length = 0, .kind = kind, .flags = 0, .detail = 0, .reserved = 0};
  std::uint64_t tail = 0;
  std::memcpy(&tail, reinterpret_cast<const std::uint8_t*>(&slot) + sizeof slot.bits, sizeof tail);
  return tail;
}

using Order = PositionState::Order;

class Compiler {
 public:
  Compiler(const CompileContext& context, FieldLocation::Root root)
      : context_(context), root_(root) {
    program_.root = root;
    program_.places.emplace_back();
  }

  Program compile(const FieldClass& root_class, PositionState& at) {
    at_ = at;
    uses_.count(root_class);
    blocks_.emplace_back();
    align(context_.alignments.of(root_class));
    structure(root_class, context_.registers.of(context_.scopes.anchor(root_)), false);
    flush_skip();
    finish_block(true);
    at = at_;
    program_.slots = blocks_[0].slots;
    link_blocks(blocks_, program_);
    return std::move(program_);
  }

 private:
  [[nodiscard]] Block& block() { return blocks_[open_]; }

  Step& emit(Op op, std::uint64_t a = 0) {
    if (op != Op::kReverse && op != Op::kToBoolean && op != Op::kToReal && op != Op::kToReal32 &&
        op != Op::kToReal16 && op != Op::kSave && op != Op::kRole && op != Op::kOpen &&
        op != Op::kClose && op != Op::kForget && op != Op::kEventClassId && op != Op::kClock)
      need_ = kNone;
    return push(op, a);
  }
  Step& push(Op op, std::uint64_t a) {
    return block().steps.emplace_back(
        Step{.op = op, .width = 0, .skip = 0, .place = place_, .a = a});
  }

  // Whether the current position could be inside a byte, and so the byte order matters.
  [[nodiscard]] bool inside_byte() const { return !at_.at_byte(); }

  void finish_block(bool of_root) {
    remember_order();
    emit(Op::kEnd);
    if (of_root && at_.last_order != Order::kNone && inside_byte())
      at_.last_order = Order::kUnknown;
  }

  // Makes the byte order of the last bit array known to steps that cannot know it beforehand.
  void remember_order() {
    if (!inside_byte() || (at_.last_order != Order::kLittle && at_.last_order != Order::kBig))
      return;
    emit(Op::kSetOrder).width = static_cast<std::uint8_t>(
        at_.last_order == Order::kBig ? ByteOrder::kBig : ByteOrder::kLittle);
  }

  void align(std::uint64_t alignment) {
    if (alignment <= 1) return;
    if (at_.modulus >= alignment) {
      pass((alignment - at_.offset % alignment) % alignment);
      return;
    }
    emit(Op::kAlign, alignment - 1);
    at_.modulus = alignment;
    at_.offset = 0;
    skip_ = 0;
  }

  // Passes over bits whose number is known: the next load does so.
  void pass(std::uint64_t bits) {
    if (bits == 0) return;
    skip_ += bits;
    at_.move(bits);
    // Far alignments are rare enough for a step of their own.
    if (skip_ > std::numeric_limits<std::uint16_t>::max()) flush_skip();
  }

  // `bits` more are needed by loads that follow without anything of unknown size in between.
  void need(std::uint64_t bits) {
    if (need_ == kNone) {
      push(Op::kNeed, 0);
      need_ = block().steps.size() - 1;
    }
    block().steps[need_].a += bits;
  }

  [[nodiscard]] std::uint16_t take_skip() {
    return static_cast<std::uint16_t>(std::exchange(skip_, 0));
  }

  // A fixed-length bit array of up to 64 bits, or more; makes a slot of `kind`.
  void fixed(const FixedLayout& layout, bool is_signed, SlotKind kind) {
    const bool big = layout.byte_order == ByteOrder::kBig;
    const Order order = PositionState::order_of(layout.byte_order);
    if (inside_byte() && at_.last_order != order) {
      flush_skip();
      remember_order();
      emit(Op::kCheckOrder).width = static_cast<std::uint8_t>(layout.byte_order);
    }
    block().least_bits = plus(block().least_bits, layout.width);
    block().slots = plus(block().slots, 1);
    if (layout.width > 64) {
      flush_skip();
      program_.wides.push_back(
          {.width = layout.width, .big_endian = big, .reversed = layout.reversed, .kind = kind});
      emit(Op::kWide, program_.wides.size() - 1);
    } else {
      need(skip_ + layout.width);
      const Op ops[2][2][2] = {{{Op::kLittle, Op::kLittleSigned}, {Op::kBig, Op::kBigSigned}},
                               {{Op::kAlignedLittle, Op::kAlignedLittleSigned},
                                {Op::kAlignedBig, Op::kAlignedBigSigned}}};
      Step& step = push(ops[inside_byte() ? 0 : 1][big ? 1 : 0][is_signed ? 1 : 0], 0);
      step.width = static_cast<std::uint8_t>(layout.width);
      step.skip = take_skip();
      step.tail = tail_of(kind);
      if (layout.reversed)
        emit(Op::kReverse, is_signed ? 1 : 0).width = static_cast<std::uint8_t>(layout.width);
    }
    at_.last_order = order;
    at_.move(layout.width);
  }

  // Steps that check their own room begin where the loads before them end.
  void flush_skip() {
    if (skip_ == 0) return;
    need(skip_);
    push(Op::kPass, std::exchange(skip_, 0));
  }

  void field(const FieldClass& field_class, const Captures& captures) {
    std::visit([&](const auto& kind) { this->of_kind(field_class, kind, captures); },
               field_class.kind);
  }

  void of_kind(const FieldClass& field_class, const BooleanClass& boolean,
               const Captures& captures) {
    align(field_class.alignment);
    fixed(boolean.layout, false, SlotKind::kBoolean);
    if (boolean.layout.width <= 64) emit(Op::kToBoolean);
    keep(field_class, captures);
  }

  void of_kind(const FieldClass& field_class, const IntegerClass& integer,
               const Captures& captures) {
    if (const auto* const layout = std::get_if<FixedLayout>(&integer.layout)) {
      align(field_class.alignment);
      const bool wide = layout->width > 64;
      fixed(*layout, integer.is_signed,
            integer.is_signed ? (wide ? SlotKind::kWideSigned : SlotKind::kSigned)
                              : (wide ? SlotKind::kWideUnsigned : SlotKind::kUnsigned));
    } else {
      at_any_byte();
      emit(integer.is_signed ? Op::kLeb128Signed : Op::kLeb128);
      block().slots = plus(block().slots, 1);
      block().least_bits = plus(block().least_bits, 8);
      at_.move_unknown(8);
    }
    keep(field_class, captures);
  }

  void of_kind(const FieldClass& field_class, const RealClass& real, const Captures&) {
    align(field_class.alignment);
    const std::uint32_t width = real.layout.width;
    fixed(real.layout, false, width > 64 ? SlotKind::kWideReal : SlotKind::kReal);
    if (width <= 64) emit(width == 64 ? Op::kToReal : width == 32 ? Op::kToReal32 : Op::kToReal16);
  }

  // Before a field that begins at a byte and checks its own room.
  void at_any_byte() {
    align(8);
    flush_skip();
  }

  void of_kind(const FieldClass&, const StringClass& string, const Captures&) {
    at_any_byte();
    TextField text{.encoding = string.encoding};
    text.terminated = std::holds_alternative<NullTerminated>(string.extent);
    if (!text.terminated) text.length = length(string.extent);
    program_.texts.push_back(text);
    emit(Op::kText, program_.texts.size() - 1);
    bytes_of(text.terminated ? 1 : text.length.fixed);
  }

  void of_kind(const FieldClass& field_class, const BlobClass& blob, const Captures& captures) {
    at_any_byte();
    program_.blobs.push_back({length(blob.extent)});
    emit(Op::kBlob, program_.blobs.size() - 1);
    bytes_of(program_.blobs.back().length.fixed);
    keep(field_class, captures);
  }

  void bytes_of(std::uint64_t least) {
    block().slots = plus(block().slots, 1);
    block().least_bits = plus(block().least_bits, times(least, 8));
    at_.move_unknown(8);
  }

  [[nodiscard]] Length length(const Extent& extent) const {
    if (const auto* const fixed_length = std::get_if<StaticLength>(&extent))
      return {.fixed = fixed_length->length, .from = kNoRegister};
    return {.fixed = 0, .from = reference(std::get<LengthField>(extent).location)};
  }

  [[nodiscard]] std::uint32_t reference(const FieldLocation& location) const {
    const NormalLocation where = normal(location);
    if (where.root != FieldLocation::Root::kRelative)
      return context_.registers.find(context_.scopes.anchor(where.root), where.path);
    const FieldClass* const structure = structures_[structures_.size() - 1 - where.outward];
    return context_.registers.find({structure, where.root}, where.path);
  }

  void of_kind(const FieldClass& field_class, const StructureClass&, const Captures& captures) {
    const std::uint32_t alignment = context_.alignments.of(field_class);
    if (captures.empty() && context_.locations.is_closed(&field_class) &&
        uses_.is_shared(field_class)) {
      align(alignment);
      call(field_class);
      return;
    }
    align(alignment);
    structure(field_class, captures, true);
  }

  void structure(const FieldClass& field_class, Captures captures, bool head) {
    if (head) {
      emit(Op::kOpen);
      block().slots = plus(block().slots, 1);
    }
    structures_.push_back(&field_class);
    const Captures own = context_.registers.of({&field_class, FieldLocation::Root::kRelative});
    captures.insert(captures.end(), own.begin(), own.end());
    // By member, so that many locations in many members are no more work than both together.
    TextViewMap<Captures> deeper;
    for (const Capture& capture : captures) {
      if (!capture.path.empty())
        deeper[capture.path.front()].push_back({capture.path.subspan(1), capture.target});
    }
    const Captures none;
    const std::uint32_t parent = place_;
    for (const Member& member : field_class.as<StructureClass>()->members) {
      program_.places.push_back({parent, &member.name});
      place_ = static_cast<std::uint32_t>(program_.places.size() - 1);
      const auto found = deeper.find(member.name);
      field(*member.field_class, found == deeper.end() ? none : found->second);
      place_ = parent;
    }
    structures_.pop_back();
    if (head) emit(Op::kClose);
  }

  void of_kind(const FieldClass& field_class, const ArrayClass& array, const Captures& captures) {
    align(context_.alignments.of(field_class));
    ArrayField info{.length = length(array.extent)};
    if (captures.empty() && array.element->roles.empty())
      info.packed = packed_element_of(*array.element);
    if (info.packed) info.packed_bits = element_size(*info.packed) * 8;
    before_block();
    const PositionState outside = at_;
    at_ = {};
    const std::size_t body = sub_block([&] {
      forget(captures);
      field(*array.element, captures);
    });
    info.body = static_cast<std::uint32_t>(body);
    info.element_bits = blocks_[body].least_bits;
    info.element_slots = blocks_[body].slots;
    at_ = outside;
    const std::uint64_t index = program_.arrays.size();
    block().least_bits = plus(block().least_bits, times(info.length.fixed, info.element_bits));
    block().slots = plus(block().slots, 1);
    program_.arrays.push_back(std::move(info));
    emit(Op::kArray, index);
    at_ = {};
    if (program_.arrays[index].packed && outside.at_byte()) at_.modulus = 8;
    forget(captures);
  }

  void of_kind(const FieldClass&, const OptionalClass& optional, const Captures& captures) {
    VariantField info{.selector = reference(*optional.presence.selector)};
    info.boolean = optional.presence.ranges.empty();
    for (const IntegerRange& range : optional.presence.ranges) info.add_choice(range, 0);
    options(Op::kOptional, std::move(info), {optional.value.get()}, captures);
  }

  void of_kind(const FieldClass&, const VariantClass& variant, const Captures& captures) {
    VariantField info{.selector = reference(*variant.selector)};
    std::vector<const FieldClass*> classes;
    classes.reserve(variant.options.size());
    info.choices.reserve(variant.options.size());
    for (std::size_t i = 0; i < variant.options.size(); ++i) {
      classes.push_back(variant.options[i].field_class.get());
      for (const IntegerRange& range : variant.options[i].ranges)
        info.add_choice(range, static_cast<std::uint32_t>(i));
    }
    options(Op::kVariant, std::move(info), classes, captures);
  }

  // Formats other than CTF have these; none of their classes comes here.
  void of_kind(const FieldClass&, const MapClass&, const Captures&) {}
  void of_kind(const FieldClass&, const DynamicClass&, const Captures&) {}

  void options(Op op, VariantField info, const std::vector<const FieldClass*>& classes,
               const Captures& captures) {
    before_block();
    std::ranges::sort(info.choices, {}, &Choice::lower);
    std::ranges::sort(info.top_choices, {}, &Choice::lower);
    info.make_table();
    for (const Capture& capture : captures) info.forgets.push_back(capture.target);
    const PositionState before = at_;
    std::optional<PositionState> after;
    if (op == Op::kOptional) after = before;
    std::uint64_t least = op == Op::kOptional ? 0 : kMost;
    std::uint64_t slots = 0;
    // Options of one class have one body, since all begin and go on alike.
    std::unordered_map<const FieldClass*, std::uint32_t> bodies;
    info.bodies.reserve(classes.size());
    for (const FieldClass* const each : classes) {
      const auto [known, is_new] = bodies.try_emplace(each);
      if (is_new) {
        at_ = before;
        const std::size_t body = sub_block([&] { field(*each, captures); });
        known->second = static_cast<std::uint32_t>(body);
        least = std::min(least, blocks_[body].least_bits);
        slots = std::max(slots, blocks_[body].slots);
        after = after ? join(*after, at_) : at_;
      }
      info.bodies.push_back(known->second);
    }
    program_.variants.push_back(std::move(info));
    at_ = before;
    emit(op, program_.variants.size() - 1);
    at_ = *after;
    block().least_bits = plus(block().least_bits, least);
    block().slots = plus(block().slots, plus(slots, 1));
  }

  void before_block() {
    flush_skip();
    remember_order();
    need_ = kNone;
  }

  // Compiles what `make` emits as a block of its own and returns its number.
  template <class Make>
  std::size_t sub_block(const Make& make) {
    const std::size_t outer = open_;
    open_ = blocks_.size();
    const std::size_t inner = open_;
    blocks_.emplace_back();
    need_ = kNone;
    make();
    flush_skip();
    finish_block(false);
    open_ = outer;
    need_ = kNone;
    return inner;
  }

  void call(const FieldClass& field_class) {
    const auto [entry, added] = called_.try_emplace(&field_class, 0);
    if (added) {
      const PositionState outside = at_;
      const std::uint32_t place = std::exchange(place_, 0);
      auto structures = std::exchange(structures_, {});
      at_ = {};
      const std::uint32_t alignment = context_.alignments.of(field_class);
      at_.modulus = alignment;
      const std::size_t body = sub_block([&] { structure(field_class, {}, true); });
      structures_ = std::move(structures);
      place_ = place;
      at_ = outside;
      called_[&field_class] = body;
    }
    before_block();
    const std::size_t body = called_[&field_class];
    block().least_bits = plus(block().least_bits, blocks_[body].least_bits);
    emit(Op::kCall, body).tail = blocks_[body].slots;
    at_ = {};
  }

  void forget(const Captures& captures) {
    for (const Capture& capture : captures) emit(Op::kForget, capture.target);
  }

  // The slot that was just made, into registers and to where its roles ask for.
  void keep(const FieldClass& field_class, const Captures& captures) {
    for (const Capture& capture : captures) {
      if (capture.path.empty()) emit(Op::kSave, capture.target);
    }
    for (const std::string& word : field_class.roles) {
      const auto role = find_role(word);
      if (!role) continue;
      const auto* const integer = field_class.as<IntegerClass>();
      const auto* const layout =
          integer == nullptr ? nullptr : std::get_if<FixedLayout>(&integer->layout);
      const bool narrow = layout != nullptr && layout->width < 64;
      if (*role == Role::kEventClassId && layout != nullptr && layout->width <= 64) {
        emit(Op::kEventClassId);
      } else if (*role == Role::kClock && narrow && root_ == FieldLocation::Root::kEventHeader) {
        emit(Op::kClock, (std::uint64_t{1} << layout->width) - 1);
      } else {
        emit(Op::kRole, layout == nullptr ? 0 : layout->width).width =
            static_cast<std::uint8_t>(*role);
      }
    }
  }

  static constexpr std::size_t kNone = ~std::size_t{0};

  const CompileContext& context_;
  FieldLocation::Root root_;
  Program program_;
  std::vector<Block> blocks_;
  std::size_t open_ = 0;  // the block that steps go to
  PositionState at_;
  std::uint64_t skip_ = 0;    // bits to pass over before the next load
  std::size_t need_ = kNone;  // the kNeed that covers the loads at hand
  std::uint32_t place_ = 0;
  std::vector<const FieldClass*> structures_;  // around the field at hand
  ClassUses uses_;
  std::unordered_map<const FieldClass*, std::size_t> called_;  // and their blocks
};

}  // namespace

Program compile(const CompileContext& context, FieldLocation::Root root, PositionState& at) {
  const FieldClass* const field_class = context.scopes[root].field_class;
  if (field_class == nullptr) return {};
  return Compiler(context, root).compile(*field_class, at);
}

}  // namespace tracedeck::ctf
