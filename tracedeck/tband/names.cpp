#include "tracedeck/tband/names.hpp"

namespace tracedeck::tband {

bool Names::define(Naming naming, std::uint32_t scope, std::uint32_t id, std::string_view name) {
  const auto kind = static_cast<std::size_t>(naming);
  const std::uint64_t key = std::uint64_t{scope} << 32 | id;
  auto& numbers = kinds_[kind];
  const auto known = numbers.find(key);
  // Snapshots and recorders repeat their metadata.
  if (known != numbers.end() && description_.value_names()[known->second] == name) return true;
  constexpr std::uint64_t kEntry = 128;  // of the map, the string and their allocations, about
  if (limit_ - memory_ < kEntry + name.size()) return false;
  memory_ += kEntry + name.size();
  numbers[key] = description_.add_value_name(name);
  found_[kind][id % kFound] = {};
  return true;
}

std::uint32_t Names::look_up(std::size_t kind, std::uint64_t key) {
  const auto place = kinds_[kind].find(key);
  const std::uint32_t number = place == kinds_[kind].end() ? 0 : place->second;
  found_[kind][key % kFound] = {.key = key, .number = number, .known = true};
  return number;
}

}  // namespace tracedeck::tband
