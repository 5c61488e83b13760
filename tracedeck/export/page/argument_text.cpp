#include "tracedeck/export/page/argument_text.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/name_index.hpp"
#include "tracedeck/base/utf8.hpp"
#include "tracedeck/base/varint_bytes.hpp"
#include "tracedeck/export/sample_stack.hpp"
#include "tracedeck/query/cell.hpp"
#include "tracedeck/render/json.hpp"
#include "tracedeck/text/json_object.hpp"
#include "tracedeck/text/visible.hpp"

namespace tracedeck::page {
namespace {

struct Argument {
  std::string_view name;
  query::Cell cell;
};

std::string integer_text(const Integer& value) {
  return Nanoseconds::from_unsigned(value.magnitude, value.negative).to_string();
}

std::string blob_text(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : as_bytes(bytes)) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 0xF]);
  }
  return text;
}

// A number where JavaScript holds it exactly.
void append_integer(TextBuffer& out, const query::Cell& cell) {
  std::string text = integer_text(cell.integer);
  if (!cell.labels.empty()) {
    std::string labels;
    for (const std::string& label : cell.labels) labels += (labels.empty() ? "" : " | ") + label;
    return (void)append_json_string(out, visible(labels) + " (" + text + ")");
  }
  if (cell.integer.magnitude > kLargestExactInteger) return (void)append_json_string(out, text);
  out.append(text);
}

void append_value(TextBuffer& out, const query::Cell& cell, std::size_t most) {
  switch (cell.kind) {
    case query::Cell::Kind::kBoolean:
      return out.append(cell.boolean ? "true" : "false");
    case query::Cell::Kind::kInteger:
      return append_integer(out, cell);
    case query::Cell::Kind::kReal:
      return append_json_real(out, cell.real);
    default: {
      std::string text = cell.kind == query::Cell::Kind::kBlob
                             ? blob_text(std::string_view(cell.text).substr(0, most / 2))
                             : cell.text;
      text = visible(text);
      if (text.size() > most) {
        text.resize(most);
        text.resize(utf8_valid_prefix(as_bytes(text)));
        text += "…";
      }
      append_json_string(out, text);
    }
  }
}

std::vector<Argument> taken(std::string_view aside) {
  std::vector<Argument> arguments;
  NameIndex by_name;
  const auto name_of = [&](std::size_t index) { return arguments[index].name; };
  std::span<const std::uint8_t> bytes = as_bytes(aside);
  while (!bytes.empty()) {
    const auto name = take_text(bytes);
    if (!name) break;
    auto cell = query::decode_cell(bytes);
    if (!cell) break;
    const std::size_t same = by_name.find(*name, name_of);
    if (same != NameIndex::kNone) {
      arguments[same].cell = std::move(*cell);
    } else {
      arguments.push_back({*name, std::move(*cell)});
      by_name.add(arguments.size() - 1, name_of);
    }
  }
  return arguments;
}

}  // namespace

void put_aside(std::string& into, const timeline::Mark& mark, std::size_t most) {
  timeline::visit_arguments(mark, [&](std::string_view name, const query::Value& value) {
    put_text(into, name);
    if (query::is_stack(name, value)) {
      std::string stack = exporting::stack_text(exporting::trace_of(mark), value);
      stack.resize(std::min(stack.size(), most + 1));
      return query::encode(into, query::Value::of(std::string_view(stack)));
    }
    const bool is_named = value.has_name || value.labels != nullptr;
    const bool is_long = value.text.size() > most && (value.kind == query::Value::Kind::kText ||
                                                      value.kind == query::Value::Kind::kBlob);
    if (is_long) {
      query::Value cut = value;
      cut.text = value.text.substr(0, most + 1);
      return query::encode(into, cut);
    }
    if ((!value.is_hexadecimal && value.unit.empty()) || is_named)
      return query::encode(into, value);
    const std::string text = timeline::measured_text(value);
    query::encode(into, query::Value::of(std::string_view(text)));
  });
}

std::string arguments_json(std::string_view aside, std::size_t most) {
  if (aside.empty()) return {};
  constexpr std::size_t kRoom = 512;
  TextBuffer out(nullptr, kRoom);
  JsonObject object(out);
  for (const Argument& argument : taken(aside)) {
    if (out.size() >= most) {
      object.string("…", "more");
      break;
    }
    append_value(object.key(visible(argument.name)), argument.cell, most - out.size());
  }
  object.end();
  return std::string(out.view());
}

}  // namespace tracedeck::page
