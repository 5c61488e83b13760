// Names that packets refer to by number: of events, of their categories, of annotations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/export/perfetto_packets.hpp"
#include "tracedeck/timeline/timeline.hpp"

namespace tracedeck::exporting::perfetto {

// Each kind has numbers of its own, from 1 on. When all are given away, further names are written
// out.
class Names {
 public:
  static constexpr std::uint32_t kMost = 65'536;  // of each kind

  explicit Names(Packets& packets) : packets_(packets) {}

  // Adds the name of an event to the one that is open.
  void put_event(const timeline::Timeline& timeline, timeline::NameId name) {
    if (name == timeline::kNoName) return;
    if (name > events_.size()) [[unlikely]]
      events_.resize(timeline.name_count());
    EventName& known = events_[name - 1];
    if (!known.seen) [[unlikely]]
      introduce(timeline.name(name), known);
    if (known.iid == 0) [[unlikely]]
      return put_whole(timeline.name(name));
    ProtobufWriter& writer = packets_.writer();
    std::uint8_t* at = writer.reserve(4 * kMaxLeb128Size);
    at = put_integer(at, event_field::kNameIid, known.iid);
    if (known.category != 0) at = put_integer(at, event_field::kCategoryIids, known.category);
    writer.commit(at);
  }
  // Adds the name of an annotation that is open.
  void put_annotation(std::string_view name);

  // Names that were written out.
  [[nodiscard]] std::uint64_t written_out() const { return written_out_; }

 private:
  struct EventName {
    std::uint32_t iid = 0;  // 0: it has none
    std::uint32_t category = 0;
    bool seen = false;
  };
  using Numbers = TextMap<std::uint32_t>;

  void introduce(const timeline::MarkName& name, EventName& known);
  void put_whole(const timeline::MarkName& name);
  std::uint32_t number_of(Numbers& numbers, std::uint32_t field, std::string_view text);

  Packets& packets_;
  std::vector<EventName> events_;  // by NameId
  std::uint32_t event_count_ = 0;
  Numbers categories_;
  Numbers annotations_;
  std::uint64_t written_out_ = 0;
};

}  // namespace tracedeck::exporting::perfetto
