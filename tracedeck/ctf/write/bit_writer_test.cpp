#include "tracedeck/ctf/write/bit_writer.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tracedeck::ctf {
namespace {

std::vector<std::uint8_t> bytes_of(const BitWriter& writer) {
  return {writer.bytes().begin(), writer.bytes().end()};
}

// The widths of the specification's example (CTF2-SPECRC-3.0, fl-ba-field-dec): 3, 9, 14 and 4
// bits.
TEST(BitWriter, ContiguousFieldsInBothByteOrders) {
  for (const ByteOrder order : {ByteOrder::kBig, ByteOrder::kLittle}) {
    BitWriter writer;
    writer.put(0x5, 3, order);
    writer.put(0x155, 9, order);
    writer.put(0x2AAA, 14, order);
    writer.put(0x9, 4, order);
    EXPECT_EQ(writer.position(), 30U);
    const std::vector<std::uint8_t> expected =
        order == ByteOrder::kBig ? std::vector<std::uint8_t>{0xB5, 0x5A, 0xAA, 0xA4}
                                 : std::vector<std::uint8_t>{0xAD, 0xAA, 0xAA, 0x26};
    EXPECT_EQ(bytes_of(writer), expected);
  }
}

TEST(BitWriter, WholeBytes) {
  BitWriter writer;
  writer.put(0x123456, 24, ByteOrder::kBig);
  writer.put(0x123456, 24, ByteOrder::kLittle);
  writer.put(0x0102030405060708, 64, ByteOrder::kBig);
  EXPECT_EQ(bytes_of(writer), (std::vector<std::uint8_t>{0x12, 0x34, 0x56, 0x56, 0x34, 0x12, 1, 2,
                                                         3, 4, 5, 6, 7, 8}));
}

TEST(BitWriter, PaddingIsZeroWhateverWasThere) {
  BitWriter writer;
  for (int i = 0; i < 12; ++i) writer.put_byte(0xFF);
  writer.rewind(0);
  writer.put(1, 1, ByteOrder::kLittle);
  writer.align(32);
  writer.put_byte(2);
  writer.align(64);
  EXPECT_EQ(bytes_of(writer), (std::vector<std::uint8_t>{1, 0, 0, 0, 2, 0, 0, 0}));
}

}  // namespace
}  // namespace tracedeck::ctf
