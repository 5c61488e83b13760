#include "tracedeck/io/likeness.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tracedeck::io {

Result<void> fill(Input& input, std::span<std::uint8_t> into, std::size_t& size) {
  for (size = 0; size < into.size();) {
    const auto got = input.read(into.data() + size, into.size() - size);
    if (!got) return std::unexpected(got.error());
    if (*got == 0) break;
    size += *got;
  }
  return {};
}

namespace {

// What two inputs have, from where they stand on.
struct Compared {
  Likeness likeness = Likeness::kEqual;
  std::uint64_t size = 0;  // of what both have
};

Compared compare(Input& one, Input& other) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  std::vector<std::uint8_t> left(kPiece);
  std::vector<std::uint8_t> right(kPiece);
  for (Compared compared;;) {
    std::size_t have = 0;
    std::size_t has = 0;
    // Where one cannot be read any further, it ends.
    [[maybe_unused]] const Result<void> one_read = fill(one, left, have);
    [[maybe_unused]] const Result<void> other_read = fill(other, right, has);
    const std::size_t shorter = std::min(have, has);
    const auto end = left.begin() + static_cast<std::ptrdiff_t>(shorter);
    if (!std::equal(left.begin(), end, right.begin())) return {Likeness::kDifferent, compared.size};
    compared.size += shorter;
    if (have < has) return {Likeness::kFirstIsBeginning, compared.size};
    if (has < have) return {Likeness::kSecondIsBeginning, compared.size};
    if (have < kPiece) return compared;
  }
}

// Whether there are as many bytes.
bool skip(Input& input, std::uint64_t size) {
  std::vector<std::uint8_t> passed(std::size_t{64} << 10);
  while (size > 0) {
    std::size_t got = 0;
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(size, passed.size()));
    if (!fill(input, std::span(passed).first(most), got) || got < most) return false;
    size -= got;
  }
  return true;
}

}  // namespace

Likeness likeness(const std::string& first, const std::string& second,
                  const std::stop_token& stop) {
  const auto one = open_input(first, stop);
  const auto other = open_input(second, stop);
  if (!one || !other) return Likeness::kDifferent;
  return compare(**one, **other).likeness;
}

std::optional<std::uint64_t> size_within(const std::string& file, const std::string& whole,
                                         std::uint64_t from, const std::stop_token& stop) {
  const auto part = open_input(file, stop);
  const auto all = open_input(whole, stop);
  if (!part || !all || !skip(**all, from)) return std::nullopt;
  const Compared compared = compare(**part, **all);
  if (compared.likeness != Likeness::kEqual && compared.likeness != Likeness::kFirstIsBeginning)
    return std::nullopt;
  return compared.size;
}

}  // namespace tracedeck::io
