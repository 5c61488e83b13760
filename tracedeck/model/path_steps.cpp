#include "tracedeck/model/path_steps.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <system_error>
#include <utility>

#include "tracedeck/model/class_tree.hpp"
#include "tracedeck/model/labels.hpp"

namespace tracedeck {
namespace {

using Steps = std::span<const PathStep>;

// The step in the brackets that `path` begins with, which are taken off; nothing where they hold
// neither an index nor a name in quotes.
std::optional<PathStep> take_brackets(std::string_view& path) {
  if (path.size() < 3 || path.front() != '[') return {};
  PathStep step;
  std::size_t end = 0;
  if (const char quote = path[1]; quote == '"' || quote == '\'') {
    end = path.find(quote, 2);
    if (end == std::string_view::npos) return {};
    step.name = path.substr(2, end - 2);
    step.quoted = true;
    ++end;
  } else {
    const char* const last = path.data() + path.size();
    const auto [at, error] = std::from_chars(path.data() + 1, last, step.index);
    if (error != std::errc()) return {};
    step.kind = PathStep::Kind::kIndex;
    end = static_cast<std::size_t>(at - path.data());
  }
  if (end >= path.size() || path[end] != ']') return {};
  path.remove_prefix(end + 1);
  return step;
}

// The name that `path` begins with, up to a dot or brackets, which is taken off.
PathStep take_name(std::string_view& path) {
  std::size_t end = 0;
  for (; end < path.size() && path[end] != '.'; ++end) {
    std::string_view rest = path.substr(end);
    if (path[end] == '[' && take_brackets(rest)) break;
  }
  PathStep step{.name = std::string(path.substr(0, end))};
  path.remove_prefix(end);
  return step;
}

// Takes `text` off the beginning of `name`, if it begins so.
bool take(std::string_view& name, std::string_view text) {
  if (!name.starts_with(text)) return false;
  name.remove_prefix(text.size());
  return true;
}

// Looks at each class once for each step, however often classes are shared.
class Reachable {
 public:
  bool operator()(const FieldClass* field_class, Steps steps) {
    if (steps.empty() || field_class == nullptr || field_class->as<DynamicClass>() != nullptr)
      return true;
    if (!seen_.emplace(field_class, steps.size()).second) return false;
    if (const auto* const optional = field_class->as<OptionalClass>())
      return (*this)(optional->value.get(), steps);
    if (const auto* const variant = field_class->as<VariantClass>()) {
      return std::ranges::any_of(variant->options, [&](const VariantOption& option) {
        return (*this)(option.field_class.get(), steps);
      });
    }
    if (const auto* const structure = field_class->as<StructureClass>()) {
      return std::ranges::any_of(structure->members, [&](const Member& member) {
        const std::size_t spelled = steps_that_spell(member.name, steps);
        return spelled != 0 && (*this)(member.field_class.get(), steps.subspan(spelled));
      });
    }
    const PathStep& step = steps.front();
    const Steps rest = steps.subspan(1);
    if (const auto* const array = field_class->as<ArrayClass>())
      return step.kind != PathStep::Kind::kMember && (*this)(array->element.get(), rest);
    if (const auto* const map = field_class->as<MapClass>()) {
      // A key may be spelled by any number of them.
      for (std::size_t i = 1; step.kind != PathStep::Kind::kEach && i <= steps.size(); ++i) {
        if ((*this)(map->value.get(), steps.subspan(i))) return true;
      }
    }
    return false;
  }

 private:
  std::set<std::pair<const FieldClass*, std::size_t>> seen_;
};

// How many of the steps lead to the value of `key`; 0: none.
std::size_t steps_to_key(const Slot& key, Steps steps) {
  if (key.kind == SlotKind::kString) return steps_that_spell(key.text(), steps);
  if (steps.front().kind != PathStep::Kind::kIndex) return 0;
  const auto number = integer_value(key);
  return number && *number == steps.front().index ? 1 : 0;
}

// How many steps a name can be spelled by, at most.
std::size_t most_spelled(Steps steps) {
  if (steps.front().quoted || steps.front().kind != PathStep::Kind::kMember) return 1;
  const auto end = std::find_if(steps.begin() + 1, steps.end(), [](const PathStep& step) {
    return step.quoted || step.kind == PathStep::Kind::kEach;
  });
  return static_cast<std::size_t>(end - steps.begin());
}

Located find_in_map(Located map, Steps& steps) {
  const auto* const map_class =
      map.field_class == nullptr ? nullptr : map.field_class->as<MapClass>();
  const FieldClass* const value_class = map_class == nullptr ? nullptr : map_class->value.get();
  const std::size_t most = most_spelled(steps);
  std::size_t spelled = 0;
  Located found;
  const Slot* slot = map.slot + 1;
  for (std::uint64_t i = 0; i < map.slot->bits && spelled < most; ++i) {
    const Slot* const value = slot->next();
    if (const std::size_t count = steps_to_key(*slot, steps); count > spelled) {
      spelled = count;
      found = {value, value_class};
    }
    slot = value->next();
  }
  steps = steps.subspan(spelled);
  return found;
}

Located find_in_structure(Located from, Steps& steps) {
  const auto* const structure =
      from.field_class == nullptr ? nullptr : from.field_class->as<StructureClass>();
  const auto found = structure == nullptr ? std::nullopt : find_member(*structure, steps);
  if (!found) return {};
  const Slot* slot = from.slot + 1;
  for (std::size_t i = 0; i < found->member; ++i) slot = slot->next();
  steps = steps.subspan(found->steps);
  return {slot, structure->members[found->member].field_class.get()};
}

Located find_in_array(Located array, Steps& steps) {
  if (steps.front().kind != PathStep::Kind::kIndex) return {};
  const auto index = element_index(steps.front().index, array.slot->bits);
  if (!index) return {};
  const Slot* slot = array.slot + 1;
  for (std::uint64_t i = 0; i < *index; ++i) slot = slot->next();
  steps = steps.subspan(1);
  return {slot, element_class(array.field_class)};
}

}  // namespace

std::vector<PathStep> parse_path(std::string_view path) {
  std::vector<PathStep> steps;
  while (!path.empty()) {
    if (auto step = take_brackets(path)) {
      steps.push_back(*std::move(step));
    } else {
      if (!steps.empty()) take(path, ".");
      steps.push_back(take_name(path));
    }
  }
  return steps;
}

std::size_t steps_that_spell(std::string_view name, Steps steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const PathStep& step = steps[i];
    if (step.kind == PathStep::Kind::kEach || (step.quoted && i != 0)) return 0;
    if (step.kind == PathStep::Kind::kIndex) {
      if (i == 0 || !take(name, "[" + std::to_string(step.index) + "]")) return 0;
    } else if ((i != 0 && !take(name, ".")) || !take(name, step.name)) {
      return 0;
    }
    if (name.empty()) return i + 1;
    if (step.quoted) return 0;
  }
  return 0;
}

bool can_have(const FieldClass* field_class, Steps steps) {
  return Reachable()(field_class, steps);
}

std::optional<MemberStep> find_member(const StructureClass& structure, Steps steps) {
  std::optional<MemberStep> longest;
  std::optional<MemberStep> leading_on;
  for (std::size_t i = 0; i < structure.members.size(); ++i) {
    const std::size_t spelled = steps_that_spell(structure.members[i].name, steps);
    if (spelled == 0) continue;
    const MemberStep step{.member = i, .steps = spelled};
    if (!longest) {
      longest = step;
      continue;
    }
    // Only where there are several it matters what lies behind them.
    const auto leads_on = [&](const MemberStep& each) {
      return can_have(structure.members[each.member].field_class.get(), steps.subspan(each.steps));
    };
    if (!leading_on && leads_on(*longest)) leading_on = longest;
    if ((!leading_on || spelled > leading_on->steps) && leads_on(step)) leading_on = step;
    if (spelled > longest->steps) longest = step;
  }
  return leading_on ? leading_on : longest;
}

bool is_ambiguous(const StructureClass& structure, Steps steps) {
  std::size_t ways = 0;
  for (const Member& member : structure.members) {
    const std::size_t spelled = steps_that_spell(member.name, steps);
    if (spelled == 0) continue;
    const Steps rest = steps.subspan(spelled);
    if (!can_have(member.field_class.get(), rest)) continue;
    const auto* const inside = member.field_class->as<StructureClass>();
    if (++ways > 1 || (!rest.empty() && inside != nullptr && is_ambiguous(*inside, rest)))
      return true;
  }
  return false;
}

Located unwrapped(Located from) {
  while (from.slot != nullptr &&
         (from.slot->kind == SlotKind::kOptional || from.slot->kind == SlotKind::kVariant)) {
    if (from.slot->kind == SlotKind::kOptional && from.slot->bits == 0) return {};
    from = {from.slot + 1, held_class(*from.slot, from.field_class)};
  }
  return from;
}

Located follow(Located from, Steps& steps) {
  from = unwrapped(from);
  while (from.slot != nullptr && !steps.empty() && from.slot->kind != SlotKind::kPackedArray) {
    switch (from.slot->kind) {
      case SlotKind::kStructure:
        from = unwrapped(find_in_structure(from, steps));
        break;
      case SlotKind::kStringMap:
      case SlotKind::kMap:
        from = unwrapped(find_in_map(from, steps));
        break;
      case SlotKind::kArray:
        from = unwrapped(find_in_array(from, steps));
        break;
      default:
        return {};
    }
  }
  return from;
}

std::optional<std::uint64_t> element_index(std::int64_t index, std::uint64_t count) {
  const std::uint64_t from_end = std::uint64_t{0} - static_cast<std::uint64_t>(index);
  if (index < 0) return from_end <= count ? std::optional(count - from_end) : std::nullopt;
  const auto from_begin = static_cast<std::uint64_t>(index);
  return from_begin < count ? std::optional(from_begin) : std::nullopt;
}

}  // namespace tracedeck
