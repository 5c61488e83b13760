#include "tracedeck/ctf/write/stream_names.hpp"

#include <fmt/format.h>

#include <string_view>

namespace tracedeck::ctf {

std::string StreamNames::file_name(const DataStream& source) {
  std::string name = source.file.substr(source.file.find_last_of('/') + 1);
  constexpr std::string_view kSuffix = ".json-seq";
  const bool serves = !name.empty() && name.front() != '.' && name != "metadata" &&
                      name != "index" && !name.ends_with(kSuffix) && !name.ends_with(".gz") &&
                      !name.ends_with(".zst") && name.size() < 200;
  if (serves && file_names_.insert(name).second) return name;
  if (serves) {
    // Further data streams of a file, or of files of that name, come right behind.
    unsigned& next = next_of_name_[name];
    std::string further;
    do {
      further = fmt::format("{}-{}", name, ++next);
    } while (!file_names_.insert(further).second);
    return further;
  }
  do {
    name = fmt::format("stream-{:04}", next_file_++);
  } while (!file_names_.insert(name).second);
  return name;
}

std::optional<std::uint64_t> StreamNames::own_id(const DataStream& source) {
  std::optional<std::uint64_t> id;
  for (const StreamKey& key : source.keys) {
    if (key.name != "class") id = key.value;
  }
  return id;
}

std::uint64_t StreamNames::free_id(std::uint64_t class_id, std::optional<std::uint64_t> wanted) {
  std::uint64_t chosen = wanted.value_or(stream_ids_.size());
  while (!stream_ids_.emplace(class_id, chosen).second) chosen = stream_ids_.size() + chosen + 1;
  return chosen;
}

}  // namespace tracedeck::ctf
