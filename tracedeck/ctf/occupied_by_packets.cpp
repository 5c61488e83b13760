#include "tracedeck/ctf/occupied_by_packets.hpp"

#include <algorithm>
#include <iterator>

namespace tracedeck::ctf {

bool OccupiedByPackets::excludes(const TwinPackets::FileOfStream& file) const {
  if (file.first_sequence && overlaps(sequences_, *file.first_sequence, file.last_sequence))
    return true;
  if (!file.end) return false;
  const auto& begins = file.first_sequence ? begins_without_sequence_ : begins_;
  return begins.contains(file.begin) || excludes_times(file.begin, *file.end);
}

void OccupiedByPackets::add(const TwinPackets::FileOfStream& file) {
  if (file.first_sequence) insert(sequences_, *file.first_sequence, file.last_sequence);
  if (!file.end) return;
  begins_.insert(file.begin);
  if (!file.first_sequence) begins_without_sequence_.insert(file.begin);
  if (file.begin < *file.end) {
    insert(times_, file.begin, *file.end - 1);
  } else {
    points_.insert(file.begin);
  }
}

bool OccupiedByPackets::excludes_times(std::uint64_t begin, std::uint64_t end) const {
  if (begin < end) {
    const auto point = points_.upper_bound(begin);
    return (point != points_.end() && *point < end) || overlaps(times_, begin, end - 1);
  }
  // What ends when it begins lies within a range, not at its bounds.
  const auto behind = times_.lower_bound(begin);
  return behind != times_.begin() && std::prev(behind)->second >= begin;
}

bool OccupiedByPackets::overlaps(const Ranges& ranges, std::uint64_t first, std::uint64_t last) {
  const auto behind = ranges.upper_bound(last);
  return behind != ranges.begin() && std::prev(behind)->second >= first;
}

void OccupiedByPackets::insert(Ranges& ranges, std::uint64_t first, std::uint64_t last) {
  auto behind = ranges.upper_bound(last);
  while (behind != ranges.begin() && std::prev(behind)->second >= first) {
    const auto each = std::prev(behind);
    first = std::min(first, each->first);
    last = std::max(last, each->second);
    behind = ranges.erase(each);
  }
  ranges.emplace_hint(behind, first, last);
}

}  // namespace tracedeck::ctf
