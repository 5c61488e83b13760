// Recording spans in a program, as a Heph trace.
//
//   Recorder recorder(sink);                  // writes the epoch, from the wall clock
//   RecorderStream& stream = recorder.this_thread();
//   Span span = stream.start();
//   ...
//   Result<void> recorded = stream.finish(span, "read a file", {{"bytes", size}, {"path", path}});
//   ...
//   Result<void> ended = recorder.finish();
//
// Times are those of the monotonic clock, relative to the epoch, which was read at the same moment.
// Every thread has a stream of its own; stream 0 is shared by whoever wants it. Tasks that a thread
// runs by turns are substreams, whose ids the program gives out. An event is counted and encoded
// when its span is finished, so those inside another come before it.
//
// Threading: all of it may be called by any thread at any time; streams do not wait for each other,
// but for the sink, which is called by one thread at a time. The sink must not call the recorder.
//
// Events are handed to the sink in chunks of one stream each. When the sink fails, that is returned
// by every call from then on, and what is recorded is dropped; counters go on, so that a reader
// sees what is missing. Texts and arrays that are too long for the format are an error, and that
// event is dropped and counted too.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/heph/attribute.hpp"
#include "tracedeck/heph/encoder.hpp"

namespace tracedeck::heph {

// What has begun and is not recorded yet. A value: dropping it records nothing.
struct Span {
  std::uint64_t start = 0;  // ns since the recorder's epoch
  std::uint64_t substream = 0;
};

namespace detail {

// What the streams of a recorder share.
class RecorderCore {
 public:
  RecorderCore(Sink sink, std::size_t chunk_size);

  // Nanoseconds since the epoch.
  [[nodiscard]] std::uint64_t now() const {
    const auto passed = std::chrono::steady_clock::now() - begin_;
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count());
  }
  Result<void> hand_over(ByteSpan bytes);
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
  [[nodiscard]] std::size_t chunk_size() const { return chunk_size_; }

 private:
  std::chrono::steady_clock::time_point begin_;
  std::uint64_t epoch_;
  std::size_t chunk_size_;
  std::mutex mutex_;
  Sink sink_;
  Result<void> sunk_;
};

}  // namespace detail

// The events of one thread, or of all that share it. Made by a `Recorder`, lives as long as it.
class RecorderStream {
 public:
  RecorderStream(std::shared_ptr<detail::RecorderCore> core, std::uint32_t id);
  RecorderStream(const RecorderStream&) = delete;
  RecorderStream& operator=(const RecorderStream&) = delete;

  [[nodiscard]] std::uint32_t id() const { return id_; }

  // Begins a span now, of a task if the thread runs several.
  [[nodiscard]] Span start(std::uint64_t substream = 0) const {
    return {.start = core_->now(), .substream = substream};
  }
  // Records a span that ends now, in this stream. Errors: those of the sink; kInvalidArgument for
  // what is too long.
  Result<void> finish(const Span& span, std::string_view description,
                      std::span<const Attribute> attributes);
  Result<void> finish(const Span& span, std::string_view description,
                      std::initializer_list<Attribute> attributes = {}) {
    return finish(span, description, std::span(attributes.begin(), attributes.size()));
  }
  // Counts events that the program could not record, so that readers see them as lost.
  void skip(std::uint32_t events);
  // Hands over to the sink what there is.
  Result<void> flush();

 private:
  std::shared_ptr<detail::RecorderCore> core_;
  std::uint32_t id_;
  std::mutex mutex_;
  std::uint32_t counter_ = 0;
  Encoder encoder_;
};

class Recorder {
 public:
  // Takes the epoch from the wall clock and writes it.
  explicit Recorder(Sink sink, std::size_t chunk_size = Encoder::kChunkSize);
  // Hands over what there is; see `finish` to learn whether that worked.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // The stream of the calling thread: 1 and on, in the order in which threads come.
  [[nodiscard]] RecorderStream& this_thread();
  // Stream 0.
  [[nodiscard]] RecorderStream& shared() { return *shared_; }
  // A further stream, for what is a thread of execution in the program's own sense.
  [[nodiscard]] RecorderStream& add_stream();

  // Nanoseconds since the Unix epoch, of time 0.
  [[nodiscard]] std::uint64_t epoch() const { return core_->epoch(); }
  // An option besides the epoch, for readers that know it.
  Result<void> set_option(std::string_view name, ByteSpan value);

  // Hands over to the sink what all streams have.
  Result<void> flush();
  // The same; what is recorded later still goes to the sink.
  Result<void> finish() { return flush(); }

 private:
  std::uint64_t number_;  // of all recorders of the program
  std::shared_ptr<detail::RecorderCore> core_;
  std::mutex mutex_;  // of `streams_`
  std::vector<std::shared_ptr<RecorderStream>> streams_;
  std::shared_ptr<RecorderStream> shared_;
};

}  // namespace tracedeck::heph
