#include "tracedeck/ctf/write/mapped_fields.hpp"

#include <algorithm>
#include <utility>

namespace tracedeck::ctf {

using Root = FieldLocation::Root;

namespace {

// Steps that finding fields may take, for all locations of a program.
constexpr std::size_t kMostSteps = std::size_t{1} << 26;

}  // namespace

// The way of one location through structures that are complete.
class MappedFields::Search {
 public:
  // `where`: what the structures were mapped by, `fields` or its packet context.
  Search(MappedFields& fields, const MappedFields& where, std::vector<std::string> names, Root root)
      : fields_(fields), where_(where), names_(std::move(names)) {
    located_.root = root;
  }

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  // What was found, unless the way leads nowhere.
  [[nodiscard]] std::optional<Located> found() && {
    if (located_.refs.empty() || failed_) return {};
    return std::move(located_);
  }

  // From member `index` of a structure that is open, the one of name `next`.
  void from_open(std::size_t frame, std::size_t index, std::size_t next) {
    const OpenStructure& in = fields_.frames_[frame];
    located_.frame = frame;
    note_step(in.names[index]);
    descend(*in.source->members[index].field_class, in.nodes[index], next + 1);
  }

  // `node` wrote a structure; in it, names from `next` on are to be found.
  void in_structure(const StructureClass& structure, std::uint32_t node, std::size_t next) {
    if (next == names_.size()) {
      failed_ = true;
      return;
    }
    const std::size_t member = fields_.find_member(structure, names_[next]);
    const auto nodes = where_.member_nodes_.find(node);
    if (member == structure.members.size() || nodes == where_.member_nodes_.end()) {
      failed_ = true;
      return;
    }
    const DoneMembers& done = nodes->second;
    note_step(done.names[member]);
    descend(*structure.members[member].field_class, done.nodes[member], next + 1);
  }

 private:
  // `node` wrote a value of `source`; in it, names from `next` on are to be found.
  void descend(const FieldClass& source, std::uint32_t node, std::size_t next) {
    if (++fields_.steps_ > kMostSteps || fields_.program_.error()) {
      failed_ = true;
      return;
    }
    if (const auto* const structure = source.as<StructureClass>())
      return in_structure(*structure, node, next);
    const ProgramBuilder& program = where_.program_;
    if (const auto* const optional = source.as<OptionalClass>()) {
      return descend(*optional->value, program.last_child(node), next);
    }
    if (const auto* const variant = source.as<VariantClass>()) {
      for (std::size_t i = 0; i < variant->options.size(); ++i)
        descend(*variant->options[i].field_class, program.child(node, i), next);
      return;
    }
    const bool scalar =
        source.as<BooleanClass>() != nullptr || source.as<IntegerClass>() != nullptr;
    const bool left_out = program.op(node) == EncodeOp::kSkip;
    if (!scalar || left_out || next != names_.size()) {
      failed_ = true;
      return;
    }
    located_.refs.push_back({.of_packet = &where_ != &fields_, .node = node});
    located_.leaves.push_back(&source);
  }

  // A location leads to a member that is called `name` in the target. Where it goes through
  // options, names are the same in each.
  void note_step(const std::string& name) {
    if (located_.refs.empty()) located_.names.push_back(name);
  }

  MappedFields& fields_;
  const MappedFields& where_;
  std::vector<std::string> names_;
  Located located_;
  bool failed_ = false;
};

void MappedFields::begin_root(Root root) {
  root_ = root;
  frames_.clear();
}

void MappedFields::end_root(const StructureClass& source, std::uint32_t node) {
  done_.push_back({root_, &source, node});
}

void MappedFields::open(OpenStructure structure) {
  if (!frames_.empty()) structure.via = frames_.back().current_name;
  frames_.push_back(std::move(structure));
}

OpenStructure MappedFields::close() {
  OpenStructure structure = std::move(frames_.back());
  frames_.pop_back();
  return structure;
}

void MappedFields::keep_members(std::uint32_t node, OpenStructure&& structure) {
  member_nodes_.emplace(node, DoneMembers{std::move(structure.nodes), std::move(structure.names)});
}

const MappedFields::DoneRoot* MappedFields::done_root(Root root) const {
  const auto found = std::ranges::find(done_, root, &DoneRoot::root);
  return found == done_.end() ? nullptr : &*found;
}

std::optional<Located> MappedFields::find(const FieldLocation& location) {
  auto step = location.path.begin();
  std::size_t frame = frames_.size() - 1;
  const MappedFields* where = this;
  const DoneRoot* done = nullptr;
  if (location.root == Root::kRelative) {
    for (; step != location.path.end() && !*step; ++step) {
      if (frame-- == 0) return {};
    }
  } else if (location.root == root_) {
    frame = 0;
  } else {
    done = done_root(location.root);
    if (done == nullptr && packet_ != nullptr) {
      where = packet_;
      done = packet_->done_root(location.root);
    }
    if (done == nullptr) return {};
  }
  std::vector<std::string> names;
  for (; step != location.path.end(); ++step) {
    if (!*step) return {};
    names.push_back(**step);
  }
  if (names.empty()) return {};
  Search search(*this, *where, std::move(names), location.root);
  if (done != nullptr) {
    search.in_structure(*done->source, done->node, 0);
    return std::move(search).found();
  }
  for (std::size_t next = 0;;) {
    const OpenStructure& in = frames_[frame];
    const std::size_t member = find_member(*in.source, search.names()[next]);
    if (member < in.current) {
      search.from_open(frame, member, next);
      return std::move(search).found();
    }
    // Else the member at hand leads there, or nothing does.
    if (member > in.current || ++next == search.names().size()) return {};
    if (++frame == frames_.size()) return {};
  }
}

// The members' number when there is none of that name.
std::size_t MappedFields::find_member(const StructureClass& structure, const std::string& name) {
  for (std::size_t i = 0; i < structure.members.size(); ++i) {
    if (++steps_ > kMostSteps) break;
    if (structure.members[i].name == name) return i;
  }
  if (steps_ > kMostSteps) program_.fail("the field locations of an event lead too far");
  return structure.members.size();
}

bool MappedFields::is_shadowed(const Located& located) const {
  for (std::size_t i = *located.frame + 1; i < frames_.size(); ++i) {
    if (frames_[i].taken.contains(located.names.front())) return true;
  }
  return false;
}

// CTF 1.8, 7.3.2: names are looked for outwards through structures.
FieldLocation MappedFields::target_location(const Located& located, Dialect dialect) const {
  FieldLocation made;
  const bool here = located.frame.has_value();
  const bool absolute =
      dialect == Dialect::kRc3 || !here ||
      (dialect == Dialect::kFinal ? located.root != Root::kRelative : is_shadowed(located));
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

FieldLocation MappedFields::added_location(const std::string& name, Dialect dialect) const {
  FieldLocation made;
  if (dialect == Dialect::kRc3) {
    made.root = root_;
    for (std::size_t i = 1; i < frames_.size(); ++i) made.path.emplace_back(frames_[i].via);
  }
  made.path.emplace_back(name);
  return made;
}

}  // namespace tracedeck::ctf
