#include "bench/lttng_trace.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck::bench {
namespace {

constexpr std::string_view kMetadata = R"(/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
trace {
  major = 1; minor = 8; byte_order = le;
  uuid = "10101010-2020-3030-4040-505050505050";
  packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; uint64_t stream_instance_id; };
};
env { domain = "ust"; tracer_name = "lttng-ust"; tracer_major = 2; tracer_minor = 13; };
clock { name = monotonic; freq = 1000000000; offset_s = 1600000000; };
typealias integer { size = 27; align = 1; signed = false; map = clock.monotonic.value; } := time27_t;
typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := time64_t;
struct header {
  enum : integer { size = 5; align = 1; signed = false; } { compact = 0 ... 30, extended = 31 } id;
  variant <id> {
    struct { time27_t timestamp; } compact;
    struct { uint32_t id; time64_t timestamp; } extended;
  } v;
} align(8);
stream {
  id = 0;
  packet.context := struct {
    time64_t timestamp_begin; time64_t timestamp_end;
    uint64_t content_size; uint64_t packet_size; uint64_t packet_seq_num;
    uint64_t events_discarded; uint32_t cpu_id;
  };
  event.header := struct header;
  event.context := struct { int32_t vtid; };
};
event { name = "app:tick"; id = 0; stream_id = 0; loglevel = 13; fields := struct { uint32_t value; }; };
event {
  name = "app:step"; id = 1; stream_id = 0; loglevel = 13;
  fields := struct {
    uint64_t address; int32_t delta; string name;
    enum : uint8_t { idle = 0, busy = 1, done = 2 } phase;
  };
};
)";

constexpr std::size_t kHeadSize = 4 + 16 + 4 + 8 + 6 * 8 + 4;

[[noreturn]] void give_up(const std::string& path) {
  std::perror(path.c_str());
  std::exit(1);
}

// One data stream file.
class Stream {
 public:
  Stream(const std::string& path, unsigned cpu, std::uint64_t packet_size)
      : path_(path), cpu_(cpu), file_(std::fopen(path.c_str(), "wb")), packet_(packet_size) {
    if (file_ == nullptr) give_up(path);
  }

  void event(std::uint64_t time, std::uint64_t number) {
    constexpr std::size_t kMostSize = 64;
    if (position_ + kMostSize > packet_.size()) flush();
    if (position_ == 0) begin(time);
    const bool step = number % 4 == 3;
    // The first of a packet, and those that come long after another, have the long header.
    const bool extended = time - last_ >= (1U << 27) || number % 1000 == 0;
    last_ = time;
    if (extended) {
      put<std::uint8_t>(31);
      put<std::uint32_t>(step ? 1 : 0);
      put<std::uint64_t>(time);
    } else {
      put<std::uint32_t>(static_cast<std::uint32_t>((step ? 1U : 0U) | (time << 5)));
    }
    put<std::uint32_t>(4000 + cpu_);
    if (!step) {
      put<std::uint32_t>(static_cast<std::uint32_t>(number));
      return;
    }
    constexpr std::string_view kNames[] = {"read", "write", "open", "close-all"};
    put<std::uint64_t>(0x7F00'0000'0000 + number * 16);
    put<std::uint32_t>(static_cast<std::uint32_t>(-static_cast<std::int64_t>(number % 100)));
    const std::string_view name = kNames[number / 4 % 4];
    std::memcpy(packet_.data() + position_, name.data(), name.size());
    position_ += name.size();
    put<std::uint8_t>(0);
    put<std::uint8_t>(static_cast<std::uint8_t>(number / 4 % 3));
  }

  std::uint64_t finish() {
    if (position_ != 0) flush();
    if (std::fclose(file_) != 0) give_up(path_);
    return written_;
  }

 private:
  template <class T>
  void put(T value) {
    store_le(packet_.data() + position_, value);
    position_ += sizeof value;
  }

  void begin(std::uint64_t time) {
    begin_ = last_ = time;
    position_ = kHeadSize;
  }

  void flush() {
    const std::uint64_t content = position_;
    position_ = 0;
    put<std::uint32_t>(0xC1FC1FC1);
    for (const unsigned byte : {0x10U, 0x10U, 0x10U, 0x10U, 0x20U, 0x20U, 0x30U, 0x30U, 0x40U,
                                0x40U, 0x50U, 0x50U, 0x50U, 0x50U, 0x50U, 0x50U})
      put<std::uint8_t>(static_cast<std::uint8_t>(byte));
    put<std::uint32_t>(0);
    put<std::uint64_t>(cpu_);
    put<std::uint64_t>(begin_);
    put<std::uint64_t>(last_);
    put<std::uint64_t>(content * 8);
    put<std::uint64_t>(packet_.size() * 8);
    put<std::uint64_t>(sequence_++);
    put<std::uint64_t>(0);
    put<std::uint32_t>(cpu_);
    std::memset(packet_.data() + content, 0, packet_.size() - content);
    if (std::fwrite(packet_.data(), 1, packet_.size(), file_) != packet_.size()) give_up(path_);
    written_ += packet_.size();
    position_ = 0;
  }

  std::string path_;
  unsigned cpu_;
  std::FILE* file_;
  std::vector<std::uint8_t> packet_;
  std::size_t position_ = 0;
  std::uint64_t begin_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t written_ = 0;
};

}  // namespace

std::uint64_t write_lttng_trace(const std::string& directory, const LttngShape& shape) {
  const std::string path = directory + "/metadata";
  std::FILE* const metadata = std::fopen(path.c_str(), "wb");
  if (metadata == nullptr ||
      std::fwrite(kMetadata.data(), 1, kMetadata.size(), metadata) != kMetadata.size() ||
      std::fclose(metadata) != 0)
    give_up(path);
  std::vector<Stream> streams;
  streams.reserve(shape.streams);
  for (unsigned i = 0; i < shape.streams; ++i)
    streams.emplace_back(directory + "/channel0_" + std::to_string(i), i, shape.packet_size);
  std::uint64_t time = 1'000'000;
  for (std::uint64_t i = 0; i < shape.events; ++i) {
    time += 150 + i % 7;
    streams[i % shape.streams].event(time, i);
  }
  std::uint64_t written = 0;
  for (Stream& stream : streams) written += stream.finish();
  return written;
}

}  // namespace tracedeck::bench
