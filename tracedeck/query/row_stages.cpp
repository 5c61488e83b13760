#include "tracedeck/query/row_stages.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/query/cell.hpp"

namespace tracedeck::query {
namespace {

class FilterRows final : public RowSink {
 public:
  FilterRows(RowProjection projection, std::unique_ptr<RowSink> next)
      : projection_(std::move(projection)), next_(std::move(next)) {}

  Result<void> add(std::span<const Value> row) override {
    const Value& condition = projection_(row).front();
    if (condition.kind != Value::Kind::kBoolean || !condition.boolean) return {};
    return next_->add(row);
  }
  Result<void> finish() override { return next_->finish(); }
  bool full() const override { return next_->full(); }

 private:
  RowProjection projection_;
  std::unique_ptr<RowSink> next_;
};

class ProjectRows final : public RowSink {
 public:
  ProjectRows(RowProjection projection, std::unique_ptr<RowSink> next)
      : projection_(std::move(projection)), next_(std::move(next)) {}

  Result<void> add(std::span<const Value> row) override { return next_->add(projection_(row)); }
  Result<void> finish() override { return next_->finish(); }
  bool full() const override { return next_->full(); }

 private:
  RowProjection projection_;
  std::unique_ptr<RowSink> next_;
};

class LimitRows final : public RowSink {
 public:
  LimitRows(std::uint64_t most, std::unique_ptr<RowSink> next)
      : left_(most), next_(std::move(next)) {}

  Result<void> add(std::span<const Value> row) override {
    if (left_ == 0) return {};
    --left_;
    return next_->add(row);
  }
  Result<void> finish() override { return next_->finish(); }
  bool full() const override { return left_ == 0 || next_->full(); }

 private:
  std::uint64_t left_;
  std::unique_ptr<RowSink> next_;
};

class SortRows final : public RowSink {
 public:
  SortRows(RowProjection projection, std::vector<bool> descending,
           std::optional<std::uint64_t> most, std::unique_ptr<RowSink> next)
      : projection_(std::move(projection)),
        descending_(std::move(descending)),
        most_(most),
        next_(std::move(next)) {}

  Result<void> add(std::span<const Value> row) override {
    if (most_ == 0) return {};
    Row kept{.number = count_++};
    for (const Value& key : projection_(row)) kept.keys.push_back(Cell::of(key));
    const auto before = [this](const Row& a, const Row& b) { return comes_before(a, b); };
    if (most_ && rows_.size() == *most_) {
      // The last of those that are kept is in front.
      if (!before(kept, rows_.front())) return {};
      std::ranges::pop_heap(rows_, before);
      rows_.pop_back();
    }
    for (const Value& value : row) kept.cells.push_back(Cell::of(value));
    rows_.push_back(std::move(kept));
    if (most_) std::ranges::push_heap(rows_, before);
    return {};
  }

  Result<void> finish() override {
    std::ranges::sort(rows_, [this](const Row& a, const Row& b) { return comes_before(a, b); });
    std::vector<Value> values;
    for (const Row& row : rows_) {
      values.clear();
      for (const Cell& cell : row.cells) values.push_back(cell.value());
      if (auto added = next_->add(values); !added) return added;
      if (next_->full()) break;
    }
    return next_->finish();
  }

 private:
  struct Row {
    std::vector<Cell> keys = {};
    std::vector<Cell> cells = {};
    std::uint64_t number = 0;
  };

  bool comes_before(const Row& a, const Row& b) const {
    for (std::size_t i = 0; i < descending_.size(); ++i) {
      const auto order = order_of(a.keys[i], b.keys[i]);
      if (order != 0) return descending_[i] ? order > 0 : order < 0;
    }
    return a.number < b.number;
  }

  RowProjection projection_;
  std::vector<bool> descending_;
  std::optional<std::uint64_t> most_;
  std::unique_ptr<RowSink> next_;
  std::vector<Row> rows_;
  std::uint64_t count_ = 0;
};

}  // namespace

std::unique_ptr<RowSink> filter_rows(RowProjection projection, std::unique_ptr<RowSink> next) {
  return std::make_unique<FilterRows>(std::move(projection), std::move(next));
}

std::unique_ptr<RowSink> project_rows(RowProjection projection, std::unique_ptr<RowSink> next) {
  return std::make_unique<ProjectRows>(std::move(projection), std::move(next));
}

std::unique_ptr<RowSink> limit_rows(std::uint64_t most, std::unique_ptr<RowSink> next) {
  return std::make_unique<LimitRows>(most, std::move(next));
}

std::unique_ptr<RowSink> sort_rows(RowProjection projection, std::vector<bool> descending,
                                   std::optional<std::uint64_t> most,
                                   std::unique_ptr<RowSink> next) {
  return std::make_unique<SortRows>(std::move(projection), std::move(descending), most,
                                    std::move(next));
}

}  // namespace tracedeck::query
