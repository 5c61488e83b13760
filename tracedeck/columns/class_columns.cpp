#include "tracedeck/columns/class_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/columns/timestamp.hpp"
#include "tracedeck/model/labels.hpp"

namespace tracedeck::columns {
namespace {

// Deeper fields are JSON: engines bound the depth of nested types.
constexpr unsigned kMostDepth = 24;
// Leaves of a class; fields that would add more are JSON. Shared classes can multiply without end.
constexpr std::uint64_t kMostLeaves = 4096;

constexpr std::uint32_t kDecimalUnsignedBits = 126;  // below 10^38
constexpr std::uint32_t kDecimalSignedBits = 127;

Column leaf(std::string name, ColumnType type) {
  Column column{.name = std::move(name), .type = type};
  if (type == ColumnType::kWord) column.words = std::make_shared<Words>();
  return column;
}

Column integer_leaf(std::string name, std::uint8_t width, bool is_signed) {
  Column column = leaf(std::move(name), ColumnType::kInteger);
  column.width = width;
  column.is_signed = is_signed;
  return column;
}

Column nullable(Column column) {
  column.nullable = true;
  return column;
}

char lower(char character) {
  return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a')
                                              : character;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string lower_name(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(), lower);
  return text;
}

// A name as a column can have it: not empty, UTF-8, without the character that ends names in C.
std::string column_name(std::string_view name) {
  std::string text = repaired_utf8(name);
  std::ranges::replace(text, '\0', '_');
  return text.empty() ? "_" : text;
}

// How many leaves a class becomes, as far as that matters.
class LeafCounter {
 public:
  std::uint64_t count(const FieldClass& field_class) {
    const auto found = counts_.find(&field_class);
    if (found != counts_.end()) return found->second;
    const std::uint64_t counted = std::min(kMostLeaves + 1, sum(field_class));
    counts_.emplace(&field_class, counted);
    return counted;
  }

 private:
  std::uint64_t sum(const FieldClass& field_class) {
    std::uint64_t leaves = 0;
    if (const auto* const structure = field_class.as<StructureClass>()) {
      for (const Member& member : structure->members) leaves += count(*member.field_class);
    } else if (const auto* const variant = field_class.as<VariantClass>()) {
      for (const VariantOption& option : variant->options) leaves += count(*option.field_class);
      ++leaves;
    } else if (const auto* const array = field_class.as<ArrayClass>()) {
      leaves = count(*array->element);
    } else if (const auto* const optional = field_class.as<OptionalClass>()) {
      leaves = count(*optional->value);
    } else if (const auto* const map = field_class.as<MapClass>()) {
      leaves = (map->key == nullptr ? 1 : count(*map->key)) +
               (map->value == nullptr ? 1 : count(*map->value));
    } else if (as_enumeration(&field_class) != nullptr) {
      leaves = 2;
    }
    return std::max<std::uint64_t>(1, leaves);
  }

  std::unordered_map<const FieldClass*, std::uint64_t> counts_;
};

class Builder {
 public:
  // `made`: with the columns that come before fields.
  explicit Builder(ClassColumns made) : made_(std::move(made)) {
    next_column_ = static_cast<std::uint32_t>(in_order(made_.root).size());
  }

  StepRange group(const char* name, const FieldClassPtr& field_class, bool is_nullable) {
    Column column = leaf(free_name(made_.root, name), ColumnType::kGroup);
    column.nullable = is_nullable;
    take_number();
    const StepRange range = members(column, field_class, column.name, 1);
    made_.root.children.push_back(std::move(column));
    return range;
  }
  StepRange fields(const FieldClassPtr& field_class) {
    return members(made_.root, field_class, {}, 0);
  }
  ClassColumns& made() { return made_; }
  ClassColumns take() && { return std::move(made_); }

 private:
  StepRange members(Column& into, const FieldClassPtr& field_class, std::string_view path,
                    unsigned depth) {
    made_.kept.push_back(field_class);
    const std::uint32_t begin = next_step();
    if (const auto* const structure = field_class->as<StructureClass>())
      add_members(into, *structure, path, depth);
    return {begin, next_step()};
  }

  void add_members(Column& into, const StructureClass& structure, std::string_view path,
                   unsigned depth) {
    TextMap<bool> taken;
    for (const Column& child : into.children) taken.emplace(lower_name(child.name), true);
    const auto unused = [&](const std::string& wanted) {
      std::string name = wanted;
      for (unsigned i = 2; !taken.emplace(lower_name(name), true).second; ++i)
        name = fmt::format("{}_{}", wanted, i);
      return name;
    };
    for (const Member& member : structure.members) {
      const std::string name = unused(column_name(member.name));
      const std::string here =
          path.empty() ? member.name.str() : fmt::format("{}.{}", path, member.name.view());
      if (name != member.name.view()) made_.renamed.push_back({here, name});
      const IntegerClass* const labelled = as_enumeration(member.field_class.get());
      if (labelled == nullptr) {
        into.children.push_back(value(name, *member.field_class, here, depth));
        continue;
      }
      const std::string label = unused(name + "_label");
      add_enumeration(into, name, label, *member.field_class, *labelled);
    }
  }

  // A column for the value and one for its label.
  void add_enumeration(Column& into, std::string name, std::string label,
                       const FieldClass& field_class, const IntegerClass& integer) {
    const std::uint32_t labels = next_column_ + 1;
    const std::uint32_t step = add(Op::kLabel, labels);
    made_.steps[step].extra = made_.labels++;
    made_.steps[step].field_class = &field_class;
    into.children.push_back(integer_value(std::move(name), integer, field_class));
    take_number();
    ++leaves_;
    into.children.push_back(nullable(leaf(std::move(label), ColumnType::kWord)));
  }

  bool falls_back(const FieldClass& field_class, unsigned depth) {
    const std::uint64_t leaves = counter_.count(field_class);
    return depth >= kMostDepth || (leaves > 1 && leaves_ + leaves > kMostLeaves);
  }

  // Whether the column of a class is nullable by itself.
  bool makes_null(const FieldClass& field_class, unsigned depth) {
    if (falls_back(field_class, depth)) return false;
    const auto* const array = field_class.as<ArrayClass>();
    return field_class.as<OptionalClass>() != nullptr || (array != nullptr && array->interned);
  }

  Column value(std::string name, const FieldClass& field_class, std::string_view path,
               unsigned depth) {
    if (falls_back(field_class, depth)) {
      made_.as_json.emplace_back(path);
      return simple(std::move(name), ColumnType::kText, Op::kJson, field_class);
    }
    if (field_class.as<BooleanClass>() != nullptr)
      return simple(std::move(name), ColumnType::kBoolean, Op::kBoolean, field_class);
    if (const auto* const integer = field_class.as<IntegerClass>())
      return integer->form == IntegerClass::Form::kEnumeration
                 ? enumeration(std::move(name), *integer, field_class)
                 : integer_value(std::move(name), *integer, field_class);
    if (const auto* const real = field_class.as<RealClass>())
      return real->layout.width <= 32
                 ? simple(std::move(name), ColumnType::kFloat, Op::kFloat, field_class)
                 : simple(std::move(name), ColumnType::kDouble, Op::kDouble, field_class);
    if (field_class.as<StringClass>() != nullptr)
      return simple(std::move(name), ColumnType::kText, Op::kText, field_class);
    if (field_class.as<BlobClass>() != nullptr)
      return simple(std::move(name), ColumnType::kBytes, Op::kBytes, field_class);
    if (const auto* const structure = field_class.as<StructureClass>())
      return nested(std::move(name), *structure, field_class, path, depth);
    if (const auto* const array = field_class.as<ArrayClass>())
      return list(std::move(name), *array, field_class, path, depth);
    if (const auto* const map = field_class.as<MapClass>())
      return pairs(std::move(name), *map, path, depth);
    if (const auto* const optional = field_class.as<OptionalClass>())
      return optional_value(std::move(name), *optional, path, depth);
    if (const auto* const variant = field_class.as<VariantClass>())
      return options(std::move(name), *variant, path, depth);
    return simple(std::move(name), ColumnType::kText, Op::kJson, field_class);
  }

  Column simple(std::string name, ColumnType type, Op op, const FieldClass& field_class) {
    const std::uint32_t step = add(op, take_number());
    made_.steps[step].field_class = &field_class;
    ++leaves_;
    return leaf(std::move(name), type);
  }

  Column integer_value(std::string name, const IntegerClass& integer,
                       const FieldClass& field_class) {
    const auto* const layout = std::get_if<FixedLayout>(&integer.layout);
    if (layout == nullptr && made_.wide)
      return simple(std::move(name), ColumnType::kText, Op::kDigits, field_class);
    const std::uint32_t bits = layout == nullptr ? 64 : layout->width;
    if (bits > 64) {
      const bool fits = bits <= (integer.is_signed ? kDecimalSignedBits : kDecimalUnsignedBits);
      return fits ? simple(std::move(name), ColumnType::kDecimal, Op::kDecimal, field_class)
                  : simple(std::move(name), ColumnType::kText, Op::kDigits, field_class);
    }
    const std::uint32_t step = add(bits > 32 ? Op::kInteger64 : Op::kInteger32, take_number());
    made_.steps[step].checks = layout == nullptr;
    made_.steps[step].field_class = &field_class;
    ++leaves_;
    const std::uint8_t width = bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64;
    return integer_leaf(std::move(name), width, integer.is_signed);
  }

  // Where there is room for one column only: a group of the value and its label.
  Column enumeration(std::string name, const IntegerClass& integer, const FieldClass& field_class) {
    Column group = leaf(std::move(name), ColumnType::kGroup);
    take_number();
    add_enumeration(group, "value", "label", field_class, integer);
    return group;
  }

  Column nested(std::string name, const StructureClass& structure, const FieldClass& field_class,
                std::string_view path, unsigned depth) {
    Column group = leaf(std::move(name), ColumnType::kGroup);
    const std::uint32_t number = take_number();
    if (structure.members.empty()) {
      group.children.push_back(simple("present", ColumnType::kBoolean, Op::kPresent, field_class));
      return group;
    }
    const std::uint32_t step = add(Op::kStructure, number);
    add_members(group, structure, path, depth + 1);
    made_.steps[step].end = next_step();
    return group;
  }

  Column list(std::string name, const ArrayClass& array, const FieldClass& field_class,
              std::string_view path, unsigned depth) {
    Column column = leaf(std::move(name), ColumnType::kList);
    column.nullable = array.interned;
    const std::uint32_t step = add(Op::kArray, take_number());
    made_.steps[step].nullable = array.interned;
    made_.steps[step].field_class = &field_class;
    column.children.push_back(value("element", *array.element, path, depth + 1));
    made_.steps[step].end = next_step();
    return column;
  }

  Column pairs(std::string name, const MapClass& map, std::string_view path, unsigned depth) {
    Column column = leaf(std::move(name), ColumnType::kList);
    const std::uint32_t step = add(Op::kMap, take_number());
    Column pair = leaf("element", ColumnType::kGroup);
    take_number();
    static const FieldClassPtr kAny = make_field_class(DynamicClass{});
    const FieldClass& key = map.key == nullptr ? *kAny : *map.key;
    const FieldClass& content = map.value == nullptr ? *kAny : *map.value;
    pair.children.push_back(value("key", key, path, depth + 2));
    pair.children.push_back(value("value", content, path, depth + 2));
    column.children.push_back(std::move(pair));
    made_.steps[step].end = next_step();
    return column;
  }

  Column optional_value(std::string name, const OptionalClass& optional, std::string_view path,
                        unsigned depth) {
    const std::uint32_t step = add(Op::kOptional, next_column_);
    Column column = nullable_value(std::move(name), *optional.value, path, depth);
    made_.steps[step].end = next_step();
    return column;
  }

  // The column of a value that may not be there. One that may be null itself stands in a group.
  Column nullable_value(std::string name, const FieldClass& field_class, std::string_view path,
                        unsigned depth) {
    if (!makes_null(field_class, depth + 1))
      return nullable(value(std::move(name), field_class, path, depth + 1));
    Column group = nullable(leaf(std::move(name), ColumnType::kGroup));
    take_number();
    group.children.push_back(value("value", field_class, path, depth + 2));
    return group;
  }

  Column options(std::string name, const VariantClass& variant, std::string_view path,
                 unsigned depth) {
    Column group = leaf(std::move(name), ColumnType::kGroup);
    const std::uint32_t step = add(Op::kVariant, take_number());
    made_.steps[step].extra = static_cast<std::uint32_t>(made_.options.size());
    made_.options.resize(made_.options.size() + variant.options.size());
    take_number();
    ++leaves_;
    Column tag = leaf("tag", ColumnType::kWord);
    for (const VariantOption& option : variant.options) tag.words->add(repaired_utf8(option.name));
    group.children.push_back(std::move(tag));
    std::vector<std::uint32_t> jumps;
    for (std::size_t i = 0; i < variant.options.size(); ++i) {
      const VariantOption& option = variant.options[i];
      made_.options[made_.steps[step].extra + i] = next_step();
      const std::string here = fmt::format("{}.{}", path, option.name.view());
      const std::string column = free_name(group, column_name(option.name));
      if (column != option.name.view()) made_.renamed.push_back({here, column});
      const std::uint32_t option_step = add(Op::kOption, next_column_);
      group.children.push_back(nullable_value(column, *option.field_class, here, depth));
      jumps.push_back(add(Op::kJump, 0));
      made_.steps[option_step].end = next_step();
    }
    for (const std::uint32_t jump : jumps) made_.steps[jump].end = next_step();
    made_.steps[step].end = next_step();
    return group;
  }

  std::uint32_t take_number() { return next_column_++; }
  [[nodiscard]] std::uint32_t next_step() const {
    return static_cast<std::uint32_t>(made_.steps.size());
  }
  // A step, for now one that belongs to itself alone.
  std::uint32_t add(Op op, std::uint32_t column) {
    const std::uint32_t step = next_step();
    made_.steps.push_back({.op = op, .column = column, .end = step + 1});
    return step;
  }

  ClassColumns made_;
  LeafCounter counter_;
  std::uint32_t next_column_ = 0;
  std::uint64_t leaves_ = 0;
};

}  // namespace

std::string free_name(const Column& parent, std::string_view name) {
  std::string found(name);
  const auto is_taken = [&] {
    return std::ranges::any_of(parent.children,
                               [&](const Column& child) { return same_name(child.name, found); });
  };
  for (unsigned i = 2; is_taken(); ++i) found = fmt::format("{}_{}", name, i);
  return found;
}

ClassColumns common_columns(bool has_duration, const TableOptions& options, bool wide) {
  ClassColumns made{.wide = wide};
  std::vector<Column>& columns = made.root.children;
  const auto number = [&] { return static_cast<std::uint32_t>(columns.size()); };
  const auto time_leaf = [&](std::string_view name) {
    return nullable(wide ? leaf(std::string(name), ColumnType::kDecimal)
                         : integer_leaf(std::string(name), 64, true));
  };
  columns.push_back(time_leaf(kTimeColumn));
  if (options.timestamps) columns.push_back(timestamp_column("time"));
  if (options.clock_values) columns.push_back(nullable(integer_leaf("clock_value", 64, false)));
  made.clock = number() - 1;
  if (has_duration) {
    made.duration = number();
    columns.push_back(time_leaf("duration_ns"));
  }
  made.trace = number();
  columns.push_back(leaf("trace", ColumnType::kWord));
  made.stream = number();
  columns.push_back(nullable(leaf("stream", ColumnType::kWord)));
  made.seq = number();
  columns.push_back(integer_leaf("seq", 64, true));
  made.first_tag = number();
  made.tags = static_cast<std::uint32_t>(options.tags.size());
  for (const auto& [key, value] : options.tags) {
    Column tag = leaf(free_name(made.root, column_name(key)), ColumnType::kWord);
    tag.words->add(repaired_utf8(value));
    columns.push_back(std::move(tag));
  }
  return made;
}

ClassColumns columns_of(const EventClass& event_class, const TableOptions& options, bool wide) {
  Builder builder(common_columns(event_class.has_duration, options, wide));
  ClassColumns& made = builder.made();
  const DataStreamClass* const stream = event_class.stream_class;
  const auto has_members = [](const FieldClassPtr& field_class) {
    const auto* const structure =
        field_class == nullptr ? nullptr : field_class->as<StructureClass>();
    return structure != nullptr && !structure->members.empty();
  };
  if (stream != nullptr && has_members(stream->packet_context)) {
    made.packet_column = static_cast<std::uint32_t>(made.root.children.size());
    made.packet = builder.group("packet", stream->packet_context, true);
  }
  if (stream != nullptr && has_members(stream->common_context))
    made.common = builder.group("common", stream->common_context, false);
  if (has_members(event_class.specific_context))
    made.specific = builder.group("specific", event_class.specific_context, false);
  if (has_members(event_class.payload)) made.payload = builder.fields(event_class.payload);
  return std::move(builder).take();
}

}  // namespace tracedeck::columns
