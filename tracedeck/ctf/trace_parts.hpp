// Which directories with one identity hold parts of one trace.
#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace tracedeck::ctf {

// Puts directories whose metadata name one trace into groups, each of one trace: the metadata of
// all are beginnings of the longest, but for the environment and the offsets of clocks. Some
// producers put one UUID into every trace they write. Groups, and directories in a group, are in
// the order in which they come.
[[nodiscard]] std::vector<std::vector<std::string>> by_metadata(
    std::span<const std::string> directories, const std::stop_token& stop);

// The same for directories whose metadata describe the same: those in which a data stream has equal
// sequence numbers, or times in common, but not a single packet, are of several runs of a program.
[[nodiscard]] std::vector<std::vector<std::string>> by_packets(
    std::span<const std::string> directories, const std::stop_token& stop);

}  // namespace tracedeck::ctf
