#include "tracedeck/field_path.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace tracedeck {
namespace {

// Whether values of the class take one slot each, whatever they are.
bool takes_one_slot(const FieldClass& field_class) {
  return field_class.as<BooleanClass>() != nullptr || field_class.as<IntegerClass>() != nullptr ||
         field_class.as<RealClass>() != nullptr || field_class.as<StringClass>() != nullptr ||
         field_class.as<BlobClass>() != nullptr;
}

// The member that the path goes on with, that of the longest name; the number of members if there
// is none.
std::size_t find_member(const StructureClass& structure, std::string_view path) {
  std::size_t found = structure.members.size();
  for (std::size_t i = 0; i < structure.members.size(); ++i) {
    const std::string_view name = structure.members[i].name;
    if (goes_on_with(path, name) &&
        (found == structure.members.size() || name.size() > structure.members[found].name.size()))
      found = i;
  }
  return found;
}

}  // namespace

std::optional<std::size_t> take_index(std::string_view& path) {
  if (!path.starts_with('[')) return {};
  std::size_t index = 0;
  const char* const end = path.data() + path.size();
  const auto [at, error] = std::from_chars(path.data() + 1, end, index);
  if (error != std::errc() || at == end || *at != ']') return {};
  path.remove_prefix(static_cast<std::size_t>(at - path.data()) + 1);
  if (path.starts_with('.')) path.remove_prefix(1);
  return index;
}

bool goes_on_with(std::string_view path, std::string_view name) {
  return path.starts_with(name) &&
         (path.size() == name.size() || path[name.size()] == '.' || path[name.size()] == '[');
}

void take_name(std::string_view& path, std::size_t length) {
  path.remove_prefix(length);
  if (path.starts_with('.')) path.remove_prefix(1);
}

FieldRoute::FieldRoute(std::string_view path, const FieldClass* members) : path_(path) {
  std::string_view rest = path_;
  const FieldClass* at = members;
  while (at != nullptr && !rest.empty()) {
    const auto* const structure = at->as<StructureClass>();
    if (structure == nullptr) break;
    // The members of the root have no head before them.
    const std::uint32_t head = at == members ? 0 : 1;
    const std::size_t member = find_member(*structure, rest);
    if (member == structure->members.size()) {
      at = nullptr;
      break;
    }
    const bool fixed =
        steps_.empty() &&
        std::all_of(structure->members.begin(),
                    structure->members.begin() + static_cast<std::ptrdiff_t>(member),
                    [](const Member& before) { return takes_one_slot(*before.field_class); });
    const auto values = static_cast<std::uint32_t>(member);
    if (fixed) {
      direct_ += head + values;
    } else {
      if (head != 0) steps_.push_back({.values = 0, .into = true});
      steps_.push_back({.values = values, .into = false});
    }
    take_name(rest, structure->members[member].name.size());
    at = structure->members[member].field_class.get();
  }
  field_class_ = rest.size() == path_.size() ? nullptr : at;
  plain_ = steps_.empty() && rest.empty();
  rest_ = path_.size() - rest.size();
}

Value FieldRoute::follow(const Slot* slot) const {
  for (const Step& step : steps_) {
    for (std::uint32_t i = 0; i < step.values; ++i) slot = slot->next();
    if (step.into) ++slot;
  }
  const Value value(slot, field_class_);
  return rest_ == path_.size() ? value : value[std::string_view(path_).substr(rest_)];
}

ContextRoute::ContextRoute(std::string_view path, const EventClass& event_class)
    : specific_(path, event_class.specific_context.get()),
      common_(path, event_class.stream_class == nullptr
                        ? nullptr
                        : event_class.stream_class->common_context.get()),
      packet_(path, event_class.stream_class == nullptr
                        ? nullptr
                        : event_class.stream_class->packet_context.get()) {}

Value ContextRoute::in(const Event& event) const {
  if (const Value value = specific_.in(event.specific_context())) return value;
  if (const Value value = common_.in(event.common_context())) return value;
  return event.packet == nullptr ? Value() : packet_.in(event.packet->context);
}

}  // namespace tracedeck
