// Metadata as far as directories of one trace agree on them: without comments and blanks, without
// the environment, and without the offsets of clocks, which `lttng regenerate metadata` changes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/error.hpp"

namespace tracedeck::ctf {

// What a beginning of such a text is told by. Texts of different processes are not comparable.
struct TextSum {
  std::uint64_t length = 0;
  std::uint64_t hash = 0;

  friend bool operator==(const TextSum&, const TextSum&) = default;
};

// Sums up metadata of any spelling as their bytes arrive.
class ComparableText {
 public:
  // `lengths`: of the beginnings to sum up besides the whole, ascending.
  explicit ComparableText(std::vector<std::uint64_t> lengths = {});
  ~ComparableText();

  void take(ByteSpan bytes);
  [[nodiscard]] TextSum whole() const;
  // In the order of the lengths, those that the text reaches.
  [[nodiscard]] const std::vector<TextSum>& beginnings() const;

 private:
  class Sum;
  class Reduction;
  class Tsdl;
  class PacketizedTsdl;
  class Json;
  std::unique_ptr<Sum> sum_;
  std::unique_ptr<Reduction> reduction_;
  std::vector<std::uint8_t> head_;  // while the spelling is unknown
};

}  // namespace tracedeck::ctf
