// Appends events of one class to the columns of a table.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/columns/class_columns.hpp"
#include "tracedeck/columns/column_losses.hpp"
#include "tracedeck/columns/table.hpp"
#include "tracedeck/model/record.hpp"
#include "tracedeck/render/json.hpp"

namespace tracedeck::columns {

// What appenders of all classes share.
struct RowTools {
  ColumnLosses losses;
  render::JsonValues json;
  TextBuffer text{nullptr, 4096};
};

// What became of an event.
enum class RowResult : std::uint8_t {
  kAppended,
  kTooWide,  // 64 bits do not hold a value of it; nothing was appended
  kRefused,  // its values are not those of its class; nothing was appended
};

// Where a row comes from.
struct RowOrigin {
  std::uint64_t number = 0;  // what differs where `trace` or `stream` does; never 0
  std::string_view trace = {};
  std::optional<std::string_view> stream = {};  // its keys
};

// An event and what its row says beside the event's values.
struct EventRow {
  const Event* event = nullptr;
  const RowOrigin* origin = nullptr;
  std::int64_t seq = 0;
};

// What a row says of an event's time beside ns, in the columns behind that of ns. Returns how many
// of `columns` these are.
std::size_t append_clock(std::span<Column> columns, const Event& event, ColumnLosses& losses);

class ClassRows {
 public:
  // `columns`: those that `table` has, whose values are not looked at. `table` and `tools` must
  // outlive it.
  ClassRows(ClassColumns columns, Table& table, RowTools& tools);

  [[nodiscard]] RowResult append(const EventRow& row);

  // How many rows `append_block` takes at once.
  static constexpr std::size_t kBlock = 256;
  // Appends rows, column by column, which is faster: at least one and at most `kBlock`. False:
  // nothing was appended, as not all of them are what columns hold as they are; `append` tells.
  [[nodiscard]] bool append_block(std::span<const EventRow> rows);

  [[nodiscard]] Table& table() const { return table_; }
  [[nodiscard]] bool is_wide() const { return plan_.wide; }

 private:
  // Labels that values had, so that they are not looked for again.
  struct Label {
    std::int64_t word = -1;  // its number; -1: none
    bool more = false;       // there are others
  };
  using Labels = NumberMap<std::uint64_t, Label>;

  // The numbers of words that an origin has.
  struct OriginWords {
    std::uint64_t origin = 0;
    std::uint32_t trace = 0;
    std::uint32_t stream = 0;
  };

  // A step whose slot is at the same place in every event.
  struct FixedStep {
    std::uint32_t step = 0;
    std::uint32_t slot = 0;
    std::uint32_t extent = 0;  // of kStructure and kPresent
  };
  using SlotsOfRows = std::span<const Slot* const>;

  void find_fixed_steps();
  // Returns the first step of the range that is not fixed, or its end.
  std::uint32_t find_fixed_steps(StepRange range);
  // Finds the slots of events; false: fixed steps are not for all of these.
  [[nodiscard]] bool find_slots(std::span<const EventRow> rows, const Slot** slots) const;
  void append_times(std::span<const EventRow> rows);
  void append_origins(std::span<const EventRow> rows);
  void append_packets(std::span<const EventRow> rows);
  void fill(const FixedStep& fixed, SlotsOfRows rows);
  void fill_lists(const FixedStep& fixed, SlotsOfRows rows);

  void append_time(const Event& event);
  void append_duration(const Event& event);
  void append_time(Column& column, const Nanoseconds& time);
  void append_origin(const RowOrigin& origin, std::size_t rows);
  void append_packet(const Event& event);
  void fill(StepRange range, std::span<const Slot> slots);
  // Runs steps over slots before `limit`, whatever their heads say, and returns the slot behind.
  const Slot* run(std::uint32_t begin, std::uint32_t end, const Slot* slot, const Slot* limit);
  void append_array(const Step& step, std::uint32_t index, const Slot* slot, const Slot* limit);
  void append_real(const Step& step, const Slot& slot);
  void append_packed(const Step& step, std::uint32_t index, const Slot& slot);
  // Of a list or map; `is_kind`: the slot is the head of one.
  void append_elements(const Step& step, std::uint32_t index, const Slot* slot, const Slot* limit,
                       bool is_kind);
  std::uint32_t begin_variant(const Step& step, const Slot& slot);
  void append_label(const Step& step, const Slot& slot);
  void append_label(Column& column, const Label& label);
  [[nodiscard]] Label label_of(const Step& step, const Slot& slot);
  void append_text(Column& column, const Slot& slot);
  void append_string(Column& column, std::string_view text);
  void append_json(Column& column, const Slot* slot, const FieldClass* field_class);
  // One value that is not what its class says: nothing in its place, and the event is refused.
  void append_wrong(const Step& step);
  void remove_row();

  [[nodiscard]] Column& column_of(const Step& step) { return *table_.in_order[step.column]; }
  [[nodiscard]] std::span<Column> clock_columns() {
    return std::span(table_.root.children).subspan(1, plan_.clock);
  }
  [[nodiscard]] Column& child(std::uint32_t number) { return table_.root.children[number]; }

  ClassColumns plan_;
  Table& table_;
  RowTools& tools_;
  std::vector<Labels> labels_;
  std::uint64_t fixed_bytes_;
  std::array<OriginWords, 64> origins_{};  // by the last bits of their numbers
  std::vector<FixedStep> fixed_steps_;
  std::uint32_t fixed_common_ = 0;  // slots of contexts
  std::uint32_t fixed_specific_ = 0;
  std::uint32_t fixed_slots_ = 0;  // of an event that fixed steps are for
  std::uint32_t rest_ = 0;         // the first step that is not fixed, or the end of the payload's
  bool is_fixed_ = false;          // contexts are, and so the payload up to `rest_`
  bool repeats_packets_ = false;   // rows of one packet can be made by `repeat_last`
  bool wrong_ = false;
  bool too_wide_ = false;
};

}  // namespace tracedeck::columns
