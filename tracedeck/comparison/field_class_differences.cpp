#include "tracedeck/comparison/field_class_differences.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tracedeck/comparison/property_differences.hpp"
#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::comparison {
namespace {

std::string ranges_in_words(const IntegerRanges& ranges) {
  std::string text;
  for (const IntegerRange& each : ranges) {
    if (!text.empty()) text += ", ";
    text += each.lower.to_string();
    if (each.upper != each.lower) text += ".." + each.upper.to_string();
  }
  return text;
}

std::string location_in_words(const FieldLocation& location) {
  static constexpr std::array<std::string_view, 7> kRoots = {
      "", "packet-header", "packet-context", "event-header", "common", "specific", "payload"};
  std::string text(kRoots[std::to_underlying(location.root)]);
  for (const std::optional<std::string>& step : location.path) text += '/' + step.value_or("..");
  return text;
}

std::string location_in_words(const std::optional<FieldLocation>& location) {
  return location ? location_in_words(*location) : "directly before";
}

// How the length of something is known, without byte order.
std::string extent_in_words(const Extent& extent) {
  if (std::holds_alternative<NullTerminated>(extent)) return "null-terminated";
  if (std::holds_alternative<RestOfRecord>(extent)) return "rest of the record";
  if (const auto* const fixed = std::get_if<StaticLength>(&extent))
    return "static " + std::to_string(fixed->length);
  if (const auto* const prefix = std::get_if<LengthPrefixed>(&extent))
    return "length of " + std::to_string(prefix->width) + " bits before it";
  return "length at " + location_in_words(std::get<LengthField>(extent).location);
}

std::string labels_in_words(std::span<const Mapping> mappings) {
  static constexpr std::size_t kMost = 3;
  std::string text = std::to_string(mappings.size());
  for (const Mapping& each : mappings.first(std::min(kMost, mappings.size())))
    text += " " + each.label.str() + "=" + ranges_in_words(each.ranges);
  return text;
}

bool same_labels(std::span<const Mapping> left, std::span<const Mapping> right) {
  return std::ranges::equal(left, right, [](const Mapping& a, const Mapping& b) {
    return a.label == b.label.view() && a.ranges == b.ranges;
  });
}

std::uint32_t fixed_width(const IntegerClass& integer) {
  const auto* const layout = std::get_if<FixedLayout>(&integer.layout);
  return layout == nullptr ? 0 : layout->width;
}

// Two trees of classes.
class FieldClassComparison {
 public:
  FieldClassComparison(const std::string& class_name, Differences& found)
      : class_name_(class_name), found_(found) {}

  void compare(const FieldClass* left, const FieldClass* right, const std::string& path) {
    if (left == right) return;
    if (left == nullptr || right == nullptr || left->kind.index() != right->kind.index()) {
      return of_class(path).add("kind", word(left), word(right));
    }
    // Scalars that are shared differ wherever they stand; compounds may be shared without end.
    if (is_compound(*left) && !seen_.emplace(left, right).second) return;
    of_class(path).compare(left->attributes, right->attributes);
    std::visit(
        [&](const auto& a) {
          kinds(a, std::get<std::remove_cvref_t<decltype(a)>>(right->kind), path);
        },
        left->kind);
  }

 private:
  static std::string word(const FieldClass* field_class) {
    return field_class == nullptr ? "" : std::string(kind_name(*field_class));
  }
  [[nodiscard]] PropertyDifferences of_class(const std::string& path) const {
    return {found_, DifferenceKind::kClass, class_name_, path};
  }
  [[nodiscard]] PropertyDifferences of_encoding(const std::string& path) const {
    return {found_, DifferenceKind::kEncoding, class_name_, path};
  }
  static std::string below(const std::string& path, const Name& name) {
    return path.empty() ? name.str() : path + '.' + name.str();
  }
  void extents(const Extent& a, const Extent& b, const std::string& path) const {
    of_encoding(path).compare("length", extent_in_words(a), extent_in_words(b));
  }

  void kinds(const BooleanClass& a, const BooleanClass& b, const std::string& path) {
    of_class(path).compare("width", a.layout.width, b.layout.width);
  }
  void kinds(const IntegerClass& a, const IntegerClass& b, const std::string& path) {
    const PropertyDifferences properties = of_class(path);
    properties.compare("signed", a.is_signed, b.is_signed);
    if (a.layout.index() != b.layout.index()) {
      of_encoding(path).add("LEB128", in_words(fixed_width(a) == 0), in_words(fixed_width(b) == 0));
    } else {
      properties.compare("width", fixed_width(a), fixed_width(b));
    }
    properties.compare("form", std::to_underlying(a.form), std::to_underlying(b.form));
    properties.compare("display base", std::to_underlying(a.display_base),
                       std::to_underlying(b.display_base));
    if (!same_labels(a.mappings, b.mappings))
      properties.add("labels", labels_in_words(a.mappings), labels_in_words(b.mappings));
  }
  void kinds(const RealClass& a, const RealClass& b, const std::string& path) {
    of_class(path).compare("width", a.layout.width, b.layout.width);
  }
  void kinds(const StringClass& a, const StringClass& b, const std::string& path) {
    const PropertyDifferences properties = of_encoding(path);
    properties.compare("text encoding", std::to_underlying(a.encoding),
                       std::to_underlying(b.encoding));
    properties.compare("interned", a.interned, b.interned);
    extents(a.extent, b.extent, path);
  }
  void kinds(const BlobClass& a, const BlobClass& b, const std::string& path) {
    of_class(path).compare("media type", a.media_type.view(), b.media_type.view());
    extents(a.extent, b.extent, path);
  }
  void kinds(const ArrayClass& a, const ArrayClass& b, const std::string& path) {
    of_encoding(path).compare("interned", a.interned, b.interned);
    extents(a.extent, b.extent, path);
    compare(a.element.get(), b.element.get(), path + "[]");
  }
  void kinds(const StructureClass& a, const StructureClass& b, const std::string& path) {
    members(a.members, b.members, path);
  }
  void kinds(const MapClass& a, const MapClass& b, const std::string& path) {
    compare(a.key.get(), b.key.get(), path + "{}");
    compare(a.value.get(), b.value.get(), path + "{}");
  }
  void kinds(const OptionalClass& a, const OptionalClass& b, const std::string& path) {
    selectors(a.presence.selector, b.presence.selector, path);
    of_class(path).compare("ranges of presence", ranges_in_words(a.presence.ranges),
                           ranges_in_words(b.presence.ranges));
    compare(a.value.get(), b.value.get(), path);
  }
  void kinds(const VariantClass& a, const VariantClass& b, const std::string& path) {
    selectors(a.selector, b.selector, path);
    members(a.options, b.options, path);
  }
  void kinds(const DynamicClass&, const DynamicClass&, const std::string&) {}

  void selectors(const std::optional<FieldLocation>& a, const std::optional<FieldLocation>& b,
                 const std::string& path) const {
    of_encoding(path).compare("selector", location_in_words(a), location_in_words(b));
  }

  void alike(const Member& a, const Member& b, const std::string& path) {
    of_class(path).compare(a.attributes, b.attributes);
  }
  void alike(const VariantOption& a, const VariantOption& b, const std::string& path) {
    of_class(path).compare(a.attributes, b.attributes);
    of_class(path).compare("ranges of the option", ranges_in_words(a.ranges),
                           ranges_in_words(b.ranges));
  }

  // Pairs members, or options, by their names, those of the same name in their order.
  template <class Part>
  void members(const std::vector<Part>& left, const std::vector<Part>& right,
               const std::string& path) {
    std::vector<bool> paired(right.size(), false);
    std::size_t next = 0;
    bool in_order = true;
    for (const Part& a : left) {
      std::size_t at = next;
      const auto is_it = [&](std::size_t i) {
        return i < right.size() && !paired[i] && right[i].name == a.name.view();
      };
      if (!is_it(at)) {
        at = 0;
        while (at < right.size() && !is_it(at)) ++at;
      }
      if (at == right.size()) {
        of_class(below(path, a.name)).add("missing", word(a.field_class.get()), "");
        continue;
      }
      in_order = in_order && at >= next;
      paired[at] = true;
      next = at + 1;
      alike(a, right[at], below(path, a.name));
      compare(a.field_class.get(), right[at].field_class.get(), below(path, a.name));
    }
    for (std::size_t i = 0; i < right.size(); ++i) {
      if (!paired[i])
        of_class(below(path, right[i].name)).add("missing", "", word(right[i].field_class.get()));
    }
    if (!in_order) of_class(path).add("order of members", "", "");
  }

  const std::string& class_name_;
  Differences& found_;
  std::set<std::pair<const FieldClass*, const FieldClass*>> seen_;
};

}  // namespace

void compare_field_classes(const FieldClass* left, const FieldClass* right,
                           const std::string& class_name, const std::string& prefix,
                           Differences& found) {
  FieldClassComparison(class_name, found).compare(left, right, prefix);
}

}  // namespace tracedeck::comparison
