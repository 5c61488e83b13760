#include "tracedeck/convert/segment_name.hpp"

#include <fmt/format.h>
#include <nettle/sha2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <vector>

#include "tracedeck/io/file_input.hpp"
#include "tracedeck/io/live.hpp"

namespace tracedeck {
namespace {

constexpr const char* kStream = "stream";
constexpr std::size_t kDigestBytes = 16;
constexpr std::size_t kLongestName = 64;

constexpr std::size_t kReadBytes = std::size_t{256} << 10;

Result<void> add_stored_file(sha256_ctx& hash, const std::string& path) {
  auto file = io::open_file(path);
  if (!file) return std::unexpected(std::move(file.error()));
  std::vector<std::uint8_t> buffer(kReadBytes);
  for (;;) {
    const Result<std::size_t> size = (*file)->read(buffer.data(), buffer.size());
    if (!size) return std::unexpected(size.error());
    if (*size == 0) return {};
    sha256_update(&hash, *size, buffer.data());
  }
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

std::string hexadecimal(sha256_ctx& hash, std::size_t bytes) {
  std::array<std::uint8_t, kDigestBytes> digest{};
  sha256_digest(&hash, bytes, digest.data());
  return fmt::format("{:02x}", fmt::join(std::span(digest).first(bytes), ""));
}

void add_text(sha256_ctx& hash, std::string_view text) {
  // The size keeps neighbours apart.
  const std::string whole = fmt::format("{}:{}", text.size(), text);
  sha256_update(&hash, whole.size(), as_bytes(whole).data());
}

// What comes behind the name of a result that is not all of its traces as they are; or "".
std::string changed_name(std::span<const Change> changes, const flow::Hiding* hiding) {
  constexpr std::size_t kBytes = 4;
  if (changes.empty()) return {};
  sha256_ctx hash;
  sha256_init(&hash);
  for (const Change& change : changes) {
    add_text(hash, change.option);
    add_text(hash, change.value);
  }
  // Masks under another key are others.
  const auto masks = [](const Change& change) {
    return change.option == "mask" || change.option == "share";
  };
  if (hiding != nullptr && std::ranges::any_of(changes, masks))
    add_text(hash, hiding->mask("segment"));
  return "-" + hexadecimal(hash, kBytes);
}

}  // namespace

Result<std::string> segment_of(std::span<const flow::TracePlace> places,
                               std::span<const Change> changes, const flow::Hiding* hiding) {
  sha256_ctx hash;
  sha256_init(&hash);
  for (const flow::TracePlace& place : places) {
    if (place.live || io::comes_live(place.operand)) return kStream + changed_name(changes, hiding);
    for (const std::string& file : stored_files(place)) {
      if (auto added = add_stored_file(hash, file); !added)
        return std::unexpected(std::move(added.error()));
    }
  }
  return hexadecimal(hash, kDigestBytes) + changed_name(changes, hiding);
}

std::string check_segment(const std::string& name) {
  const bool is_plain = std::ranges::all_of(name, [](char each) {
    return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') ||
           (each >= '0' && each <= '9') || each == '_' || each == '-' || each == '.';
  });
  if (!name.empty() && name.size() <= kLongestName && is_plain && name.front() != '.') return {};
  return "a segment is named by up to 64 letters, digits, '_', '-' and '.', which is not first";
}

}  // namespace tracedeck
