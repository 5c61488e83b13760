// The producer: records events into CTF packets, for programs that write traces of their own.
//
//   auto directory = io::OutputDirectory::create("trace");
//   auto producer = Producer::create(**directory, {.dialect = Dialect::kFinal});
//   auto* clock = *(*producer)->add_clock({.id = "monotonic", .origin = ClockOrigin::kUnixEpoch});
//   auto* streams = *(*producer)->add_stream_class({.name = "cpu", .clock = clock});
//   auto polls = *(*producer)->add_event<PollStart>(*streams);  // see describe.hpp
//   auto* stream = *(*producer)->open_stream(*streams);
//   Result<void> written = stream->write(polls, now(), PollStart{.worker = 3});
//   Result<void> finished = (*producer)->finish();
//
// or, for classes made at run time, `add_event_class` and `write` with the slots of an event. An
// event costs no allocation; packets are handed to the output when they are full, behind the
// metadata of the classes that they need, so that what a program that is killed leaves can be read.
// Event classes may be added while streams are open.
//
// A producer and its streams are for one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "tracedeck/base/error.hpp"
#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/write/describe.hpp"
#include "tracedeck/ctf/write/event_header.hpp"
#include "tracedeck/io/output_directory.hpp"
#include "tracedeck/model/tape.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::ctf {

class Producer;

struct ProducerOptions {
  Dialect dialect = Dialect::kFinal;
  std::size_t packet_size = std::size_t{256} << 10;  // bytes; an event that is larger gets its own
  std::optional<Uuid> uuid = {};
  Attributes environment = {};
};

// A data stream class that is being written.
struct StreamClassSpec {
  std::string name = {};
  const ClockClass* clock = nullptr;  // of `add_clock`; null: its events have no times
};

class ProducerStreamClass;

// An event record class that is being written.
class ProducerEventClass {
 public:
  ~ProducerEventClass();
  ProducerEventClass(ProducerEventClass&&) noexcept;
  ProducerEventClass& operator=(ProducerEventClass&&) noexcept;

  [[nodiscard]] std::uint64_t id() const;

 private:
  friend class Producer;
  friend class EventStream;
  struct State;
  explicit ProducerEventClass(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// An event record class of a described struct.
template <class T>
struct EventType {
  std::uint32_t id = 0;
};

// One data stream, a file of its own. Times may not go back; where they do, readers see it.
class EventStream {
 public:
  ~EventStream();
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  // Writes an event of a class of this stream's data stream class. `time`: the clock's value; it is
  // not used without a clock. Errors: those of the output, which stay.
  template <DescribedPayload T>
  [[gnu::always_inline]] Result<void> write(EventType<T> type, std::uint64_t time, const T& event) {
    const std::size_t room = kEventHeaderRoom + 3 + kRoomOf<T> + variable_room(event);
    if (static_cast<std::ptrdiff_t>(room) > limit_ - cursor_) [[unlikely]] {
      if (Result<void> made = make_room(room, time); !made) return made;
    }
    cursor_ = put(put_header(cursor_, type.id, time), event);
    return {};
  }

  // The same with the values of the payload's members as slots, which need not outlive the call.
  // Errors: kInvalidArgument too, when the slots are not of the class; nothing is written then.
  [[nodiscard]] Result<void> write(ProducerEventClass& event_class, std::uint64_t time,
                                   std::span<const Slot> payload);

  // Counts events that were not recorded. They are lost between the last packet's end and this
  // packet's.
  void add_discarded(std::uint64_t events) { discarded_ += events; }

  // Ends the packet at hand, if it has events, and hands it to the output.
  [[nodiscard]] Result<void> end_packet();

 private:
  friend class Producer;
  template <class T>
  static constexpr std::size_t kRoomOf = std::remove_cvref_t<decltype(kPayload<T>)>::kRoom;

  EventStream(const ProducerStreamClass& stream_class, std::uint64_t id,
              std::unique_ptr<io::Output> output, std::size_t packet_size);

  template <class T>
  [[gnu::always_inline]] static std::size_t variable_room(const T& event) {
    constexpr auto& kDescription = kPayload<T>;
    return kDescription.variable_room(kDescription, event);
  }
  template <class T>
  [[gnu::always_inline]] static std::uint8_t* put(std::uint8_t* to, const T& event) {
    constexpr auto& kDescription = kPayload<T>;
    return kDescription.put(kDescription, to, event);
  }
  [[gnu::always_inline]] std::uint8_t* put_header(std::uint8_t* to, std::uint64_t id,
                                                  std::uint64_t time) {
    if (has_clock_) [[likely]] {
      to = put_event_header(to, id, last_time_, time);
      last_time_ = time;
      return to;
    }
    store_le(to, static_cast<std::uint32_t>(id));
    return to + 4;
  }
  [[nodiscard]] Result<void> make_room(std::size_t room, std::uint64_t time);
  [[nodiscard]] Result<void> finish();
  [[nodiscard]] std::size_t header_size(std::uint64_t id, std::uint64_t time) const;
  void begin_packet(std::uint64_t time, std::size_t room);

  struct State;
  std::uint8_t* cursor_ = nullptr;
  std::uint8_t* limit_ = nullptr;  // events must end here
  std::uint64_t last_time_ = 0;
  std::uint64_t discarded_ = 0;
  bool has_clock_ = false;
  std::unique_ptr<State> state_;
};

class Producer {
 public:
  // `output` must outlive the producer, and is finished by the caller. Errors: those of the output.
  [[nodiscard]] static Result<std::unique_ptr<Producer>> create(io::OutputDirectory& output,
                                                                const ProducerOptions& options);
  ~Producer();
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  // What is returned lives as long as the producer. Errors: kUnsupported for a clock without a
  // whole frequency, kInvalidArgument for a name that is taken.
  [[nodiscard]] Result<const ClockClass*> add_clock(ClockClass clock);
  [[nodiscard]] Result<ProducerStreamClass*> add_stream_class(const StreamClassSpec& spec);
  // `payload`: a structure of classes that the dialect has, lengths and selectors in fields before
  // what they are of; in CTF 1.8 booleans become enumerations. Errors: kUnsupported too, for
  // others, and in CTF 2 for names that are no UTF-8 or occur twice in a structure.
  [[nodiscard]] Result<ProducerEventClass*> add_event_class(ProducerStreamClass& stream_class,
                                                            std::string name,
                                                            const FieldClassPtr& payload);
  template <DescribedPayload T>
  [[nodiscard]] Result<EventType<T>> add_event(ProducerStreamClass& stream_class) {
    Result<ProducerEventClass*> added =
        add_event_class(stream_class, std::string(kPayload<T>.name), kPayload<T>.field_class());
    if (!added) return std::unexpected(added.error());
    return EventType<T>{static_cast<std::uint32_t>((*added)->id())};
  }

  // Opens the next data stream of a class.
  [[nodiscard]] Result<EventStream*> open_stream(const ProducerStreamClass& stream_class);

  // Ends all packets and streams and writes the metadata. Nothing may be written after.
  [[nodiscard]] Result<void> finish();

 private:
  struct State;
  explicit Producer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tracedeck::ctf
