#include "tracedeck/ctf/rewrite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include "tracedeck/ctf/reader.hpp"
#include "tracedeck/ctf/stream/stream_rules.hpp"
#include "tracedeck/ctf/stream_file.hpp"
#include "tracedeck/ctf/trace.hpp"
#include "tracedeck/ctf/twin_packets.hpp"

namespace tracedeck::ctf {
namespace {

constexpr std::size_t kPortion = std::size_t{64} << 10;

// Bytes of a file, from front to back, to an output.
class Copy {
 public:
  Copy(io::Input& from, io::Output& to) : from_(from), to_(to), buffer_(kPortion) {}

  // Copies `size` bytes at `offset`, which is not before what was copied last, or as many as there
  // are.
  Result<void> range(std::uint64_t offset, std::uint64_t size) {
    auto skipped = from_.skip(offset - position_);
    if (!skipped) return std::unexpected(std::move(skipped.error()));
    position_ = offset;
    while (size > 0) {
      const auto got = from_.read(buffer_.data(), std::min<std::uint64_t>(size, kPortion));
      if (!got) return std::unexpected(got.error());
      if (*got == 0) return {};
      if (auto written = to_.write(ByteSpan(buffer_).first(*got)); !written) return written;
      position_ += *got;
      size -= *got;
    }
    return {};
  }

 private:
  io::Input& from_;
  io::Output& to_;
  std::vector<std::uint8_t> buffer_;
  std::uint64_t position_ = 0;
};

class Rewriter {
 public:
  Rewriter(io::OutputDirectory& output, const ReadOptions& options,
           const Format::NoticeSink& notices)
      : output_(output), options_(options), notices_(notices) {}

  Result<void> whole(const std::string& path) {
    return with(path, [](Copy& copy) { return copy.range(0, ~std::uint64_t{0}); });
  }

  void look_for_twins(Trace& trace) {
    twins_.look_for(trace);
    if (!options_.notice) return;
    for (const std::string& sentence : joining_notices(trace, twins_)) options_.notice(sentence);
  }
  Result<void> packets(Trace& trace, const std::string& path) {
    return with(path, [&](Copy& copy) { return packets(trace, path, copy); });
  }

 private:
  template <class Make>
  Result<void> with(const std::string& path, const Make& make) {
    auto input = io::open_input(path);
    if (!input) return std::unexpected(std::move(input.error()));
    auto file = output_.create_file(free_name(path));
    if (!file) return std::unexpected(std::move(file.error()));
    Copy copy(**input, **file);
    if (auto copied = make(copy); !copied) return copied;
    return (*file)->finish();
  }

  // The file's own name, unless another directory of the trace had it too.
  std::string free_name(const std::string& path) {
    const std::string name = std::filesystem::path(path).filename().string();
    std::string free = name;
    for (int i = 2; !names_.insert(free).second; ++i) free = fmt::format("{}-{}", name, i);
    return free;
  }

  // What is known of the packet at hand, which is copied when it is known to be whole.
  struct Pending {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    bool whole = false;

    [[nodiscard]] bool reaches(std::uint64_t position) const { return position - offset < size; }
  };

  Result<void> packets(Trace& trace, const std::string& path, Copy& copy) {
    StreamFile file(trace, path, {.read = options_, .pass_over = twins_.pass_over()});
    Pending packet;
    const auto flush = [&]() -> Result<void> {
      const Pending done = std::exchange(packet, {});
      return done.whole ? copy.range(done.offset, done.size) : Result<void>{};
    };
    for (;;) {
      auto batch = file.next();
      if (!batch) return std::unexpected(std::move(batch.error()));
      if (*batch == nullptr) return flush();
      for (const Record& record : (*batch)->records()) {
        if (record.kind == RecordKind::kPacketBegin) {
          if (auto flushed = flush(); !flushed) return flushed;
          packet = {record.packet->offset, record.packet->total_size.value_or(~std::uint64_t{0}),
                    true};
        } else if (record.kind == RecordKind::kProblem || record.kind == RecordKind::kFinding) {
          if (is_tolerated(*record.notice->finding.rule)) {
            notices_(record.kind, *record.notice);
          } else {
            const bool concerned = packet.reaches(record.notice->finding.offset);
            left_out(*record.notice, concerned && std::exchange(packet.whole, false));
          }
        }
      }
    }
  }

  void left_out(Notice notice, bool began) {
    if (began) notice.finding.text += "; the whole packet is left out";
    notices_(RecordKind::kProblem, notice);
  }

  io::OutputDirectory& output_;
  ReadOptions options_;
  const Format::NoticeSink& notices_;
  std::set<std::string> names_;
  TwinPackets twins_;
};

}  // namespace

Result<void> rewrite(std::span<const std::string> directories, io::OutputDirectory& output,
                     const ReadOptions& options, const Format::NoticeSink& notices,
                     std::stop_token stop) {
  ReadOptions reading = options;
  reading.values = false;
  auto trace = Trace::open(directories, options.clock_shift, options.max_state, stop);
  if (!trace) return std::unexpected(std::move(trace.error()));
  if ((*trace)->corrects_clocks()) {
    return fail(ErrorCode::kUnsupported,
                "its directories give a clock different offsets, which one metadata cannot say",
                directories.front());
  }
  std::vector<FileFinding> findings = (*trace)->take_findings();
  if (const auto error = take_rejection(**trace, findings)) return std::unexpected(*error);
  for (FileFinding& each : findings)
    notices(RecordKind::kFinding, {std::move(each.file), std::move(each.finding)});
  Rewriter rewriter(output, reading, notices);
  if (auto copied = rewriter.whole((*trace)->metadata_files().front()); !copied) return copied;
  for (const std::string& path : (*trace)->auxiliary_files()) {
    if (auto copied = rewriter.whole(path); !copied) return copied;
  }
  rewriter.look_for_twins(**trace);
  for (const std::string& path : (*trace)->files()) {
    if (stop.stop_requested()) return {};
    if (auto copied = rewriter.packets(**trace, path); !copied) return copied;
  }
  return {};
}

}  // namespace tracedeck::ctf
