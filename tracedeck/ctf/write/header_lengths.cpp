#include "tracedeck/ctf/write/header_lengths.hpp"

#include "tracedeck/ctf/class_nesting.hpp"
#include "tracedeck/ctf/write/metadata_text.hpp"
#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::ctf {
namespace {

using Root = FieldLocation::Root;

// The same for locations of the same field; empty: it is in no header.
std::string key_of(const FieldLocation& location) {
  if (location.root != Root::kPacketHeader && location.root != Root::kEventHeader) return {};
  std::string key = location.root == Root::kPacketHeader ? "p" : "e";
  for (const auto& step : location.path) {
    if (!step) return {};
    key.append(std::to_string(step->size())).append(":").append(*step);
  }
  return key;
}

const Extent* extent_of(const FieldClass& field_class) {
  if (const auto* const string = field_class.as<StringClass>()) return &string->extent;
  if (const auto* const blob = field_class.as<BlobClass>()) return &blob->extent;
  if (const auto* const array = field_class.as<ArrayClass>()) return &array->extent;
  return nullptr;
}

}  // namespace

void HeaderLengths::collect(const FieldClassPtr& field_class) {
  if (field_class != nullptr && held_.insert(field_class).second) collect(*field_class, 0);
}

void HeaderLengths::collect(const FieldClass& field_class, std::size_t depth) {
  if (depth > kClassNesting || !seen_.insert(&field_class).second) return;
  const Extent* const extent = extent_of(field_class);
  const auto* const length = extent == nullptr ? nullptr : std::get_if<LengthField>(extent);
  if (length != nullptr) {
    const std::string key = key_of(length->location);
    if (!key.empty()) indexes_.emplace(key, indexes_.size());
  }
  for_each_child(field_class, [&](const FieldClassPtr& inner) { collect(*inner, depth + 1); });
}

std::optional<std::size_t> HeaderLengths::find(const FieldLocation& location) const {
  const auto found = indexes_.find(key_of(location));
  if (found == indexes_.end()) return {};
  return found->second;
}

std::string header_length_name(std::size_t index) { return "length_" + std::to_string(index); }

}  // namespace tracedeck::ctf
