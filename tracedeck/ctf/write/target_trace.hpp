// The classes of a trace that is being written, made from those of the sources as they come.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/ctf/metadata/metadata_text.hpp"
#include "tracedeck/ctf/write/adaptations.hpp"
#include "tracedeck/ctf/write/packet_layout.hpp"
#include "tracedeck/ctf/write/target_classes.hpp"
#include "tracedeck/ctf/write/target_clocks.hpp"
#include "tracedeck/model/record.hpp"
#include "tracedeck/model/written_out.hpp"

namespace tracedeck::ctf {

struct TargetStreamClass;

struct TargetEventClass {
  const EventClass* source = nullptr;  // valid as long as its trace is read
  TargetStreamClass* stream_class = nullptr;
  std::uint64_t id = 0;
  EncodeProgram program;
  std::optional<std::uint32_t> header = {};  // nodes of its program
  std::optional<std::uint32_t> common = {};
  std::optional<std::uint32_t> specific = {};
  std::optional<std::uint32_t> body = {};
  std::vector<WrittenValue> values;  // of its nodes, where some refer to them
  // Of the payload, where that is all there is behind the header.
  std::span<const EncodeChild> plain_members = {};
};

struct TargetStreamClass {
  const DataStreamClass* source = nullptr;  // valid as long as its trace is read
  bool from_ctf = false;                    // the source's trace is one of CTF
  FieldClassPtr common_context = nullptr;   // what is mapped
  FieldClassPtr packet_context = nullptr;   // the same: without roles unless heads are kept
  FieldClassPtr event_header = nullptr;     // the same, where heads are kept
  DataStreamClass target;
  PacketLayout layout;
  std::unique_ptr<ClassMapper> packet_mapper;
  std::optional<std::uint32_t> header_node = {};  // of the packet header, where heads are kept
  std::optional<std::uint32_t> packet_node = {};
  std::vector<bool> packet_members;  // of the source's packet context: which are written
  NumberSet<std::uint64_t> event_ids;
};

// Heads (packet headers, packet contexts and event record headers) are the source's own where it is
// a single CTF trace; else those of `PacketLayout`.
class TargetTrace {
 public:
  // `single_source`: all data streams are of one trace. `metadata`: makes the metadata; it must
  // outlive this.
  TargetTrace(Dialect dialect, bool single_source, Adaptations& adaptations,
              MetadataWriter& metadata);

  // The class of a data stream. Errors: kUnsupported, kLimitExceeded.
  [[nodiscard]] Result<TargetStreamClass*> stream_class(const DataStream& stream);
  // Lets go of what is kept about traces that `gone` says are. Their classes, should they come
  // again after all, become other classes.
  void forget(const std::function<bool(std::uint64_t trace)>& gone);
  // When many event classes have been written, drops all that is known of them but their ids, and
  // returns true. The results of `event_class` are invalid then.
  [[nodiscard]] bool forget_many();
  // The class of an event of a data stream of that class.
  [[nodiscard]] Result<TargetEventClass*> event_class(const EventClass& source,
                                                      TargetStreamClass& stream_class);

  // Adds the classes that no event was of, as far as they are known, and calls `added` for each.
  // Errors: those of `added`.
  [[nodiscard]] Result<void> add_other_classes(TargetStreamClass& stream_class,
                                               const std::function<Result<void>()>& added);

  // Of the first description.
  [[nodiscard]] const Attributes& environment() const { return environment_; }
  [[nodiscard]] bool has_stream_ids() const { return has_stream_ids_; }
  // How many members of packet headers and contexts are left out, by their paths; those beyond
  // `kMostHeads` are `(others)`.
  static constexpr std::size_t kMostHeads = 1024;
  [[nodiscard]] const std::map<std::string, std::uint64_t>& heads_left_out() const {
    return heads_left_out_;
  }
  // Whether the first source is.
  [[nodiscard]] bool is_of_dialect(Dialect dialect) const;
  [[nodiscard]] bool keeps_heads() const { return keeps_heads_; }
  // Gives the values of a packet header that is kept the UUID of the trace: CTF 1.8 has packets
  // with another, CTF 2 has not. The UUID lies in this.
  void put_uuid(std::span<Slot> packet_header) const;
  // A data stream without any was written: the trace class is there all the same.
  [[nodiscard]] Result<void> begin_empty();

 private:
  [[nodiscard]] Result<void> begin(const DataStream& stream);
  // The event record classes of a data stream class that are known.
  [[nodiscard]] const std::vector<const EventClass*>& events_of(const DataStreamClass& source);
  [[nodiscard]] bool can_keep_heads(const TraceDescription& first);
  [[nodiscard]] bool fits_heads(const DataStreamClass& source);
  [[nodiscard]] std::uint64_t last_id(const TraceDescription* source) const;
  void collect_head_selectors(const DataStreamClass& source);
  [[nodiscard]] MapperOptions mapper_options() const;
  [[nodiscard]] Result<void> map_packet_context(TargetStreamClass& made);
  [[nodiscard]] Result<void> map_heads(TargetStreamClass& made);
  [[nodiscard]] Result<MapperCounts> map_event(TargetEventClass& made, EventClass& target);
  void note_left_out(const Member& member);
  // Members of the trace's packet header, where the target has one of its own.
  void note_header(const TraceDescription* trace);
  void count(const MapperCounts& counts);
  void adapted(Adaptation what, std::uint64_t count = 1) { adaptations_.add(what, count); }

  Dialect dialect_;
  bool single_source_;
  Adaptations& adaptations_;
  MetadataWriter& writer_;
  TargetClocks clocks_;
  std::unordered_map<std::uint64_t, std::size_t> known_classes_;  // by the numbers of their traces
  std::unordered_map<EntityId, std::vector<const EventClass*>, EntityIdHash> events_of_;
  WrittenOut written_out_;
  bool begun_ = false;
  bool keeps_heads_ = false;
  HeadSelectors head_selectors_;           // of the first description as it begins
  FieldClassPtr packet_header_ = nullptr;  // what is mapped, where heads are kept
  std::optional<Uuid> uuid_;               // of the trace, where heads are kept
  std::size_t uuid_member_ = 0;            // of `packet_header_`
  bool has_stream_ids_ = false;
  PacketLayout layout_;
  std::map<std::string, std::uint64_t> heads_left_out_;
  // The numbers of the last traces whose packet headers were noted; those of all up to
  // `noted_until_` are taken to have been.
  static constexpr std::size_t kMostNoted = 4096;
  std::set<std::uint64_t> noted_headers_;
  std::uint64_t noted_until_ = 0;
  Attributes environment_;
  std::uint64_t first_trace_ = 0;  // its number; 0: the first data stream had none
  std::string first_version_;
  NumberSet<std::uint64_t> stream_class_ids_;
  // By the source's.
  std::unordered_map<EntityId, std::unique_ptr<TargetStreamClass>, EntityIdHash> stream_class_of_;
  struct EventKey {
    EntityId source;
    EntityId stream_class;
    friend bool operator==(const EventKey&, const EventKey&) = default;
  };
  struct EventKeyHash {
    std::size_t operator()(const EventKey& key) const {
      return EntityIdHash()(key.source) * 31 + EntityIdHash()(key.stream_class);
    }
  };
  std::unordered_map<EventKey, std::unique_ptr<TargetEventClass>, EventKeyHash> event_class_of_;
  // Of those that have been written, and nothing else is known of until an event comes.
  std::unordered_map<EventKey, std::uint64_t, EventKeyHash> ids_of_others_;
};

}  // namespace tracedeck::ctf
