// Random traces, encoded and then read back twice: by a plain decoder that stands here and follows
// the specification step by step, and by the library's own.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/base/padded_bytes.hpp"
#include "tracedeck/dial9/decoder.hpp"
#include "tracedeck/dial9/encoder.hpp"
#include "tracedeck/dial9/make_value.hpp"

namespace tracedeck::dial9 {
namespace {

using FieldContent = std::optional<DynamicValue>;

struct DecodedEvent {
  std::uint64_t segment = 0;
  Schema schema = {};
  std::optional<std::uint64_t> timestamp = {};
  std::vector<FieldContent> values = {};
  friend bool operator==(const DecodedEvent&, const DecodedEvent&) = default;
};

struct DecodedTrace {
  std::vector<DecodedEvent> events = {};
  // Pools of all segments: (segment, id) to content.
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::string> strings = {};
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<std::uint64_t>> stacks = {};
  friend bool operator==(const DecodedTrace&, const DecodedTrace&) = default;
};

// Reads a valid trace a byte at a time; any misstep throws by way of `at`.
class PlainDecoder {
 public:
  explicit PlainDecoder(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {}

  DecodedTrace decode() {
    std::uint64_t segments = 0;
    while (position_ < bytes_.size()) {
      switch (const std::uint64_t tag = number(1); tag) {
        case 0x54:
          RC_ASSERT(number(4) == 0x01004352U);
          segment_ = segments++;
          schemas_.clear();
          base_ = 0;
          break;
        case 0x01:
          schema();
          break;
        case 0x02:
          event();
          break;
        case 0x03:
        case 0x04:
          pool(tag == 0x04);
          break;
        case 0x05:
          base_ = number(8);
          break;
        case 0x06:
          annotations();
          break;
        default:
          RC_FAIL("unknown tag");
      }
    }
    return std::move(trace_);
  }

 private:
  std::uint64_t number(unsigned size) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < size; ++i) value |= std::uint64_t{bytes_.at(position_++)} << (8 * i);
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t byte = bytes_.at(position_++);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
  }
  std::string text(unsigned length_size) {
    std::string content(number(length_size), '\0');
    for (char& c : content) c = static_cast<char>(number(1));
    return content;
  }
  std::vector<std::uint64_t> stack() {
    std::vector<std::uint64_t> frames(number(4));
    for (std::uint64_t& frame : frames) frame = number(8);
    return frames;
  }

  void schema() {
    const auto id = static_cast<std::uint16_t>(number(2));
    RC_ASSERT(!schemas_.contains(id));
    Schema& made = schemas_[id];
    made.name = text(2);
    made.has_timestamp = number(1) == 1;
    made.fields.resize(number(2));
    for (FieldDefinition& field : made.fields) {
      field.name = text(2);
      const std::uint64_t tag = number(1);
      field.type = static_cast<FieldType>(tag & 0x7F);
      field.optional = tag >= 0x80;
    }
  }
  void annotations() {
    Schema& annotated = schemas_.at(static_cast<std::uint16_t>(varint()));
    for (std::uint64_t left = number(2); left > 0; --left) {
      const auto index = static_cast<std::uint16_t>(number(2));
      std::string key = text(2);
      annotated.annotations.push_back({index, std::move(key), text(4)});
    }
  }
  void pool(bool of_stacks) {
    RC_ASSERT(number(4) == 1U);
    const std::pair key(segment_, static_cast<std::uint32_t>(number(4)));
    const bool is_new = of_stacks ? trace_.stacks.emplace(key, stack()).second
                                  : trace_.strings.emplace(key, text(4)).second;
    RC_ASSERT(is_new);
  }
  void event() {
    const Schema& type = schemas_.at(static_cast<std::uint16_t>(number(2)));
    DecodedEvent made{.segment = segment_, .schema = type};
    if (type.has_timestamp) made.timestamp = base_ += number(3);
    for (const FieldDefinition& field : type.fields) {
      const bool present = !field.optional || number(1) == 1;
      made.values.push_back(present ? FieldContent(value(field.type)) : std::nullopt);
    }
    trace_.events.push_back(std::move(made));
  }
  DynamicValue value(FieldType type) {
    switch (type) {
      case FieldType::kI64:
        return static_cast<std::int64_t>(number(8));
      case FieldType::kF64:
        return std::bit_cast<double>(number(8));
      case FieldType::kBool:
        return number(1) == 1;
      case FieldType::kString:
        return text(4);
      case FieldType::kBytes: {
        const std::string content = text(4);
        return std::vector<std::uint8_t>(content.begin(), content.end());
      }
      case FieldType::kPooledStackFrames:
        return InternedStack{static_cast<std::uint32_t>(number(4))};
      case FieldType::kPooledString:
        return InternedString{static_cast<std::uint32_t>(number(4))};
      case FieldType::kStackFrames:
        return stack();
      case FieldType::kVarint:
        return varint();
      case FieldType::kStringMap: {
        StringMap map(number(4));
        for (auto& [key, content] : map) {
          key = text(4);
          content = text(4);
        }
        return map;
      }
      case FieldType::kU8:
        return static_cast<std::uint8_t>(number(1));
      case FieldType::kU16:
        return static_cast<std::uint16_t>(number(2));
      case FieldType::kU32:
        return static_cast<std::uint32_t>(number(4));
      case FieldType::kDynamicList: {
        DynamicList list(number(4));
        for (DynamicValue& element : list) element = value(static_cast<FieldType>(number(1)));
        return list;
      }
      case FieldType::kDynamicMap: {
        DynamicMap map(number(4));
        for (DynamicEntry& entry : map) {
          entry.key = value(static_cast<FieldType>(number(1)));
          entry.value = value(static_cast<FieldType>(number(1)));
        }
        return map;
      }
    }
    RC_FAIL("unknown type");
    return {};
  }

  std::vector<std::uint8_t> bytes_;
  std::size_t position_ = 0;
  std::uint64_t segment_ = 0;
  std::uint64_t base_ = 0;
  std::map<std::uint16_t, Schema> schemas_;
  DecodedTrace trace_;
};

// The same by way of the library.
class Collector {
 public:
  void segment(std::uint64_t number, std::uint64_t) { segment_ = number; }
  void problem(const Finding& finding) { RC_FAIL(finding.text); }
  void finding(const Finding&) {}
  void event(const EventView& view) {
    DecodedEvent made{.segment = segment_, .schema = view.schema()};
    if (view.schema().has_timestamp) made.timestamp = view.timestamp;
    for (const Value& value : view.values) {
      made.values.push_back(value.present ? FieldContent(owned(value)) : std::nullopt);
    }
    events.push_back(std::move(made));
  }

  std::vector<DecodedEvent> events;

 private:
  std::uint64_t segment_ = 0;
};

// Uniform whatever the size that rapidcheck is at: small numbers early on would make most traces
// empty.
int below(int limit) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, limit)); }

std::uint64_t any_width() { return *rc::gen::arbitrary<std::uint64_t>() >> below(64); }

std::string any_text() {
  return *rc::gen::container<std::string>(rc::gen::inRange<char>('a', 'e'));
}

FieldType any_type(bool containers = true) {
  return static_cast<FieldType>(1 + below(containers ? 15 : 13));
}

template <class Make>
auto several(Make&& make) {
  std::vector<decltype(make())> made;
  for (int left = below(4); left > 0; --left) made.push_back(make());
  return made;
}

DynamicValue any_value(FieldType type, int depth) {
  const auto any_element = [depth] { return any_value(any_type(depth < 3), depth + 1); };
  switch (type) {
    case FieldType::kI64:
      return static_cast<std::int64_t>(any_width());
    case FieldType::kF64:
      return *rc::gen::arbitrary<double>();
    case FieldType::kBool:
      return *rc::gen::arbitrary<bool>();
    case FieldType::kString:
      return any_text();
    case FieldType::kBytes:
      return *rc::gen::arbitrary<std::vector<std::uint8_t>>();
    case FieldType::kPooledStackFrames:
      return InternedStack{*rc::gen::arbitrary<std::uint32_t>()};
    case FieldType::kPooledString:
      return InternedString{*rc::gen::arbitrary<std::uint32_t>()};
    case FieldType::kStackFrames:
      return *rc::gen::arbitrary<std::vector<std::uint64_t>>();
    case FieldType::kVarint:
      return any_width();
    case FieldType::kStringMap:
      return several([] { return std::pair(any_text(), any_text()); });
    case FieldType::kU8:
      return *rc::gen::arbitrary<std::uint8_t>();
    case FieldType::kU16:
      return *rc::gen::arbitrary<std::uint16_t>();
    case FieldType::kU32:
      return *rc::gen::arbitrary<std::uint32_t>();
    case FieldType::kDynamicList:
      return several(any_element);
    case FieldType::kDynamicMap:
      return several([&] { return DynamicEntry{any_element(), any_element()}; });
  }
  return {};
}

Schema any_schema() {
  Schema schema{.name = any_text(), .has_timestamp = *rc::gen::arbitrary<bool>()};
  schema.fields =
      several([] { return FieldDefinition{any_text(), any_type(), *rc::gen::arbitrary<bool>()}; });
  if (!schema.fields.empty()) {
    schema.annotations = several([&] {
      const auto field = *rc::gen::inRange<std::size_t>(0, schema.fields.size());
      return Annotation{static_cast<std::uint16_t>(field), any_text(), any_text()};
    });
  }
  return schema;
}

// As `write_event` takes it; containers live in `memory`.
Value native(const DynamicValue& value, std::deque<ContainerValue>& memory) {
  return std::visit(
      [&memory]<class T>(const T& content) {
        if constexpr (std::constructible_from<ContainerValue, const T&>) {
          return memory.emplace_back(content).value();
        } else if constexpr (std::same_as<T, std::int64_t>) {
          return make_i64(content);
        } else if constexpr (std::same_as<T, double>) {
          return make_f64(content);
        } else if constexpr (std::same_as<T, bool>) {
          return make_bool(content);
        } else if constexpr (std::same_as<T, std::string>) {
          return make_string(content);
        } else if constexpr (std::same_as<T, std::vector<std::uint8_t>>) {
          return make_bytes(content);
        } else if constexpr (std::same_as<T, InternedStack>) {
          return make_pooled_stack(content);
        } else if constexpr (std::same_as<T, InternedString>) {
          return make_pooled_string(content);
        } else if constexpr (std::same_as<T, std::vector<std::uint64_t>>) {
          return make_stack(content);
        } else if constexpr (std::same_as<T, std::uint64_t>) {
          return make_varint(content);
        } else if constexpr (std::same_as<T, std::uint8_t>) {
          return make_u8(content);
        } else if constexpr (std::same_as<T, std::uint16_t>) {
          return make_u16(content);
        } else {
          return make_u32(content);
        }
      },
      value.variant);
}

// Encodes a random trace and remembers what went in.
class RandomTrace {
 public:
  explicit RandomTrace(Encoder& encoder) : encoder_(encoder) {}

  DecodedTrace encode() {
    for (int left = below(30); left > 0; --left) {
      switch (*rc::gen::weightedElement<int>({{6, 0}, {2, 1}, {1, 2}, {1, 3}})) {
        case 0:
          write_event();
          break;
        case 1:
          register_schema();
          break;
        case 2:
          intern();
          break;
        default:
          RC_ASSERT(encoder_.new_segment().has_value());
          ++segment_;
          schemas_.clear();
          break;
      }
    }
    return std::move(trace_);
  }

 private:
  void register_schema() {
    const Schema schema = any_schema();
    const auto wanted = *rc::gen::maybe(rc::gen::inRange<int>(0, 4));
    const auto id = wanted ? std::optional(static_cast<std::uint16_t>(*wanted)) : std::nullopt;
    const bool taken = id && schemas_.contains(*id) && schemas_.at(*id) != schema;
    const Result<std::uint16_t> registered = encoder_.register_schema(schema, id);
    RC_ASSERT(registered.has_value() == !taken);
    if (registered) schemas_.emplace(*registered, schema);
  }
  void intern() {
    const std::string content = any_text();
    const auto id = encoder_.intern_string(content);
    RC_ASSERT(id.has_value());
    trace_.strings.emplace(std::pair(segment_, id->id), content);
    const auto frames = *rc::gen::arbitrary<std::vector<std::uint64_t>>();
    const auto stack_id = encoder_.intern_stack(frames);
    RC_ASSERT(stack_id.has_value());
    trace_.stacks.emplace(std::pair(segment_, stack_id->id), frames);
  }
  void write_event() {
    if (schemas_.empty()) register_schema();
    const auto& [id, schema] =
        *std::next(schemas_.begin(), *rc::gen::inRange<long>(0, std::ssize(schemas_)));
    DecodedEvent event{.segment = segment_, .schema = schema};
    if (schema.has_timestamp) event.timestamp = any_width();
    std::deque<ContainerValue> memory;
    for (const FieldDefinition& field : schema.fields) {
      const bool present = !field.optional || *rc::gen::arbitrary<bool>();
      event.values.push_back(present ? FieldContent(any_value(field.type, 1)) : std::nullopt);
    }
    std::vector<Value> values;
    for (std::size_t i = 0; i < event.values.size(); ++i) {
      const FieldContent& content = event.values[i];
      values.push_back(content ? native(*content, memory) : make_absent(schema.fields[i].type));
    }
    RC_ASSERT(encoder_.write_event(id, event.timestamp, values).has_value());
    trace_.events.push_back(std::move(event));
  }

  Encoder& encoder_;
  std::uint64_t segment_ = 0;
  std::map<std::uint16_t, Schema> schemas_;
  DecodedTrace trace_;
};

RC_GTEST_PROP(EncoderProperty, TracesReadBackAsTheyWereWritten, ()) {
  Encoder encoder({.version = Version::k0_4});
  const DecodedTrace written = RandomTrace(encoder).encode();
  const DecodedTrace read = PlainDecoder({encoder.bytes().begin(), encoder.bytes().end()}).decode();
  RC_ASSERT(read == written);

  Collector collector;
  const PaddedBytes padded(encoder.bytes());
  RC_ASSERT(decode(padded.view(), collector).has_value());
  RC_ASSERT(collector.events == written.events);
}

struct Mixture {
  std::uint64_t at = 0;
  std::optional<std::uint64_t> varint = {};
  std::string text = {};
  std::vector<std::uint64_t> frames = {};
  std::optional<std::string> interned_text = {};
  std::int16_t small = 0;
  DynamicList list = {};
};

}  // namespace

}  // namespace tracedeck::dial9

namespace tracedeck_descriptions {
using namespace tracedeck::dial9;

template <>
inline constexpr auto kDescription<Mixture> =
    describe<Mixture>("Mixture", timestamp(&Mixture::at), field("varint", &Mixture::varint),
                      field("text", &Mixture::text), field("frames", &Mixture::frames),
                      interned("interned_text", &Mixture::interned_text),
                      field("small", &Mixture::small), field("list", &Mixture::list));

}  // namespace tracedeck_descriptions

namespace tracedeck::dial9 {

namespace {

RC_GTEST_PROP(EncoderProperty, DescribedStructsReadBackAsTheyWereWritten, ()) {
  Encoder encoder({.version = Version::k0_4});
  std::vector<Mixture> written(*rc::gen::inRange<std::size_t>(0, 20));
  for (Mixture& event : written) {
    event.at = any_width();
    event.text = any_text();
    event.frames = *rc::gen::arbitrary<std::vector<std::uint64_t>>();
    if (*rc::gen::arbitrary<bool>()) event.varint = any_width();
    if (*rc::gen::arbitrary<bool>()) event.interned_text = any_text();
    event.small = *rc::gen::arbitrary<std::int16_t>();
    event.list = std::get<DynamicList>(any_value(FieldType::kDynamicList, 1).variant);
    RC_ASSERT(encoder.write(event).has_value());
  }
  const DecodedTrace read = PlainDecoder({encoder.bytes().begin(), encoder.bytes().end()}).decode();
  RC_ASSERT(read.events.size() == written.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    const Mixture& event = written[i];
    const auto& values = read.events[i].values;
    RC_ASSERT(read.events[i].timestamp == event.at);
    RC_ASSERT(values[0] == (event.varint ? FieldContent(*event.varint) : std::nullopt));
    RC_ASSERT(values[1] == FieldContent(event.text));
    RC_ASSERT(values[2] == FieldContent(event.frames));
    RC_ASSERT(values[3].has_value() == event.interned_text.has_value());
    if (values[3]) {
      const std::uint32_t id = std::get<InternedString>(values[3]->variant).id;
      RC_ASSERT(read.strings.at({0, id}) == *event.interned_text);
    }
    RC_ASSERT(values[4] == FieldContent(std::int64_t{event.small}));
    RC_ASSERT(values[5] == FieldContent(event.list));
  }
}

}  // namespace
}  // namespace tracedeck::dial9
