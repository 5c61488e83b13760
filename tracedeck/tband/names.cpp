#include "tracedeck/tband/names.hpp"

namespace tracedeck::tband {
namespace {

constexpr std::uint64_t kEntry = 128;  // of a map, the string and their allocations, about

}  // namespace

NameKey named_by(const EventFacts& facts, std::span<const std::uint64_t> numbers,
                 std::uint32_t core) {
  const bool of_task =
      facts.names == Naming::kTaskEventMarker || facts.names == Naming::kTaskValueMarker;
  const auto task = of_task ? static_cast<std::uint32_t>(numbers[1]) : 0;
  return {.naming = facts.names,
          .scope = facts.names == Naming::kIsr ? core : task,
          .id = static_cast<std::uint32_t>(numbers[0])};
}

bool Names::define(const NameKey& of, std::string_view name) {
  const auto kind = static_cast<std::size_t>(of.naming);
  const std::uint64_t key = std::uint64_t{of.scope} << 32 | of.id;
  auto& numbers = kinds_[kind];
  const auto known = numbers.find(key);
  // Snapshots and recorders repeat their metadata.
  if (known != numbers.end() && description_.value_names()[known->second] == name) return true;
  if (limit_ - memory_ < kEntry + name.size()) return false;
  memory_ += kEntry + name.size();
  numbers[key] = description_.add_value_name(name);
  found_[kind][of.id % kFound] = {};
  return true;
}

std::uint32_t Names::look_up(std::size_t kind, std::uint64_t key) {
  const auto place = kinds_[kind].find(key);
  const std::uint32_t number = place == kinds_[kind].end() ? 0 : place->second;
  found_[kind][key % kFound] = {.key = key, .number = number, .known = true};
  return number;
}

void FirstNames::see(const NameKey& of, std::string_view name) {
  if (memory_ > limit_) return;
  if (names_.try_emplace(of, name).second) memory_ += name.size() + kEntry;
}

void FirstNames::define_in(Names& names) const {
  for (const auto& [of, name] : names_) (void)names.define(of, name);
}

}  // namespace tracedeck::tband
