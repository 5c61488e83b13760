// What babeltrace2 2.0.4 prints for texts of which nothing was recorded.
//
// That program makes an event's fields in memory that served an event of the same class before, and
// a string that nothing is written to stays as it was: an empty text is shown as the one before it
// in that place. Which event's memory it is follows from how that program works, as can be
// observed:
//
// - Each data stream is read 15 messages ahead. Messages are events, and the begin and end of the
//   stream and of its packets, and losses.
// - Messages are merged by time, and handed on and printed 15 at a time. A data stream is read on
//   when the last of its messages was handed on and another one is to be chosen.
// - What is printed is let go of in order. An event takes of its class's what was let go of last.
//
// So all data streams are read a second time and followed in the same manner.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tracedeck/format/reader.hpp"
#include "tracedeck/model/event_class.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::render {

// Whether values of a class, which may be null, have strings.
[[nodiscard]] bool has_text(const FieldClass* field_class);
// Whether a string is one that babeltrace2 writes nothing to.
[[nodiscard]] inline bool is_empty_text(const Slot& slot) {
  return slot.kind == SlotKind::kString && (slot.length == 0 || *slot.pointer == 0);
}

class BabeltraceLeftovers {
 public:
  using Sources = std::vector<std::unique_ptr<RecordSource>>;
  // What is shown for the string in slot `slot` of an event.
  struct Text {
    std::uint32_t slot = 0;
    std::string text = {};
  };

  // `streams`: a source for each data stream, in the order in which they are merged.
  explicit BabeltraceLeftovers(Sources streams);
  ~BabeltraceLeftovers();

  // What the empty texts of an event are shown as, in the order of its slots. To be asked about
  // events with an empty text, once about each, in the order of the merged data streams.
  [[nodiscard]] std::vector<Text> take(const Event& event);

 private:
  struct Memory;
  struct Message;
  struct Stream;
  using Key = std::pair<std::string, std::uint64_t>;

  void follow();
  void read_on(Stream& stream);
  void add(Stream& stream, const Record& record);
  void add_event(Stream& stream, const Event& event);
  [[nodiscard]] Stream* choose();
  void fill(const Event& event, Memory& memory, std::vector<Text>& texts);
  const Slot* fill(const FieldClass* field_class, const Slot* slot, Memory& memory);
  [[nodiscard]] bool has_text(const FieldClassPtr& root);
  [[nodiscard]] bool has_text(const FieldClass* field_class);

  std::vector<std::unique_ptr<Stream>> streams_;
  std::unordered_map<EntityId, std::vector<std::unique_ptr<Memory>>, EntityIdHash> free_;
  // Of the classes of fields, and who keeps them.
  std::unordered_map<const FieldClass*, bool> has_text_;
  std::unordered_set<FieldClassPtr> roots_;
  std::multimap<Key, std::vector<Text>> known_;  // printed there, not yet asked about
  std::optional<std::int64_t> last_time_;        // of the message that was handed on last
  // While an event is filled in.
  const Slot* first_slot_ = nullptr;
  std::vector<Text>* texts_ = nullptr;
};

}  // namespace tracedeck::render
