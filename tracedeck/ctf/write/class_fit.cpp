#include "tracedeck/ctf/write/class_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/ctf/write/conventions.hpp"
#include "tracedeck/ctf/write/target_scalars.hpp"
#include "tracedeck/ctf/write/tsdl_metadata_writer.hpp"
#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::ctf {
namespace {

std::string_view without_underscores(std::string_view name) {
  return name.substr(std::min(name.find_first_not_of('_'), name.size()));
}

// Whether CTF 1.8 may call a member of the name `before` so: names that are taken get an ending,
// and readers take an underscore away.
bool may_be_called(std::string_view before, std::string_view recorded) {
  const std::string spelt = tsdl_identifier(before);
  if (!is_valid_utf8(before)) return true;
  return without_underscores(recorded).starts_with(without_underscores(spelt));
}

std::map<std::string, IntegerRanges> by_label(const std::vector<Mapping>& mappings) {
  std::map<std::string, IntegerRanges> all;
  for (const Mapping& each : mappings) all[repaired_utf8(each.label)].append(each.ranges);
  return all;
}

bool same_mappings(const IntegerClass& recorded, const IntegerClass& before) {
  using Form = IntegerClass::Form;
  if (recorded.form != Form::kEnumeration) return true;
  if (before.form != Form::kEnumeration) return false;
  const bool same = std::ranges::equal(
      recorded.mappings, before.mappings, [](const Mapping& one, const Mapping& other) {
        return one.label == other.label && one.ranges == other.ranges;
      });
  if (same) return true;
  // JSON has each label once, and of labels beyond 64 bits CTF 1.8 has what fits.
  std::vector<Mapping> kept = before.mappings;
  leave_out_beyond(kept);
  return by_label(recorded.mappings) == by_label(kept);
}

bool same_ranges(const IntegerClass& recorded, const IntegerClass& before) {
  return std::ranges::equal(recorded.mappings, before.mappings, {}, &Mapping::ranges,
                            &Mapping::ranges);
}

// A field of the recorded trace that is to come.
struct Coming {
  std::string_view name;
  const FieldClass* field_class;
  std::uint32_t node;  // of the program for the recorded classes
};
using Comings = std::vector<Coming>;  // the next one last

// Nodes of the recorded classes' program, and those of the other that are the same field.
using SameFields = std::unordered_map<std::uint32_t, std::uint32_t>;

// The classes from before, mapped by what CTF 1.8 made of them, walk along the recorded ones.
class Walk {
 public:
  Walk(const EncodeProgram& recorded, const EncodeProgram& before, SameFields& same,
       const SameFields& of_packet)
      : recorded_(recorded), before_(before), same_(same), of_packet_(of_packet) {}

  void root(const FieldClass& recorded, std::uint32_t recorded_node, const FieldClass& before,
            std::uint32_t before_node) {
    Comings comings;
    add_members({{}, &recorded, recorded_node}, comings);
    members(before_node, *before.as<StructureClass>(), comings);
    if (!comings.empty()) misfit(comings.back(), "is recorded, and not among its members");
  }

  [[nodiscard]] std::optional<std::string> fault() && { return std::move(fault_); }

 private:
  void misfit(const Coming& at, std::string_view why) {
    if (!fault_) fault_ = fmt::format("`{}` {}", at.name, why);
  }

  std::optional<Coming> take(Comings& comings) {
    if (comings.empty()) {
      if (!fault_) fault_ = "it has more fields than are recorded";
      return {};
    }
    Coming next = comings.back();
    comings.pop_back();
    // Where CTF 2 would have to add something, a structure would be around both.
    const bool plain = next.field_class->as<StructureClass>() == nullptr;
    while (plain && recorded_.nodes[next.node].op == EncodeOp::kStructure)
      next.node = last_child(recorded_, next.node);
    return next;
  }

  static std::uint32_t last_child(const EncodeProgram& program, std::uint32_t node) {
    const EncodeNode& of = program.nodes[node];
    return program.children[of.first_child + of.child_count - 1];
  }

  // Those of a structure come next.
  void add_members(const Coming& of, Comings& comings) const {
    const auto& members = of.field_class->as<StructureClass>()->members;
    const EncodeNode& node = recorded_.nodes[of.node];
    const std::size_t first = comings.size();
    std::uint32_t child = node.first_child;
    for (const Member& member : members) {
      // Lengths and selectors that CTF 2 would have to add are not there.
      while (is_added(recorded_.nodes[recorded_.children[child]].op)) ++child;
      comings.push_back({member.name, member.field_class.get(), recorded_.children[child++]});
    }
    std::reverse(comings.begin() + static_cast<std::ptrdiff_t>(first), comings.end());
  }

  static bool is_added(EncodeOp op) {
    return op == EncodeOp::kLength || op == EncodeOp::kPresence || op == EncodeOp::kOption ||
           op == EncodeOp::kWhole;
  }

  [[nodiscard]] std::uint32_t child(std::uint32_t node, std::uint32_t i = 0) const {
    return before_.children[before_.nodes[node].first_child + i];
  }

  void members(std::uint32_t node, const StructureClass& before, Comings& comings) {
    std::size_t next = 0;
    bool added = false;  // a member was, before the one at hand
    for (std::uint32_t i = 0; i < before_.nodes[node].child_count && !fault_; ++i) {
      const std::uint32_t inner = child(node, i);
      if (is_added(before_.nodes[inner].op)) continue;
      if (before_.nodes[inner].op == EncodeOp::kSkip) {
        added = take(comings).has_value();
        continue;
      }
      if (next == before.members.size()) return;
      const Member& member = before.members[next++];
      if (!comings.empty() && member.field_class->roles.empty() &&
          before_.nodes[inner].op != EncodeOp::kLeb128 &&
          !may_be_called(member.name, comings.back().name))
        return misfit(comings.back(),
                      fmt::format("is recorded where `{}` was", member.name.view()));
      is_ours_ = has_mark(member.attributes, "added", kAddedHere);
      value(inner, *member.field_class, added, comings);
      added = false;
    }
  }

  // `added`: its length or selector is what CTF 1.8 added before it.
  void value(std::uint32_t index, const FieldClass& before, bool added, Comings& comings) {
    const EncodeNode& node = before_.nodes[index];
    if (node.op == EncodeOp::kLeb128) return leb128(index, comings);
    const std::optional<Coming> next = take(comings);
    if (!next) return;
    const auto* const structure = before.as<StructureClass>();
    if (node.op == EncodeOp::kStructure && structure == nullptr)
      return wrapped(index, before, *next);
    if (const auto* const integer = before.as<IntegerClass>()) {
      number(index, *next, before, integer);
    } else if (before.as<BooleanClass>() != nullptr) {
      number(index, *next, before, nullptr);
    } else if (before.as<RealClass>() != nullptr) {
      real(node, *next);
    } else if (const auto* const string = before.as<StringClass>()) {
      text(node, *string, added, *next);
    } else if (before.as<BlobClass>() != nullptr) {
      bytes(node, added, *next);
    } else if (const auto* const array = before.as<ArrayClass>()) {
      elements(index, *array, added, *next);
    } else if (structure != nullptr) {
      inner(index, *structure, *next);
    } else if (const auto* const optional = before.as<OptionalClass>()) {
      this->optional(index, *optional, added, *next);
    } else if (const auto* const variant = before.as<VariantClass>()) {
      this->variant(index, *variant, added, *next);
    }
  }

  // A value that CTF 1.8 put into a structure, with what it added.
  void wrapped(std::uint32_t index, const FieldClass& before, const Coming& coming) {
    const std::uint32_t inner = last_child(before_, index);
    if (!before_.nodes[index].skips_head) {
      Comings same = {coming};
      return value(inner, before, false, same);
    }
    if (coming.field_class->as<StructureClass>() == nullptr)
      return misfit(coming, "is recorded without what its class needs");
    Comings parts;
    add_members(coming, parts);
    bool added = false;
    for (std::uint32_t i = 0; i < before_.nodes[index].child_count; ++i) {
      if (before_.nodes[child(index, i)].op == EncodeOp::kSkip) added = take(parts).has_value();
    }
    if (!fault_) value(inner, before, added, parts);
    if (!fault_ && !parts.empty()) misfit(coming, "is recorded with more than its class needs");
  }

  void inner(std::uint32_t index, const StructureClass& before, const Coming& coming) {
    if (coming.field_class->as<StructureClass>() == nullptr)
      return misfit(coming, "is recorded as no structure");
    Comings parts;
    add_members(coming, parts);
    members(index, before, parts);
    if (!fault_ && !parts.empty()) misfit(parts.back(), "is recorded, and not among its members");
  }

  // Its bytes where they are more than 8, and what 8 bytes hold.
  void leb128(std::uint32_t index, Comings& comings) {
    std::optional<Coming> next = take(comings);
    if (next && next->field_class->as<StructureClass>() != nullptr) next = take(comings);
    if (!next) return;
    const auto* const integer = next->field_class->as<IntegerClass>();
    if (integer == nullptr || integer->is_signed != before_.nodes[index].is_signed)
      return misfit(*next, "is recorded as another kind of integer");
    same_.emplace(next->node, index);
  }

  // `integer`: null for a boolean.
  void number(std::uint32_t index, const Coming& coming, const FieldClass& before,
              const IntegerClass* integer) {
    const EncodeNode& node = before_.nodes[index];
    const auto* const recorded = coming.field_class->as<IntegerClass>();
    if (recorded == nullptr) {
      if (integer == nullptr || node.width <= 64 || !are_bytes(*coming.field_class, node.width))
        misfit(coming, "is recorded as no such integer");
      return;
    }
    const auto* const fixed = std::get_if<FixedLayout>(&recorded->layout);
    const std::uint32_t width = fixed == nullptr ? 0 : fixed->width;
    // Sizes of packets are written in more bits, and booleans in 64 at most.
    const bool wide_enough = width == node.width ||
                             (!before.roles.empty() && width == 64 && node.width < 64) ||
                             (integer == nullptr && width == 64 && node.width > 64);
    if (!wide_enough || recorded->is_signed != node.is_signed)
      return misfit(coming, fmt::format("is recorded as an integer of {} bits, not of {}{}", width,
                                        node.width, node.is_signed ? " with a sign" : ""));
    // Labels of selectors that were added are names of options, which CTF 1.8 may not have.
    const bool same_labels = integer == nullptr || (is_ours_ ? same_ranges(*recorded, *integer)
                                                             : same_mappings(*recorded, *integer));
    if (!same_labels) return misfit(coming, "is recorded with other labels");
    same_.emplace(coming.node, index);
  }

  // Whether a class is bytes for a number of so many bits.
  static bool are_bytes(const FieldClass& recorded, std::uint32_t width) {
    const auto* const array = recorded.as<ArrayClass>();
    const auto* const fixed =
        array == nullptr ? nullptr : std::get_if<StaticLength>(&array->extent);
    return fixed != nullptr && fixed->length == (width + 7) / 8 && is_byte(*array->element);
  }

  static bool is_byte(const FieldClass& recorded) {
    const auto* const integer = recorded.as<IntegerClass>();
    const auto* const fixed =
        integer == nullptr ? nullptr : std::get_if<FixedLayout>(&integer->layout);
    return fixed != nullptr && fixed->width == 8 && !integer->is_signed;
  }

  void real(const EncodeNode& node, const Coming& coming) {
    const auto* const recorded = coming.field_class->as<RealClass>();
    const bool fits = recorded == nullptr
                          ? node.width > 64 && are_bytes(*coming.field_class, node.width)
                          : recorded->layout.width == std::max(node.width, 32U);
    if (!fits) misfit(coming, "is recorded as no such real");
  }

  void text(const EncodeNode& node, const StringClass& before, bool added, const Coming& coming) {
    const auto* const recorded = coming.field_class->as<StringClass>();
    if (recorded == nullptr) return misfit(coming, "is recorded as no string");
    // Others became null-terminated UTF-8.
    if (before.encoding == TextEncoding::kUtf8) extent(node, added, recorded->extent, coming);
  }

  void bytes(const EncodeNode& node, bool added, const Coming& coming) {
    // UUIDs are BLOBs to readers of CTF 1.8 too.
    if (const auto* const blob = coming.field_class->as<BlobClass>())
      return extent(node, added, blob->extent, coming);
    const auto* const recorded = coming.field_class->as<ArrayClass>();
    if (recorded == nullptr || !is_byte(*recorded->element))
      return misfit(coming, "is recorded as no bytes");
    extent(node, added, recorded->extent, coming);
  }

  void elements(std::uint32_t index, const ArrayClass& before, bool added, const Coming& coming) {
    const auto* const recorded = coming.field_class->as<ArrayClass>();
    if (recorded == nullptr) return misfit(coming, "is recorded as no array");
    extent(before_.nodes[index], added, recorded->extent, coming);
    const EncodeNode& node = recorded_.nodes[coming.node];
    if (fault_ || node.child_count == 0) return;
    Comings element = {
        {coming.name, recorded->element.get(), recorded_.children[node.first_child]}};
    value(child(index), *before.element, false, element);
  }

  void extent(const EncodeNode& node, bool added, const Extent& recorded, const Coming& coming) {
    const auto* const fixed = std::get_if<StaticLength>(&recorded);
    const bool is_static = node.extent == EncodeExtent::kStatic;
    const bool ends = node.extent == EncodeExtent::kTerminated;
    if (is_static != (fixed != nullptr) || (fixed != nullptr && fixed->length != node.length) ||
        ends != std::holds_alternative<NullTerminated>(recorded))
      return misfit(coming, "is recorded with another length");
    if (!is_static && !ends && !added)
      refers_to_same(node, coming, "is recorded with another length");
  }

  void refers_to_same(const EncodeNode& node, const Coming& coming, std::string_view otherwise) {
    const EncodeNode& recorded = recorded_.nodes[coming.node];
    const auto of_before = std::span(before_.refs).subspan(node.first_ref, node.ref_count);
    const auto of_recorded =
        std::span(recorded_.refs).subspan(recorded.first_ref, recorded.ref_count);
    const bool same =
        of_before.size() == of_recorded.size() &&
        std::ranges::all_of(of_recorded, [&](const ValueRef& ref) {
          const SameFields& known = ref.of_packet ? of_packet_ : same_;
          const auto found = known.find(ref.node);
          return found != known.end() && std::ranges::any_of(of_before, [&](const ValueRef& other) {
                   return other.of_packet == ref.of_packet && other.node == found->second;
                 });
        });
    if (!same) misfit(coming, otherwise);
  }

  // An option of what was recorded.
  void option(std::uint32_t index, const FieldClass& before, const VariantClass& recorded,
              std::uint32_t number, const Coming& coming) {
    const EncodeNode& node = recorded_.nodes[coming.node];
    Comings value = {{coming.name, recorded.options[number].field_class.get(),
                      recorded_.children[node.first_child + number]}};
    this->value(index, before, false, value);
  }

  void optional(std::uint32_t index, const OptionalClass& before, bool added,
                const Coming& coming) {
    const auto* const recorded = coming.field_class->as<VariantClass>();
    if (recorded == nullptr || recorded->options.size() != 2 ||
        recorded->options[0].name != kAbsentOption || recorded->options[1].name != kPresentOption)
      return misfit(coming, "is recorded as no optional");
    if (!added) refers_to_same(before_.nodes[index], coming, "is recorded with another selector");
    if (!fault_) option(child(index), *before.value, *recorded, 1, coming);
  }

  void variant(std::uint32_t index, const VariantClass& before, bool added, const Coming& coming) {
    const auto* const recorded = coming.field_class->as<VariantClass>();
    if (recorded == nullptr || recorded->options.size() != before.options.size())
      return misfit(coming, "is recorded as no such variant");
    const EncodeNode& node = before_.nodes[index];
    if (!added) refers_to_same(node, coming, "is recorded with another selector");
    for (std::uint32_t i = 0; i < node.child_count && !fault_; ++i) {
      const VariantOption& was = before.options[i];
      const VariantOption& is = recorded->options[i];
      const bool same_name =
          !is_tsdl_name(was.name) || without_underscores(is.name) == without_underscores(was.name);
      if (!same_name || (!added && is.ranges != was.ranges))
        return misfit(coming, "is recorded with other options");
      option(child(index, i), *was.field_class, *recorded, i, coming);
    }
  }

  const EncodeProgram& recorded_;
  const EncodeProgram& before_;
  SameFields& same_;
  const SameFields& of_packet_;
  bool is_ours_ = false;  // the member at hand was added
  std::optional<std::string> fault_;
};

// Whether every field in it has a role.
bool has_only_roles(const FieldClass& field_class) {
  if (!field_class.roles.empty()) return true;
  if (!is_compound(field_class)) return false;
  bool only_roles = true;
  for_each_child(field_class, [&](const FieldClassPtr& inner) {
    only_roles = only_roles && has_only_roles(*inner);
  });
  return only_roles;
}

bool is_head(FieldLocation::Root root) {
  return root == FieldLocation::Root::kPacketHeader ||
         root == FieldLocation::Root::kPacketContext || root == FieldLocation::Root::kEventHeader;
}

constexpr MapperOptions kRecorded = {.dialect = Dialect::kFinal, .keep_roles = true};
constexpr MapperOptions kBefore = {
    .dialect = Dialect::kFinal, .restoring = true, .keep_roles = true};

std::optional<std::string> in(std::string_view what, std::optional<std::string> fault) {
  if (fault) fault = fmt::format("{}: {}", what, *fault);
  return fault;
}

}  // namespace

// The classes of a packet, or of an event, mapped root by root.
struct ClassFit::Sides {
  ClassMapper recorded{kRecorded};
  ClassMapper before{kBefore};
  SameFields same = {};

  std::optional<std::string> add(FieldLocation::Root root, const FieldClassPtr& is,
                                 const FieldClassPtr& was, const SameFields& of_packet) {
    const auto members = [](const FieldClassPtr& root_class) {
      const auto* const structure =
          root_class == nullptr ? nullptr : root_class->as<StructureClass>();
      return structure == nullptr ? 0 : structure->members.size();
    };
    if (members(is) == 0 && members(was) == 0) return {};
    // Earlier versions did not keep the heads that were theirs.
    if (is_head(root) && members(was) == 0 && has_only_roles(*is)) return {};
    if (is == nullptr) return "it is not recorded";
    if (was == nullptr) return "it is recorded, and was not there before";
    const auto mapped_is = recorded.add_root(root, is);
    const auto mapped_was = before.add_root(root, was);
    if (!mapped_is) return mapped_is.error().message;
    if (!mapped_was) return mapped_was.error().message;
    Walk walk(recorded.program(), before.program(), same, of_packet);
    walk.root(*is, mapped_is->node, *was, mapped_was->node);
    return std::move(walk).fault();
  }
};

struct ClassFit::State {
  FieldClassPtr recorded_header;
  FieldClassPtr header_before;
  Sides packet = {};
  const DataStreamClass* recorded = nullptr;
  const DataStreamClass* before = nullptr;

  std::optional<std::string> begin_event(Sides& event) {
    event.recorded.use_packet_context(packet.recorded);
    event.before.use_packet_context(packet.before);
    auto fault = in("event record header",
                    event.add(FieldLocation::Root::kEventHeader, recorded->event_header,
                              before->event_header, packet.same));
    if (!fault)
      fault = in("common context",
                 event.add(FieldLocation::Root::kCommonContext, recorded->common_context,
                           before->common_context, packet.same));
    return fault;
  }
};

ClassFit::ClassFit(const FieldClassPtr& recorded_header, const FieldClassPtr& header_before)
    : state_(std::make_unique<State>(recorded_header, header_before)) {}
ClassFit::~ClassFit() = default;

std::optional<std::string> ClassFit::packet_header() {
  return in("packet header",
            state_->packet.add(FieldLocation::Root::kPacketHeader, state_->recorded_header,
                               state_->header_before, state_->packet.same));
}

std::optional<std::string> ClassFit::stream_class(const DataStreamClass& recorded,
                                                  const DataStreamClass& before) {
  state_->recorded = &recorded;
  state_->before = &before;
  auto fault = in("packet context",
                  state_->packet.add(FieldLocation::Root::kPacketContext, recorded.packet_context,
                                     before.packet_context, state_->packet.same));
  if (fault) return fault;
  Sides event;
  return state_->begin_event(event);
}

std::optional<std::string> ClassFit::event_class(const EventClass& recorded,
                                                 const EventClass& before) {
  // A class that had no name is called by its id.
  const std::string was_called =
      before.name ? repaired_utf8(*before.name) : fmt::format("#{}", recorded.id.value_or(0));
  if (recorded.name && repaired_utf8(*recorded.name) != was_called)
    return fmt::format("it is called `{}`, not `{}`", recorded.name.value_or(""),
                       before.name.value_or(""));
  Sides event;
  auto fault = state_->begin_event(event);
  if (!fault)
    fault = in("specific context",
               event.add(FieldLocation::Root::kSpecificContext, recorded.specific_context,
                         before.specific_context, state_->packet.same));
  if (!fault)
    fault = in("payload", event.add(FieldLocation::Root::kPayload, recorded.payload, before.payload,
                                    state_->packet.same));
  return fault;
}

}  // namespace tracedeck::ctf
