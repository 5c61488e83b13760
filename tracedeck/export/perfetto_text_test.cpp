#include "tracedeck/export/perfetto_text_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

namespace tracedeck::exporting {
namespace {

using Fields = std::vector<ProtobufField>;

bool take_varint_of(std::string_view& from, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; !from.empty() && shift < 70; shift += 7) {
    const auto byte = static_cast<std::uint8_t>(from.front());
    from.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << (shift & 63);
    if (byte < 0x80) return true;
  }
  return false;
}

const ProtobufField* find(const Fields& fields, std::uint32_t number) {
  for (const ProtobufField& field : fields) {
    if (field.number == number) return &field;
  }
  return nullptr;
}

class Reading {
 public:
  std::string packet(std::string_view bytes) {
    const Fields fields = protobuf_fields(bytes);
    if (const auto* const snapshot = find(fields, 6)) return clocks(snapshot->bytes);
    if (const auto* const data = find(fields, 12)) intern(data->bytes);
    const std::string time = time_of(fields);
    if (const auto* const event = find(fields, 11)) return time + this->event(event->bytes);
    if (const auto* const track = find(fields, 60)) return "track" + message(track->bytes);
    if (const auto* const task = find(fields, 117)) return time + "task" + message(task->bytes);
    if (const auto* const tree = find(fields, 122)) return "tree" + message(tree->bytes);
    if (const auto* const attributes = find(fields, 126))
      return "attributes" + message(attributes->bytes);
    return "?";
  }

 private:
  static bool is_printed(char character) { return static_cast<std::uint8_t>(character) >= 0x20; }

  // " 1=5 2='text' 3={1=4}": messages where the number has one.
  static std::string message(std::string_view bytes) {
    std::string text;
    for (const ProtobufField& field : protobuf_fields(bytes)) {
      text += fmt::format(" {}=", field.number);
      const bool is_text = field.bytes.data() != nullptr;
      if (!is_text) {
        text += fmt::format("{}", static_cast<std::int64_t>(field.value));
      } else if (!field.bytes.empty() && std::ranges::all_of(field.bytes, is_printed)) {
        text += fmt::format("'{}'", field.bytes);
      } else {
        text += fmt::format("{{{}}}", message(field.bytes));
      }
    }
    return text;
  }

  std::string clocks(std::string_view bytes) {
    std::string text = "clocks";
    for (const ProtobufField& field : protobuf_fields(bytes)) {
      if (field.number == 2) text += fmt::format(" primary={}", field.value);
      if (field.number != 1) continue;
      const Fields clock = protobuf_fields(field.bytes);
      const bool counts = find(clock, 3) != nullptr;
      text +=
          fmt::format(" {}{}={}", find(clock, 1)->value, counts ? "+" : "", find(clock, 2)->value);
      if (counts) last_ = find(clock, 2)->value;
    }
    return text;
  }

  std::string time_of(const Fields& fields) {
    const auto* const time = find(fields, 8);
    if (time == nullptr) return "";
    const bool is_late = find(fields, 58) != nullptr;
    if (is_late) return fmt::format("late {} ", time->value);
    last_ += time->value;
    return fmt::format("{} ", last_);
  }

  void intern(std::string_view data) {
    for (const ProtobufField& field : protobuf_fields(data)) {
      const Fields entry = protobuf_fields(field.bytes);
      if (field.number == 6) intern_frame(entry);
      if (field.number == 7) intern_stack(entry);
      if (field.number == 6 || field.number == 7 || field.number == 19) continue;
      names_[{field.number, find(entry, 1)->value}] = std::string(find(entry, 2)->bytes);
    }
  }

  void intern_frame(const Fields& frame) {
    const ProtobufField* const function = find(frame, 2);
    names_[{6, find(frame, 1)->value}] = function == nullptr
                                             ? fmt::format("{:#x}", find(frame, 4)->value)
                                             : names_[{5, function->value}];
  }
  void intern_stack(const Fields& stack) {
    std::string& text = names_[{7, find(stack, 1)->value}];
    for (const ProtobufField& field : stack) {
      if (field.number == 2) text += (text.empty() ? "" : ";") + names_[{6, field.value}];
    }
  }

  std::string annotation(std::string_view bytes) {
    std::string name;
    std::string value;
    for (const ProtobufField& field : protobuf_fields(bytes)) {
      if (field.number == 1) name = names_[{3, field.value}];
      if (field.number == 10) name = field.bytes;
      if (field.number == 2) value = field.value == 0 ? "false" : "true";
      if (field.number == 3) value = fmt::format("{}", field.value);
      if (field.number == 4) value = fmt::format("{}", static_cast<std::int64_t>(field.value));
      if (field.number == 5) value = fmt::format("{}", std::bit_cast<double>(field.value));
      if (field.number == 6) value = fmt::format("'{}'", field.bytes);
    }
    return fmt::format(" {}={}", name, value);
  }

  std::string event(std::string_view bytes) {
    constexpr const char* kTypes[] = {"?", "begin", "end", "instant", "counter", "state"};
    std::string text;
    for (const ProtobufField& field : protobuf_fields(bytes)) {
      const auto number = [&](const char* what) { return fmt::format(" {}{}", what, field.value); };
      if (field.number == 9) text += kTypes[field.value];
      if (field.number == 11) text += number("");
      if (field.number == 10) text += " " + names_[{2, field.value}];
      if (field.number == 23) text += fmt::format(" '{}'", field.bytes);
      if (field.number == 3) text += fmt::format(" [{}]", names_[{1, field.value}]);
      if (field.number == 22) text += fmt::format(" ['{}']", field.bytes);
      if (field.number == 30)
        text += fmt::format(" value={}", static_cast<std::int64_t>(field.value));
      if (field.number == 44) text += fmt::format(" value={}", std::bit_cast<double>(field.value));
      if (field.number == 31) text += number("counter=");
      if (field.number == 12)
        text += fmt::format(" value={}", static_cast<std::int64_t>(field.value));
      if (field.number == 47) text += number("flow=");
      if (field.number == 48) text += number("ends=");
      if (field.number == 56) text += " stack=" + names_[{7, field.value}];
      if (field.number == 4) text += annotation(field.bytes);
    }
    return text;
  }

  std::uint64_t last_ = 0;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> names_;
};

}  // namespace

std::vector<ProtobufField> protobuf_fields(std::string_view message) {
  std::vector<ProtobufField> fields;
  while (!message.empty()) {
    std::uint64_t tag = 0;
    if (!take_varint_of(message, tag)) return {};
    ProtobufField field{.number = static_cast<std::uint32_t>(tag >> 3)};
    if ((tag & 7) == 0) {
      if (!take_varint_of(message, field.value)) return {};
    } else if ((tag & 7) == 1 && message.size() >= 8) {
      for (unsigned i = 0; i < 8; ++i)
        field.value |= std::uint64_t{static_cast<std::uint8_t>(message[i])} << (8 * i);
      message.remove_prefix(8);
    } else if ((tag & 7) == 2) {
      std::uint64_t length = 0;
      if (!take_varint_of(message, length) || length > message.size()) return {};
      field.bytes = message.substr(0, length);
      message.remove_prefix(length);
    } else {
      return {};
    }
    fields.push_back(field);
  }
  return fields;
}

std::vector<std::string> perfetto_lines(std::string_view trace) {
  Reading reading;
  std::vector<std::string> lines;
  for (const ProtobufField& field : protobuf_fields(trace))
    lines.push_back(reading.packet(field.bytes));
  return lines;
}

}  // namespace tracedeck::exporting
