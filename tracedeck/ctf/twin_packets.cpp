#include "tracedeck/ctf/twin_packets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <system_error>
#include <tuple>

#include "tracedeck/ctf/first_packet.hpp"
#include "tracedeck/ctf/packet_cursor.hpp"
#include "tracedeck/ctf/stream_file.hpp"
#include "tracedeck/io/likeness.hpp"

namespace tracedeck::ctf {
namespace {

// Begin, then sequence number, of which one is there; then bytes.
using PacketKey =
    std::tuple<std::optional<std::uint64_t>, std::optional<std::uint64_t>, std::uint64_t>;

struct PacketBytes {
  std::size_t file = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

}  // namespace

// Bytes of packets, which come mostly in the order of their files.
class TwinPackets::PacketReader {
 public:
  PacketReader(const std::vector<FileOfStream>& files, const std::stop_token& stop)
      : files_(files), stop_(stop) {}

  // Whether both are there as a whole, and equal.
  [[nodiscard]] bool equal(const PacketBytes& one, const PacketBytes& other) {
    for (std::uint64_t done = 0; done < one.size; done += kPiece) {
      const std::uint64_t size = std::min(kPiece, one.size - done);
      const auto left = bytes(one, done, size);
      const auto right = bytes(other, done, size);
      if (left.size() != size || !std::ranges::equal(left, right)) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint64_t kPiece = std::uint64_t{64} << 10;
  static constexpr std::size_t kMostOpened = 64;

  ByteSpan bytes(const PacketBytes& packet, std::uint64_t from, std::uint64_t size) {
    std::unique_ptr<PacketCursor>& cursor = cursors_[packet.file];
    const std::uint64_t begin = packet.offset + from;
    if (cursor == nullptr || cursor->offset() > begin) {
      // What is compressed is read from its beginning then.
      if (opened_[packet.file]++ == kMostOpened) return {};
      cursor = std::make_unique<PacketCursor>();
      if (!cursor->open(files_[packet.file].path, kPiece, 2 * kPiece, stop_)) {
        cursor.reset();
        return {};
      }
    }
    if (!cursor->move_to(begin) || !cursor->fetch_all(size)) return {};
    const PaddedView view = cursor->bytes();
    return ByteSpan(view.data, static_cast<std::size_t>(size));
  }

  const std::vector<FileOfStream>& files_;
  const std::stop_token& stop_;
  std::map<std::size_t, std::unique_ptr<PacketCursor>> cursors_;
  std::map<std::size_t, std::size_t> opened_;  // how often each was
};

void TwinPackets::look_for(Trace& trace) {
  using Name = std::tuple<const DataStreamClass*, StreamId, std::string>;
  std::map<Name, std::vector<FileOfStream>> streams;
  // Class, begin of the first packet, size; of files without an id.
  using Outline = std::tuple<const DataStreamClass*, std::uint64_t, std::uintmax_t>;
  std::map<Outline, std::string> outlines;
  if (trace.files().size() < 2) return;
  for (const std::string& path : trace.files()) {
    const FirstPacket first = first_packet(trace, path);
    if (first.stream_class == nullptr) continue;
    std::string name = first.stream_id.value ? "" : std::filesystem::path(path).filename().string();
    streams[{first.stream_class, first.stream_id, std::move(name)}].push_back(
        {.path = path, .begin = first.recorded_begin.value_or(0)});
    if (first.stream_id.value || !first.recorded_begin) continue;
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    const auto [before, is_new] =
        outlines.try_emplace({first.stream_class, *first.recorded_begin, size}, path);
    const auto file_name = [](const std::string& of) {
      return std::filesystem::path(of).filename();
    };
    // Files of one name are of one data stream, whose twins are read once.
    if (!is_new && !error && file_name(before->second) != file_name(path) &&
        io::likeness(before->second, path, trace.stop()) == io::Likeness::kEqual)
      copies_.emplace_back(before->second, path);
  }
  for (auto& [name, files] : streams) {
    if (files.size() < 2) continue;
    std::ranges::stable_sort(files, {}, &FileOfStream::begin);
    look_for(trace, files);
    streams_.push_back(std::move(files));
  }
}

void TwinPackets::look_for(Trace& trace, std::vector<FileOfStream>& files) {
  PacketReader reader(files, trace.stop());
  // Those that a later file may have too.
  std::multimap<PacketKey, PacketBytes> known;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto next_begin = i + 1 < files.size() ? std::optional(files[i + 1].begin) : std::nullopt;
    std::vector<std::pair<PacketKey, PacketBytes>> own;
    const auto see = [&](const std::string&, const Packet& packet) {
      if (packet.begin) {
        const std::uint64_t end = packet.end.value_or(*packet.begin);
        files[i].end = std::max(files[i].end.value_or(end), end);
      }
      if (packet.sequence) {
        files[i].first_sequence =
            std::min(files[i].first_sequence.value_or(~std::uint64_t{0}), *packet.sequence);
        files[i].last_sequence = std::max(files[i].last_sequence, *packet.sequence);
      }
      if ((!packet.begin && !packet.sequence) || !packet.total_size) return true;
      const PacketKey key{packet.begin, packet.sequence, *packet.total_size};
      const PacketBytes bytes{i, packet.offset, *packet.total_size};
      auto [first, last] = known.equal_range(key);
      std::size_t alike = 0;
      const auto end_of_alike =
          std::find_if(first, last, [&](const auto&) { return alike++ == kMostAlike; });
      const bool is_one_of_many = end_of_alike != last;
      last = end_of_alike;
      const auto twin = std::find_if(
          first, last, [&](const auto& each) { return reader.equal(each.second, bytes); });
      if (twin == last && is_one_of_many) ++uncompared_;
      if (twin != last) {
        ++count_;
        pairs_.emplace(files[twin->second.file].path, files[i].path);
        std::vector<Range>& ranges = passed_over_[files[i].path];
        if (!ranges.empty() && ranges.back().second == bytes.offset) {
          ranges.back().second += bytes.size;
        } else {
          ranges.emplace_back(bytes.offset, bytes.offset + bytes.size);
        }
      } else if (next_begin && packet.begin.value_or(*next_begin) >= *next_begin) {
        if (known.size() + own.size() < kMostRemembered)
          own.emplace_back(key, bytes);
        else
          ++uncompared_;
      }
      return true;
    };
    StreamFileOptions options{.heads_only = true, .window_size = kHeadSize, .pass_over = see};
    StreamFile file(trace, files[i].path, options);
    for (auto batch = file.next(); batch && *batch != nullptr; batch = file.next()) continue;
    if (next_begin) {
      std::erase_if(known, [&](const auto& each) {
        const auto& begin = std::get<0>(each.first);
        return begin && *begin < *next_begin;
      });
    }
    known.insert(std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  }
}

bool TwinPackets::passes_over(const std::string& path, std::uint64_t offset) const {
  const auto file = passed_over_.find(path);
  if (file == passed_over_.end()) return false;
  const auto behind = std::ranges::upper_bound(file->second, offset, {}, &Range::first);
  return behind != file->second.begin() && offset < std::prev(behind)->second;
}

std::vector<std::string> joining_notices(const Trace& trace, const TwinPackets& twins) {
  std::vector<std::string> notices;
  const std::string& name = trace.description()->input();
  if (twins.count() != 0) {
    notices.push_back(fmt::format(
        "{}: {} in more than one file of the trace, and {} read once", name,
        twins.count() == 1 ? "1 packet is" : fmt::format("{} packets are", twins.count()),
        twins.count() == 1 ? "is" : "are"));
  }
  if (twins.uncompared() != 0) {
    notices.push_back(fmt::format(
        "{}: {} that may be in more than one file of the trace: too many to compare, so that "
        "all of them are read",
        name,
        twins.uncompared() == 1 ? "there is 1 packet"
                                : fmt::format("there are {} packets", twins.uncompared())));
  }
  if (!twins.copies().empty()) {
    const auto& [one, other] = twins.copies().front();
    notices.push_back(fmt::format(
        "{}: {} and {} hold the same bytes{}, and all are read: nothing in them says that they are "
        "one data stream",
        name, one, other,
        twins.copies().size() == 1
            ? ""
            : fmt::format(", as do {} more files", twins.copies().size() - 1)));
  }
  if (trace.corrects_clocks()) {
    notices.push_back(
        fmt::format("{}: the metadata of its directories give a clock different "
                    "offsets; each directory is read by its own",
                    name));
  }
  return notices;
}

}  // namespace tracedeck::ctf
