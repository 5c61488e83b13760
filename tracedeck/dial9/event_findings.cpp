// What an event holds that is read against the specification: a second, unhurried
// look at events that the fast loop marked.
#include <fmt/format.h>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/dial9/decoder.hpp"

namespace tracedeck::dial9 {
namespace {

// Examines one event's fields and reports through `note(rule, offset in the event, length, text)`.
template <class Note>
class EventExaminer {
 public:
  EventExaminer(const EventType& type, const Pools& pools, const std::uint8_t* event,
                std::size_t size, Note note)
      : type_(type), pools_(pools), event_(event), end_(event + size), note_(note) {}

  void examine() {
    const std::uint8_t* at = event_ + type_.header_size;
    for (const FieldDefinition& field : type_.schema().fields) {
      field_ = field.name;
      if (field.optional) {
        const std::uint8_t presence = *at;
        if (presence > 1) {
          report(RuleId::kPresenceValue, at, 1,
                 fmt::format("has the presence byte 0x{:02X}, read as present", presence));
        }
        ++at;
        if (presence == 0) continue;
      }
      examine_value(field.type, at);
    }
  }

 private:
  // Examines a value of the given type at `at` and steps over it.
  void examine_value(FieldType type, const std::uint8_t*& at) {
    const std::uint8_t* const begin = at;
    const Value value = read_value(type, at, end_);
    examine_parts(value, begin, at);
  }

  void examine_parts(const Value& value, const std::uint8_t* begin, const std::uint8_t* end) {
    switch (value.type) {
      case FieldType::kBool:
        if (*begin > 1)
          report(RuleId::kBoolValue, begin, 1,
                 fmt::format("is the Bool 0x{:02X}, read as true", *begin));
        break;
      case FieldType::kVarint:
        if (is_overlong(begin, end)) {
          report(RuleId::kVarintOverlong, begin, static_cast<std::size_t>(end - begin),
                 fmt::format("takes {} bytes for the varint {}", end - begin, value.bits));
        }
        break;
      case FieldType::kString:
        examine_text(value.text(), value.pointer);
        break;
      case FieldType::kPooledString:
        examine_pool_id(pools_.strings, "string", value, begin);
        break;
      case FieldType::kPooledStackFrames:
        examine_pool_id(pools_.stacks, "stack", value, begin);
        break;
      case FieldType::kStringMap: {
        StringMapView pairs(value);
        std::string_view key;
        std::string_view text;
        while (pairs.next(key, text)) {
          examine_text(key, as_bytes(key).data());
          examine_text(text, as_bytes(text).data());
        }
        break;
      }
      case FieldType::kDynamicList:
      case FieldType::kDynamicMap:
        examine_container(value);
        break;
      default:
        break;
    }
  }

  // Walks a list or map with a stack of what is still to come in each open one: they nest a
  // thousand deep.
  void examine_container(const Value& container) {
    const std::uint8_t* at = container.pointer - sizeof(std::uint32_t);
    std::vector<std::uint64_t> open = {read_value_count(container.type, at)};
    while (!open.empty()) {
      if (open.back() == 0) {
        open.pop_back();
        continue;
      }
      --open.back();
      const auto type = static_cast<FieldType>(*at);
      if (type == FieldType::kDynamicList || type == FieldType::kDynamicMap) {
        ++at;
        open.push_back(read_value_count(type, at));
        continue;
      }
      const std::uint8_t* const begin = at + 1;
      const Value value = read_tagged_value(at, end_);
      examine_parts(value, begin, at);
    }
  }

  void examine_text(std::string_view text, const std::uint8_t* at) {
    if (!is_valid_utf8(text))
      report(RuleId::kUtf8, at, text.size(), "holds text that is not UTF-8");
  }

  void examine_pool_id(const Pool& pool, std::string_view what, const Value& value,
                       const std::uint8_t* at) {
    const auto id = static_cast<std::uint32_t>(value.bits);
    if (pool.find(id).data == nullptr) {
      report(RuleId::kPoolUnresolved, at, 4,
             fmt::format("refers to {} pool id {}, which is not defined", what, id));
    }
  }

  void report(RuleId rule_id, const std::uint8_t* at, std::size_t length, std::string_view text) {
    note_(rule_id, static_cast<std::uint64_t>(at - event_), length,
          fmt::format("field `{}` of `{}` {}", field_, type_.name(), text));
  }

  const EventType& type_;
  const Pools& pools_;
  const std::uint8_t* event_;
  const std::uint8_t* end_;
  Note note_;
  std::string_view field_;
};

}  // namespace

void Decoder::note_event(const EventType& type, const std::uint8_t* event, std::size_t size,
                         std::uint64_t offset) {
  EventExaminer examiner(
      type, pools_, event, size,
      [&](RuleId rule_id, std::uint64_t at, std::size_t length, std::string text) {
        note(rule_id, offset + at, length, std::move(text));
      });
  examiner.examine();
}

}  // namespace tracedeck::dial9
