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
      {"names of traces", "left out: the events of all are those of one"},
      {"entries of the environment", "left out"},
      {"types of entries of the environment that are no text", "all are written as text"},
      {"the exact environment", "the target's epoch is added"},
      {"names of clocks", "replaced by the target's"},
      {"lengths of ticks", "replaced by the target's, in which times are written"},
      {"offsets of clocks", "replaced by the target's, from which times are written"},
      {"origins of clocks", "left out"},
      {"identities of clocks", "left out"},
      {"precision, description and attributes of clocks", "left out"},
      {"data stream classes and keys of data streams", "replaced by numbers of data streams"},
      {"names, identity and attributes of data stream classes", "left out"},
      {"the exact list of events", "the target's own events are added"},
      {"classes without events", "left out"},
      {"classes and fields of events that the target does not know",
       "replaced by text: evtmarker, the class as the marker's name and the fields as JSON"},
      {"identities of classes beside their names", "left out"},
      {"whether classes have durations, describe others and the like", "left out"},
      {"attributes of classes and fields", "left out"},
      {"which fields are of a context", "they are written among the others"},
      {"labels of enumerations", "left out, the numbers are there"},
      {"exact field classes", "replaced by the nearest that the target has, or by text"},
      {"ends of strings and arrays of more than 65,535", "cut off"},
      {"that events have a duration", "it is written among the fields"},
      {"that events have no duration", "they are written as spans without a length"},
      {"that events have no time", "they are written with the time of the event before"},
      {"times of metadata", "left out"},
      {"that times are nominal", "they are written as any other"},
      {"times outside of what the target can hold", "replaced by the nearest that can be"},
      {"times between two ticks", "replaced by the tick before"},
      {"origins of clocks other than the first one's", "times are written as if they were its"},
      {"lengths of a tick that do not hold in the result", "left out"},
      {"exact losses", "counted as far as the target can"},
  }};
  return kFacts[std::to_underlying(loss)];
}

ReceiptEntry::Of of(Lost loss) {
  if (loss == Lost::kNoEvents) return ReceiptEntry::Of::kEmptyClass;
  const bool is_described = loss <= Lost::kStreamText || loss == Lost::kResolution;
  return is_described ? ReceiptEntry::Of::kDescription : ReceiptEntry::Of::kRecords;
}

ReceiptEntry entry_of(Lost loss, const std::string& event_class, const std::string& path,
                      std::uint64_t count, const std::string& input, std::uint64_t offset) {
  const LossFacts& facts = facts_of(loss);
  const bool is_whole = event_class.empty() && path.empty();
  return {.what = std::string(facts.what),
          .done = std::string(facts.done),
          .count = count,
          .lossy = true,
          .of = of(loss),
          .event_class = event_class,
          .path = is_whole ? "event" : path,
          .input = input,
          .offset = offset};
}

}  // namespace

void LossReceipt::add(Lost loss, std::string_view event_class, std::string_view path,
                      const FirstPlace& first, std::uint64_t count) {
  std::tuple key(loss, std::string(event_class), std::string(path));
  const bool is_named = places_.size() < kMostPlaces || places_.contains(key);
  if (!is_named) return add_others(loss, count);
  Place& place = places_[std::move(key)];
  if (place.count == 0) {
    place.input = first.input;
    place.offset = first.offset;
  }
  place.count += count;
}

void LossReceipt::add_others(Lost loss, std::uint64_t count) { others_[loss] += count; }

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
  for (const auto& [loss, count] : others_)
    receipt.push_back(entry_of(loss, "", std::string(kOthers), count, "", 0));
  for (const auto& [key, place] : classes_) {
    if (place.count == 0) continue;
    for (const auto& [loss, path] : key.second)
      receipt.push_back(entry_of(loss, key.first, path, place.count, place.input, place.offset));
  }
  return receipt;
}

}  // namespace tracedeck::lower
