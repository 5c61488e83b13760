// Rows on their way through the stages of a query.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/query/value.hpp"

namespace tracedeck::query {

// What the numbers of a column measure, for who shows them.
enum class Unit : std::uint8_t {
  kNone,
  kTime,      // ns from the origin of a clock
  kDuration,  // ns
  kBytes,
};

struct Column {
  std::string name;
  Unit unit = Unit::kNone;
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
