// One data stream file, or what comes live instead of one, read packet by packet (pkt-dec).
//
// Packets are found by walking their headers. With a pool of threads, those that are small enough
// to be held as a whole are decoded there, several at the same time; the result is the same. A
// packet that cannot be decoded is damage; reading goes on behind it where its size is known and
// plausible, else the file ends there. Of a live input, what is decoded is handed on before more is
// waited for.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tracedeck/ctf/batch_pool.hpp"
#include "tracedeck/ctf/growing_schema.hpp"
#include "tracedeck/ctf/packet_cursor.hpp"
#include "tracedeck/ctf/packet_job.hpp"
#include "tracedeck/ctf/packet_search.hpp"
#include "tracedeck/ctf/stream/event_decoder.hpp"
#include "tracedeck/ctf/stream/packet_head.hpp"
#include "tracedeck/ctf/task_pool.hpp"
#include "tracedeck/ctf/trace.hpp"
#include "tracedeck/format/reader.hpp"

namespace tracedeck::ctf {

struct StreamFileOptions {
  ReadOptions read = {};
  bool heads_only = false;  // no events: only what packets say of themselves
  // Who decodes packets, and how many of them at the same time; null: this thread, one by one.
  TaskPool* pool = nullptr;
  std::size_t packets_ahead = 0;
  std::size_t window_size = std::size_t{256} << 10;
  std::shared_ptr<BatchPool> batches = {};  // where batches come from; null: one of its own
  // Whether a packet of a file is passed over as if it were not there. It is asked before the
  // packet's times are corrected. Null: none is.
  std::function<bool(const std::string& file, const Packet& packet)> pass_over = {};
};

// How many packets may be decoded ahead where `at_once` data streams of a trace are read at the
// same time.
[[nodiscard]] std::size_t packets_ahead(const ReadOptions& options, std::size_t at_once);

class StreamFile final : public RecordSource {
 public:
  // `trace` must outlive it.
  StreamFile(Trace& trace, std::string path, const StreamFileOptions& options);
  // The same for a bare data stream: an input that is open. Each of its parts begins with a packet,
  // and behind damage packets are looked for (`PacketSearch`). Its data streams are not ended.
  StreamFile(Trace& trace, std::unique_ptr<io::Input> input, const StreamFileOptions& options);
  ~StreamFile() override;

  [[nodiscard]] Result<BatchPtr> next() override;

  // Bytes read so far, after decompression.
  [[nodiscard]] std::uint64_t bytes_read() const { return cursor_.offset(); }

 private:
  enum class Phase : std::uint8_t {
    kUnopened,
    kHead,
    kEventsAhead,
    kEvents,
    kLeaving,  // behind the events of a packet
    kDamage,   // behind what could be decoded of one
    kEnded
  };

  // Why bytes from an offset on cannot be read.
  struct Damage {
    DecodeFault fault;
    std::uint64_t begin = 0;
  };
  // What is behind damage: nothing that can be read, a packet by the size of the one before, or
  // what begins like a packet.
  enum class Next : std::uint8_t { kNone, kBySize, kLikely };

  // A packet that is decoded elsewhere, and the records that come before its events.
  struct Ahead {
    std::shared_ptr<Batch> before;
    std::shared_ptr<PacketJob> job;
    StreamState* state = nullptr;
    std::future<DecodedPacket> decoded;
  };

  // Fills `batch_` until it is worth handing on, or something must be waited for.
  void fill();
  [[nodiscard]] Result<BatchPtr> hand_on(std::shared_ptr<Batch> batch);
  [[nodiscard]] bool can_go_ahead();
  void go_ahead();
  void settle(Ahead ahead);

  void open();
  [[nodiscard]] bool may_begin();
  void decode_head();
  void decode_events();
  [[nodiscard]] bool try_head();
  void begin_packet();
  void correct_times(OwnedPacket& packet);
  void report_losses();
  void end_packet();
  // Goes on behind the packet, or ends.
  void leave_packet();
  // `from`: bits of the packet up to where it is decoded.
  void abandon(const DecodeFault& fault, std::uint64_t from);
  // Goes on behind the damage, or ends.
  void leave_damage();
  [[nodiscard]] Next find_packet();
  void announce(std::string_view what_now);
  void report_damage(std::uint64_t end, bool goes_on);
  // Whether something is to be handed on before more is waited for: then `hand_on_` is set.
  [[nodiscard]] bool shows_first();
  void report_fault(const DecodeFault& fault, std::uint64_t begin, std::uint64_t end, bool goes_on);
  void end();

  // Whether event records are looked at for what is odd.
  [[nodiscard]] static bool looks_for_oddities(const ReadOptions& read, const TraceSchema& schema);
  [[nodiscard]] DecodeFault unknown_class(std::uint64_t id, std::uint64_t stream_class,
                                          std::uint64_t position) const;
  // A class is not in the metadata.
  [[nodiscard]] DecodeFault lacks_class(StreamRule rule, std::uint64_t position,
                                        std::string text) const;
  [[nodiscard]] bool wanted() const;
  void grow_tape(std::uint64_t slots);
  void spend_empty(std::uint64_t elements, std::uint64_t bits);
  [[nodiscard]] bool reads_other_uuids() const;
  void report_oddities(std::vector<Oddity> oddities, std::uint64_t offset);
  // Something that is read all the same: a problem where it breaks a MUST, else, and for times of
  // event records, a finding.
  void report_odd(StreamRule rule, std::uint64_t offset, std::uint64_t length, std::string text);
  void report(RecordKind kind, StreamRule rule, std::uint64_t offset, std::uint64_t length,
              std::string text);
  [[nodiscard]] std::uint64_t packet_end() const;

  Trace& trace_;
  std::string path_;
  StreamFileOptions options_;
  GrowingSchema schema_;
  PacketCursor cursor_;
  std::optional<PacketSearch> search_ = {};  // of a bare data stream
  EventDecoder decoder_;
  PacketHeadDecoder heads_;
  Phase phase_ = Phase::kUnopened;
  PacketHead head_;
  std::shared_ptr<const Packet> packet_;
  StreamState* state_ = nullptr;
  bool has_several_streams_ = false;
  std::shared_ptr<Batch> batch_;
  // Elements that take no bits which this file may still have beyond 64 for each byte.
  std::uint64_t empty_left_ = DecodeState::kMostEmptyElements;
  bool begun_ = false;                  // the decoder has begun the packet at hand
  std::optional<Damage> damage_ = {};   // that is not reported yet
  std::uint64_t abandoned_at_ = 0;      // where decoding ended last, and how many bytes from there
  std::uint64_t walked_ = 0;            // on were looked at
  bool ran_out_ = false;                // because there were no more
  bool announced_ = false;              // that there is damage
  const io::Window* pinned_ = nullptr;  // by the batch
  bool hand_on_ = false;
  std::deque<Ahead> ahead_;
  std::deque<std::shared_ptr<Batch>> ready_;
  bool waiting_ = false;  // what is ahead must be settled first
};

}  // namespace tracedeck::ctf
