// The runs of a temporary file as one sorted sequence.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "tracedeck/spill/loser_tree.hpp"
#include "tracedeck/spill/sorted_run.hpp"

namespace tracedeck {

// How many of the runs hold the same time at most.
[[nodiscard]] std::size_t most_overlapping(const std::vector<SortedRun>& runs);

// Ties keep the order of the runs. A run is opened when its first record's turn comes, so that of
// many runs that follow one another in time only a few have a buffer.
class MergedRuns final : public SortedRecords {
 public:
  // `file` outlives it; the buffers of all runs that are open together take `memory` bytes, more
  // where a record is larger than its buffer.
  MergedRuns(const SpillFile& file, std::vector<SortedRun> runs, std::size_t memory);

  // Before anything else.
  [[nodiscard]] Result<void> open() { return open_runs(); }

  [[nodiscard]] bool ended() const override { return tree_.ended(); }
  [[nodiscard]] const OrderKey& key() const override { return tree_.winner_key(); }
  [[nodiscard]] ByteSpan packed() const override { return readers_[tree_.winner()]->packed(); }
  [[nodiscard]] Result<void> advance() override;

 private:
  struct Waiting {
    SortedRun run;
    std::size_t rank = 0;
  };

  [[nodiscard]] Result<void> open_runs();

  const SpillFile& file_;
  std::vector<Waiting> waiting_;  // the one with the earliest first record last
  std::vector<std::unique_ptr<RunReader>> readers_;
  std::vector<std::size_t> free_;  // places in `readers_`
  LoserTree tree_;
  std::size_t buffer_;
};

// Merges runs into fewer until no more than `most` of them overlap, in as many passes over the data
// as it takes. `file` is replaced when a pass is done. `most` is at least 2.
[[nodiscard]] Result<void> merge_down(std::unique_ptr<SpillFile>& file,
                                      std::vector<SortedRun>& runs, std::size_t most,
                                      std::size_t memory, const std::string& directory);

}  // namespace tracedeck
