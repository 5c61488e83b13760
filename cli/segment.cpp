#include "cli/segment.hpp"

#include <fmt/format.h>
#include <nettle/sha2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/places.hpp"
#include "tracedeck/io/file_input.hpp"

namespace tracedeck::cli {
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

// Options that change what is written of a trace. Tags say where it is from, and are not among
// them.
constexpr auto kChanging = std::to_array<std::string_view>(
    {"begin", "end", "stream-intersection", "where", "limit", "order", "clock", "clock-offset",
     "what", "table", "layout", "partition", "drop", "mask", "share", "as-stored", "tband-encoding",
     "split-size", "split-duration"});

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
std::string changed_name(const Options& options) {
  constexpr std::size_t kBytes = 4;
  sha256_ctx hash;
  sha256_init(&hash);
  bool is_changed = false;
  bool is_masked = false;
  for (std::size_t i = 0; i < options.given.size(); ++i) {
    if (std::ranges::find(kChanging, options.given[i]) == kChanging.end()) continue;
    add_text(hash, options.given[i]);
    add_text(hash, options.given_values[i]);
    is_changed = true;
    is_masked = is_masked || options.given[i] == "mask" || options.given[i] == "share";
  }
  if (!is_changed) return {};
  // Masks under another key are others.
  if (is_masked) add_text(hash, options.selection.hiding->mask("segment"));
  return "-" + hexadecimal(hash, kBytes);
}

}  // namespace

Result<std::string> segment_of(std::span<const flow::TracePlace> places, const Options& options) {
  sha256_ctx hash;
  sha256_init(&hash);
  for (const flow::TracePlace& place : places) {
    if (place.live || comes_live(place.operand)) return kStream + changed_name(options);
    for (const std::string& file : stored_files(place)) {
      if (auto added = add_stored_file(hash, file); !added)
        return std::unexpected(std::move(added.error()));
    }
  }
  return hexadecimal(hash, kDigestBytes) + changed_name(options);
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
