#include "tracedeck/comparison/stream_pairs.hpp"

#include <utility>
#include <vector>

#include "tracedeck/comparison/class_differences.hpp"

namespace tracedeck::comparison {
namespace {

std::string keys_in_words(const DataStream* stream) {
  std::string words;
  if (stream == nullptr) return words;
  for (const StreamKey& key : stream->keys) {
    if (!words.empty()) words += ", ";
    words += key.name + "=" + (key.digits.empty() ? std::to_string(key.value) : key.digits);
  }
  return words;
}

}  // namespace

StreamPair& StreamPairs::find(Side side, const DataStream* stream) {
  return find(side, stream, "with events");
}

void StreamPairs::end(Side side, const DataStream* stream) { find(side, stream, "empty"); }

// `kind`: which it is, if it was not known.
StreamPair& StreamPairs::find(Side side, const DataStream* stream, std::string_view kind) {
  Known& known = known_[std::to_underlying(side)];
  const EntityId entity = stream == nullptr ? EntityId{} : stream->entity;
  if (known.last_pair != nullptr && known.last == entity) return *known.last_pair;
  const auto found = known.streams.find(entity);
  StreamPair& pair = found != known.streams.end() ? *found->second : add(known, side, stream, kind);
  if (found == known.streams.end()) known.streams.emplace(entity, &pair);
  known.last = entity;
  known.last_pair = &pair;
  return pair;
}

StreamPair& StreamPairs::add(Known& known, Side side, const DataStream* stream,
                             std::string_view kind) {
  StreamPair::Half half;
  half.exists = true;
  half.stream_class = stream == nullptr ? nullptr : stream->stream_class;
  half.keys = keys_in_words(stream);
  const std::string identity = (stream == nullptr ? "none" : identity_of(half.stream_class)) + '/' +
                               half.keys + '/' + std::string(kind);
  const std::size_t ordinal = known.of_identity[identity]++;
  StreamPair*& pair = by_identity_[{identity, ordinal}];
  if (pair == nullptr) pair = &pairs_.emplace_back();
  pair->half(side) = std::move(half);
  return *pair;
}

void StreamPairs::pair_the_rest() {
  pair_alike([](const StreamPair::Half& a, const StreamPair::Half& b) {
    return same_identity(a.stream_class, b.stream_class);
  });
  pair_alike([](const StreamPair::Half&, const StreamPair::Half&) { return true; });
}

template <class Same>
void StreamPairs::pair_alike(Same same) {
  std::deque<StreamPair*> rights;
  for (StreamPair& pair : pairs_) {
    if (!pair.half(Side::kLeft).exists && pair.half(Side::kRight).exists) rights.push_back(&pair);
  }
  for (StreamPair& pair : pairs_) {
    if (!pair.half(Side::kLeft).exists || pair.half(Side::kRight).exists) continue;
    for (auto right = rights.begin(); right != rights.end(); ++right) {
      if (!same(pair.half(Side::kLeft), (*right)->half(Side::kRight))) continue;
      pair.half(Side::kRight) = std::exchange((*right)->half(Side::kRight), {});
      pair.given_up = pair.given_up || (*right)->given_up;
      rights.erase(right);
      break;
    }
  }
}

}  // namespace tracedeck::comparison
