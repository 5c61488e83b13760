// Small random decisions, for what tests make up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace tracedeck::flow {

// The same ones for the same seed on every machine.
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : random_(seed) {}

  std::uint64_t any() { return random_(); }
  // Less than `end`, which is not 0.
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  // Once in `times`.
  bool once_in(std::uint64_t times) { return below(times) == 0; }
  // Of up to `bits` bits (64 at most), small ones as often as large ones.
  std::uint64_t of_bits(std::uint32_t bits) {
    const std::uint64_t all = bits >= 64 ? any() : any() & ((std::uint64_t{1} << bits) - 1);
    return once_in(4) ? (bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1)
                      : all >> below(bits == 0 ? 1 : bits);
  }
  template <class Container>
  auto& one_of(Container& container) {
    return container[below(std::size(container))];
  }
  std::string bytes(std::size_t size) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += static_cast<char>(any());
    return text;
  }
  std::string letters(std::size_t size) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += static_cast<char>('a' + below(26));
    return text;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace tracedeck::flow
