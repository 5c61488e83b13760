#include "tracedeck/part_files.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tracedeck {
namespace {

std::string named(const std::string& path, std::string_view kind, std::uint64_t number = 1) {
  return part_name(path, *find_output(kind), number);
}

TEST(PartFiles, TheNumberStandsBeforeTheEnding) {
  EXPECT_EQ(named("run.dial9", "dial9"), "run-0001.dial9");
  EXPECT_EQ(named("a.b/run.dial9.gz", "dial9", 12), "a.b/run-0012.dial9.gz");
  EXPECT_EQ(named("run.1.bin.zst", "heph"), "run.1-0001.bin.zst");
  EXPECT_EQ(named("/run", "jsonl", 12'345), "/run-12345");
  EXPECT_EQ(named(".run", "csv"), ".run-0001");
  EXPECT_EQ(named(".dial9", "dial9"), ".dial9-0001");
}

TEST(PartFiles, OfADirectoryOnlyWhatSaysTheTargetIsAnEnding) {
  EXPECT_EQ(named("run.ctf2", "ctf2"), "run-0001.ctf2");
  EXPECT_EQ(named("run.v1", "ctf2"), "run.v1-0001");
  EXPECT_EQ(named("run.ctf2.gz", "ctf2"), "run.ctf2.gz-0001");
}

TEST(PartFiles, NamesOfPartsAreKnown) {
  const OutputKind& kind = *find_output("dial9");
  EXPECT_TRUE(is_part_name("x/run-0001.dial9.gz", "run.dial9.gz", kind));
  EXPECT_TRUE(is_part_name("run-12345.dial9", "y/run.dial9", kind));
  for (const char* const other :
       {"run.dial9", "run-001.dial9", "run-0001.dial9.gz", "run-00a1.dial9", "run0001.dial9",
        "runs-0001.dial9", "run-.dial9"})
    EXPECT_FALSE(is_part_name(other, "run.dial9", kind)) << other;
}

}  // namespace
}  // namespace tracedeck
