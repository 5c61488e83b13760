#include "tracedeck/base/cobs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tracedeck/base/padded_bytes.hpp"

namespace tracedeck {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes encoded(const Bytes& payload) {
  Bytes result(cobs_bound(payload.size()) + 1, 0xEE);
  std::uint8_t* const end = cobs_encode(payload, result.data());
  EXPECT_EQ(result.back(), 0xEE) << "wrote behind the bound";
  result.resize(static_cast<std::size_t>(end - result.data()));
  return result;
}

std::optional<Bytes> unstuffed(const Bytes& encoding) {
  Bytes result(encoding.size() + 1, 0xEE);
  const std::optional<std::size_t> size = cobs_decode(encoding, result.data());
  EXPECT_EQ(result.back(), 0xEE) << "wrote behind the bound";
  if (!size) return std::nullopt;
  result.resize(*size);
  return result;
}

// `count` bytes 01, 02 ... FF, 01 ...
Bytes counting(std::size_t count) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(i % 255 + 1);
  return bytes;
}

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// A plain statement of the definition, byte by byte.
Bytes reference(const Bytes& payload) {
  Bytes out = {1};
  std::size_t code = 0;
  for (std::size_t i = 0; i < payload.size(); ++i) {
    if (payload[i] == 0) {
      code = out.size();
      out.push_back(1);
      continue;
    }
    out.push_back(payload[i]);
    if (++out[code] == 0xFF && i + 1 < payload.size()) {
      code = out.size();
      out.push_back(1);
    }
  }
  return out;
}

TEST(Cobs, EncodesByTheDefinition) {
  EXPECT_EQ(encoded({}), (Bytes{0x01}));
  EXPECT_EQ(encoded({0x00}), (Bytes{0x01, 0x01}));
  EXPECT_EQ(encoded({0x00, 0x00}), (Bytes{0x01, 0x01, 0x01}));
  EXPECT_EQ(encoded({0x11, 0x22, 0x00, 0x33}), (Bytes{0x03, 0x11, 0x22, 0x02, 0x33}));
  EXPECT_EQ(encoded({0x11, 0x00, 0x00, 0x00}), (Bytes{0x02, 0x11, 0x01, 0x01, 0x01}));
}

TEST(Cobs, EncodesFullBlocks) {
  EXPECT_EQ(encoded(counting(253)), Bytes{0xFE} + counting(253));
  EXPECT_EQ(encoded(counting(254)), Bytes{0xFF} + counting(254)) << "no last code of 01";
  EXPECT_EQ(encoded(counting(255)), (Bytes{0xFF} + counting(254) + Bytes{0x02, 0xFF}));
  EXPECT_EQ(encoded(counting(254) + Bytes{0}), (Bytes{0xFF} + counting(254) + Bytes{0x01, 0x01}));
  EXPECT_EQ(encoded(counting(253) + Bytes{0}), Bytes{0xFE} + counting(253) + Bytes{0x01});
  EXPECT_EQ(encoded(Bytes{0} + counting(254)), (Bytes{0x01, 0xFF} + counting(254)));
  const Bytes twice = encoded(counting(254) + counting(254));
  EXPECT_EQ(twice, Bytes{0xFF} + counting(254) + Bytes{0xFF} + counting(254));
  EXPECT_EQ(twice.size(), cobs_bound(508));
}

TEST(Cobs, BoundIsOfTheWorstCase) {
  EXPECT_EQ(cobs_bound(0), 1U);
  EXPECT_EQ(cobs_bound(1), 2U);
  EXPECT_EQ(cobs_bound(254), 255U);
  EXPECT_EQ(cobs_bound(255), 257U);
  EXPECT_EQ(cobs_bound(508), 510U);
  EXPECT_EQ(cobs_bound(509), 512U);
}

// Every size over two block boundaries, without zeros, with one at every place near a boundary, and
// with nothing else.
TEST(Cobs, ReadsBackEverySize) {
  for (std::size_t size = 0; size <= 600; ++size) {
    std::vector<Bytes> payloads = {counting(size), Bytes(size, 0), Bytes(size, 0xFF)};
    for (const std::size_t place : {0U, 1U, 252U, 253U, 254U, 255U, 506U, 507U, 508U, 509U}) {
      if (place >= size) continue;
      payloads.push_back(counting(size));
      payloads.back()[place] = 0;
      payloads.push_back(payloads.back());
      payloads.back().back() = 0;
    }
    for (const Bytes& payload : payloads) {
      const Bytes encoding = encoded(payload);
      ASSERT_EQ(encoding, reference(payload)) << size;
      ASSERT_EQ(std::ranges::count(encoding, 0), 0) << size;
      ASSERT_LE(encoding.size(), cobs_bound(size));
      ASSERT_EQ(unstuffed(encoding), payload) << size;
      Bytes in_place = encoding;
      ASSERT_EQ(cobs_decode(in_place, in_place.data()), size);
      in_place.resize(size);
      ASSERT_EQ(in_place, payload);
    }
  }
}

TEST(Cobs, AcceptsALastCodeBehindAFullBlock) {
  EXPECT_EQ(unstuffed(Bytes{0xFF} + counting(254) + Bytes{0x01}), counting(254));
  EXPECT_EQ(unstuffed(Bytes{0xFF} + counting(254) + Bytes{0xFF} + counting(254) + Bytes{0x01}),
            counting(254) + counting(254));
}

TEST(Cobs, RefusesWhatIsNoEncoding) {
  EXPECT_EQ(unstuffed({}), std::nullopt);
  EXPECT_EQ(unstuffed({0x02}), std::nullopt);
  EXPECT_EQ(unstuffed({0x03, 0x11}), std::nullopt);
  EXPECT_EQ(unstuffed({0x02, 0x11, 0x02}), std::nullopt);
  EXPECT_EQ(unstuffed({0x00}), std::nullopt);
  EXPECT_EQ(unstuffed({0x03, 0x00, 0x11}), std::nullopt);
  EXPECT_EQ(unstuffed(Bytes{0xFF} + counting(253)), std::nullopt);
}

RC_GTEST_PROP(Cobs, ReadsBackWhatItWrote, ()) {
  // Sizes up to several blocks; zeros are common.
  const auto size = *rc::gen::inRange<std::size_t>(0, 1200);
  const auto payload = *rc::gen::container<Bytes>(
      size, rc::gen::weightedOneOf<std::uint8_t>(
                {{1, rc::gen::just<std::uint8_t>(0)}, {20, rc::gen::arbitrary<std::uint8_t>()}}));
  const Bytes encoding = encoded(payload);
  RC_ASSERT(encoding == reference(payload));
  RC_ASSERT(unstuffed(encoding) == payload);
}

TEST(FindZeroByte, FindsTheFirst) {
  for (std::size_t place = 0; place < 70; ++place) {
    Bytes bytes(place, 0xFF);
    bytes.insert(bytes.end(), {0x00, 0x01, 0x00});
    for (std::size_t at = 0; at < place; ++at) bytes[at] = at % 2 == 0 ? 0x80 : 0x01;
    const PaddedBytes padded{ByteSpan(bytes)};
    EXPECT_EQ(find_zero_byte(padded.view().data) - padded.view().data,
              static_cast<std::ptrdiff_t>(place));
  }
}

}  // namespace
}  // namespace tracedeck
