#include "tracedeck/ctf/write/program_builder.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/ctf/bits.hpp"

namespace tracedeck::ctf {
namespace {

using Root = FieldLocation::Root;

// Steps that finding fields may take, for all locations of a program.
constexpr std::size_t kMostSteps = std::size_t{1} << 26;

// So many parts take memory of their own.
constexpr std::size_t kManyParts = 1024;

constexpr std::size_t kComplete = ~std::size_t{0};

}  // namespace

// The way of one location through the classes of a program.
class ProgramBuilder::Way {
 public:
  Way(const ProgramBuilder& through, bool of_packet, std::vector<std::string> names,
      std::size_t& steps)
      : through_(through), of_packet_(of_packet), names_(std::move(names)), steps_(steps) {}

  // From a class on, in which the names from `next` on are to be found; `open`: which of those that
  // are open it is, or `kComplete`. Returns whether all ways end at fields.
  bool from(const FieldClass& at, std::uint32_t node, std::size_t open, std::size_t next) {
    if (++steps_ > kMostSteps) return false;
    if (const auto* const structure = at.as<StructureClass>()) {
      if (next == names_.size()) return false;
      const auto found = std::ranges::find(structure->members, names_[next], &Member::name);
      const auto index = static_cast<std::size_t>(found - structure->members.begin());
      steps_ += index;
      return found != structure->members.end() &&
             into(*found->field_class, index, node, open, next + 1);
    }
    if (const auto* const array = at.as<ArrayClass>())
      return open != kComplete && into(*array->element, 0, node, open, next);
    if (const auto* const optional = at.as<OptionalClass>())
      return into(*optional->value, 0, node, open, next);
    if (const auto* const variant = at.as<VariantClass>()) {
      const auto option = [&](std::size_t i) {
        return into(*variant->options[i].field_class, i, node, open, next);
      };
      if (open != kComplete) return option(through_.open_[open].done);
      std::size_t i = 0;
      while (i < variant->options.size() && option(i)) ++i;
      return i == variant->options.size();
    }
    const EncodeOp op = through_.program_.nodes[node].op;
    if (next != names_.size() || (op != EncodeOp::kInteger && op != EncodeOp::kLeb128))
      return false;
    refs_.push_back({.of_packet = of_packet_, .node = node});
    return true;
  }

  [[nodiscard]] std::vector<ValueRef> take_refs() { return std::move(refs_); }

 private:
  // Part `index` of the class of `node`.
  bool into(const FieldClass& part, std::size_t index, std::uint32_t node, std::size_t open,
            std::size_t next) {
    const EncodeProgram& program = through_.program_;
    if (open != kComplete && index >= through_.open_[open].done) {
      // The part at hand leads there, or nothing does.
      const std::size_t inner = open + 1;
      return index == through_.open_[open].done && inner < through_.open_.size() &&
             from(part, through_.open_[inner].node, inner, next);
    }
    return from(part, program.children[program.nodes[node].first_child + index].node, kComplete,
                next);
  }

  const ProgramBuilder& through_;
  bool of_packet_;
  std::vector<std::string> names_;
  std::size_t& steps_;
  std::vector<ValueRef> refs_;
};

EncodeProgram ProgramBuilder::take_program() {
  program_.nodes.shrink_to_fit();
  program_.children.shrink_to_fit();
  program_.refs.shrink_to_fit();
  return std::move(program_);
}

void ProgramBuilder::begin_root(Root root) {
  root_ = root;
  open_.clear();
}

std::uint32_t ProgramBuilder::add(const EncodeNode& node) {
  if (program_.nodes.size() >= kMostNodes)
    fail("the field classes of an event have too many parts");
  program_.nodes.push_back(node);
  return static_cast<std::uint32_t>(program_.nodes.size() - 1);
}

std::uint32_t ProgramBuilder::open(const FieldClass& source, const EncodeNode& node,
                                   std::size_t parts) {
  if (parts > kMostNodes) fail("the field classes of an event have too many parts");
  if (error_) parts = 0;
  if (parts > kManyParts)
    program_.nodes.reserve(std::min(program_.nodes.size() + parts + 1, kMostNodes));
  const std::uint32_t index = add(node);
  EncodeNode& made = program_.nodes.back();
  made.first_child = static_cast<std::uint32_t>(program_.children.size());
  made.child_count = static_cast<std::uint32_t>(parts);
  program_.children.resize(program_.children.size() + parts);
  const Part part{.field_class = &source, .node = index};
  if (open_.empty()) roots_[static_cast<std::size_t>(root_)] = part;
  open_.push_back(part);
  return index;
}

void ProgramBuilder::add_child(std::uint32_t child) {
  Part& parent = open_.back();
  const EncodeNode& of = program_.nodes[parent.node];
  if (parent.done == of.child_count) return;
  const EncodeNode& node = program_.nodes[child];
  EncodeChild& made = program_.children[of.first_child + parent.done++];
  made.node = child;
  const bool is_plain = node.op == EncodeOp::kInteger && node.width <= 64 && node.width % 8 == 0 &&
                        node.alignment == 8 && !node.reversed &&
                        node.byte_order == ByteOrder::kLittle && node.roles == 0;
  if (!is_plain) return;
  made.plain_bytes = node.width / 8;
  made.most = low_bit_mask(node.width);
}

bool ProgramBuilder::set_length(EncodeNode& node, const FieldLocation& location) {
  const std::vector<ValueRef> refs = find(location);
  node.extent = EncodeExtent::kLocated;
  node.first_ref = static_cast<std::uint32_t>(program_.refs.size());
  node.ref_count = static_cast<std::uint32_t>(refs.size());
  program_.refs.insert(program_.refs.end(), refs.begin(), refs.end());
  return !refs.empty();
}

bool ProgramBuilder::is_found(const FieldLocation& location) { return !find(location).empty(); }

std::vector<ValueRef> ProgramBuilder::find(const FieldLocation& location) {
  auto step = location.path.begin();
  const ProgramBuilder* through = this;
  const Part* begin = nullptr;
  std::size_t open = kComplete;
  if (location.root == Root::kRelative) {
    const auto is_structure = [&](const Part& part) {
      return part.field_class->as<StructureClass>() != nullptr;
    };
    for (open = open_.size() - 1; !is_structure(open_[open]); --open) continue;
    for (; step != location.path.end() && !*step; ++step) {
      do {
        if (open-- == 0) return {};
      } while (!is_structure(open_[open]));
    }
    begin = &open_[open];
  } else {
    const auto root = static_cast<std::size_t>(location.root);
    if (location.root == root_) open = 0;
    begin = &roots_[root];
    if (begin->field_class == nullptr && packet_ != nullptr) {
      through = packet_;
      begin = &packet_->roots_[root];
    }
    if (begin->field_class == nullptr) return {};
  }
  std::vector<std::string> names;
  for (; step != location.path.end(); ++step) {
    if (!*step) return {};
    names.push_back(**step);
  }
  Way way(*through, through != this, std::move(names), steps_);
  const bool leads = way.from(*begin->field_class, begin->node, open, 0);
  if (steps_ > kMostSteps) fail("the field locations of an event lead too far");
  return leads ? way.take_refs() : std::vector<ValueRef>();
}

void ProgramBuilder::fail(std::string message, ErrorCode code) {
  if (!error_) error_ = Error{.code = code, .message = std::move(message)};
}

}  // namespace tracedeck::ctf
