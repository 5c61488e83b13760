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

}  // namespace
}  // namespace tracedeck::io
