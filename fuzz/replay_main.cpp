// Runs a fuzz target over files without libFuzzer: every argument is a file or a folder of files,
// taken by name. The empty input always runs too. Exits 1 when an argument is missing or a folder
// holds no file, so that a corpus that got lost is not taken for one that passed.

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const fs::path& argument) {
  if (!fs::is_directory(argument)) {
    return {argument};
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(argument)) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool replay(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    fmt::print(stderr, "{}: cannot be opened\n", file.string());
    return false;
  }
  const std::vector<char> bytes(std::istreambuf_iterator<char>(stream), {});
  const std::vector<std::uint8_t> input(bytes.begin(), bytes.end());
  fmt::print("{} ({} bytes)\n", file.string(), input.size());
  LLVMFuzzerTestOneInput(input.data(), input.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint8_t nothing = 0;
  LLVMFuzzerTestOneInput(&nothing, 0);
  bool complete = true;
  for (int i = 1; i < argc; ++i) {
    const std::vector<fs::path> files = files_of(argv[i]);
    if (files.empty()) {
      fmt::print(stderr, "{}: no files\n", argv[i]);
      complete = false;
    }
    for (const fs::path& file : files) {
      complete = replay(file) && complete;
    }
  }
  return complete ? 0 : 1;
}
