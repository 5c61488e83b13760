#include "tracedeck/format/file_origin.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <ranges>
#include <span>
#include <system_error>

namespace tracedeck {
namespace {

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (const auto part : std::views::split(text, separator)) parts.emplace_back(part);
  return parts;
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string ending_of(std::span<const std::string_view> parts) {
  std::string ending;
  for (const std::string_view part : parts) {
    if (part == "gz" || part == "zst" || part == "active") continue;
    ending += ending.empty() ? "" : ".";
    ending += part;
  }
  return ending;
}

// As `abcd-4711`.
bool is_process_folder(std::string_view name) {
  constexpr std::size_t kLetters = 4;
  if (name.size() <= kLetters + 1 || name[kLetters] != '-') return false;
  const auto is_letter = [](char each) { return each >= 'a' && each <= 'z'; };
  return std::ranges::all_of(name.substr(0, kLetters), is_letter) &&
         number_in(name.substr(kLetters + 1)).has_value();
}

// As the parts of a divided result are called, run-0001.bin.
std::optional<RotatedName> name_of_part(std::span<const std::string_view> parts) {
  constexpr std::size_t kDigits = 4;
  const std::string_view first = parts.front();
  if (first.size() < kDigits + 2 || first[first.size() - kDigits - 1] != '-') return std::nullopt;
  const auto number = number_in(first.substr(first.size() - kDigits));
  if (!number) return std::nullopt;
  return RotatedName{.stem = std::string(first.substr(0, first.size() - kDigits)),
                     .number = *number,
                     .ending = ending_of(parts.subspan(1))};
}

}  // namespace

std::optional<RotatedName> rotated_name(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.empty()) return std::nullopt;
  const std::vector<std::string_view> parts = parts_of(name, '.');
  if (const std::size_t dash = parts.front().find('-'); dash != std::string_view::npos) {
    const auto number = number_in(parts.front().substr(dash + 1));
    if (number && number_in(parts.front().substr(0, dash)))
      return RotatedName{.number = *number, .ending = ending_of(std::span(parts).subspan(1))};
  }
  for (std::size_t i = parts.size(); i-- > 1;) {
    const auto number = number_in(parts[i]);
    if (!number) continue;
    const auto size = static_cast<std::size_t>(parts[i].data() - name.data()) - 1;
    if (size == 0) return std::nullopt;
    return RotatedName{.stem = std::string(name.substr(0, size)),
                       .number = *number,
                       .ending = ending_of(std::span(parts).subspan(i + 1))};
  }
  return name_of_part(parts);
}

MissingFiles missing_files(std::span<const std::string> paths) {
  MissingFiles missing{.before = std::vector<std::uint64_t>(paths.size()), .is_known = true};
  bool rises = false;
  bool falls = false;
  std::optional<RotatedName> last;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    std::optional<RotatedName> name = rotated_name(paths[i]);
    const bool follows = last && name && last->stem == name->stem && last->number != name->number;
    if (follows) {
      const auto [less, more] = std::minmax(last->number, name->number);
      missing.before[i] = more - less - 1;
      (last->number < name->number ? rises : falls) = true;
    } else if (i != 0) {
      missing.is_known = false;
    }
    last = std::move(name);
  }
  if (rises && falls)
    return {.before = std::vector<std::uint64_t>(paths.size()), .is_contradicted = true};
  return missing;
}

FileOrigin origin_in_path(std::string_view path) {
  FileOrigin origin;
  const std::array<std::pair<std::string_view, std::string*>, 4> kKeys = {{
      {"service=", &origin.service},
      {"instance=", &origin.host},
      {"host=", &origin.host},
      {"boot=", &origin.process},
  }};
  std::vector<std::string_view> folders = parts_of(path, '/');
  folders.pop_back();
  for (const std::string_view folder : folders) {
    for (const auto& [key, value] : kKeys) {
      if (folder.starts_with(key)) *value = folder.substr(key.size());
    }
  }
  if (origin.process.empty() && !folders.empty() && is_process_folder(folders.back()))
    origin.process = folders.back();
  return origin;
}

}  // namespace tracedeck
