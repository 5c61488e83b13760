// Arguments of slices and waits that are asked for by name: those that tables name, else the fields
// of that name of the event that began it, or ended it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/model/class_table.hpp"
#include "tracedeck/query/cell.hpp"
#include "tracedeck/query/rows.hpp"
#include "tracedeck/query/value.hpp"
#include "tracedeck/timeline/arguments.hpp"

namespace tracedeck::timeline {

// Is given all marks of slices and waits. Memory: the arguments that are asked for, of slices that
// are open, at most `kMostHeld` bytes.
class SpanArguments {
 public:
  static constexpr std::size_t kMostHeld = std::size_t{16} << 20;

  // One name may be there twice.
  explicit SpanArguments(std::vector<std::string> wanted);

  // A slice began, or goes on on another lane.
  void begin(const Mark& mark);
  // The values of those that are wanted, of what ended: a slice or a wait. Valid until the next
  // call. Of what goes on elsewhere there are none yet.
  [[nodiscard]] std::span<const query::Value> end(const Mark& mark);

  // What the user should know about arguments that there are not, as sentences. `span`: what has
  // none; `columns`: what else could have been meant.
  [[nodiscard]] std::vector<std::string> unknown(std::string_view span,
                                                 std::span<const query::Column> columns) const;
  // The same about those that memory did not hold.
  [[nodiscard]] std::vector<std::string> not_held() const;

 private:
  struct OpenSlice {
    NameId name = kNoName;
    std::string arguments = {};  // those that are asked for, as bytes of our own
  };
  // Of the events of a class.
  struct Fields {
    explicit Fields(const EventClass&) {}
    std::unique_ptr<Arguments> wanted = {};
  };

  // Appends the arguments of a mark that are asked for, and that `into` has not if they are fields.
  void put_aside(std::string& into, const Mark& mark);
  void put(std::string& into, std::string_view name, const query::Value& value);
  // The number of a unit; 0: none.
  [[nodiscard]] std::uint64_t number_of_unit(std::string_view unit);
  [[nodiscard]] const Arguments& fields_of(const EventClass& event_class);
  void note_names(const EventClass& event_class);
  [[nodiscard]] std::span<const query::Value> values(std::string_view aside);
  // Takes a slice off its track; nothing: its begin is not known.
  [[nodiscard]] std::optional<OpenSlice> take_open(const Mark& mark);

  std::vector<std::string> wanted_;
  std::vector<bool> seen_;  // of those, whether any mark has them
  // Innermost last.
  std::vector<std::vector<OpenSlice>> tracks_ = {};
  std::vector<OpenSlice> moving_ = {};  // to another lane, outermost last
  bool moves_ = false;                  // the last mark was an end of one that moves
  std::size_t held_ = 0;                // bytes of arguments
  std::uint64_t not_held_ = 0;          // marks whose arguments are not known for lack of memory
  std::uint64_t without_lane_ = 0;      // slices whose begin made no mark
  std::set<std::string, std::less<>> names_ = {};  // of arguments that there are
  ClassCache<Fields> fields_ = {};
  std::vector<bool> is_hexadecimal_;  // the last value of each that is wanted: how it is shown
  std::vector<bool> has_;             // what was put aside of the mark at hand, or before
  std::string both_ = {};             // the arguments of a begin and its end
  // What values count, each once: they outlive the classes that say it.
  std::vector<std::string> units_ = {""};
  std::vector<std::uint64_t> unit_of_;  // of each that is wanted, a number of `units_`
  std::vector<query::Cell> cells_ = {};
  std::vector<query::Value> values_;
};

}  // namespace tracedeck::timeline
