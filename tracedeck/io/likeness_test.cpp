#include "tracedeck/io/likeness.hpp"

#include <gtest/gtest.h>

#include "tracedeck/io/support_test.hpp"

namespace tracedeck::io {
namespace {

TEST(LikenessOfFiles, GoesByTheDecompressedBytes) {
  const TemporaryFolder folder;
  // Pieces of 64 KiB are compared one by one.
  for (const std::size_t size : {0U, 10U, 65'536U, 70'000U}) {
    Bytes bytes = made_up(size + 1);
    const std::string longer = folder.file("longer", bytes);
    bytes.pop_back();
    const std::string whole = folder.file("whole", bytes);
    EXPECT_EQ(likeness(whole, folder.file("packed", gzipped(bytes))), Likeness::kEqual) << size;
    EXPECT_EQ(likeness(whole, longer), Likeness::kFirstIsBeginning) << size;
    EXPECT_EQ(likeness(longer, whole), Likeness::kSecondIsBeginning) << size;
    if (bytes.empty()) continue;
    bytes.back() ^= 1U;
    EXPECT_EQ(likeness(folder.file("other", bytes), whole), Likeness::kDifferent) << size;
  }
  EXPECT_EQ(likeness(folder.file("missing"), folder.file("one", made_up(1))), Likeness::kDifferent);
}

TEST(LikenessOfFiles, WhatIsCutIsABeginning) {
  const TemporaryFolder folder;
  const Bytes bytes = made_up(1000);
  Bytes cut = gzipped(bytes);
  cut.resize(cut.size() - 20);
  EXPECT_EQ(likeness(folder.file("cut", cut), folder.file("whole", bytes)),
            Likeness::kFirstIsBeginning);
}

TEST(SizeWithin, IsThatOfAFileWhoseBytesAnotherOneHas) {
  const TemporaryFolder folder;
  const Bytes all = made_up(200'000);
  const std::string whole = folder.file("whole", gzipped(all));
  const Bytes middle(all.begin() + 100'000, all.begin() + 170'000);
  EXPECT_EQ(size_within(folder.file("middle", middle), whole, 100'000), 70'000);
  EXPECT_EQ(size_within(folder.file("middle", middle), whole, 99'999), std::nullopt);
  EXPECT_EQ(size_within(whole, whole, 0), 200'000);
  EXPECT_EQ(size_within(whole, folder.file("middle", middle), 0), std::nullopt);
  EXPECT_EQ(
      size_within(folder.file("end", Bytes(all.begin() + 199'000, all.end())), whole, 199'000),
      1000);
  EXPECT_EQ(size_within(folder.file("middle", middle), whole, 200'001), std::nullopt);
  EXPECT_EQ(size_within(folder.file("missing"), whole, 0), std::nullopt);
}

}  // namespace
}  // namespace tracedeck::io
