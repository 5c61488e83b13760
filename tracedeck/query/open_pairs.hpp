// Pairs that have begun and wait for their end, in little memory: some 40 bytes for one with an
// integer for its key and one for what it keeps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/base/time.hpp"
#include "tracedeck/query/pair_scopes.hpp"

namespace tracedeck::query {

struct OpenPair {
  Nanoseconds begin = {};
  std::uint64_t number = 0;  // grows with each event
  PairScope scope = {};
  std::uint64_t section = 0;   // how often its data stream's clock had stepped back
  std::string_view kept = {};  // values of the event, encoded
};

// By key, of equal keys the last to begin in front.
class OpenPairs {
 public:
  // `most`: bytes that they may take together.
  explicit OpenPairs(std::size_t most) : most_(most) {}
  OpenPairs(const OpenPairs&) = delete;
  OpenPairs& operator=(const OpenPairs&) = delete;
  ~OpenPairs() { clear(); }

  // Adds a pair, unless there is no room for it: false.
  [[nodiscard]] bool add(std::string_view key, const OpenPair& pair);
  // Takes the last one of that key out; nothing: there is none. What it keeps is valid until the
  // next call of `add`, `take` or `clear`.
  [[nodiscard]] std::optional<OpenPair> take(std::string_view key);

  // Calls `visit(key, pair)`, of equal keys for the first to begin first.
  template <class Visit>
  void for_each(Visit visit) const {
    std::vector<const Entry*> of_key;
    for (const Entry* const front : slots_) {
      of_key.clear();
      for (const Entry* each = front; each != nullptr; each = each->outer) of_key.push_back(each);
      for (; !of_key.empty(); of_key.pop_back()) {
        const Read entry = read(*of_key.back());
        visit(entry.key, entry.pair);
      }
    }
  }
  // Takes all out, and lets go of their memory.
  void clear();
  // From now on they may take `most` bytes.
  void allow(std::size_t most) { most_ = most; }

 private:
  // In front of its bytes: its size, the key, what is kept, the begin, the number, the scope.
  struct Entry {
    Entry* outer = nullptr;  // of the same key, begun before
  };
  struct Read {
    std::string_view key;
    OpenPair pair;
    std::size_t size = 0;  // of all
  };
  static constexpr std::size_t kUnit = 8;
  static constexpr std::size_t kLargest = 512;  // of an entry that lies with others in a block
  static constexpr std::size_t kBlock = std::size_t{64} << 10;

  [[nodiscard]] Read read(const Entry& entry) const;
  [[nodiscard]] std::uint64_t hash_of_key(const Entry& entry) const;
  // The slot of that key, or the empty one where it belongs.
  [[nodiscard]] std::size_t slot_of(std::string_view key) const;
  [[nodiscard]] std::size_t next(std::size_t slot) const {
    return (slot + 1) & (slots_.size() - 1);
  }
  void grow();
  void empty_slot(std::size_t slot);
  [[nodiscard]] void* allocate(std::size_t size);
  void release(Entry* entry, std::size_t size);
  // Bytes that are to be had only from elsewhere for an entry of `size`.
  [[nodiscard]] std::size_t needs(std::size_t size) const;

  KeyedHash hash_;
  std::size_t most_;
  std::size_t memory_ = 0;
  std::optional<Nanoseconds> base_ = {};  // times are kept as what lies between
  std::vector<Entry*> slots_;             // a power of two of them
  std::size_t used_ = 0;                  // slots
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::size_t left_ = 0;                                // bytes of the last block
  std::array<Entry*, kLargest / kUnit + 1> free_ = {};  // by size in units, linked by `outer`
  Entry* taken_ = nullptr;                              // what was taken last, until it is let go
  std::size_t taken_size_ = 0;
  std::string encoded_;
};

}  // namespace tracedeck::query
