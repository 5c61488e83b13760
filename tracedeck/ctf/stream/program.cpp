#include "tracedeck/ctf/stream/program.hpp"

#include <algorithm>
#include <cstddef>

#include "tracedeck/ctf/stream/locations.hpp"

namespace tracedeck::ctf {

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
  std::string path(root_name(root));
  for (std::size_t i = names.size(); i-- > 0;) path.append(".").append(names[i]);
  return path;
}

}  // namespace tracedeck::ctf
