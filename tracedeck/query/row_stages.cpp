#include "tracedeck/query/row_stages.hpp"

#include <utility>

namespace tracedeck::query {
namespace {

class FilterRows final : public RowSink {
 public:
  FilterRows(RowProjection projection, std::shared_ptr<Tried> tried, std::unique_ptr<RowSink> next)
      : projection_(std::move(projection)), tried_(std::move(tried)), next_(std::move(next)) {}

  Result<void> add(std::span<const Value> row) override {
    const Value& condition = projection_(row).front();
    ++tried_->rows;
    if (condition.kind != Value::Kind::kBoolean || !condition.boolean) return {};
    ++tried_->met;
    return next_->add(row);
  }
  Result<void> finish() override { return next_->finish(); }
  Result<void> show() override { return next_->show(); }
  bool full() const override { return next_->full(); }

 private:
  RowProjection projection_;
  std::shared_ptr<Tried> tried_;
  std::unique_ptr<RowSink> next_;
};

class ProjectRows final : public RowSink {
 public:
  ProjectRows(RowProjection projection, std::unique_ptr<RowSink> next)
      : projection_(std::move(projection)), next_(std::move(next)) {}

  Result<void> add(std::span<const Value> row) override { return next_->add(projection_(row)); }
  Result<void> finish() override { return next_->finish(); }
  Result<void> show() override { return next_->show(); }
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
  Result<void> show() override { return next_->show(); }
  bool full() const override { return left_ == 0 || next_->full(); }

 private:
  std::uint64_t left_;
  std::unique_ptr<RowSink> next_;
};

class SortRows final : public RowSink {
 public:
  SortRows(RowProjection projection, RowOrder order, std::unique_ptr<RowSink> next)
      : projection_(std::move(projection)), sorter_(std::move(order)), next_(std::move(next)) {}

  Result<void> add(std::span<const Value> row) override {
    return sorter_.add(projection_(row), row);
  }

  Result<void> finish() override {
    const auto handed = sorter_.hand_on([this](std::span<const Value> row) -> Result<bool> {
      if (auto added = next_->add(row); !added) return std::unexpected(added.error());
      return !next_->full();
    });
    return handed ? next_->finish() : handed;
  }

 private:
  RowProjection projection_;
  RowSorter sorter_;
  std::unique_ptr<RowSink> next_;
};

}  // namespace

std::unique_ptr<RowSink> filter_rows(RowProjection projection, std::shared_ptr<Tried> tried,
                                     std::unique_ptr<RowSink> next) {
  return std::make_unique<FilterRows>(std::move(projection), std::move(tried), std::move(next));
}

std::unique_ptr<RowSink> project_rows(RowProjection projection, std::unique_ptr<RowSink> next) {
  return std::make_unique<ProjectRows>(std::move(projection), std::move(next));
}

std::unique_ptr<RowSink> limit_rows(std::uint64_t most, std::unique_ptr<RowSink> next) {
  return std::make_unique<LimitRows>(most, std::move(next));
}

std::unique_ptr<RowSink> sort_rows(RowProjection projection, RowOrder order,
                                   std::unique_ptr<RowSink> next) {
  return std::make_unique<SortRows>(std::move(projection), std::move(order), std::move(next));
}

}  // namespace tracedeck::query
