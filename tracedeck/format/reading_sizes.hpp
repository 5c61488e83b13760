// How large the windows and batches of a reader are.
#pragma once

#include <algorithm>
#include <cstddef>

#include "tracedeck/io/window.hpp"
#include "tracedeck/model/batch.hpp"

namespace tracedeck {

struct ReadingSizes {
  std::size_t window = io::WindowReader::Options{}.window_size;  // bytes
  std::size_t records = Batch::kRecords;
  std::size_t slots = Batch::kSlots;
  // What a source has used is kept to be used again. Of very many sources it would be as much as
  // what they use.
  bool keeps_spares = true;
};

// The sizes for each of `sources` that are read side by side. A source has two windows and two
// batches, one of each at hand and one that somebody still uses. All of them take 24 MiB at most,
// but never less than what a small event needs.
[[nodiscard]] constexpr ReadingSizes reading_sizes(std::size_t sources) {
  constexpr std::size_t kMemory = std::size_t{24} << 20;
  constexpr std::size_t kLeastRecords = 8;
  constexpr std::size_t kFewRecords = 32;  // some 800 sources
  const ReadingSizes usual;
  const std::size_t of_one =
      2 * (usual.window + usual.records * sizeof(Record) + usual.slots * sizeof(Slot));
  const std::size_t share = kMemory / std::max<std::size_t>(sources, 1);
  if (share >= of_one) return usual;
  const std::size_t records =
      std::max(kLeastRecords, static_cast<std::size_t>(usual.records * share / of_one));
  return {.window = usual.window / usual.records * records,
          .records = records,
          .slots = usual.slots / usual.records * records,
          .keeps_spares = records >= kFewRecords};
}

}  // namespace tracedeck
