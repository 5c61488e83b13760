#include "tracedeck/spill/packed_objects.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tracedeck/model/trace_description.hpp"

namespace tracedeck {
namespace {

TEST(NumberedBytes, AreFoundByTheirNumbers) {
  NumberedBytes all;
  const auto text_of = [](std::uint64_t number) {
    return std::string(number % 50'000 == 7 ? 100'000 : number % 300, 'x') + std::to_string(number);
  };
  constexpr std::uint64_t kCount = 2000;
  for (std::uint64_t number = 1; number <= kCount; ++number)
    EXPECT_EQ(all.add(as_bytes(text_of(number))), number);
  for (std::uint64_t number = kCount; number > 0; --number)
    ASSERT_EQ(as_text(all[number]), text_of(number));
}

struct Objects {
  TraceDescription description{"t", "made-up", "1"};
  const DataStreamClass& stream_class = description.add_stream_class({.id = 5});

  DataStream stream(std::uint64_t value) {
    return {.entity = description.next_stream(),
            .stream_class = &stream_class,
            .keys = {{"class", 5}, {"id", value, value == 3 ? "18446744073709551616" : ""}},
            .file = "file " + std::to_string(value),
            .damage_end = value % 3 == 0 ? std::optional(value) : std::nullopt};
  }
};

void expect_same(const DataStream& a, const DataStream& b) {
  EXPECT_EQ(a.entity, b.entity);
  EXPECT_EQ(a.stream_class, b.stream_class);
  EXPECT_EQ(a.file, b.file);
  EXPECT_EQ(a.damage_end, b.damage_end);
  ASSERT_EQ(a.keys.size(), b.keys.size());
  for (std::size_t i = 0; i < a.keys.size(); ++i) {
    EXPECT_EQ(a.keys[i].name, b.keys[i].name);
    EXPECT_EQ(a.keys[i].value, b.keys[i].value);
    EXPECT_EQ(a.keys[i].digits, b.keys[i].digits);
  }
}

TEST(PackedObjects, StreamsComeOutAsTheyWere) {
  Objects objects;
  PackedObjects packed;
  EXPECT_EQ(packed.number_of(static_cast<const DataStream*>(nullptr)), 0U);
  std::vector<DataStream> streams;
  for (std::uint64_t i = 0; i < 3000; ++i) streams.push_back(objects.stream(i));
  std::vector<std::uint64_t> numbers;
  for (const DataStream& each : streams) {
    numbers.push_back(packed.number_of(&each));
    EXPECT_EQ(packed.number_of(&each), numbers.back());
  }
  for (std::size_t i = 0; i < streams.size(); ++i)
    expect_same(*packed.stream(numbers[i]), streams[i]);
  const std::shared_ptr<const DataStream> held = packed.stream(numbers[0]);
  for (const std::uint64_t number : numbers) static_cast<void>(packed.stream(number));
  expect_same(*held, streams[0]);
}

TEST(PackedObjects, PacketsAreDistinguishedByWhatTheyHoldNotWhereTheyLie) {
  Objects objects;
  const DataStream stream = objects.stream(1);
  const std::string text = "some text";
  PackedObjects packed;
  // All at the same place.
  Packet packet{.stream = &stream};
  std::vector<std::uint64_t> numbers;
  const auto begin_of = [](std::uint64_t i) { return i * 1'000'000'000'000; };
  for (std::uint64_t i = 0; i < 1000; ++i) {
    packet.begin = begin_of(i);
    packet.sequence = i % 2 == 0 ? std::optional<std::uint64_t>() : i;
    packet.offset = 4096 * i;
    packet.context = {unsigned_slot(i), bytes_slot(SlotKind::kString, as_bytes(text).data(), 9)};
    packed.begin_batch();
    numbers.push_back(packed.number_of(&packet));
    packed.begin_batch();
    EXPECT_EQ(packed.number_of(&packet), numbers.back()) << "it came again with another batch";
  }
  EXPECT_EQ(std::set(numbers.begin(), numbers.end()).size(), numbers.size());
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::shared_ptr<const Packet> made = packed.packet(numbers[i]);
    EXPECT_EQ(made->begin, begin_of(i));
    EXPECT_EQ(made->end, std::nullopt);
    EXPECT_EQ(made->sequence.has_value(), i % 2 == 1);
    EXPECT_EQ(made->offset, 4096 * i);
    EXPECT_EQ(made->stream->entity, stream.entity);
    ASSERT_EQ(made->context.size(), 2U);
    EXPECT_EQ(made->context[0].bits, i);
    EXPECT_EQ(made->context[1].text(), text);
  }
}

}  // namespace
}  // namespace tracedeck
