#include "tracedeck/ctf/write/target_classes.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tracedeck/ctf/alignment.hpp"
#include "tracedeck/ctf/write/bit_place.hpp"
#include "tracedeck/ctf/write/conventions.hpp"
#include "tracedeck/ctf/write/dynamic_options.hpp"
#include "tracedeck/ctf/write/json_out.hpp"
#include "tracedeck/ctf/write/location_words.hpp"
#include "tracedeck/ctf/write/metadata_text.hpp"
#include "tracedeck/ctf/write/packet_layout.hpp"
#include "tracedeck/ctf/write/target_scalars.hpp"
#include "tracedeck/ctf/write/tsdl_metadata_writer.hpp"

namespace tracedeck::ctf {

using Root = FieldLocation::Root;

namespace {

// Steps that finding fields may take, for all locations of a program.
constexpr std::size_t kMostSteps = std::size_t{1} << 26;

// A structure that is being mapped, from the root inwards.
struct Frame {
  const StructureClass* source = nullptr;  // null: made here around a value
  std::size_t current = 0;                 // the member at hand
  std::vector<std::uint32_t> nodes = {};   // of the source's members so far
  std::vector<std::string> names = {};     // of the source's members in the target
  std::vector<Member> members = {};        // of the target so far
  std::vector<std::uint32_t> children = {};
  std::unordered_set<std::string> taken = {};  // names
  std::string via = {};                        // the parent's member that leads here
  std::string current_name = {};               // the target's member at hand
  bool crossed = false;  // arrays, optionals or variants lie between the parent and this
};

// Where a location leads.
struct Located {
  std::vector<ValueRef> refs = {};
  std::vector<const FieldClass*> leaves = {};
  std::optional<std::size_t> frame = {};  // that is open; else in another root
  Root root = Root::kRelative;            // of the location
  std::vector<std::string> names = {};    // from the frame or root, the target's
  bool crosses = false;                   // optionals or variants on the way from there
  bool was_added = false;                 // to what CTF 1.8 keeps: there it is just the same
};

// How the length or selector of a class is known in the target.
struct Plan {
  bool added = false;  // by a member of its own
  std::optional<Located> located = {};
  std::optional<std::size_t> header_length = {};
};

// The members of a structure that is complete.
struct DoneMembers {
  std::vector<std::uint32_t> nodes;
  std::vector<std::string> names;  // the target's
};

// A root that is complete.
struct DoneRoot {
  Root root;
  const StructureClass* source;
  std::uint32_t node;
};

// What marks members that were added to classes which CTF 1.8 keeps.
constexpr std::string_view kAddedHere = "\"here\"";

FieldClassPtr shared(FieldClass field_class) {
  return std::make_shared<const FieldClass>(std::move(field_class));
}

}  // namespace

class ClassMapper::Impl {
 public:
  explicit Impl(const MapperOptions& options) : options_(options) {}

  Result<Mapped> add_root(Root root, const FieldClassPtr& source) {
    const auto* const structure = source->as<StructureClass>();
    root_ = root;
    frames_.clear();
    kept_.push_back(source);
    const Value value = this->structure(source, *structure, false);
    if (error_) return std::unexpected(*error_);
    program_.nodes[value.node].has_head = false;
    // The packet layout takes care of it.
    if (root == Root::kPacketContext && !options_.keep_roles)
      program_.nodes[value.node].alignment = 1;
    done_.push_back({root, structure, value.node});
    return Mapped{value.target, value.node};
  }

  [[nodiscard]] const EncodeProgram& program() const { return program_; }
  [[nodiscard]] const MapperCounts& counts() const { return counts_; }
  void use(const Impl& packet_context) { packet_ = &packet_context; }

 private:
  struct Value {
    FieldClassPtr target = nullptr;
    std::uint32_t node = 0;
  };

  [[nodiscard]] bool to_ctf1() const { return options_.dialect == Dialect::kCtf1; }

  Value fault(std::string message) {
    if (!error_) error_ = Error{.code = ErrorCode::kLimitExceeded, .message = std::move(message)};
    return {make_field_class(StructureClass{}), add_node({.op = EncodeOp::kStructure})};
  }

  std::uint32_t add_node(EncodeNode node) {
    if (program_.nodes.size() >= kMostNodes && !error_)
      error_ = Error{.code = ErrorCode::kLimitExceeded,
                     .message = "the field classes of an event have too many parts"};
    program_.nodes.push_back(node);
    return static_cast<std::uint32_t>(program_.nodes.size() - 1);
  }

  void set_children(std::uint32_t node, const std::vector<std::uint32_t>& children) {
    program_.nodes[node].first_child = static_cast<std::uint32_t>(program_.children.size());
    program_.nodes[node].child_count = static_cast<std::uint32_t>(children.size());
    program_.children.insert(program_.children.end(), children.begin(), children.end());
  }

  void set_refs(EncodeNode& node, const Located& located) {
    node.extent = EncodeExtent::kLocated;
    node.first_ref = static_cast<std::uint32_t>(program_.refs.size());
    node.ref_count = static_cast<std::uint32_t>(located.refs.size());
    program_.refs.insert(program_.refs.end(), located.refs.begin(), located.refs.end());
  }

  Attributes attributes(const Attributes& given) {
    if (!to_ctf1()) return given;
    counts_.attributes_lost += given.size();
    return {};
  }

  // -- Finding fields ------------------------------------------------------------------------

  // The innermost structure of the source that is open, before frame `end`.
  [[nodiscard]] std::optional<std::size_t> source_frame(std::size_t end) const {
    while (end-- > 0) {
      if (frames_[end].source != nullptr) return end;
    }
    return {};
  }

  std::optional<Located> find(const FieldLocation& location) {
    Located located{.root = location.root};
    auto step = location.path.begin();
    const StructureClass* done_in = nullptr;
    std::uint32_t done_node = 0;
    bool of_packet = false;
    std::optional<std::size_t> frame;
    if (location.root == Root::kRelative) {
      frame = source_frame(frames_.size());
      for (; frame && step != location.path.end() && !*step; ++step) frame = source_frame(*frame);
      if (!frame) return {};
    } else if (location.root == root_) {
      frame = 0;
    } else {
      for (const Impl* where : {static_cast<const Impl*>(this), packet_}) {
        if (where == nullptr || done_in != nullptr) continue;
        for (const DoneRoot& root : where->done_) {
          if (root.root != location.root) continue;
          done_in = root.source;
          done_node = root.node;
          of_packet = where != this;
        }
      }
      if (done_in == nullptr) return {};
    }
    std::vector<std::string> names;
    for (; step != location.path.end(); ++step) {
      if (!*step) return {};
      names.push_back(**step);
    }
    if (names.empty()) return {};
    std::size_t next = 0;
    while (frame) {
      const Frame& in = frames_[*frame];
      const std::size_t member = find_member(*in.source, names[next]);
      if (member < in.current) {
        located.frame = frame;
        note_step(located, in.source->members[member], in.names[member], next + 1 == names.size());
        descend(located, *in.source->members[member].field_class, in.nodes[member], names, next + 1,
                false, *this);
        break;
      }
      if (member > in.current || ++next == names.size()) return {};
      do {
        if (++*frame == frames_.size()) return {};
      } while (frames_[*frame].source == nullptr);
    }
    if (done_in != nullptr) {
      descend_structure(located, *done_in, done_node, names, 0, of_packet,
                        of_packet ? *packet_ : *this);
    }
    if (located.refs.empty() || failed_) {
      failed_ = false;
      return {};
    }
    return located;
  }

  // The members' number when there is none of that name.
  std::size_t find_member(const StructureClass& structure, const std::string& name) {
    for (std::size_t i = 0; i < structure.members.size(); ++i) {
      if (++steps_ > kMostSteps) break;
      if (structure.members[i].name == name) return i;
    }
    if (steps_ > kMostSteps) fault("the field locations of an event lead too far");
    return structure.members.size();
  }

  // `node` wrote a value of `source`; in it, `names` from `next` on are to be found.
  void descend(Located& located, const FieldClass& source, std::uint32_t node,
               const std::vector<std::string>& names, std::size_t next, bool of_packet,
               const Impl& where) {
    if (++steps_ > kMostSteps || error_) {
      failed_ = true;
      return;
    }
    if (const auto* const structure = source.as<StructureClass>())
      return descend_structure(located, *structure, where.unwrapped(node), names, next, of_packet,
                               where);
    const std::uint32_t inner = where.unwrapped(node);
    if (const auto* const optional = source.as<OptionalClass>()) {
      located.crosses = true;
      return descend(located, *optional->value, where.last_child(inner), names, next, of_packet,
                     where);
    }
    if (const auto* const variant = source.as<VariantClass>()) {
      located.crosses = true;
      for (std::size_t i = 0; i < variant->options.size(); ++i)
        descend(located, *variant->options[i].field_class, where.child(inner, i), names, next,
                of_packet, where);
      return;
    }
    const bool scalar =
        source.as<BooleanClass>() != nullptr || source.as<IntegerClass>() != nullptr;
    if (!scalar || next != names.size()) {
      failed_ = true;
      return;
    }
    located.refs.push_back({.of_packet = of_packet, .node = inner});
    located.leaves.push_back(&source);
  }

  void descend_structure(Located& located, const StructureClass& structure, std::uint32_t node,
                         const std::vector<std::string>& names, std::size_t next, bool of_packet,
                         const Impl& where) {
    if (next == names.size()) {
      failed_ = true;
      return;
    }
    const std::size_t member = find_member(structure, names[next]);
    const auto nodes = where.member_nodes_.find(node);
    if (member == structure.members.size() || nodes == where.member_nodes_.end()) {
      failed_ = true;
      return;
    }
    const DoneMembers& done = nodes->second;
    note_step(located, structure.members[member], done.names[member], next + 1 == names.size());
    descend(located, *structure.members[member].field_class, done.nodes[member], names, next + 1,
            of_packet, where);
  }

  // A location leads to a member that is called `name` in the target. Where it goes through
  // options, names are the same in each.
  void note_step(Located& located, const Member& member, const std::string& name,
                 bool is_last) const {
    if (located.refs.empty()) located.names.push_back(name);
    if (options_.restoring && is_last)
      located.was_added = has_mark(member.attributes, "added", kAddedHere);
  }

  [[nodiscard]] std::uint32_t child(std::uint32_t node, std::size_t i) const {
    return program_.children[program_.nodes[node].first_child + i];
  }
  [[nodiscard]] std::uint32_t last_child(std::uint32_t node) const {
    return child(node, program_.nodes[node].child_count - 1);
  }
  // The node of the value itself, when a structure was made around it.
  [[nodiscard]] std::uint32_t unwrapped(std::uint32_t node) const {
    while (wraps_.contains(node)) node = last_child(node);
    return node;
  }

  // -- Plans ----------------------------------------------------------------------------------

  Plan plan(const FieldClass& source, Dialect dialect) {
    if (const auto* const string = source.as<StringClass>()) {
      const bool other_encoding = string->encoding != TextEncoding::kUtf8;
      if (other_encoding && dialect != Dialect::kFinal) return {};
      Plan planned = plan_length(string->extent, dialect);
      if (other_encoding && options_.keeping) planned.added = false;
      return planned;
    }
    if (const auto* const blob = source.as<BlobClass>()) return plan_length(blob->extent, dialect);
    if (const auto* const array = source.as<ArrayClass>())
      return plan_length(array->extent, dialect);
    if (source.as<MapClass>() != nullptr || source.as<DynamicClass>() != nullptr)
      return {.added = true};
    if (is_leb128(source)) return {.added = dialect == Dialect::kCtf1};
    if (const auto* const optional = source.as<OptionalClass>())
      return plan_optional(*optional, dialect);
    if (const auto* const variant = source.as<VariantClass>())
      return plan_variant(*variant, dialect);
    return {};
  }

  // Whether what comes has a member that CTF 1.8 had to add for this class.
  bool comes_with_added(const FieldClass& source) {
    if (!options_.restoring) return false;
    of_what_comes_ = true;
    const bool added = plan(source, Dialect::kCtf1).added;
    of_what_comes_ = false;
    return added;
  }

  Plan plan_length(const Extent& extent, Dialect dialect) {
    if (std::holds_alternative<NullTerminated>(extent) ||
        std::holds_alternative<StaticLength>(extent))
      return {};
    const auto* const field = std::get_if<LengthField>(&extent);
    if (field == nullptr) return {.added = true};
    if (options_.header_lengths != nullptr && root_ != Root::kPacketContext) {
      const auto header_length = options_.header_lengths->find(field->location);
      if (header_length) return {.header_length = header_length};
    }
    return plan_located(field->location, dialect, [](const FieldClass& leaf) {
      const auto* const integer = leaf.as<IntegerClass>();
      return integer != nullptr && !integer->is_signed && !is_wide(*integer);
    });
  }

  template <class Serves>
  Plan plan_located(const FieldLocation& location, Dialect dialect, Serves serves) {
    std::optional<Located> located = find(location);
    if (of_what_comes_ && located && located->was_added) return {.located = std::move(located)};
    const bool good = located && std::ranges::all_of(located->leaves, [&](const FieldClass* leaf) {
                        return serves(*leaf);
                      });
    if (!good || (dialect == Dialect::kCtf1 && !spelt_in_ctf1(*located))) return {.added = true};
    return {.located = std::move(located)};
  }

  // CTF 1.8, 7.3.2: names are looked for outwards through structures; absolute paths do not lead
  // into arrays and variants.
  [[nodiscard]] bool spelt_in_ctf1(const Located& located) const {
    if (located.crosses || located.refs.size() != 1) return false;
    return !located.frame || !is_shadowed(located) || !is_crossed(*located.frame);
  }
  [[nodiscard]] bool is_shadowed(const Located& located) const {
    for (std::size_t i = *located.frame + 1; i < frames_.size(); ++i) {
      if (frames_[i].taken.contains(located.names.front())) return true;
    }
    return false;
  }
  [[nodiscard]] bool is_crossed(std::size_t frame) const {
    for (std::size_t i = 1; i <= frame; ++i) {
      if (frames_[i].crossed) return true;
    }
    return false;
  }

  Plan plan_optional(const OptionalClass& optional, Dialect dialect) {
    if (!optional.presence.selector) return {.added = true};
    const bool by_boolean = optional.presence.ranges.empty();
    if (dialect == Dialect::kCtf1 && !by_boolean) return {.added = true};
    return plan_located(*optional.presence.selector, dialect, [&](const FieldClass& leaf) {
      if (by_boolean) return leaf.as<BooleanClass>() != nullptr;
      const auto* const integer = leaf.as<IntegerClass>();
      return integer != nullptr && !is_wide(*integer);
    });
  }

  Plan plan_variant(const VariantClass& variant, Dialect dialect) {
    const bool all_selectable = std::ranges::none_of(
        variant.options, [](const VariantOption& option) { return option.ranges.empty(); });
    if (!variant.selector || !all_selectable) return {.added = true};
    return plan_located(*variant.selector, dialect, [&](const FieldClass& leaf) {
      const auto* const integer = leaf.as<IntegerClass>();
      if (integer == nullptr || is_wide(*integer)) return false;
      return dialect != Dialect::kCtf1 || selects_by_label(*integer, variant);
    });
  }

  // -- Locations of the target ----------------------------------------------------------------

  FieldLocation target_location(const Located& located) const {
    FieldLocation made;
    const bool here = located.frame.has_value();
    const bool absolute = options_.dialect == Dialect::kRc3 || !here ||
                          (options_.dialect == Dialect::kFinal ? located.root != Root::kRelative
                                                               : is_shadowed(located));
    if (absolute) {
      made.root = here ? root_ : located.root;
      if (here) {
        for (std::size_t i = 1; i <= *located.frame; ++i) made.path.emplace_back(frames_[i].via);
      }
    } else {
      for (std::size_t i = *located.frame + 1; i < frames_.size(); ++i)
        made.path.emplace_back(std::nullopt);
    }
    for (const std::string& name : located.names) made.path.emplace_back(name);
    return made;
  }

  // Of a member that was added to the innermost structure.
  FieldLocation added_location(const std::string& name) const {
    FieldLocation made;
    if (options_.dialect == Dialect::kRc3) {
      made.root = root_;
      for (std::size_t i = 1; i < frames_.size(); ++i) made.path.emplace_back(frames_[i].via);
    }
    made.path.emplace_back(name);
    return made;
  }

  // -- Mapping --------------------------------------------------------------------------------

  // A value that stands in no structure of its own: one is made around it when members have to be
  // added.
  Value in_place(const FieldClassPtr& source) {
    const Plan needed = plan(*source, options_.dialect);
    const bool was_wrapped = comes_with_added(*source);
    const bool skips = was_wrapped && !is_leb128(*source);
    if (!needed.added) {
      const Value plain = value(source, needed, "", true);
      return was_wrapped ? unwrapping(plain, skips) : plain;
    }
    open_frame(nullptr, true);
    if (skips) frames_.back().children.push_back(add_node({.op = EncodeOp::kSkip}));
    frames_.back().current_name = "value";
    const Value inner = value(source, needed, "", false);
    add_member("value", inner, {});
    const Value wrapped = close_frame(1, {}, false);
    program_.nodes[wrapped.node].skips_head = was_wrapped;
    wraps_.insert(wrapped.node);
    return wrapped;
  }

  // The structure around a value is only in what comes, not in what is written.
  // `skips`: so is the member that was added to it.
  Value unwrapping(const Value& inner, bool skips) {
    std::vector<std::uint32_t> children;
    if (skips) children.push_back(add_node({.op = EncodeOp::kSkip}));
    children.push_back(inner.node);
    const std::uint32_t node =
        add_node({.op = EncodeOp::kStructure, .has_head = false, .skips_head = true});
    set_children(node, children);
    wraps_.insert(node);
    return {inner.target, node};
  }

  void open_frame(const StructureClass* source, bool crossed) {
    Frame frame{.source = source, .crossed = crossed};
    if (!frames_.empty()) frame.via = frames_.back().current_name;
    if (source != nullptr) {
      frame.names = target_names(*source);
      frame.taken.insert(frame.names.begin(), frame.names.end());
    }
    frames_.push_back(std::move(frame));
  }

  // CTF 1.8 has identifiers; members of a packet context must not be called as ours.
  [[nodiscard]] std::vector<std::string> target_names(const StructureClass& source) const {
    const bool beside_ours = root_ == Root::kPacketContext && frames_.empty();
    std::vector<std::string> names;
    std::unordered_set<std::string> taken;
    std::unordered_map<std::string, unsigned> numbers;
    // Of several fields with a role, the last one counts.
    std::unordered_map<std::string, const Member*> last_of_role;
    for (const Member& member : source.members)
      last_of_role[role_name(*member.field_class)] = &member;
    for (const Member& member : source.members) {
      names.push_back(to_ctf1() ? tsdl_identifier(member.name) : member.name);
      if (!to_ctf1()) continue;
      std::string reserved = role_name(*member.field_class);
      if (last_of_role[reserved] != &member) reserved.clear();
      if (!reserved.empty()) names.back() = reserved;
      const std::string base = names.back();
      const auto serves = [&] {
        if (options_.keep_roles && reserved.empty() && is_reserved_name(root_, names.back()))
          return false;
        return !(beside_ours && !options_.keep_roles && is_packet_member(names.back())) &&
               taken.insert(names.back()).second;
      };
      while (!serves()) names.back() = base + "_" + std::to_string(++numbers[base]);
    }
    return names;
  }

  // What CTF 1.8 calls a member with a role, or "".
  [[nodiscard]] std::string role_name(const FieldClass& field_class) const {
    if (!options_.keep_roles) return {};
    return std::string(reserved_name(root_, field_class));
  }

  void add_member(std::string name, const Value& value, Attributes attributes) {
    Frame& frame = frames_.back();
    frame.members.push_back({.name = std::move(name),
                             .field_class = value.target,
                             .attributes = std::move(attributes)});
    frame.children.push_back(value.node);
  }

  Value close_frame(std::uint32_t minimum_alignment, Attributes attributes, bool has_head) {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    FieldClass target{
        .kind = StructureClass{.members = std::move(frame.members),
                               .minimum_alignment = std::min(minimum_alignment, kMostAlignment)}};
    target.attributes = std::move(attributes);
    FieldClassPtr made = shared(std::move(target));
    kept_.push_back(made);
    const std::uint32_t alignment = alignments_.of(*made);
    const std::uint32_t node =
        add_node({.op = EncodeOp::kStructure, .has_head = has_head, .alignment = alignment});
    set_children(node, frame.children);
    if (frame.source != nullptr) {
      member_nodes_.emplace(node, DoneMembers{std::move(frame.nodes), std::move(frame.names)});
    }
    return {std::move(made), node};
  }

  Value structure(const FieldClassPtr& source, const StructureClass& of, bool crossed) {
    if (frames_.size() > kClassNesting) return fault("field classes nested too deep");
    // Its alignment is not known yet.
    if (!place_.begins_byte()) place_.forget_offset();
    open_frame(&of, crossed);
    for (std::size_t i = 0; i < of.members.size() && !error_; ++i) member(of.members[i], i);
    return close_frame(of.minimum_alignment, attributes(source->attributes), true);
  }

  void member(const Member& source, std::size_t index) {
    frames_.back().current = index;
    const std::string name = frames_.back().names[index];
    frames_.back().current_name = name;
    if (!is_leb128(*source.field_class) && comes_with_added(*source.field_class))
      frames_.back().children.push_back(add_node({.op = EncodeOp::kSkip}));
    const Plan needed = plan(*source.field_class, options_.dialect);
    const Value made = value(source.field_class, needed, name, false);
    frames_.back().nodes.push_back(made.node);
    Attributes own = attributes(source.attributes);
    if (options_.restoring) replace_mark(own, "added", kAddedHere, "true");
    add_member(name, made, std::move(own));
  }

  // `name`: what members that have to be added are named after.
  Value value(const FieldClassPtr& source, const Plan& plan, const std::string& name,
              bool crossed) {
    if (error_) return fault({});
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
    } else if (source->as<StringClass>() != nullptr || source->as<BlobClass>() != nullptr) {
      made = text_or_blob(*source, plan, name);
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
    if (target.otherwise) ++counts_.put_otherwise;
    if (target.bytes != 0) return bytes_of(std::move(target));
    place(target);
    target.node.alignment = target.field_class.alignment;
    return {shared(std::move(target.field_class)), add_node(target.node)};
  }

  [[nodiscard]] RoleSet roles_of(const FieldClass& source) const {
    RoleSet roles = 0;
    for (const std::string& word : source.roles) {
      std::optional<Role> role = find_role(word);
      if (role == Role::kClock && root_ == Root::kPacketContext) role = Role::kPacketBegin;
      if (role && accepts_role(root_, *role, Dialect::kRc3)) roles |= role_bit(*role);
    }
    return roles;
  }

  static void widen_size(ScalarTarget& target) {
    constexpr RoleSet kSizes = role_bit(Role::kTotalSize) | role_bit(Role::kContentSize);
    auto* const integer = std::get_if<IntegerClass>(&target.field_class.kind);
    auto* const fixed = integer == nullptr ? nullptr : std::get_if<FixedLayout>(&integer->layout);
    if ((target.node.roles & kSizes) == 0 || fixed == nullptr || fixed->width >= 64) return;
    fixed->width = target.node.width = 64;
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
                        add_node({.op = EncodeOp::kInteger, .alignment = 8, .width = 8})};
    target.node.alignment = 8;
    target.node.width = 8 * target.bytes;
    target.node.byte_order = ByteOrder::kLittle;
    place_ = {};
    target.field_class.kind =
        ArrayClass{.element = byte.target, .extent = StaticLength{target.bytes}};
    return {shared(std::move(target.field_class)), add_node(target.node)};
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
    while (!frames_.back().taken.insert(name).second) name.push_back('_');
    Attributes marks;
    if (!to_ctf1()) add_mark(marks, "added", options_.keeping ? kAddedHere : "true");
    add_member(name, {shared(std::move(field_class)), add_node(node)}, std::move(marks));
    return added_location(name);
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
      set_refs(node, *plan.located);
      return LengthField{target_location(*plan.located)};
    }
    node.extent = EncodeExtent::kCounted;
    if (plan.header_length) {
      node.header_length = static_cast<std::uint32_t>(*plan.header_length) + 1;
      return LengthField{
          {.root = Root::kEventHeader, .path = {header_length_name(*plan.header_length)}}};
    }
    const auto* const prefix = std::get_if<LengthPrefixed>(&source);
    return LengthField{
        add_length(name, prefix == nullptr ? LengthPrefixed{} : *prefix, EncodeOp::kLength)};
  }

  Value text_or_blob(const FieldClass& source, const Plan& plan, const std::string& name) {
    FieldClass target = source;
    target.alignment = 1;
    target.attributes = attributes(source.attributes);
    if (!options_.keep_roles) target.roles.clear();
    EncodeNode node{.op = EncodeOp::kString, .alignment = 8};
    if (const auto* const string = source.as<StringClass>()) {
      StringClass made{.encoding = string->encoding};
      const bool other_encoding = string->encoding != TextEncoding::kUtf8;
      if (other_encoding && options_.dialect != Dialect::kFinal) {
        made.encoding = TextEncoding::kUtf8;
        node.extent = EncodeExtent::kTerminated;
        made.extent = NullTerminated{};
        ++counts_.put_otherwise;
      } else if (other_encoding && options_.keeping && !plan.located && !plan.header_length) {
        made.extent = NullTerminated{};
      } else {
        made.extent = extent(string->extent, plan, name, node);
      }
      node.encoding = made.encoding;
      if (string->interned && !to_ctf1()) add_mark(target.attributes, "interned", "true");
      target.kind = std::move(made);
    } else {
      node.op = EncodeOp::kBlob;
      const auto& blob = *source.as<BlobClass>();
      BlobClass made{.media_type = blob.media_type};
      made.extent = extent(blob.extent, plan, name, node);
      if (to_ctf1()) {
        ++counts_.put_otherwise;
        target.kind = ArrayClass{.element = byte_class(), .extent = std::move(made.extent)};
      } else {
        target.kind = std::move(made);
      }
    }
    place_ = {};
    return {shared(std::move(target)), add_node(node)};
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
    return {shared(std::move(target)), add_node({.op = EncodeOp::kSkip})};
  }

  Value finish_array(FieldClass target, ArrayClass made, EncodeNode node,
                     const FieldClassPtr& element) {
    const Value inner = elements(made, element);
    made.element = inner.target;
    target.kind = std::move(made);
    FieldClassPtr field_class = shared(std::move(target));
    kept_.push_back(field_class);
    node.alignment = alignments_.of(*field_class);
    const std::uint32_t index = add_node(node);
    set_children(index, {inner.node});
    return {std::move(field_class), index};
  }

  // The element of an array, which begins where elements before it end.
  Value elements(const ArrayClass& array, const FieldClassPtr& element) {
    if (!place_.begins_byte()) place_.forget_offset();
    const BitPlace before = place_;
    const std::uint8_t orders = orders_in(*element);
    if (is_compound(*element)) place_.blur(orders);
    const Value inner = in_place(element);
    const auto* const fixed = std::get_if<StaticLength>(&array.extent);
    if (is_compound(*element) || fixed == nullptr || inner.target->alignment != 1) {
      place_.blur(orders);
    } else {
      // In the first element there was nothing to realign, so the others follow it bit by bit.
      const EncodeNode& node = program_.nodes[inner.node];
      for (std::uint64_t i = 1; i < fixed->length % 8 + 8; ++i)
        place_.pass(node.width, node.byte_order);
    }
    if (fixed == nullptr || fixed->length == 0) place_.join(before);
    return inner;
  }

  Value map(const FieldClass& source, const MapClass& of, const std::string& name) {
    ++counts_.put_otherwise;
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
    program_.nodes[child(made.node, 0)].has_head = false;
    return made;
  }

  Value dynamic(const FieldClass& source, const std::string& name) {
    ++counts_.put_otherwise;
    FieldClass target{.kind = ArrayClass{}};
    target.attributes = attributes(source.attributes);
    if (!to_ctf1()) add_mark(target.attributes, "kind", "\"dynamic\"");
    const LengthField length{add_length(name, LengthPrefixed{}, EncodeOp::kInteger)};
    // The length is written by the node of the array, which knows how many slots it takes.
    const std::uint32_t length_node = frames_.back().children.back();
    frames_.back().children.pop_back();
    Value made = finish_array(std::move(target), ArrayClass{.extent = length},
                              {.op = EncodeOp::kDynamic, .extent = EncodeExtent::kCounted},
                              dynamic_node_class());
    const std::uint32_t element = child(made.node, 0);
    set_children(made.node, {length_node, element});
    return made;
  }

  Value optional(const FieldClass& source, const OptionalClass& of, const Plan& plan,
                 const std::string& name) {
    FieldLocation selector;
    std::vector<IntegerRange> ranges;
    if (plan.located) {
      selector = target_location(*plan.located);
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
      const std::uint32_t node = add_node({.op = EncodeOp::kOptional});
      set_children(node, {inner.node});
      return {shared(std::move(target)), node};
    }
    ++counts_.put_otherwise;
    VariantClass variant{.selector = selector};
    variant.options.push_back({.name = std::string(kAbsentOption),
                               .field_class = make_field_class(StructureClass{}),
                               .ranges = {{0, 0}},
                               .attributes = {}});
    variant.options.push_back({.name = std::string(kPresentOption),
                               .field_class = inner.target,
                               .ranges = {{1, 1}},
                               .attributes = {}});
    target.kind = std::move(variant);
    const std::uint32_t absent = add_node({.op = EncodeOp::kStructure});
    const std::uint32_t node = add_node({.op = EncodeOp::kVariant});
    set_children(node, {absent, inner.node});
    return {shared(std::move(target)), node};
  }

  Value variant(const FieldClass& source, const VariantClass& of, const Plan& plan,
                const std::string& name) {
    VariantClass made;
    const std::vector<std::string> names =
        plan.located ? std::vector<std::string>() : option_names(of, to_ctf1());
    if (plan.located) {
      made.selector = target_location(*plan.located);
    } else {
      const std::uint32_t width = names.size() <= 0x100 ? 8 : 32;
      made.selector = add_helper(name.empty() ? "tag" : name + "_tag", tag_class(names, width),
                                 {.op = EncodeOp::kOption, .width = width});
    }
    const BitPlace before = place_;
    std::optional<BitPlace> after;
    std::vector<std::uint32_t> children;
    for (std::size_t i = 0; i < of.options.size() && !error_; ++i) {
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
    const std::uint32_t node = add_node({.op = EncodeOp::kVariant});
    set_children(node, children);
    return {shared(std::move(target)), node};
  }

  // The byte orders of all fields inside, as bits.
  std::uint8_t orders_in(const FieldClass& field_class) {
    const auto known = known_orders_.find(&field_class);
    if (known != known_orders_.end()) return known->second;
    std::uint8_t orders = 0;
    if (const auto* const boolean = field_class.as<BooleanClass>())
      orders = BitPlace::bit(boolean->layout.byte_order);
    if (const auto* const real = field_class.as<RealClass>())
      orders = BitPlace::bit(real->layout.byte_order);
    if (const auto* const integer = field_class.as<IntegerClass>()) {
      if (const auto* const fixed = std::get_if<FixedLayout>(&integer->layout))
        orders = BitPlace::bit(fixed->byte_order);
    }
    if (++order_depth_ <= kClassNesting) {
      for_each_child(field_class, [&](const FieldClassPtr& inner) { orders |= orders_in(*inner); });
    }
    --order_depth_;
    known_orders_.emplace(&field_class, orders);
    return orders;
  }

  MapperOptions options_;
  MapperCounts counts_;
  EncodeProgram program_;
  const Impl* packet_ = nullptr;
  Root root_ = Root::kPayload;
  std::vector<Frame> frames_;
  std::vector<DoneRoot> done_;
  std::unordered_map<std::uint32_t, DoneMembers> member_nodes_;
  std::unordered_set<std::uint32_t> wraps_;
  Alignments alignments_;
  std::unordered_map<const FieldClass*, std::uint8_t> known_orders_;
  std::vector<FieldClassPtr> kept_;  // whose addresses are keys
  BitPlace place_;                   // what comes first begins at a byte
  std::size_t depth_ = 0;
  std::size_t order_depth_ = 0;
  std::size_t steps_ = 0;
  bool failed_ = false;
  bool of_what_comes_ = false;  // plans are for CTF 1.8 as it was written, not for the target
  std::optional<Error> error_;
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
