// Rows on their way through the stages of a query.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/error.hpp"
#include "tracedeck/model/units.hpp"
#include "tracedeck/query/value.hpp"

namespace tracedeck::query {

// What the rows are of that come to the first stage.
enum class RowSource : std::uint8_t {
  kEvents,       // which a query makes rows of itself
  kSpans,        // slices and waits (`span_rows.hpp`)
  kAllocations,  // sampled allocations (`allocation_rows.hpp`)
  kSamples,      // sampled stacks (`sample_rows.hpp`)
};

// What the numbers of a column measure, for who shows them.
enum class Unit : std::uint8_t {
  kNone,
  kTime,      // ns from the origin of a clock
  kDuration,  // ns
  kBytes,
};

// What fields count that a column is made of, as their event classes say one after the other; of
// arguments of spans, as each value says.
class SeenUnit {
 public:
  // Empty: the class does not say it.
  void see(std::string_view unit) {
    mixed_ = mixed_ || (seen_ && unit != unit_);
    if (!std::exchange(seen_, true)) unit_ = unit;
    const auto scale = scale_of_unit(unit);
    if (!scale)
      ++others_;
    else
      ++(scale->quantity == Quantity::kTime ? times_ : sizes_);
  }
  // Empty: nothing says it, or one class this and another that.
  [[nodiscard]] std::string_view unit() const { return mixed_ ? std::string_view() : unit_; }
  [[nodiscard]] bool mixed() const { return mixed_; }
  // Whether it is of fields, and not of what is calculated.
  [[nodiscard]] bool seen() const { return seen_; }
  // How often something was seen that counts that, and how often anything else.
  [[nodiscard]] std::uint64_t count_of(Quantity quantity) const {
    return quantity == Quantity::kTime ? times_ : sizes_;
  }
  [[nodiscard]] std::uint64_t count_of_others(Quantity quantity) const {
    return others_ + (quantity == Quantity::kTime ? sizes_ : times_);
  }
  // Adds what was seen elsewhere.
  void see(const SeenUnit& other) {
    if (other.seen_) see(other.unit_);
    mixed_ = mixed_ || other.mixed_;
  }

  // As bytes, and taken off bytes; nothing where none are.
  void encode(std::string& into) const;
  [[nodiscard]] static std::optional<SeenUnit> decode(ByteSpan& bytes);

 private:
  std::string unit_;
  bool seen_ = false;
  bool mixed_ = false;
  std::uint64_t times_ = 0;
  std::uint64_t sizes_ = 0;
  std::uint64_t others_ = 0;
};

struct Column {
  std::string name;
  Unit unit = Unit::kNone;
  const SeenUnit* seen = nullptr;  // of kNone, where fields may say it
};

// Takes rows, one value a column. One thread at a time.
class RowSink {
 public:
  RowSink() = default;
  RowSink(const RowSink&) = delete;
  RowSink& operator=(const RowSink&) = delete;
  virtual ~RowSink() = default;

  // The values live as long as the call. Errors: those of temporary files and of outputs.
  [[nodiscard]] virtual Result<void> add(std::span<const Value> row) = 0;
  // No more rows come. To be called once.
  [[nodiscard]] virtual Result<void> finish() = 0;
  // Makes seen what was handed on so far, as far as it does not depend on what may still come.
  [[nodiscard]] virtual Result<void> show() { return {}; }
  // Whether nothing that may still come makes a difference.
  [[nodiscard]] virtual bool full() const { return false; }
};

}  // namespace tracedeck::query
