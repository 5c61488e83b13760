// Names of addresses in the programs that a trace is of, as the trace gives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"

namespace tracedeck {

// A function at an address: the one that it is in, or one that was inlined there.
struct Function {
  std::string_view name = {};
  std::string_view file = {};  // where it is in the source there; may be empty
  std::uint64_t line = 0;      // 0: nothing says it

  // "rt/tokio.rs:115", the end of the path; empty where nothing says the file.
  [[nodiscard]] std::string place() const;
  // "hyper_util::rt::spawn (rt/tokio.rs:115)"
  [[nodiscard]] std::string with_place() const;
};

// First names are added, then they are looked up.
class SymbolTable {
 public:
  // `most`: bytes that it may take.
  explicit SymbolTable(std::size_t most = std::size_t{64} << 20) : left_(most) {}

  // `size`: bytes from `address` on that have the name; 0: the address alone. Functions that are
  // inlined there are deeper than the one that it is in, which has `depth` 0; of several of a depth
  // the first one counts.
  void add(std::uint64_t address, std::uint64_t size, std::uint64_t depth,
           const Function& function);
  // Before anything is looked up.
  void finish();

  // The functions at an address, the innermost first: its own, or those of the nearest range that
  // begins before it and holds it; empty: there are none. Valid as long as the table.
  [[nodiscard]] std::span<const Function> functions_at(std::uint64_t address) const;
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  // Names that did not fit.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

 private:
  struct Entry {
    std::uint64_t address;
    std::uint64_t size;
    std::uint64_t depth;
    std::size_t name;  // numbers of texts
    std::size_t file;
    std::uint64_t line;
  };
  static constexpr std::size_t kNoText = ~std::size_t{0};

  [[nodiscard]] std::size_t text(std::string_view of);

  std::size_t left_;
  std::uint64_t left_out_ = 0;
  std::vector<Entry> entries_;       // by address, the innermost first
  std::vector<Function> functions_;  // of these
  TextMap<std::size_t> numbers_;
  std::vector<std::string_view> texts_;  // keys of `numbers_`
};

// The symbols of a trace, which are read when the first is asked for: traces write them at their
// ends. Any thread.
class Symbols {
 public:
  explicit Symbols(std::function<SymbolTable()> load) : load_(std::move(load)) {}

  // As of `SymbolTable`.
  [[nodiscard]] std::span<const Function> functions_at(std::uint64_t address) const {
    return table().functions_at(address);
  }
  [[nodiscard]] bool empty() const { return table().empty(); }

 private:
  const SymbolTable& table() const {
    std::call_once(once_, [this] { table_ = load_(); });
    return table_;
  }

  std::function<SymbolTable()> load_;
  mutable std::once_flag once_;
  mutable SymbolTable table_{0};
};

}  // namespace tracedeck
