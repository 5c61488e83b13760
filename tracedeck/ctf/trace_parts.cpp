#include "tracedeck/ctf/trace_parts.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <numeric>
#include <utility>

#include "tracedeck/ctf/metadata/comparable_text.hpp"
#include "tracedeck/ctf/occupied_by_packets.hpp"
#include "tracedeck/ctf/trace.hpp"
#include "tracedeck/ctf/twin_packets.hpp"
#include "tracedeck/io/input.hpp"

namespace tracedeck::ctf {
namespace {

// What cannot be read is told when the trace is opened.
void read_into(ComparableText& text, const std::string& directory, const std::stop_token& stop) {
  auto input = io::open_input(metadata_path(directory), stop);
  if (!input) return;
  std::array<std::uint8_t, std::size_t{16} << 10> portion;
  for (;;) {
    const auto size = (*input)->read(portion.data(), portion.size());
    if (!size || *size == 0) return;
    text.take(ByteSpan(portion).first(*size));
  }
}

struct Part {
  std::size_t place = 0;  // among the directories
  TextSum whole = {};
};

// The parts, by the leaders whose metadata they begin, which are the longest ones.
std::vector<std::vector<std::size_t>> groups_of(std::vector<Part> parts,
                                                std::span<const std::string> directories,
                                                const std::stop_token& stop) {
  std::vector<std::uint64_t> lengths;
  for (const Part& each : parts) lengths.push_back(each.whole.length);
  std::ranges::sort(lengths);
  const auto repeated = std::ranges::unique(lengths);
  lengths.erase(repeated.begin(), repeated.end());
  std::ranges::stable_sort(parts, std::ranges::greater(),
                           [](const Part& each) { return each.whole.length; });
  struct Leader {
    TextSum whole;
    std::vector<TextSum> beginnings;
    std::vector<std::size_t> members;

    [[nodiscard]] bool begins_with(const TextSum& sum) const {
      return whole == sum || std::ranges::find(beginnings, sum) != beginnings.end();
    }
  };
  std::vector<Leader> leaders;
  for (const Part& part : parts) {
    const auto leader = std::ranges::find_if(
        leaders, [&](const Leader& each) { return each.begins_with(part.whole); });
    if (leader != leaders.end()) {
      leader->members.push_back(part.place);
      continue;
    }
    Leader made{.whole = part.whole, .beginnings = {}, .members = {part.place}};
    if (part.whole.length != lengths.front()) {
      ComparableText again(lengths);
      read_into(again, directories[part.place], stop);
      made.beginnings = again.beginnings();
    }
    leaders.push_back(std::move(made));
  }
  std::vector<std::vector<std::size_t>> groups;
  for (Leader& each : leaders) {
    std::ranges::sort(each.members);
    groups.push_back(std::move(each.members));
  }
  std::ranges::sort(groups);
  return groups;
}

// Directories that are of one run, and the files of data streams in them that lie in several.
struct PartOfRun {
  using File = std::pair<std::size_t, const TwinPackets::FileOfStream*>;  // data stream, file

  std::vector<std::size_t> places = {};
  std::vector<File> files = {};
};

// Parts that are of one run, and what the packets of each data stream occupy.
class Run {
 public:
  [[nodiscard]] bool excludes(const PartOfRun& part) const {
    return std::ranges::any_of(part.files, [&](const PartOfRun::File& file) {
      const auto known = occupied_.find(file.first);
      return known != occupied_.end() && known->second.excludes(*file.second);
    });
  }
  void add(const PartOfRun& part) {
    places_.insert(places_.end(), part.places.begin(), part.places.end());
    for (const auto& [stream, file] : part.files) occupied_[stream].add(*file);
  }
  [[nodiscard]] std::vector<std::size_t> take_places() {
    std::ranges::sort(places_);
    return std::move(places_);
  }

 private:
  std::vector<std::size_t> places_;
  std::map<std::size_t, OccupiedByPackets> occupied_;  // by data stream
};

}  // namespace

std::vector<std::vector<std::string>> by_metadata(std::span<const std::string> directories,
                                                  const std::stop_token& stop) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < directories.size(); ++i) {
    ComparableText text;
    read_into(text, directories[i], stop);
    parts.push_back({.place = i, .whole = text.whole()});
  }
  std::vector<std::vector<std::string>> result;
  for (const std::vector<std::size_t>& group : groups_of(std::move(parts), directories, stop)) {
    std::vector<std::string>& names = result.emplace_back();
    for (const std::size_t place : group) names.push_back(directories[place]);
  }
  return result;
}

std::vector<std::vector<std::string>> by_packets(std::span<const std::string> directories,
                                                 const std::stop_token& stop) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  const auto trace = Trace::open(directories, 0, kMost, stop);
  // Why it cannot be opened is told when that is tried again.
  if (!trace) return {{directories.begin(), directories.end()}};
  TwinPackets twins;
  twins.look_for(**trace);
  std::map<std::string, std::size_t> place_of;
  for (std::size_t i = 0; i < directories.size(); ++i) {
    const std::string file = metadata_path(directories[i]);
    place_of.emplace(std::filesystem::path(file).parent_path().string(), i);
  }
  const auto place = [&](const std::string& file) {
    return place_of.at(std::filesystem::path(file).parent_path().string());
  };
  // Those with packets in common are of one run whatever else they hold.
  std::vector<std::size_t> leaders(directories.size());
  std::iota(leaders.begin(), leaders.end(), std::size_t{0});
  for (const auto& [one, other] : twins.pairs()) {
    const std::size_t first = leaders[place(one)];
    const std::size_t second = leaders[place(other)];
    std::ranges::replace(leaders, std::max(first, second), std::min(first, second));
  }
  std::vector<PartOfRun> parts(directories.size());  // by leader
  for (std::size_t i = 0; i < directories.size(); ++i) parts[leaders[i]].places.push_back(i);
  for (std::size_t stream = 0; stream < twins.streams().size(); ++stream) {
    for (const TwinPackets::FileOfStream& file : twins.streams()[stream])
      parts[leaders[place(file.path)]].files.emplace_back(stream, &file);
  }
  std::vector<Run> runs;
  for (const PartOfRun& part : parts) {
    if (part.places.empty()) continue;
    auto run = std::ranges::find_if(runs, [&](const Run& each) { return !each.excludes(part); });
    if (run == runs.end()) run = runs.emplace(run);
    run->add(part);
  }
  std::vector<std::vector<std::string>> result;
  for (Run& run : runs) {
    std::vector<std::string>& names = result.emplace_back();
    for (const std::size_t each : run.take_places()) names.push_back(directories[each]);
  }
  return result;
}

}  // namespace tracedeck::ctf
