// What the files of one trace share while they are read.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "tracedeck/format/reader.hpp"
#include "tracedeck/tband/names.hpp"

namespace tracedeck::tband {

class SharedTrace {
 public:
  // `resolution`: ns a tick, if it is known already.
  SharedTrace(const std::string& name, const ReadOptions& options,
              std::optional<std::uint64_t> resolution);

  [[nodiscard]] const std::shared_ptr<TraceDescription>& description() const {
    return description_;
  }
  [[nodiscard]] Names& names() { return names_; }

  // The class of an id; null when no event of it has come since the clock was made.
  [[nodiscard]] const EventClass* find_class(std::uint8_t id) const { return classes_[id]; }
  const EventClass& add_class(const EventFacts& facts);

  [[nodiscard]] const DataStreamClass& stream_class() const { return *stream_class_; }
  // Counts the clocks: data streams of an earlier one have ended.
  [[nodiscard]] unsigned generation() const { return generation_; }

  // What was said of the length of a tick.
  [[nodiscard]] const std::optional<std::uint64_t>& resolution() const { return resolution_; }
  // It is known from here on.
  void set_resolution(std::uint64_t resolution);

  // The running count of dropped events.
  std::uint64_t dropped = 0;

  bool reported_no_resolution = false;
  bool reported_names = false;

 private:
  void make_clock(std::uint64_t resolution);

  ReadOptions options_;
  std::shared_ptr<TraceDescription> description_;
  Names names_;
  std::optional<std::uint64_t> resolution_;
  const DataStreamClass* stream_class_ = nullptr;
  unsigned generation_ = 0;
  std::array<const EventClass*, 256> classes_ = {};
};

}  // namespace tracedeck::tband
