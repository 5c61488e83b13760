#include "tracedeck/model/symbols.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace tracedeck {

std::string Function::place() const {
  if (file.empty()) return {};
  constexpr std::string_view kSeparators = "/\\";
  std::size_t begin = file.find_last_of(kSeparators);
  if (begin != std::string_view::npos && begin != 0)
    begin = file.find_last_of(kSeparators, begin - 1);
  std::string text(begin == std::string_view::npos ? file : file.substr(begin + 1));
  if (line != 0) text += ':' + std::to_string(line);
  return text;
}

std::string Function::with_place() const {
  const std::string where = place();
  return where.empty() ? std::string(name) : std::string(name) + " (" + where + ')';
}

// Functions are in many places, and files have many functions.
std::size_t SymbolTable::text(std::string_view of) {
  if (const auto known = numbers_.find(of); known != numbers_.end()) return known->second;
  constexpr std::size_t kBeside = 64;  // bytes of a text
  const std::size_t need = of.size() + kBeside;
  if (need > left_) return kNoText;
  left_ -= need;
  const auto added = numbers_.emplace(std::string(of), texts_.size()).first;
  texts_.push_back(added->first);
  return added->second;
}

void SymbolTable::add(std::uint64_t address, std::uint64_t size, std::uint64_t depth,
                      const Function& function) {
  constexpr std::size_t kNeed = sizeof(Entry) + sizeof(Function);
  const std::size_t name = text(function.name);
  const std::size_t file = text(function.file);
  if (name == kNoText || file == kNoText || kNeed > left_) {
    ++left_out_;
    return;
  }
  left_ -= kNeed;
  entries_.push_back({address, size, depth, name, file, function.line});
}

void SymbolTable::finish() {
  const auto place = [](const Entry& entry) { return std::tuple(entry.address, ~entry.depth); };
  std::ranges::stable_sort(entries_, {}, place);
  const auto same = std::ranges::unique(entries_, {}, place);
  entries_.erase(same.begin(), same.end());
  functions_.reserve(entries_.size());
  for (const Entry& each : entries_)
    functions_.push_back({.name = texts_[each.name], .file = texts_[each.file], .line = each.line});
}

std::span<const Function> SymbolTable::functions_at(std::uint64_t address) const {
  const auto behind = std::ranges::upper_bound(entries_, address, {}, &Entry::address);
  if (behind == entries_.begin()) return {};
  const std::uint64_t begin = std::prev(behind)->address;
  const auto first = std::ranges::lower_bound(entries_.begin(), behind, begin, {}, &Entry::address);
  // What is inlined at its begin only may not reach as far.
  const auto holds = std::find_if(first, behind, [&](const Entry& entry) {
    return entry.address == address || address - entry.address < entry.size;
  });
  return std::span(functions_)
      .subspan(static_cast<std::size_t>(holds - entries_.begin()),
               static_cast<std::size_t>(behind - holds));
}

}  // namespace tracedeck
