#include "tracedeck/model/symbols.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace tracedeck {

void SymbolTable::add(std::uint64_t address, std::uint64_t size, std::uint64_t depth,
                      std::string_view name) {
  const std::size_t need = sizeof(Entry) + name.size();
  if (need > left_) {
    ++left_out_;
    return;
  }
  left_ -= need;
  entries_.push_back({address, size, depth, names_.size(), name.size()});
  names_ += name;
}

void SymbolTable::finish() {
  // The first name that was added lies before the others.
  std::ranges::sort(entries_, [](const Entry& a, const Entry& b) {
    return std::tie(a.address, a.depth, a.name) < std::tie(b.address, b.depth, b.name);
  });
  const auto same = std::ranges::unique(entries_, {}, &Entry::address);
  entries_.erase(same.begin(), same.end());
}

std::string_view SymbolTable::name_of(std::uint64_t address) const {
  const auto behind = std::ranges::upper_bound(entries_, address, {}, &Entry::address);
  if (behind == entries_.begin()) return {};
  const Entry& entry = *std::prev(behind);
  const bool holds = entry.address == address || address - entry.address < entry.size;
  return holds ? std::string_view(names_).substr(entry.name, entry.length) : std::string_view();
}

}  // namespace tracedeck
