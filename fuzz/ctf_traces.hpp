// Traces on disk, for the fuzz targets that read whole CTF traces.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck::ctf {

// Stands between the metadata and the data stream files of an input.
inline constexpr std::string_view kMarker = "\n%%\n";

// The parts of an input: the metadata and at most two data stream files.
inline std::vector<ByteSpan> parts_of(ByteSpan bytes) {
  std::vector<ByteSpan> parts;
  while (parts.size() < 2) {
    const std::size_t end = as_text(bytes).find(kMarker);
    if (end == std::string_view::npos) break;
    parts.push_back(bytes.first(end));
    bytes = bytes.subspan(end + kMarker.size());
  }
  parts.push_back(bytes);
  return parts;
}

// A directory of this process, in memory where the system has such a place.
class FuzzFolder {
 public:
  FuzzFolder() {
    const std::filesystem::path memory = "/dev/shm";
    std::error_code error;
    const bool usable =
        std::filesystem::is_directory(memory, error) && ::access(memory.c_str(), W_OK) == 0;
    std::string pattern =
        ((usable ? memory : std::filesystem::temp_directory_path()) / "tracedeck-fuzz-XXXXXX")
            .string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  FuzzFolder(const FuzzFolder&) = delete;
  FuzzFolder& operator=(const FuzzFolder&) = delete;
  ~FuzzFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  // The directory `name` in it as a trace, with data stream file `number` unless that is negative.
  [[nodiscard]] std::string trace(const char* name, ByteSpan metadata, int number,
                                  ByteSpan stream) const {
    const std::filesystem::path folder = path_ / name;
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
    write(folder / "metadata", metadata);
    if (number >= 0) write(folder / ("stream" + std::to_string(number)), stream);
    return folder.string();
  }
  // Another data stream file of such a directory.
  static void add(const std::string& trace, int number, ByteSpan stream) {
    write(std::filesystem::path(trace) / ("stream" + std::to_string(number)), stream);
  }

 private:
  static void write(const std::filesystem::path& path, ByteSpan bytes) {
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    if (file == nullptr || std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size())
      std::abort();
    std::fclose(file);
  }

  std::filesystem::path path_;
};

}  // namespace tracedeck::ctf
