// Which times and sequence numbers the packets of one data stream have, in the files of one run.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "tracedeck/ctf/twin_packets.hpp"

namespace tracedeck::ctf {

class OccupiedByPackets {
 public:
  // Whether no data stream has this file too, unless it has twins of its packets: it has sequence
  // numbers or times in common with a file that was added, or begins with one, where not both have
  // sequence numbers.
  [[nodiscard]] bool excludes(const TwinPackets::FileOfStream& file) const;
  void add(const TwinPackets::FileOfStream& file);

 private:
  // The first and the last value of each range; no two overlap.
  using Ranges = std::map<std::uint64_t, std::uint64_t>;

  static bool overlaps(const Ranges& ranges, std::uint64_t first, std::uint64_t last);
  static void insert(Ranges& ranges, std::uint64_t first, std::uint64_t last);
  [[nodiscard]] bool excludes_times(std::uint64_t begin, std::uint64_t end) const;

  Ranges sequences_;
  Ranges times_;                    // without the end, which the next file may begin with
  std::set<std::uint64_t> points_;  // of files that end when they begin
  std::set<std::uint64_t> begins_;
  std::set<std::uint64_t> begins_without_sequence_;
};

}  // namespace tracedeck::ctf
