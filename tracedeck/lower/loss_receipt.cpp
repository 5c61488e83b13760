#include "tracedeck/lower/loss_receipt.hpp"

#include <array>
#include <utility>

namespace tracedeck::lower {
namespace {

struct LossFacts {
  std::string_view what;  // a short noun phrase
  std::string_view done;
};

const LossFacts& facts_of(Lost loss) {
  static constexpr std::array<LossFacts, std::to_underlying(Lost::kCount)> kFacts = {{
      {"identity and attributes of traces", "left out"},
      {"entries of the environment", "left out"},
      {"entries of the environment that are no text", "written as text"},
      {"the epoch", "added to the environment"},
      {"names of clocks", "replaced by the target's"},
      {"lengths of ticks", "times are written in the target's"},
      {"offsets of clocks", "times are written in the target's"},
      {"origins of clocks", "left out"},
      {"identities of clocks", "left out"},
      {"precision, description and attributes of clocks", "left out"},
      {"data stream classes and keys of data streams", "written as numbers of data streams"},
      {"names, identity and attributes of data stream classes", "left out"},
      {"events of the target's own", "added"},
      {"classes without events", "left out"},
      {"events that the target does not know",
       "written as evtmarker, the class as the marker's name and the fields as JSON"},
      {"identities of classes", "left out, but for their names"},
      {"whether classes have durations, describe others and the like", "left out"},
      {"attributes of classes and fields", "left out"},
      {"contexts", "written beside the fields"},
      {"labels of enumerations", "left out beside the number"},
      {"field classes", "written as the nearest that the target has, or as text"},
      {"strings and arrays of more than 65,535", "cut"},
      {"durations", "written beside the fields"},
      {"events without a duration", "written as spans without a length"},
      {"events without a time", "written with the time of the event before"},
      {"times of metadata", "left out"},
      {"times that are nominal", "written as any other"},
      {"times outside of what the target can hold", "written as the nearest that can be"},
      {"times between two ticks", "written as the tick before"},
      {"times of a clock of another origin", "written as if it were the first one's"},
      {"lengths of a tick that do not hold in the result", "left out"},
      {"losses", "counted as the target does, as far as it can"},
  }};
  return kFacts[std::to_underlying(loss)];
}

ReceiptEntry entry_of(Lost loss, const std::string& event_class, const std::string& path,
                      std::uint64_t count, const std::string& input, std::uint64_t offset) {
  const LossFacts& facts = facts_of(loss);
  const bool is_whole = event_class.empty() && path.empty();
  return {.what = std::string(facts.what),
          .done = std::string(facts.done),
          .count = count,
          .lossy = true,
          .event_class = event_class,
          .path = is_whole ? "event" : path,
          .input = input,
          .offset = offset};
}

}  // namespace

void LossReceipt::add(Lost loss, std::string_view event_class, std::string_view path,
                      const FirstPlace& first, std::uint64_t count) {
  Place& place = places_[{loss, std::string(event_class), std::string(path)}];
  if (place.count == 0) {
    place.input = first.input;
    place.offset = first.offset;
  }
  place.count += count;
}

std::uint64_t& LossReceipt::events_of(std::string class_name, LossList lost,
                                      const FirstPlace& first) {
  if (class_places_ > kMostPlaces && lost.size() > 1) lost = {{lost.front().first, ""}};
  const auto [place, is_new] = classes_.try_emplace({std::move(class_name), std::move(lost)});
  if (is_new) {
    class_places_ += place->first.second.size();
    place->second.input = first.input;
    place->second.offset = first.offset;
  }
  return place->second.count;
}

Receipt LossReceipt::entries() const {
  Receipt receipt;
  for (const auto& [key, place] : places_) {
    const auto& [loss, event_class, path] = key;
    receipt.push_back(entry_of(loss, event_class, path, place.count, place.input, place.offset));
  }
  for (const auto& [key, place] : classes_) {
    if (place.count == 0) continue;
    for (const auto& [loss, path] : key.second)
      receipt.push_back(entry_of(loss, key.first, path, place.count, place.input, place.offset));
  }
  return receipt;
}

}  // namespace tracedeck::lower
