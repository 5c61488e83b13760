// What a writer's target could not hold as it was, counted kind by kind.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "tracedeck/format/writer.hpp"

namespace tracedeck {

// What a receipt says of one kind, as in `ReceiptEntry`.
struct AdaptationFacts {
  std::string_view what;
  std::string_view done;
  bool lossy;
};

// The kinds of a format's adaptations, an enumeration in the order of the receipt. Its last value,
// kCount, is none of them.
template <class T>
concept AdaptationKind = std::is_enum_v<T> && requires {
  { T::kCount } -> std::convertible_to<T>;
};

template <AdaptationKind Kind>
class AdaptationCounts {
 public:
  static constexpr std::size_t kKinds = static_cast<std::size_t>(Kind::kCount);
  using Table = std::array<AdaptationFacts, kKinds>;

  void add(Kind what, std::uint64_t count = 1) { counts_[static_cast<std::size_t>(what)] += count; }

  // Of what came up.
  [[nodiscard]] Receipt receipt(const Table& facts) const {
    Receipt receipt;
    for (std::size_t i = 0; i < kKinds; ++i) {
      if (counts_[i] == 0) continue;
      receipt.push_back({.what = std::string(facts[i].what),
                         .done = std::string(facts[i].done),
                         .count = counts_[i],
                         .lossy = facts[i].lossy});
    }
    return receipt;
  }

 private:
  std::array<std::uint64_t, kKinds> counts_{};
};

}  // namespace tracedeck
