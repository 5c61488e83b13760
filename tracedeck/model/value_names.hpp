// Names that a trace gives to values: of tasks, interrupts and queues by their ids.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tracedeck {

// Names by number, from 1 on, as slots refer to them (see `Slot::name`). It only grows and moves
// nothing, so a number that came with a batch can be looked up while a reader adds others.
class ValueNames {
 public:
  // Returns the number of the name.
  std::uint32_t add(std::string_view name) {
    const std::uint32_t number = ++count_;
    const Place place = place_of(number);
    if (chunks_[place.chunk] == nullptr) {
      chunks_[place.chunk] = std::make_unique<std::string[]>(std::size_t{1} << place.chunk);
    }
    chunks_[place.chunk][place.index] = name;
    return number;
  }

  // The name of a number that `add` returned.
  [[nodiscard]] std::string_view operator[](std::uint32_t number) const {
    const Place place = place_of(number);
    return chunks_[place.chunk][place.index];
  }

 private:
  // Each chunk is twice as large as the one before.
  struct Place {
    std::size_t chunk;
    std::size_t index;
  };
  static Place place_of(std::uint32_t number) {
    const auto chunk = static_cast<std::size_t>(std::bit_width(number)) - 1;
    return {chunk, number - (std::size_t{1} << chunk)};
  }

  std::array<std::unique_ptr<std::string[]>, 32> chunks_;
  std::uint32_t count_ = 0;
};

}  // namespace tracedeck
