#include "tracedeck/ctf/stream/registers.hpp"

namespace tracedeck::ctf {

NormalLocation normal(const FieldLocation& location) {
  NormalLocation result{.root = location.root, .outward = 0, .path = {}};
  for (const auto& step : location.path) {
    if (step) {
      result.path.push_back(*step);
    } else if (!result.path.empty()) {
      result.path.pop_back();
    } else {
      ++result.outward;
    }
  }
  return result;
}

std::uint32_t Registers::add(const Anchor& anchor, const Path& path) {
  const auto [entry, added] = registers_[anchor].try_emplace(path, size_);
  size_ += added ? 1 : 0;
  return entry->second;
}

std::uint32_t Registers::find(const Anchor& anchor, const Path& path) const {
  return registers_.at(anchor).at(path);
}

Captures Registers::of(const Anchor& anchor) const {
  Captures captures;
  const auto found = registers_.find(anchor);
  if (found == registers_.end()) return captures;
  for (const auto& [path, target] : found->second) captures.push_back({path, target});
  return captures;
}

}  // namespace tracedeck::ctf
