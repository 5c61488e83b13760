#include "tracedeck/spill/merged_runs.hpp"

#include <algorithm>
#include <queue>
#include <utility>

namespace tracedeck {
namespace {

// More than this at a time is read no faster.
constexpr std::size_t kMostBuffer = std::size_t{1} << 20;
constexpr std::size_t kMergedRunBuffer = std::size_t{256} << 10;

// Merges `group` into one run.
Result<SortedRun> merge_group(const SpillFile& from, std::vector<SortedRun> group,
                              std::size_t memory, RunWriter& writer) {
  MergedRuns merged(from, std::move(group), memory);
  Result<void> done = merged.open();
  while (done && !merged.ended()) {
    done = writer.add(merged.key(), merged.packed());
    if (done) done = merged.advance();
  }
  if (!done) return std::unexpected(done.error());
  return writer.finish_run();
}

}  // namespace

std::size_t most_overlapping(const std::vector<SortedRun>& runs) {
  std::vector<const SortedRun*> by_first;
  by_first.reserve(runs.size());
  for (const SortedRun& run : runs) by_first.push_back(&run);
  std::ranges::sort(by_first, {}, [](const SortedRun* run) { return run->first; });
  std::priority_queue<OrderKey, std::vector<OrderKey>, std::greater<>> open;
  std::size_t most = 0;
  for (const SortedRun* run : by_first) {
    while (!open.empty() && open.top() < run->first) open.pop();
    open.push(run->last);
    most = std::max(most, open.size());
  }
  return most;
}

MergedRuns::MergedRuns(const SpillFile& file, std::vector<SortedRun> runs, std::size_t memory)
    : file_(file),
      readers_(std::max<std::size_t>(most_overlapping(runs), 1)),
      tree_(readers_.size()),
      buffer_(std::min(memory / readers_.size(), kMostBuffer)) {
  for (std::size_t i = 0; i < runs.size(); ++i) waiting_.push_back({.run = runs[i], .rank = i});
  std::ranges::sort(waiting_, std::greater<>{}, [](const Waiting& w) { return w.run.first; });
  for (std::size_t i = 0; i < readers_.size(); ++i) free_.push_back(i);
}

Result<void> MergedRuns::open_runs() {
  while (!waiting_.empty() && !free_.empty() && (ended() || waiting_.back().run.first <= key())) {
    const Waiting next = waiting_.back();
    waiting_.pop_back();
    const std::size_t place = free_.back();
    free_.pop_back();
    readers_[place] = std::make_unique<RunReader>(file_, next.run, buffer_);
    if (Result<void> read = readers_[place]->advance(); !read) return read;
    tree_.set(place, readers_[place]->key(), next.rank);
    tree_.build();
  }
  return {};
}

Result<void> MergedRuns::advance() {
  const std::size_t place = tree_.winner();
  RunReader& reader = *readers_[place];
  if (Result<void> read = reader.advance(); !read) return read;
  if (reader.ended()) {
    readers_[place].reset();
    free_.push_back(place);
    tree_.end_winner();
  } else {
    tree_.replace_winner(reader.key());
  }
  if (waiting_.empty()) return {};
  return open_runs();
}

Result<void> merge_down(std::unique_ptr<SpillFile>& file, std::vector<SortedRun>& runs,
                        std::size_t most, std::size_t memory, const std::string& directory) {
  while (most_overlapping(runs) > most) {
    Result<std::unique_ptr<SpillFile>> merged_file = SpillFile::create(directory);
    if (!merged_file) return std::unexpected(merged_file.error());
    RunWriter writer(**merged_file, std::min(memory, kMergedRunBuffer));
    std::vector<SortedRun> merged;
    for (std::size_t begin = 0; begin < runs.size(); begin += most) {
      const std::size_t end = std::min(begin + most, runs.size());
      Result<SortedRun> run = merge_group(*file,
                                          {runs.begin() + static_cast<std::ptrdiff_t>(begin),
                                           runs.begin() + static_cast<std::ptrdiff_t>(end)},
                                          memory, writer);
      if (!run) return std::unexpected(run.error());
      merged.push_back(*run);
    }
    file = std::move(*merged_file);
    runs = std::move(merged);
  }
  return {};
}

}  // namespace tracedeck
