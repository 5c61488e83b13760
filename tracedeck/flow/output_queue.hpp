// Results that are written at the same time and stand one behind the other in one output.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "tracedeck/io/output.hpp"
#include "tracedeck/spill/spill_file.hpp"

namespace tracedeck::flow {

// Each part has its place from its first byte on. The first that has not finished goes straight to
// the output; those behind it lie in temporary files until it is their turn. So the output holds
// whole parts, and memory does not grow with them.
//
// Safe for several threads, each with a part of its own.
class OutputQueue {
 public:
  // `into` must outlive it, and every part. Temporary files lie in `directory`: see `SpillFile`.
  explicit OutputQueue(io::Output& into, std::string directory = {})
      : into_(into), directory_(std::move(directory)) {}

  // A new part. It ends with its `finish`, or when it goes. Errors of its calls: those of `into`
  // and of the temporary file.
  [[nodiscard]] std::unique_ptr<io::Output> add_part();

 private:
  class Part;
  struct Place {
    std::unique_ptr<SpillFile> spilled = {};
    bool finished = false;
  };
  using Places = std::list<Place>;

  Result<void> write(std::optional<Places::iterator>& place, ByteSpan bytes);
  Result<void> flush(const std::optional<Places::iterator>& place);
  Result<void> finish(Places::iterator place);
  // Hands on what those have spilled whose turn it is.
  Result<void> advance();

  io::Output& into_;
  std::string directory_;
  std::mutex mutex_;
  Places places_;  // of those that have begun, in order; the first writes straight
};

}  // namespace tracedeck::flow
