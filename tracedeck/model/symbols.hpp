// Names of addresses in the programs that a trace is of, as the trace gives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tracedeck {

// First names are added, then they are looked up.
class SymbolTable {
 public:
  // `most`: bytes that it may take.
  explicit SymbolTable(std::size_t most = std::size_t{64} << 20) : left_(most) {}

  // `size`: bytes from `address` on that have the name; 0: the address alone. Where several names
  // are given to an address, the one of the least `depth` counts (functions that are inlined into
  // it are deeper), the first of those.
  void add(std::uint64_t address, std::uint64_t size, std::uint64_t depth, std::string_view name);
  // Before anything is looked up.
  void finish();

  // The name of an address: its own, or of the nearest range that begins before it and holds it;
  // empty: there is none. Valid as long as the table.
  [[nodiscard]] std::string_view name_of(std::uint64_t address) const;
  // Names that did not fit.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

 private:
  struct Entry {
    std::uint64_t address;
    std::uint64_t size;
    std::uint64_t depth;
    std::size_t name;  // begins here in `names_`
    std::size_t length;
  };

  std::size_t left_;
  std::uint64_t left_out_ = 0;
  std::vector<Entry> entries_;
  std::string names_;
};

// The symbols of a trace, which are read when the first is asked for: traces write them at their
// ends. Any thread.
class Symbols {
 public:
  explicit Symbols(std::function<SymbolTable()> load) : load_(std::move(load)) {}

  [[nodiscard]] std::string_view name_of(std::uint64_t address) const {
    std::call_once(once_, [this] { table_ = load_(); });
    return table_.name_of(address);
  }

 private:
  std::function<SymbolTable()> load_;
  mutable std::once_flag once_;
  mutable SymbolTable table_{0};
};

}  // namespace tracedeck
