#include "tracedeck/timeline/query_rows.hpp"

#include <iterator>
#include <utility>

#include "tracedeck/timeline/allocation_rows.hpp"
#include "tracedeck/timeline/latency_report.hpp"
#include "tracedeck/timeline/sample_rows.hpp"
#include "tracedeck/timeline/span_rows.hpp"

namespace tracedeck::timeline {
namespace {

flow::Needs::Symbols symbols_of(const query::Query& query) {
  return query.needs_symbols() ? flow::Needs::Symbols::kAll : flow::Needs::Symbols::kNone;
}

// Of marks.
template <class Rows>
class MarkQueryRows final : public QueryRows {
 public:
  explicit MarkQueryRows(query::Query& query) : symbols_(symbols_of(query)), rows_(query) {}
  Result<void> open(MarkStreamOptions options) {
    auto stream =
        MarkStream::make(std::move(options), [this](const MarksAhead& ahead) -> MarkSink& {
          if (ahead.begin) rows_.begin_at(*ahead.begin);
          return rows_;
        });
    if (!stream) return std::unexpected(stream.error());
    stream_ = *std::move(stream);
    return {};
  }

  const flow::Selection& selection() const override { return stream_->selection(); }
  flow::Needs needs() const override { return MarkStream::needs(symbols_); }
  void show_utc_by(FrameOfTrace frame_of) override { rows_.show_utc_by(std::move(frame_of)); }
  bool has_begun() const override { return stream_->has_begun(); }
  void expect_hosts_of(std::span<const std::shared_ptr<const TraceDescription>> traces) override {
    stream_->expect_hosts_of(traces);
  }
  Result<void> add(const BatchPtr& batch) override {
    if constexpr (requires { rows_.see(*batch); }) rows_.see(*batch);
    return stream_->add(batch);
  }
  Result<void> finish() override { return stream_->finish(); }
  std::vector<std::string> notices() const override {
    std::vector<std::string> sentences = stream_->interpreter().notices();
    if (std::string empty = empty_range_notice(stream_->timeline(), stream_->begin());
        !empty.empty()) {
      sentences.push_back(std::move(empty));
      return sentences;
    }
    std::ranges::move(rows_.notices(), std::back_inserter(sentences));
    return sentences;
  }
  std::string explain() const override { return stream_->interpreter().explain(); }

 private:
  flow::Needs::Symbols symbols_;
  Rows rows_;
  std::unique_ptr<MarkStream> stream_;
};

class AllocationQueryRows final : public QueryRows {
 public:
  AllocationQueryRows(query::Query& query, MarkStreamOptions options)
      : begin_(std::make_shared<std::optional<Nanoseconds>>()),
        symbols_(symbols_of(query)),
        rows_(query, std::move(options.name_of_trace)),
        selection_(
            from_the_first_event(std::move(options.selection), options.keeps_order, begin_)) {}

  const flow::Selection& selection() const override { return selection_; }
  flow::Needs needs() const override {
    return {.values = true, .findings = true, .symbols = symbols_};
  }
  void show_utc_by(FrameOfTrace frame_of) override { rows_.show_utc_by(std::move(frame_of)); }
  Result<void> add(const BatchPtr& batch) override {
    if (*begin_) rows_.begin_at(**begin_);
    return rows_.add(*batch);
  }
  Result<void> finish() override { return rows_.finish(); }
  std::vector<std::string> notices() const override { return rows_.notices(); }

 private:
  std::shared_ptr<std::optional<Nanoseconds>> begin_;
  flow::Needs::Symbols symbols_;
  AllocationRows rows_;
  flow::Selection selection_;
};

template <class Rows>
Result<std::unique_ptr<QueryRows>> of_marks(query::Query& query, MarkStreamOptions options) {
  auto rows = std::make_unique<MarkQueryRows<Rows>>(query);
  if (auto opened = rows->open(std::move(options)); !opened) return std::unexpected(opened.error());
  return rows;
}

}  // namespace

Result<std::unique_ptr<QueryRows>> QueryRows::make(query::Query& query, MarkStreamOptions options) {
  switch (query.source()) {
    case query::RowSource::kEvents:
      return nullptr;
    case query::RowSource::kSpans:
      return of_marks<SpanRows>(query, std::move(options));
    case query::RowSource::kAllocations:
      return std::make_unique<AllocationQueryRows>(query, std::move(options));
    case query::RowSource::kSamples:
      return of_marks<SampleRows>(query, std::move(options));
  }
  return nullptr;
}

}  // namespace tracedeck::timeline
