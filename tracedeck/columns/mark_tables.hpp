// Tables of what events mean: slices and waits, states, counters, instants, samples and flows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/columns/column_losses.hpp"
#include "tracedeck/columns/row_cursor.hpp"
#include "tracedeck/columns/tables.hpp"
#include "tracedeck/export/argument.hpp"
#include "tracedeck/format/adaptations.hpp"
#include "tracedeck/text/text_buffer.hpp"
#include "tracedeck/timeline/arguments.hpp"
#include "tracedeck/timeline/mark_sink.hpp"

namespace tracedeck::columns {

// What is in the tables otherwise than on time lines.
enum class MarkLoss : std::uint8_t {
  kAcrossLoss,
  kBeganBefore,
  kOpenAtEnd,
  kArguments,
  kLargeInteger,
  kCount
};
using MarkLosses = AdaptationCounts<MarkLoss>;

// Takes the marks of a time line; a writer of tables that it is attached to writes the rows.
class MarkTables final : public timeline::MarkSink {
 public:
  // Bytes of arguments of open slices.
  static constexpr std::size_t kMostHeld = std::size_t{16} << 20;

  MarkTables();
  MarkTables(const MarkTables&) = delete;
  MarkTables& operator=(const MarkTables&) = delete;

  // What rows call the trace of tracks whose own is not said, as where there is one.
  void call_trace(std::string name) { trace_ = std::move(name); }
  // Before the first mark. Tables and losses must outlive the marks. `options`: tags, and which
  // columns of times there are.
  void attach(Tables& tables, ColumnLosses& losses, TableOptions options);

  // Errors: those of the tables.
  [[nodiscard]] Result<void> take(const timeline::Timeline& timeline,
                                  std::span<const timeline::Mark> marks) override;
  [[nodiscard]] Result<void> finish(const timeline::Timeline& timeline) override;

  [[nodiscard]] Receipt receipt() const;

 private:
  // Names and values as JSON.
  struct Arguments {
    std::vector<std::pair<std::string, std::string>> members = {};
    std::size_t bytes = 0;

    void add(std::string_view name, std::string_view value);
  };
  struct OpenSlice {
    timeline::NameId name = timeline::kNoName;
    Arguments arguments = {};
  };
  struct TrackState {
    std::vector<OpenSlice> open = {};  // innermost last
    std::optional<timeline::Mark> state = {};
  };

  Result<void> put(const timeline::Timeline& timeline, const timeline::Mark& mark);
  void begin_slice(const timeline::Mark& mark);
  // What is known of the slice that ends; none where it goes on on another lane.
  std::optional<OpenSlice> end_slice(const timeline::Mark& mark);
  Result<void> put_span(const timeline::Timeline& timeline, const timeline::Mark& mark,
                        const OpenSlice& slice);
  Result<void> put_state(const timeline::Timeline& timeline, const timeline::Mark& mark);
  Result<void> put_state_row(const timeline::Timeline& timeline, const timeline::Mark& state,
                             std::int64_t end, bool is_open);
  Result<void> put_counter(const timeline::Timeline& timeline, const timeline::Mark& mark);
  // `mark`: where the flow arrives that left last.
  Result<void> put_flow(const timeline::Timeline& timeline, const timeline::Mark& mark);
  Result<void> put_instant(const timeline::Timeline& timeline, const timeline::Mark& mark);

  // The columns that all rows begin with.
  void put_stack(RowCursor& row);
  // `table`: whose rows are counted; null: they are not.
  void put_origin(RowCursor& row, const Table* table, const timeline::Timeline& timeline,
                  timeline::TrackId track);
  void put_track(RowCursor& row, const timeline::Timeline& timeline, timeline::TrackId track);
  void put_name(RowCursor& row, const timeline::Timeline& timeline, timeline::NameId name);
  void put_time(RowCursor& row, const timeline::Timeline& timeline, std::int64_t time);

  // Sets `arguments_`, and stacks in `stack_`.
  void collect(const timeline::Mark& mark);
  void collect(std::string_view name, const query::Value& value);
  // Appends to `text_`.
  void append_value(const exporting::Argument& argument, const query::Value& value);
  // Of two values of a name the later one holds.
  void put_arguments(RowCursor& row, const Arguments& before, const Arguments& later);
  TrackState& state_of(timeline::TrackId track);

  enum TableNumber : std::uint8_t {
    kSpan,
    kState,
    kCounter,
    kInstant,
    kSample,
    kFlow,
    kTableCount
  };
  Table& table(TableNumber number);

  TableOptions options_;
  std::string trace_;
  Tables* tables_ = nullptr;
  ColumnLosses* losses_ = nullptr;
  std::array<Table*, kTableCount> made_{};
  std::vector<TrackState> tracks_;  // by TrackId
  std::vector<OpenSlice> moving_;   // to another lane, outermost last
  bool moves_ = false;              // the last end was of one that moves
  std::size_t held_ = 0;
  timeline::Mark flow_out_;  // of the flow that left last
  exporting::ArgumentReader reader_;
  timeline::Arguments::Visit visit_;
  const TraceDescription* trace_of_mark_ = nullptr;
  Arguments arguments_;
  TextBuffer text_{nullptr, 1024};
  bool has_stack_ = false;
  std::vector<std::uint64_t> stack_;
  MarkLosses counts_;
};

}  // namespace tracedeck::columns
