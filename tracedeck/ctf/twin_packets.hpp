// Packets that are in several files of a trace, as where snapshots of one session overlap or a
// chunk was copied: each is read once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/ctf/trace.hpp"

namespace tracedeck::ctf {

class TwinPackets {
 public:
  // Looks through the data streams that lie in several files; those without an id go by the names
  // of their files. Two packets are twins if they have the same sequence number and begin, as far
  // as they have any, of which one is needed, and the same bytes; the one that comes first is read.
  // Takes memory for the packets that are in the time of two files alone, and of a data stream for
  // `kMostRemembered` of them at a time. To be called once, before `trace` has read a packet.
  void look_for(Trace& trace);

  static constexpr std::size_t kMostRemembered = 131'072;
  // Of packets that begin alike and differ in their bytes, with how many another one is compared.
  static constexpr std::size_t kMostAlike = 8;

  // For `StreamFileOptions`. It must not outlive this.
  [[nodiscard]] std::function<bool(const std::string& file, const Packet& packet)> pass_over()
      const {
    return [this](const std::string& file, const Packet& packet) {
      return passes_over(file, packet.offset);
    };
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Packets that were too many to be compared with all that are like them.
  [[nodiscard]] std::uint64_t uncompared() const { return uncompared_; }

  // A data stream file, and what its packets say of themselves, as recorded.
  struct FileOfStream {
    std::string path = {};
    std::uint64_t begin = 0;  // of the first packet; 0: it does not say
    std::optional<std::uint64_t> end = {};
    std::optional<std::uint64_t> first_sequence = {};
    std::uint64_t last_sequence = 0;
  };
  // The files of each data stream that lies in several, in the order of their beginnings.
  [[nodiscard]] const std::vector<std::vector<FileOfStream>>& streams() const { return streams_; }
  // Files that have twins.
  [[nodiscard]] const std::set<std::pair<std::string, std::string>>& pairs() const {
    return pairs_;
  }
  // Files without a data stream id, of two names and the same bytes, each with the one before it.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& copies() const {
    return copies_;
  }

 private:
  class PacketReader;

  void look_for(Trace& trace, std::vector<FileOfStream>& files);
  [[nodiscard]] bool passes_over(const std::string& path, std::uint64_t offset) const;

  using Range = std::pair<std::uint64_t, std::uint64_t>;  // bytes, the end not among them
  std::map<std::string, std::vector<Range>> passed_over_;
  std::uint64_t count_ = 0;
  std::uint64_t uncompared_ = 0;
  std::vector<std::vector<FileOfStream>> streams_;
  std::set<std::pair<std::string, std::string>> pairs_;
  std::vector<std::pair<std::string, std::string>> copies_;
};

// Sentences that say what a user may not expect of a trace that lies in several files.
[[nodiscard]] std::vector<std::string> joining_notices(const Trace& trace,
                                                       const TwinPackets& twins);

}  // namespace tracedeck::ctf
