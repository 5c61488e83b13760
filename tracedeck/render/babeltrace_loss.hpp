// What babeltrace2 says on standard error about events and packets that the tracer threw away.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/model/record.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/render/babeltrace_paint.hpp"
#include "tracedeck/render/babeltrace_time.hpp"

namespace tracedeck::render {

class BabeltraceLosses {
 public:
  using PathOf = std::function<std::string(const TraceDescription&)>;

  // `path_of`: as in `BabeltraceOptions`.
  BabeltraceLosses(BabeltracePalette palette, PathOf path_of)
      : palette_(palette), path_of_(std::move(path_of)) {}

  // Gives a data stream that has no id of its own the next number of its trace.
  void begin(const DataStream& stream);
  void end(const DataStream& stream);

  // A data stream's number if it was given one, else its id.
  [[nodiscard]] std::uint64_t id_of(const DataStream& stream);

  // The name that babeltrace2 gives to a trace, which may be null.
  [[nodiscard]] std::string name_of(const TraceDescription* trace) const;

  // Keeps a loss that comes before its data stream's first packet. False: it does not, because the
  // stream has no packets or had one, or because too many are kept.
  [[nodiscard]] bool keep_until_first(const Loss& loss);

  // What was lost before a data stream's first packet, if that is `packet`: babeltrace2 gives no
  // number for what this packet counts, and the interval of the packet itself. Valid as long as the
  // packet.
  [[nodiscard]] std::vector<Loss> before_first(const Packet& packet);

  // What is kept of data streams of which no packet came. Valid as long as this object; the readers
  // and their batches may be gone.
  [[nodiscard]] std::vector<Loss> without_packet() const;

  // Appends a line for the events that were lost, one for the packets, or one for the events that
  // may have been lost. `time` prints the interval's ends, as the events' times are printed.
  void append(TextBuffer& out, const Loss& loss, BabeltraceTime& time);

 private:
  struct Numbers {
    std::uint64_t next = 0;
    std::map<std::string, std::uint64_t, std::less<>> by_file = {};
  };

  // A data stream of which no packet came yet, and what was lost in it.
  struct Begun {
    std::vector<Loss> losses = {};
    // What the losses point to, since they outlive their batches. Of a stream without losses empty.
    DataStream stream = {};
    std::shared_ptr<const TraceDescription> trace = nullptr;  // has the stream's class
  };

  Numbers& numbers_of(const DataStream& stream);
  std::uint64_t number(const DataStream& stream);
  void append_one(TextBuffer& out, const Loss& loss, std::string_view what, BabeltraceTime& time);
  void append_stream(TextBuffer& out, const DataStream& stream);

  BabeltracePalette palette_;
  PathOf path_of_;
  // Of a data stream: the number of its trace, and its own.
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  static Key key_of(const DataStream& stream) {
    return {stream.entity.trace, stream.entity.ordinal};
  }

  std::map<std::uint64_t, Numbers> numbers_;  // by the number of the trace
  std::map<Key, Begun> begun_;                // nodes keep their addresses
};

// The ends of a loss's interval; absent where they are not known or 64 bits do not hold them.
[[nodiscard]] std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>
babeltrace_interval(const Loss& loss);

}  // namespace tracedeck::render
