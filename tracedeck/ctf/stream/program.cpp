#include "tracedeck/ctf/stream/program.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "tracedeck/ctf/location_words.hpp"

namespace tracedeck::ctf {

void VariantField::add_choice(const IntegerRange& range, std::uint32_t number) {
  constexpr Int128 kHighest = ~(Int128{1} << 127);
  constexpr Int128 kLowest = Int128{1} << 127;
  const auto bits = [](const Integer& bound) { return static_cast<Int128>(bound); };
  if (range.lower.fits_signed())
    choices.push_back(
        {bits(range.lower), range.upper.fits_signed() ? bits(range.upper) : kHighest, number});
  if (!range.upper.fits_signed())
    top_choices.push_back(
        {range.lower.fits_signed() ? kLowest : bits(range.lower), bits(range.upper), number});
}

void VariantField::make_table() {
  const bool small = std::ranges::all_of(
      choices, [](const Choice& choice) { return choice.lower >= 0 && choice.upper < 256; });
  const bool few = std::ranges::all_of(
      choices, [](const Choice& choice) { return choice.option < kNotInTable; });
  if (!small || !few || boolean) return;
  table.assign(256, kNotInTable);
  for (const Choice& choice : choices) {
    for (Int128 value = choice.lower; value <= choice.upper; ++value)
      table[static_cast<std::size_t>(value)] = static_cast<std::uint8_t>(choice.option);
  }
}

std::string Program::path_of(const Step& step) const {
  std::vector<std::string_view> names;
  for (std::uint32_t place = step.place; place != 0; place = places[place].parent)
    names.push_back(*places[place].name);
  std::string path(root_word(root));
  for (std::size_t i = names.size(); i-- > 0;) path.append(".").append(names[i]);
  return path;
}

}  // namespace tracedeck::ctf
