#include "tracedeck/lower/restored_streams.hpp"

#include <algorithm>
#include <functional>

namespace tracedeck::lower {

void RestoredSequence::wait(std::uint64_t order, std::size_t stream) {
  waiting.emplace_back(order, stream);
  std::ranges::push_heap(waiting, std::greater());
}

RestoredSequence::Waiting RestoredSequence::take_first() {
  std::ranges::pop_heap(waiting, std::greater());
  const Waiting first = waiting.back();
  waiting.pop_back();
  return first;
}

bool RestoredStreams::has(const StoredStreamClass& of, const Keys& keys) const {
  const auto trace = traces_.find(of.trace->number);
  return trace != traces_.end() && trace->second.by_keys.contains({of.source, keys});
}

RestoredStream* RestoredStreams::any(const MarkedTrace& trace) {
  auto& streams = traces_[trace.number].by_keys;
  return streams.empty() ? nullptr : &streams.begin()->second;
}

RestoredStream& RestoredStreams::operator()(const StoredStreamClass& of, const Keys& keys) {
  OfTrace& trace = traces_[of.trace->number];
  RestoredStream& made = of.only ? trace.by_ordinal[*of.only] : trace.by_keys[{of.source, keys}];
  if (made.stream != nullptr) return made;
  DescriptionReader& reader = of.trace->reader;
  if (of.only) {
    own(made, reader.data_stream(*of.only), *of.trace);
  } else {
    DataStream stream{.entity = reader.description()->next_stream(), .stream_class = of.source};
    for (std::size_t i = 0; i < keys.size(); ++i)
      stream.keys.push_back({.name = of.keys[i], .value = keys[i]});
    own(made, std::make_shared<const DataStream>(std::move(stream)), *of.trace);
  }
  made.is_part = of.has_parts();
  std::shared_ptr<RestoredSequence> alone;
  std::shared_ptr<RestoredSequence>& sequence = made.is_part ? trace.recordings[of.source] : alone;
  if (sequence == nullptr) sequence = sequences_.emplace_back(std::make_shared<RestoredSequence>());
  made.sequence = sequence;
  if (made.is_part) {
    sequence->parts.emplace(keys.front(), &made);
  } else {
    begin(made);
  }
  return made;
}

RestoredStream& RestoredStreams::same(const StoredStreamClass& of, const DataStream& stored) {
  RestoredStream& made = traces_[of.trace->number].same[stored.entity];
  if (made.stream != nullptr) return made;
  DataStream stream = stored;
  stream.entity = of.trace->reader.description()->next_stream();
  stream.stream_class = of.source;
  if (of.trace->has_heads == false) {
    // Other heads may say other ids.
    std::erase_if(stream.keys, [&](const StreamKey& key) {
      return key.name == "id" && of.trace->lacked_stream_ids;
    });
    for (StreamKey& key : stream.keys) {
      if (key.name == "class" && of.source->id) key.value = *of.source->id;
    }
  }
  made.keeps_packets = true;
  made.sequence = sequences_.emplace_back(std::make_shared<RestoredSequence>());
  own(made, std::make_shared<const DataStream>(std::move(stream)), *of.trace);
  begin(made);
  return made;
}

void RestoredStreams::end_same(const StoredStreamClass& of, const DataStream& stored) {
  end(same(of, stored));
  traces_[of.trace->number].same.erase(stored.entity);
}

void RestoredStreams::own(RestoredStream& of, std::shared_ptr<const DataStream> stream,
                          MarkedTrace& trace) {
  using Owned = std::pair<std::shared_ptr<const DataStream>, std::shared_ptr<const void>>;
  of.stream = std::move(stream);
  of.owner = std::make_shared<const Owned>(of.stream, trace.reader.description());
}

void RestoredStreams::end() {
  for (auto& [number, trace] : traces_) {
    for (auto& [keys, stream] : trace.by_keys) {
      if (!stream.is_part) end(stream);
    }
    for (auto& [ordinal, stream] : trace.by_ordinal) end(stream);
    for (const auto& [stream_class, sequence] : trace.recordings) {
      while (!sequence->parts.empty()) enter(*sequence->parts.rbegin()->second);
      if (sequence->part != nullptr) end(*sequence->part);
    }
  }
}

void RestoredStreams::begin(const RestoredStream& stream) {
  output_.pin_lasting(stream.owner);
  output_.add(Record(RecordKind::kStreamBegin, stream.stream.get()));
}

void RestoredStreams::end(RestoredStream& stream) {
  output_.pin_lasting(stream.owner);
  stream.packet.end(output_);
  output_.add(Record(RecordKind::kStreamEnd, stream.stream.get()));
}

void RestoredStreams::enter_part(RestoredStream& stream) {
  RestoredSequence& sequence = *stream.sequence;
  bool begun = false;
  while (!begun && !sequence.parts.empty()) {
    RestoredStream& next = *sequence.parts.begin()->second;
    if (next.stream->keys.front().value > stream.stream->keys.front().value) break;
    sequence.parts.erase(sequence.parts.begin());
    begin_part(next);
    begun = &next == &stream;
  }
  // Another program may have put parts together that lay apart.
  if (!begun) begin_part(stream);
}

void RestoredStreams::begin_part(RestoredStream& stream) {
  if (RestoredStream* const before = std::exchange(stream.sequence->part, &stream)) end(*before);
  begin(stream);
}

}  // namespace tracedeck::lower
