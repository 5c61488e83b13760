// Hashes under a key, of bytes and numbers that an input chooses.
//
// `KeyedHash` is for hash tables. Its key is random, once for each process, so that no list of
// texts or numbers that all collide can be made beforehand and put into a trace. It is made to be
// cheap, and is no match for someone who measures how long single look-ups take. Whatever is
// hashed by it goes into no order and no result: they would differ from run to run.
//
// `sip_hash` is for what is estimated of hashes, and for sums of files: the same everywhere for the
// same key. Who does not know the key cannot choose values by their hashes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

namespace tracedeck {

struct HashKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(const HashKey&, const HashKey&) = default;
};

// Random, and the same as long as the process runs.
[[nodiscard]] const HashKey& process_key();

// A key of 32 hexadecimal digits; nothing where it is none.
[[nodiscard]] std::optional<HashKey> parse_hash_key(std::string_view digits);

// SipHash-1-3.
[[nodiscard]] std::uint64_t sip_hash(const HashKey& key, std::string_view bytes);

namespace keyed_hash_detail {

__extension__ using Product = unsigned __int128;

// Both halves of a product, of which all bits depend on all bits.
inline std::uint64_t folded(std::uint64_t a, std::uint64_t b) {
  const Product product = Product{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

template <class Word>
std::uint64_t word_at(const char* bytes) {
  Word word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

}  // namespace keyed_hash_detail

// Fast for short texts: a multiplication for each 16 bytes begun, and one more.
class KeyedHash {
 public:
  using is_transparent = void;  // NOLINT(readability-identifier-naming): a name of the standard

  KeyedHash() : key_(process_key()) {}
  explicit KeyedHash(const HashKey& key) : key_(key) {}

  // Not noexcept, so that hash tables of the library keep the hashes of texts.
  std::size_t operator()(std::string_view text) const {  // NOLINT(bugprone-exception-escape)
    using keyed_hash_detail::folded;
    using keyed_hash_detail::word_at;
    const char* at = text.data();
    std::size_t left = text.size();
    std::uint64_t state = key_.high;
    for (; left > 16; left -= 16, at += 16)
      state =
          folded(word_at<std::uint64_t>(at) ^ key_.low, word_at<std::uint64_t>(at + 8) ^ state) ^
          key_.high;
    // The rest as two words, which may overlap: lengths are told apart below.
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    if (left >= 8) {
      first = word_at<std::uint64_t>(at);
      last = word_at<std::uint64_t>(at + left - 8);
    } else if (left >= 4) {
      first = word_at<std::uint32_t>(at);
      last = word_at<std::uint32_t>(at + left - 4);
    } else if (left != 0) {
      first = static_cast<unsigned char>(at[0]);
      last = static_cast<std::uint64_t>(static_cast<unsigned char>(at[left / 2])) << 8 |
             static_cast<unsigned char>(at[left - 1]);
    }
    state = folded(first ^ key_.low, last ^ state);
    return static_cast<std::size_t>(folded(state ^ key_.high, text.size() ^ key_.low));
  }

  template <class Number>
    requires std::is_integral_v<Number>
  std::size_t operator()(Number number) const noexcept {
    return (*this)(static_cast<std::uint64_t>(number), 0);
  }
  // Of two numbers.
  std::size_t operator()(std::uint64_t a, std::uint64_t b) const noexcept {
    using keyed_hash_detail::folded;
    return static_cast<std::size_t>(
        folded(folded(a ^ key_.low, b ^ key_.high) ^ key_.high, key_.low | 1));
  }

 private:
  HashKey key_;
};

// Tables of what an input chooses.
template <class Value>
using TextMap = std::unordered_map<std::string, Value, KeyedHash, std::equal_to<>>;
using TextSet = std::unordered_set<std::string, KeyedHash, std::equal_to<>>;
// Texts that are kept elsewhere.
template <class Value>
using TextViewMap = std::unordered_map<std::string_view, Value, KeyedHash>;
using TextViewSet = std::unordered_set<std::string_view, KeyedHash>;
template <class Number, class Value>
using NumberMap = std::unordered_map<Number, Value, KeyedHash>;
template <class Number>
using NumberSet = std::unordered_set<Number, KeyedHash>;

}  // namespace tracedeck
