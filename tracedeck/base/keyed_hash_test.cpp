#include "tracedeck/base/keyed_hash.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace tracedeck {
namespace {

std::string ascending_bytes(std::size_t size) {
  std::string bytes(size, '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  return bytes;
}

TEST(KeyedHash, SipHashIsThatOfOthers) {
  // What other implementations of SipHash-1-3 give for the bytes 0, 1, 2... and the key 00 01 ..
  // 0f.
  const HashKey key{.low = 0x0706050403020100U, .high = 0x0F0E0D0C0B0A0908U};
  EXPECT_EQ(sip_hash(key, ""), 0xABAC0158050FC4DCU);
  EXPECT_EQ(sip_hash(key, ascending_bytes(1)), 0xC9F49BF37D57CA93U);
  EXPECT_EQ(sip_hash(key, ascending_bytes(8)), 0x369095118D299A8EU);
  EXPECT_EQ(sip_hash(key, ascending_bytes(15)), 0xD320D86D2A519956U);
  EXPECT_EQ(sip_hash(key, ascending_bytes(63)), 0x9D199062B7BBB3A8U);
}

TEST(KeyedHash, DiffersByKeyByTextAndByLength) {
  const KeyedHash one(HashKey{.low = 0x9E3779B97F4A7C15U, .high = 0xD6E8FEB86659FD93U});
  const KeyedHash other(HashKey{.low = 0x9E3779B97F4A7C15U, .high = 0xD6E8FEB86659FD92U});
  std::set<std::size_t> hashes;
  for (std::size_t size = 0; size < 70; ++size) {
    std::string text(size, 'a');
    hashes.insert(one(text));
    hashes.insert(other(text));
    for (char& c : text) {
      c = 'b';
      hashes.insert(one(text));
      c = 'a';
    }
    EXPECT_EQ(one(text), one(std::string(text)));
  }
  EXPECT_EQ(hashes.size(), 2U * 70 + 69 * 70 / 2);
}

TEST(KeyedHash, NumbersThatCollideInATableOfPrimesDoNot) {
  // Multiples of a number of buckets that tables of the C++ library have.
  const KeyedHash hash(HashKey{.low = 0x123456789ABCDEFU, .high = 0xFEDCBA9876543210U});
  constexpr std::uint64_t kBuckets = 10'273;
  std::set<std::size_t> buckets;
  for (std::uint64_t i = 0; i < 1000; ++i) buckets.insert(hash(i * kBuckets) % kBuckets);
  EXPECT_GT(buckets.size(), 900U);
}

TEST(KeyedHash, TheKeyOfTheProcessStaysAndIsNotPublic) {
  EXPECT_EQ(process_key(), process_key());
  EXPECT_NE(process_key(), HashKey());
  EXPECT_EQ(KeyedHash()("text"), KeyedHash(process_key())("text"));
}

TEST(KeyedHash, KeysAreThirtyTwoDigits) {
  const auto key = parse_hash_key("0123456789abcdefFEDCBA9876543210");
  ASSERT_TRUE(key);
  EXPECT_EQ(*key, (HashKey{.low = 0xFEDCBA9876543210U, .high = 0x0123456789ABCDEFU}));
  for (const char* const none :
       {"", "0123456789abcdef", "0123456789abcdefFEDCBA987654321g",
        "0123456789abcdef-EDCBA9876543210", "0123456789abcdefFEDCBA98765432100"})
    EXPECT_FALSE(parse_hash_key(none)) << none;
}

}  // namespace
}  // namespace tracedeck
