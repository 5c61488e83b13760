// Marks as the rows of a query that begins with `spans`: the slices and waits that `latency`
// measures, with their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/query/cell.hpp"
#include "tracedeck/query/query.hpp"
#include "tracedeck/timeline/arguments.hpp"
#include "tracedeck/timeline/mark_sink.hpp"

namespace tracedeck::timeline {

// Memory: the arguments that are asked for, of slices that are open, at most `kMostHeld` bytes.
class SpanRows final : public MarkSink {
 public:
  static constexpr std::size_t kMostHeld = std::size_t{16} << 20;

  // The query asks for spans, and must outlive it.
  explicit SpanRows(query::Query& query);

  // From now on: what ends before is left out. Saturated ns.
  void begin_at(std::int64_t time) { begin_ = time; }

  // Errors: those of the query.
  [[nodiscard]] Result<void> take(const Timeline& timeline, std::span<const Mark> marks) override;
  [[nodiscard]] Result<void> finish(const Timeline& timeline) override;

  // What the user should know about spans and arguments that there are not, as sentences. Behind
  // `finish`.
  [[nodiscard]] std::vector<std::string> notices() const;

 private:
  struct OpenSlice {
    NameId name = kNoName;
    std::int64_t begin = 0;
    std::string arguments = {};  // those that are asked for, as bytes of our own
  };

  void begin(const Mark& mark);
  [[nodiscard]] Result<void> end(const Timeline& timeline, const Mark& mark);
  [[nodiscard]] Result<void> add(const Timeline& timeline, const Mark& mark,
                                 std::string_view arguments);
  // Appends the arguments of a mark that are asked for.
  void put_aside(std::string& into, const Mark& mark);
  // Takes a slice off its track; nothing: its begin is not known.
  [[nodiscard]] std::optional<OpenSlice> take_open(const Mark& mark);
  void put_columns(const Timeline& timeline, const Mark& mark);
  void put_arguments(std::string_view aside);

  query::Query& query_;
  bool all_;
  const std::vector<std::string>& wanted_;
  std::vector<bool> seen_;  // of those wanted, whether any mark has them
  std::optional<std::int64_t> begin_ = {};
  query::SpanCounts counts_ = {};
  // Innermost last; only if arguments are asked for.
  std::vector<std::vector<OpenSlice>> tracks_ = {};
  std::vector<OpenSlice> moving_ = {};  // to another lane, outermost last
  bool moves_ = false;                  // the last mark was an end of one that moves
  std::size_t held_ = 0;                // bytes of arguments
  std::uint64_t not_held_ = 0;          // marks whose arguments are not known for lack of memory
  std::uint64_t without_lane_ = 0;      // slices whose begin made no mark
  std::set<std::string, std::less<>> names_ = {};  // of arguments that there are
  std::vector<std::string> tables_ = {};           // that applied, behind the end
  bool is_whole_ = false;                          // all events came, and there were some
  std::string both_ = {};                          // the arguments of a begin and its end
  std::vector<query::Cell> cells_ = {};
  std::vector<std::string> labels_ = {};  // by name
  std::vector<query::Value> row_;
};

}  // namespace tracedeck::timeline
