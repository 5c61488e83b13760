// Looking through a trace for what holds for all of it, before it is read (notes, "Meaning").
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/io/hold_back.hpp"
#include "tracedeck/io/input.hpp"
#include "tracedeck/tband/names.hpp"

namespace tracedeck::tband {

// A change of the count of dropped events.
struct DropCount {
  std::uint64_t timestamp = 0;
  std::uint64_t offset = 0;
  std::uint32_t count = 0;
};

struct Survey {
  std::optional<std::uint64_t> resolution = {};  // the first that is not 0, ns a tick
  std::vector<DropCount> drops = {};             // where the count changes
};

using NameSink = std::function<void(const NameKey& of, std::string_view name)>;

struct SurveyOptions {
  std::uint32_t core = 0;       // before the first core_id
  NameSink names = {};          // every name; null: they are not looked for
  bool drops = false;           // collect `drops`
  std::uint64_t max_state = 0;  // bytes that a frame may take
};

// Looks through a seekable input up to its end, or to the resolution where nothing else is wanted,
// and rewinds it. Damage and failures are left for the reading to find. Error: that of `rewind`.
[[nodiscard]] Result<Survey> survey(io::Input& input, const SurveyOptions& options);

// Holds a live input back until it has said its resolution (see `io::hold_back`), at most so many
// bytes.
inline constexpr std::size_t kHeldBack = std::size_t{64} << 10;
[[nodiscard]] io::HeldBack hold_back(std::unique_ptr<io::Input> input,
                                     std::optional<std::uint64_t>& resolution);

// What was lost at each place where a count that several files share increases, by file and offset.
// Takes the counts of the files, each in its order.
using Losses = NumberMap<std::uint64_t, std::uint64_t>;
[[nodiscard]] std::vector<Losses> shared_losses(const std::vector<std::vector<DropCount>>& files);

}  // namespace tracedeck::tband
