#include "tracedeck/heph/recorder.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace tracedeck::heph {
namespace {

std::uint64_t wall_clock_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

// The streams that the thread has, by recorder.
struct ThreadStream {
  std::uint64_t recorder;
  std::weak_ptr<RecorderStream> owner;
  RecorderStream* stream;
};
thread_local std::vector<ThreadStream> thread_streams;

std::atomic<std::uint64_t> recorders{0};

}  // namespace

namespace detail {

RecorderCore::RecorderCore(Sink sink, std::size_t chunk_size)
    : begin_(std::chrono::steady_clock::now()),
      epoch_(wall_clock_now()),
      chunk_size_(chunk_size),
      sink_(std::move(sink)) {}

Result<void> RecorderCore::hand_over(ByteSpan bytes) {
  const std::scoped_lock lock(mutex_);
  if (sunk_) sunk_ = sink_(bytes);
  return sunk_;
}

}  // namespace detail

RecorderStream::RecorderStream(std::shared_ptr<detail::RecorderCore> core, std::uint32_t id)
    : core_(std::move(core)),
      id_(id),
      encoder_([this](ByteSpan bytes) { return core_->hand_over(bytes); }, core_->chunk_size()) {}

Result<void> RecorderStream::finish(const Span& span, std::string_view description,
                                    std::span<const Attribute> attributes) {
  const std::scoped_lock lock(mutex_);
  return encoder_.write({.stream = id_,
                         .counter = counter_++,
                         .substream = span.substream,
                         .start = span.start,
                         .end = core_->now()},
                        description, attributes);
}

void RecorderStream::skip(std::uint32_t events) {
  const std::scoped_lock lock(mutex_);
  counter_ += events;
}

Result<void> RecorderStream::flush() {
  const std::scoped_lock lock(mutex_);
  return encoder_.flush();
}

Recorder::Recorder(Sink sink, std::size_t chunk_size)
    : number_(++recorders),
      core_(std::make_shared<detail::RecorderCore>(std::move(sink), chunk_size)) {
  Encoder encoder;
  // An error of the sink is returned by the next call.
  [[maybe_unused]] Result<void> written = encoder.set_epoch(core_->epoch());
  written = core_->hand_over(encoder.bytes());
  shared_ = std::make_shared<RecorderStream>(core_, 0);
  streams_.push_back(shared_);
}

Recorder::~Recorder() { [[maybe_unused]] const Result<void> flushed = flush(); }

RecorderStream& Recorder::this_thread() {
  for (const ThreadStream& known : thread_streams) {
    if (known.recorder == number_) return *known.stream;
  }
  // Recorders that are gone leave their entries behind.
  std::erase_if(thread_streams, [](const ThreadStream& known) { return known.owner.expired(); });
  RecorderStream& added = add_stream();
  const std::scoped_lock lock(mutex_);
  thread_streams.push_back({number_, streams_[added.id()], &added});
  return added;
}

RecorderStream& Recorder::add_stream() {
  const std::scoped_lock lock(mutex_);
  const auto id = static_cast<std::uint32_t>(streams_.size());
  return *streams_.emplace_back(std::make_shared<RecorderStream>(core_, id));
}

Result<void> Recorder::set_option(std::string_view name, ByteSpan value) {
  Encoder encoder;
  if (Result<void> set = encoder.set_option(name, value); !set) return set;
  return core_->hand_over(encoder.bytes());
}

Result<void> Recorder::flush() {
  const std::scoped_lock lock(mutex_);
  Result<void> first;
  for (const auto& stream : streams_) {
    Result<void> flushed = stream->flush();
    if (!flushed && first) first = std::move(flushed);
  }
  return first;
}

}  // namespace tracedeck::heph
