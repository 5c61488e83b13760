#include "cli/segment.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "cli/places.hpp"
#include "tracedeck/base/sha256.hpp"

namespace tracedeck::cli {
namespace {

constexpr const char* kStream = "stream";
constexpr std::size_t kDigestBytes = 16;
constexpr std::size_t kLongestName = 64;

Result<void> add_stored_file(Sha256& hash, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(ErrorCode::kCannotOpen, "cannot be opened", path);
  std::vector<char> buffer(std::size_t{256} << 10);
  do {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    hash.add(as_bytes({buffer.data(), static_cast<std::size_t>(file.gcount())}));
  } while (file);
  if (file.bad()) return fail(ErrorCode::kReadFailed, "cannot be read", path);
  return {};
}

// The files of a directory and of those in it, by name.
std::vector<std::string> files_in(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code error;
  using Walk = std::filesystem::recursive_directory_iterator;
  for (Walk at(directory, error); !error && at != Walk(); at.increment(error)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored)) files.push_back(at->path().string());
  }
  std::ranges::sort(files);
  return files;
}

// What one place is stored in.
std::vector<std::string> stored_files(const flow::TracePlace& place) {
  std::vector<std::string> files;
  for (const flow::CoreFile& core : place.core_files) files.push_back(core.path);
  for (const std::string& directory : place.directories) {
    const std::vector<std::string> inner = files_in(directory);
    files.insert(files.end(), inner.begin(), inner.end());
  }
  files.insert(files.end(), place.files.begin(), place.files.end());
  if (files.empty() && !place.failure) files.push_back(place.operand);
  return files;
}

}  // namespace

Result<std::string> segment_of(std::span<const flow::TracePlace> places) {
  Sha256 hash;
  for (const flow::TracePlace& place : places) {
    if (place.live || comes_live(place.operand)) return kStream;
    for (const std::string& file : stored_files(place)) {
      if (auto added = add_stored_file(hash, file); !added)
        return std::unexpected(std::move(added.error()));
    }
  }
  return hexadecimal(ByteSpan(hash.finish()).first(kDigestBytes));
}

std::string check_segment(const std::string& name) {
  const bool is_plain = std::ranges::all_of(name, [](char each) {
    return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') ||
           (each >= '0' && each <= '9') || each == '_' || each == '-' || each == '.';
  });
  if (!name.empty() && name.size() <= kLongestName && is_plain && name.front() != '.') return {};
  return "a segment is named by up to 64 letters, digits, '_', '-' and '.', which is not first";
}

}  // namespace tracedeck::cli
