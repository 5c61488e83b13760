// What two traces differ in, collected kind by kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace tracedeck::comparison {

enum class DifferenceKind : std::uint8_t {
  kTrace,        // what identifies the trace
  kEnvironment,  // an entry of the environment
  kClock,
  kStream,    // a data stream, its keys or its class
  kClass,     // an event class or a field class
  kEncoding,  // how a field lay on the wire: width of a length, LEB128, text encoding, interning
  kEvent,     // there is an event on one side only, or it is of another class
  kTime,
  kDuration,
  kContext,  // a value of the packet context, or of the common or specific context
  kValue,    // a value of the payload
  kLoss,
};
inline constexpr std::size_t kDifferenceKinds = 12;

// The word of a kind: "environment", "clock", ...
[[nodiscard]] std::string_view kind_name(DifferenceKind kind);

// What is the same of all differences that are counted as one.
struct DifferenceKey {
  DifferenceKind kind = DifferenceKind::kTrace;
  // Of the event class, "#ID" of one without a name; else that of the clock or stream; may be "".
  std::string class_name = {};
  // The field: `header.flags`, with `[]` for the elements of an array and `{}` for the pairs of a
  // map; "packet.", "common." or "specific." before those of contexts; "" for the whole.
  std::string path = {};
  std::string what = {};  // what of it: "value", "width", "labels", "missing", ...

  friend auto operator<=>(const DifferenceKey&, const DifferenceKey&) = default;
};

// Where a receipt names such a difference (`ReceiptEntry::path`): the path of a field; `event` for
// the whole of an event class without a name; and of what is of no event class `trace`,
// `environment.KEY`, `clock.ID`, `stream.CLASS` or `loss`.
[[nodiscard]] std::string place_of(const DifferenceKey& key);
// Whether it is of an event class, or a field class of one.
[[nodiscard]] bool is_of_event_class(const DifferenceKey& key);

struct Difference {
  DifferenceKey key = {};
  std::string left = {};  // both sides in words, where it was found first; "" where there is none
  std::string right = {};
  std::uint64_t left_offset = 0;  // of that event in its (decompressed) input, of events' kinds
  std::uint64_t right_offset = 0;
  std::uint64_t count = 0;
};

// Differences in the order in which they were found first.
class Differences {
 public:
  // Of more kinds than `most` only the number of their differences is kept.
  explicit Differences(std::size_t most) : most_(most) {}

  // `difference.count` is not looked at: it counts one.
  void add(Difference difference);

  [[nodiscard]] const std::vector<Difference>& found() const { return found_; }
  // How many were not kept.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
  [[nodiscard]] bool empty() const { return found_.empty() && left_out_ == 0; }

 private:
  std::size_t most_;
  std::vector<Difference> found_;
  std::map<DifferenceKey, std::size_t> at_;  // in `found_`
  std::uint64_t left_out_ = 0;
};

}  // namespace tracedeck::comparison
