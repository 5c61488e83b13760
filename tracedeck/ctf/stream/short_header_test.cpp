#include "tracedeck/ctf/stream/short_header.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tracedeck/ctf/stream/decoding_test.hpp"

namespace tracedeck::ctf {
namespace {

const std::string kWholeBytes = R"(,"minimum-alignment":8)";

std::string short_option(unsigned bits) {
  return structure({u_le(bits, role("default-clock-timestamp"))});
}

// An id of 5 bits, of which 31 says that more follows, and a clock of 27 bits.
std::string header_of(const std::string& id, const std::string& first) {
  const std::string more =
      structure({u_le(32, role("event-record-class-id") + std::string(kAtByte)),
                 u_le(64, role("default-clock-timestamp") + std::string(kAtByte))});
  return structure(
      {id, variant(R"(["event-record-header","a"])", {{"[[0,30]]", first}, {"[[31,31]]", more}})},
      kWholeBytes);
}
std::string usual_header() {
  return header_of(u_le(5, role("event-record-class-id")), short_option(27));
}

struct Compiled {
  explicit Compiled(const std::string& header)
      : read(read_roots({.payload = structure({u_le(8)}), .event_header = header, .clock = true})) {
    EXPECT_FALSE(read.has_errors()) << read.listing();
    schema = read.metadata->schema();
  }
  [[nodiscard]] const StreamSchema& stream() const { return *schema->streams.at(0); }

  ReadStream read;
  std::shared_ptr<const TraceSchema> schema;
};

TEST(ShortHeader, DoesWhatTheProgramDoes) {
  const Compiled compiled(usual_header());
  ASSERT_TRUE(compiled.stream().short_header);
  std::mt19937_64 random(1);
  std::size_t taken = 0;
  for (int i = 0; i < 2'000; ++i) {
    Bytes bytes(16 + kPadding);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    DecodeState state;
    state.base = reinterpret_cast<std::uintptr_t>(bytes.data());
    state.limit = random() % 100;
    state.position = random() % 40;
    state.clock = random() >> random() % 64;
    state.registers.resize(compiled.schema->register_count);
    std::vector<Slot> slots(16);
    state.out = state.out_begin = slots.data();
    state.out_end = slots.data() + slots.size();
    DecodeState other = state;
    const RunStatus status = run(compiled.stream().event_header, state);
    if (!compiled.stream().short_header->take(other)) {
      EXPECT_TRUE(status != RunStatus::kDone ||
                  state.event_class_id != (bytes[(other.position + 7) / 8] & 31U));
      continue;
    }
    ++taken;
    ASSERT_EQ(status, RunStatus::kDone);
    EXPECT_EQ(other.position, state.position);
    EXPECT_EQ(other.clock, state.clock);
    EXPECT_EQ(other.event_class_id, state.event_class_id);
    EXPECT_EQ(other.event_class_beyond, state.event_class_beyond);
    EXPECT_EQ(other.last_order, state.last_order);
    for (std::size_t each = 0; each < state.registers.size(); ++each) {
      EXPECT_EQ(other.registers[each].kind, state.registers[each].kind);
      EXPECT_EQ(other.registers[each].bits, state.registers[each].bits);
    }
  }
  EXPECT_GT(taken, 500U);
}

TEST(ShortHeader, NoOtherIsTakenForOne) {
  const std::string id = u_le(5, role("event-record-class-id"));
  for (const std::string& other : {
           structure({id}, kWholeBytes),
           header_of(u_be(5, role("event-record-class-id")), short_option(27)),
           header_of(id, structure({u_le(27)})),
           header_of(id, structure({u_le(20), u_le(7, role("default-clock-timestamp"))})),
           structure({u_le(3), id}, kWholeBytes),
       }) {
    EXPECT_FALSE(Compiled(other).stream().short_header) << other;
  }
}

}  // namespace
}  // namespace tracedeck::ctf
