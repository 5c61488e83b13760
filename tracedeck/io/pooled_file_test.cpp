#include "tracedeck/io/pooled_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tracedeck/io/file_input.hpp"

namespace tracedeck::io {
namespace {

namespace fs = std::filesystem;

class PooledFiles : public testing::Test {
 protected:
  PooledFiles()
      : folder_(fs::path(testing::TempDir()) /
                ("tracedeck_pooled_file_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    ::getrlimit(RLIMIT_NOFILE, &before_);
  }
  ~PooledFiles() override {
    ::setrlimit(RLIMIT_NOFILE, &before_);
    fs::remove_all(folder_);
  }

  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    const fs::path path = folder_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  static std::string read(Input& input, std::size_t size) {
    std::string text(size, '\0');
    const auto got = input.read(reinterpret_cast<std::uint8_t*>(text.data()), size);
    return got ? text.substr(0, *got) : got.error().message;
  }

  fs::path folder_;
  rlimit before_{};
};

TEST_F(PooledFiles, MoreFilesThanDescriptorsAreReadSideBySide) {
  // The hard limit, which cannot be raised again, stays; `many_files_test.py` lowers it.
  rlimit low = before_;
  low.rlim_cur = std::min<rlim_t>(before_.rlim_max, 64);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  std::vector<std::unique_ptr<Input>> inputs;
  for (int i = 0; i < 200; ++i) {
    auto input = open_pooled_input(write(std::to_string(i), "ab" + std::to_string(i)));
    ASSERT_TRUE(input) << i;
    inputs.push_back(*std::move(input));
  }
  for (const auto& input : inputs) EXPECT_EQ(read(*input, 2), "ab");
  for (std::size_t i = 0; i < inputs.size(); ++i) EXPECT_EQ(read(*inputs[i], 9), std::to_string(i));
  ASSERT_TRUE(inputs[0]->rewind());
  EXPECT_EQ(read(*inputs[0], 9), "ab0");
}

TEST_F(PooledFiles, AParkedFileGoesOnWhereItWas) {
  const auto input = open_parkable(write("a", "abcdef"));
  ASSERT_TRUE(input);
  EXPECT_EQ(read(**input, 2), "ab");
  (*input)->park();
  EXPECT_EQ(*(*input)->skip(1), 1U);
  (*input)->park();
  EXPECT_EQ(read(**input, 9), "def");
  (*input)->park();
  EXPECT_EQ(read(**input, 9), "");
}

TEST_F(PooledFiles, AnotherFileOfTheNameIsNotTakenForTheParkedOne) {
  const std::string path = write("a", "abcdef");
  const auto input = open_parkable(path);
  ASSERT_TRUE(input);
  EXPECT_EQ(read(**input, 2), "ab");
  (*input)->park();
  fs::rename(write("b", "ABCDEF"), path);
  EXPECT_EQ(read(**input, 9), "it cannot be opened again: another file has its name by now");
}

}  // namespace
}  // namespace tracedeck::io
