#include "tracedeck/trace_identity.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "tracedeck/ctf/trace_parts.hpp"
#include "tracedeck/joined_files.hpp"

namespace tracedeck {
namespace {

// Tells parts apart that have one identity.
struct IdentityTest {
  std::string_view format;
  std::vector<std::vector<std::string>> (*groups)(std::span<const std::string> parts,
                                                  const std::stop_token& stop);
  std::string_view why;  // they are apart
};
constexpr std::array<IdentityTest, 2> kTests = {{
    {"ctf", ctf::by_metadata, "their metadata do not describe the same"},
    {"ctf", ctf::by_packets,
     "packets of one data stream and time are different (two runs, or a damaged copy, whose events "
     "count twice)"},
}};

// The parts that have one identity.
struct Candidates {
  const Format* format = nullptr;
  std::vector<std::string> directories = {};
  std::vector<std::string> notices = {};
  std::vector<std::string> named_again = {};
};

// By the way to it, the names of each folder in bytewise order.
bool comes_before(const std::string& one, const std::string& other) {
  return std::filesystem::path(one) < std::filesystem::path(other);
}

std::vector<Candidates> by_identity(const std::vector<TracePart>& parts) {
  std::vector<Candidates> all;
  std::map<std::pair<dev_t, ino_t>, std::size_t> known;
  std::map<std::pair<const Format*, std::string>, std::size_t> places;
  for (const TracePart& part : parts) {
    struct stat status{};
    const bool is_there = ::stat(part.path.c_str(), &status) == 0;
    if (is_there) {
      const auto [at, is_new] = known.try_emplace({status.st_dev, status.st_ino}, 0);
      if (!is_new) {
        all[at->second].named_again.push_back(part.path);
        continue;
      }
    }
    // Nothing to compare a single one with.
    const std::string identity =
        parts.size() == 1 ? std::string() : part.format->directory_identity(part.path);
    std::size_t place = all.size();
    if (!identity.empty()) place = places.try_emplace({part.format, identity}, place).first->second;
    if (place == all.size()) all.push_back({.format = part.format});
    all[place].directories.push_back(part.path);
    if (is_there) known[{status.st_dev, status.st_ino}] = place;
  }
  return all;
}

std::vector<std::vector<std::string>> tested(Candidates& candidates, const std::stop_token& stop) {
  std::vector<std::vector<std::string>> groups = {candidates.directories};
  for (const IdentityTest& test : kTests) {
    if (test.format != candidates.format->info().name) continue;
    for (const auto& group : std::exchange(groups, {})) {
      if (group.size() == 1) {
        groups.push_back(group);
        continue;
      }
      auto apart = test.groups(group, stop);
      if (apart.size() > 1) {
        candidates.notices.push_back(
            fmt::format("{} and {} name the same trace, but are read as {} traces: {}",
                        apart[0].front(), apart[1].front(), apart.size(), test.why));
      }
      std::ranges::move(apart, std::back_inserter(groups));
    }
  }
  return groups;
}

}  // namespace

std::vector<JoinedTrace> join_parts(std::vector<TracePart> parts, const std::stop_token& stop) {
  std::vector<TracePart> files;
  for (TracePart& part : parts) {
    if (part.is_file) files.push_back(std::move(part));
  }
  std::erase_if(parts, [](const TracePart& part) { return part.is_file; });
  std::vector<JoinedTrace> traces;
  for (Candidates& candidates : by_identity(parts)) {
    std::ranges::sort(candidates.directories, comes_before);
    std::vector<std::vector<std::string>> groups = tested(candidates, stop);
    std::vector<std::string> notices = std::move(candidates.notices);
    std::vector<std::string> named_again = std::move(candidates.named_again);
    for (std::vector<std::string>& group : groups) {
      traces.push_back({.format = candidates.format,
                        .directories = std::move(group),
                        .notices = std::exchange(notices, {}),
                        .named_again = std::exchange(named_again, {})});
    }
  }
  for (JoinedFiles& joined : join_files(std::move(files), stop)) {
    traces.push_back({.format = joined.format,
                      .files = std::move(joined.files),
                      .origin = std::move(joined.origin),
                      .notices = std::move(joined.notices),
                      .named_again = std::move(joined.named_again)});
  }
  return traces;
}

}  // namespace tracedeck
