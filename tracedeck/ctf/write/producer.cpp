#include "tracedeck/ctf/write/producer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tracedeck/ctf/metadata/dialect_classes.hpp"

namespace tracedeck::ctf {

EventStream::EventStream(const ProducerStreamClass& stream_class, std::uint64_t id,
                         std::unique_ptr<io::Output> output, std::size_t packet_size)
    : has_clock_(stream_class.layout_.has_clock),
      stream_class_(&stream_class),
      output_(std::move(output)),
      packet_size_(packet_size) {
  facts_.stream_class_id = *stream_class.target_.id;
  facts_.stream_id = id;
}

void EventStream::begin_packet(std::uint64_t time, std::size_t room) {
  const std::size_t head = stream_class_->layout_.size();
  const std::size_t capacity = std::max(packet_size_, head + room);
  if (capacity > capacity_ || capacity_ > 2 * std::max(packet_size_, capacity)) {
    // Stores may go beyond the packet by 16 bytes.
    packet_ = std::make_unique_for_overwrite<std::uint8_t[]>(capacity + 16);
    capacity_ = capacity;
  }
  cursor_ = packet_.get() + head;
  limit_ = packet_.get() + capacity;
  facts_.begin = last_time_ = time;
}

Result<void> EventStream::make_room(std::size_t room, std::uint64_t time) {
  if (auto ended = end_packet(); !ended) return ended;
  begin_packet(time, room);
  return {};
}

Result<void> EventStream::end_packet() {
  if (error_) return std::unexpected(*error_);
  if (cursor_ == nullptr) return {};
  const auto size = static_cast<std::size_t>(cursor_ - packet_.get());
  facts_.total_bits = facts_.content_bits = std::uint64_t{8} * size;
  facts_.end = std::max(facts_.begin, last_time_);
  facts_.sequence = sequence_++;
  facts_.discarded = written_discarded_ = discarded_;
  stream_class_->layout_.write(packet_.get(), facts_);
  cursor_ = limit_ = nullptr;
  auto written = output_->write(ByteSpan(packet_.get(), size));
  if (!written) error_ = written.error();
  return written;
}

Result<void> EventStream::write(ProducerEventClass& event_class, std::uint64_t time,
                                std::span<const Slot> payload) {
  if (event_class.stream_class_ != stream_class_)
    return fail(ErrorCode::kInvalidArgument, "the event class belongs to another stream class");
  // Alignment counts from the packet's begin, so the place must be known first.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (cursor_ == nullptr) begin_packet(time, kEventHeaderRoom + 3);
    const auto used = static_cast<std::size_t>(cursor_ - packet_.get());
    const std::size_t header = static_cast<std::size_t>(limit_ - cursor_) < kEventHeaderRoom + 3
                                   ? kEventHeaderRoom
                                   : header_size(event_class.id_, time);
    // Alignments repeat, so the same place within the largest of them does.
    const std::size_t place = (used + header) % (kMostAlignment / 8);
    bits_.rewind(0);
    bits_.reserve(kMostAlignment / 8);
    bits_.rewind(std::uint64_t{8} * place);
    const EncodeStatus status = encoder_.encode(event_class.program_, event_class.root_, payload,
                                                bits_, event_class.values_, {});
    if (status != EncodeStatus::kOk)
      return fail(ErrorCode::kInvalidArgument, std::string(encode_fault(status)));
    const std::size_t size = header + bits_.byte_size() - place;
    if (static_cast<std::ptrdiff_t>(size) > limit_ - cursor_ ||
        kEventHeaderRoom + 3 > static_cast<std::size_t>(limit_ - cursor_)) {
      if (auto made = make_room(size + kEventHeaderRoom + 3 + kMostAlignment / 8, time); !made)
        return made;
      continue;
    }
    std::uint8_t* const to = put_header(cursor_, event_class.id_, time);
    std::copy_n(bits_.data() + place, size - header, to);
    cursor_ += size;
    return {};
  }
  return fail(ErrorCode::kLimitExceeded, "the event does not fit into a packet");
}

Result<void> EventStream::finish() {
  if (!error_ && cursor_ == nullptr && written_discarded_ != discarded_)
    begin_packet(last_time_, 0);
  if (auto ended = end_packet(); !ended) return ended;
  return output_->finish();
}

std::size_t EventStream::header_size(std::uint64_t id, std::uint64_t time) const {
  return !has_clock_ || has_short_header(id, last_time_, time) ? 4 : kEventHeaderRoom;
}

Producer::Producer(io::OutputDirectory& output, const ProducerOptions& options)
    : output_(output),
      options_(options),
      layout_{.uuid = options.uuid, .has_stream_ids = true},
      files_(output, options.dialect) {}

Producer::~Producer() = default;

Result<std::unique_ptr<Producer>> Producer::create(io::OutputDirectory& output,
                                                   const ProducerOptions& options) {
  std::unique_ptr<Producer> made(new Producer(output, options));
  const TraceClass trace_class{.uuid = options.uuid,
                               .packet_header = made->layout_.header_class(options.dialect)};
  if (auto begun = made->files_.metadata().begin(trace_class, options.environment); !begun)
    return std::unexpected(begun.error());
  if (auto flushed = made->files_.flush_metadata(); !flushed)
    return std::unexpected(flushed.error());
  return made;
}

Result<const ClockClass*> Producer::add_clock(ClockClass clock) {
  if (std::ranges::find(clocks_, clock.id, &ClockClass::id) != clocks_.end())
    return fail(ErrorCode::kInvalidArgument, "there is a clock `" + clock.id + "` already");
  if (auto added = files_.metadata().add_clock(clock); !added)
    return std::unexpected(added.error());
  return &clocks_.emplace_back(std::move(clock));
}

Result<ProducerStreamClass*> Producer::add_stream_class(const StreamClassSpec& spec) {
  ProducerStreamClass made;
  made.layout_ = layout_;
  made.layout_.has_clock = spec.clock != nullptr;
  made.target_.id = stream_classes_.size();
  if (!spec.name.empty()) made.target_.name = spec.name;
  made.target_.default_clock = spec.clock;
  made.target_.packet_context = made.layout_.context_class(options_.dialect, {});
  made.target_.event_header = made.layout_.event_header_class(options_.dialect);
  if (auto added = files_.metadata().add_stream_class(made.target_); !added)
    return std::unexpected(added.error());
  return &stream_classes_.emplace_back(std::move(made));
}

Result<ProducerEventClass*> Producer::add_event_class(ProducerStreamClass& stream_class,
                                                      std::string name,
                                                      const FieldClassPtr& payload) {
  ProducerEventClass made;
  made.id_ = stream_class.next_event_id_;
  made.stream_class_ = &stream_class;
  ClassMapper mapper({.dialect = options_.dialect});
  auto mapped = mapper.add_root(FieldLocation::Root::kPayload, payload);
  if (!mapped) return std::unexpected(mapped.error());
  if (!is_expressible(mapped->target, options_.dialect))
    return fail(ErrorCode::kUnsupported,
                "the class `" + name + "` has fields that the dialect lacks");
  made.root_ = mapped->node;
  made.program_ = std::move(mapper).take_program();
  made.values_.resize(made.program_.nodes.size());
  const EventClass target{.id = made.id_,
                          .name = std::move(name),
                          .stream_class = &stream_class.target_,
                          .clock = stream_class.target_.default_clock,
                          .payload = mapped->target};
  if (auto added = files_.metadata().add_event_class(target); !added)
    return std::unexpected(added.error());
  ++stream_class.next_event_id_;
  return &event_classes_.emplace_back(std::move(made));
}

Result<EventStream*> Producer::open_stream(const ProducerStreamClass& stream_class) {
  const std::size_t number = streams_.size();
  auto file = files_.create_stream(fmt::format("stream-{:04}", number));
  if (!file) return std::unexpected(file.error());
  streams_.push_back(std::unique_ptr<EventStream>(
      new EventStream(stream_class, number, std::move(*file), options_.packet_size)));
  return streams_.back().get();
}

Result<void> Producer::finish() {
  for (const auto& stream : streams_) {
    if (auto finished = stream->finish(); !finished) return finished;
  }
  if (auto finished = files_.finish_metadata(); !finished) return finished;
  const std::string environment =
      options_.dialect == Dialect::kRc3 ? environment_text(options_.environment) : std::string();
  if (environment.empty()) return {};
  auto file = output_.create_file(std::string(kEnvironmentFile));
  if (!file) return std::unexpected(file.error());
  if (auto written = (*file)->write(environment); !written) return written;
  return (*file)->finish();
}

}  // namespace tracedeck::ctf
