#include "tracedeck/spill/external_sorter.hpp"

#include <algorithm>
#include <utility>

namespace tracedeck {
namespace {

// Less than this at a time is read more slowly than merging in two passes.
constexpr std::size_t kLeastBuffer = std::size_t{32} << 10;
constexpr std::size_t kWriteBuffer = std::size_t{256} << 10;

}  // namespace

ExternalSorter::ExternalSorter(std::size_t memory, std::string directory)
    : memory_(memory), directory_(std::move(directory)) {}

Result<void> ExternalSorter::add(const OrderKey& key, const Record& record) {
  if (!block_) block_.emplace(memory_);
  if (block_->add(codec_, key, record)) return {};
  if (!block_->empty()) {
    if (Result<void> spilled = spill(*block_); !spilled) return spilled;
    if (block_->add(codec_, key, record)) return {};
  }
  // It is larger than all the memory there is: a run of its own.
  PackedBlock large(RecordCodec::bound(record) + kBlockOverhead);
  static_cast<void>(large.add(codec_, key, record));
  return spill(large);
}

Result<void> ExternalSorter::spill(PackedBlock& block) {
  if (file_ == nullptr) {
    Result<std::unique_ptr<SpillFile>> file = SpillFile::create(directory_);
    if (!file) return std::unexpected(file.error());
    file_ = std::move(*file);
    writer_.emplace(*file_, std::min(memory_, kWriteBuffer));
  }
  block.sort();
  const std::unique_ptr<SortedRecords> records = block.records();
  Result<void> done;
  while (done && !records->ended()) {
    done = writer_->add(records->key(), records->packed());
    if (done) done = records->advance();
  }
  if (!done) return done;
  Result<SortedRun> run = writer_->finish_run();
  if (!run) return std::unexpected(run.error());
  runs_.push_back(*run);
  spilled_ += run->end - run->begin;
  block.clear();
  return {};
}

Result<void> ExternalSorter::finish() {
  if (!block_) block_.emplace(0);
  if (runs_.empty()) {
    block_->sort();
    sorted_ = block_->records();
    block_.reset();
    return {};
  }
  if (!block_->empty()) {
    if (Result<void> spilled = spill(*block_); !spilled) return spilled;
  }
  block_.reset();
  writer_.reset();
  const std::size_t most = std::max<std::size_t>(memory_ / kLeastBuffer, 2);
  if (Result<void> merged = merge_down(file_, runs_, most, memory_, directory_); !merged) {
    return merged;
  }
  auto runs = std::make_unique<MergedRuns>(*file_, std::move(runs_), memory_);
  if (Result<void> opened = runs->open(); !opened) return opened;
  sorted_ = std::move(runs);
  return {};
}

}  // namespace tracedeck
