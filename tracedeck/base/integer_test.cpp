#include "tracedeck/base/integer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace tracedeck {
namespace {

Integer of(std::int64_t value) { return Integer::from_signed(value); }
const Integer kMost = Integer::of(~Uint128{0}, false);

// What 128 bits hold is computed by the compiler too.
RC_GTEST_PROP(Integer, ComputesAsTheMachineDoes, (std::int64_t a, std::int64_t b)) {
  const auto as_int128 = [](const Integer& value) {
    const auto size = static_cast<Int128>(value.magnitude);
    return value.negative ? -size : size;
  };
  const Int128 x = a;
  const Int128 y = b;
  RC_ASSERT(as_int128(*add(of(a), of(b))) == x + y);
  RC_ASSERT(as_int128(*subtract(of(a), of(b))) == x - y);
  RC_ASSERT(as_int128(*multiply(of(a), of(b))) == x * y);
  RC_ASSERT(as_int128(*bit_and(of(a), of(b))) == (x & y));
  RC_ASSERT(as_int128(*bit_or(of(a), of(b))) == (x | y));
  RC_ASSERT(as_int128(*bit_xor(of(a), of(b))) == (x ^ y));
  RC_ASSERT(as_int128(*complement(of(a))) == ~x);
  RC_ASSERT((of(a) < of(b)) == (a < b));
  if (b == 0) {
    RC_ASSERT(!divide(of(a), of(b)));
    RC_ASSERT(!remainder(of(a), of(b)));
  } else {
    RC_ASSERT(as_int128(*divide(of(a), of(b))) == x / y);
    RC_ASSERT(as_int128(*remainder(of(a), of(b))) == x % y);
  }
  const auto shift = static_cast<unsigned>(static_cast<std::uint64_t>(b) % 60);
  RC_ASSERT(as_int128(*shift_left(of(a), Integer::from(std::uint64_t{shift}))) ==
            x * (Int128{1} << shift));
  RC_ASSERT(as_int128(*shift_right(of(a), Integer::from(std::uint64_t{shift}))) == (x >> shift));
}

TEST(Integer, HasNoResultBeyondItsRange) {
  EXPECT_FALSE(add(kMost, of(1)));
  EXPECT_FALSE(subtract(Integer::of(kMost.magnitude, true), of(1)));
  EXPECT_FALSE(multiply(kMost, of(2)));
  EXPECT_FALSE(shift_left(of(1), of(128)));
  EXPECT_FALSE(shift_left(of(1), of(-1)));
  EXPECT_FALSE(bit_and(kMost, of(-1)));
  EXPECT_EQ(add(kMost, of(0)), kMost);
  EXPECT_EQ(shift_right(kMost, of(200)), of(0));
  EXPECT_EQ(shift_right(of(-1), of(200)), of(-1));
  EXPECT_EQ(shift_left(of(0), of(500)), of(0));
}

TEST(Integer, ComparesWithRealsByExactValue) {
  const auto big = of(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(compare(big, 9223372036854775808.0), std::partial_ordering::less);
  EXPECT_EQ(compare(of(3), 3.0), std::partial_ordering::equivalent);
  EXPECT_EQ(compare(of(3), 3.5), std::partial_ordering::less);
  EXPECT_EQ(compare(of(-3), -3.5), std::partial_ordering::greater);
  EXPECT_EQ(compare(of(0), -0.0), std::partial_ordering::equivalent);
  EXPECT_EQ(compare(of(0), -0.5), std::partial_ordering::greater);
  EXPECT_EQ(compare(kMost, std::ldexp(1.0, 128)), std::partial_ordering::less);
  EXPECT_EQ(compare(kMost, -INFINITY), std::partial_ordering::greater);
  EXPECT_EQ(compare(kMost, NAN), std::partial_ordering::unordered);
}

TEST(Integer, FitsInto64BitsOrSaysThatItDoesNot) {
  EXPECT_EQ(of(-1).to_signed(), -1);
  EXPECT_FALSE(of(-1).to_unsigned());
  const auto least = of(std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(least.to_signed(), std::numeric_limits<std::int64_t>::min());
  EXPECT_FALSE(subtract(least, of(1))->to_signed());
  EXPECT_FALSE(kMost.to_unsigned());
}

}  // namespace
}  // namespace tracedeck
