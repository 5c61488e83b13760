#include "tracedeck/query/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tracedeck/query/cell.hpp"
#include "tracedeck/render/csv.hpp"
#include "tracedeck/render/json.hpp"
#include "tracedeck/render/sentences.hpp"
#include "tracedeck/render/time_text.hpp"
#include "tracedeck/text/json_object.hpp"
#include "tracedeck/text/visible.hpp"

namespace tracedeck::query {
namespace {

using render::Facts;
using render::Plain;
using render::say;

struct Scale {
  double unit;
  std::string_view name;
};
constexpr std::array kDurations = {Scale{1e9, "s"}, Scale{1e6, "ms"}, Scale{1e3, "us"}};
constexpr std::array kSizes = {Scale{0x1p30, "GiB"}, Scale{0x1p20, "MiB"}, Scale{0x1p10, "KiB"}};

// With four significant digits, in the largest unit that it is one of.
template <std::size_t N>
std::string scaled(double value, const std::array<Scale, N>& scales, std::string_view least) {
  for (const Scale& scale : scales) {
    if (std::fabs(value) < scale.unit) continue;
    const double in_unit = value / scale.unit;
    const double size = std::fabs(in_unit);
    return fmt::format("{:.{}f} {}", in_unit, size < 10 ? 3 : size < 100 ? 2 : 1, scale.name);
  }
  if (value == std::floor(value)) return fmt::format("{:.0f} {}", value, least);
  return fmt::format("{:.1f} {}", value, least);
}

std::string number_text(double value, Unit unit) {
  if (unit == Unit::kDuration) return scaled(value, kDurations, "ns");
  if (unit == Unit::kBytes) return scaled(value, kSizes, "B");
  return fmt::format("{:.6g}", value);
}

std::string integer_text(const Integer& value) {
  return Nanoseconds::from_unsigned(value.magnitude, value.negative).to_string();
}

// One line, nothing in it that a terminal would obey.
std::string value_text(const Value& value, Unit unit, ClockOrigin origin) {
  const Cell cell = Cell::of(value);
  switch (cell.kind) {
    case Cell::Kind::kUnknown:
      return "-";
    case Cell::Kind::kBoolean:
      return cell.boolean ? "true" : "false";
    case Cell::Kind::kInteger:
      if (!cell.labels.empty()) return visible(fmt::format("{}", fmt::join(cell.labels, "|")));
      if (unit == Unit::kTime) {
        return render::time_text(
            Nanoseconds::from_unsigned(cell.integer.magnitude, cell.integer.negative), origin);
      }
      if (unit != Unit::kNone) return number_text(cell.integer.to_real(), unit);
      return (cell.is_estimate ? "~" : "") + integer_text(cell.integer);
    case Cell::Kind::kReal:
      return number_text(cell.real, unit == Unit::kTime ? Unit::kNone : unit);
    case Cell::Kind::kText:
    case Cell::Kind::kJson:
      return visible(cell.text);
    case Cell::Kind::kBlob:
      return fmt::format("{} bytes", cell.text.size());
    case Cell::Kind::kBuckets:
      return "";
  }
  return "";
}

bool is_number(const Value& value) {
  return value.kind == Value::Kind::kInteger || value.kind == Value::Kind::kReal;
}

// Characters that a text takes on a terminal, as far as code points tell.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

// Buckets of a power of two each, or of one value where there are few.
std::vector<Histogram::Bucket> coarse(const std::vector<Histogram::Bucket>& buckets) {
  constexpr std::size_t kMostLines = 16;
  if (buckets.size() <= kMostLines) return buckets;
  std::vector<Histogram::Bucket> wide;
  const auto power_of = [](const Histogram::Bucket& bucket) {
    const double near = bucket.lower < 0 ? bucket.upper : bucket.lower;
    return near == 0 ? std::numeric_limits<int>::min() : std::ilogb(near);
  };
  for (const Histogram::Bucket& bucket : buckets) {
    const bool joins = !wide.empty() && power_of(wide.back()) == power_of(bucket) &&
                       (wide.back().lower < 0) == (bucket.lower < 0);
    if (!joins) {
      wide.push_back(bucket);
      continue;
    }
    wide.back().upper = bucket.upper;
    wide.back().count += bucket.count;
  }
  return wide;
}

std::string bars(const std::vector<Histogram::Bucket>& all, Unit unit, std::size_t width) {
  const std::vector<Histogram::Bucket> buckets = coarse(all);
  std::uint64_t most = 1;
  std::size_t label_width = 0;
  std::size_t count_width = 0;
  std::vector<std::string> labels;
  for (const Histogram::Bucket& bucket : buckets) {
    most = std::max(most, bucket.count);
    labels.push_back(number_text(bucket.lower, unit));
    label_width = std::max(label_width, labels.back().size());
    count_width = std::max(count_width, std::to_string(bucket.count).size());
  }
  constexpr std::size_t kFrame = 10;
  const std::size_t used = label_width + count_width + kFrame;
  const std::size_t room = std::clamp<std::size_t>(width > used ? width - used : 0, 10, 60);
  std::string text;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const double part = static_cast<double>(buckets[i].count) / static_cast<double>(most);
    const auto length = static_cast<std::size_t>(std::ceil(part * static_cast<double>(room)));
    text += fmt::format("    >= {:>{}}  {:>{}}  {}\n", labels[i], label_width, buckets[i].count,
                        count_width, std::string(length, '#'));
  }
  return text;
}

class TextAnswer final : public RowSink {
 public:
  TextAnswer(io::Output& output, const Query& query, const AnswerOptions& options)
      : output_(output), query_(query), options_(options) {}

  Result<void> add(std::span<const Value> row) override {
    Line line;
    const std::span<const Column> columns = query_.columns();
    for (std::size_t i = 0; i < row.size(); ++i) {
      line.cells.push_back(value_text(row[i], columns[i].unit, query_.origin()));
      line.right.push_back(is_number(row[i]));
      if (row[i].kind == Value::Kind::kBuckets)
        line.bars += fmt::format("  {}\n{}", columns[i].name,
                                 bars(*row[i].buckets, columns[i].unit, options_.width));
    }
    lines_.push_back(std::move(line));
    if (!aligned_ && lines_.size() < kAlignedBy) return {};
    return put_lines();
  }

  Result<void> finish() override { return put_lines(); }
  Result<void> show() override {
    auto put = lines_.empty() ? Result<void>() : put_lines();
    return put ? output_.flush() : put;
  }

 private:
  struct Line {
    std::vector<std::string> cells;
    std::vector<bool> right;
    std::string bars;
  };
  static constexpr std::size_t kAlignedBy = 1000;

  // Without the columns that are bars.
  [[nodiscard]] std::vector<std::size_t> shown_columns() const {
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      const bool is_bars = std::ranges::all_of(
          lines_, [&](const Line& line) { return !line.bars.empty() && line.cells[i].empty(); });
      if (!is_bars || lines_.empty()) shown.push_back(i);
    }
    return shown;
  }

  void align() {
    aligned_ = true;
    for (const Column& column : query_.columns()) widths_.push_back(width_of(heading(column)));
    right_.assign(widths_.size(), true);
    for (const Line& line : lines_) {
      for (std::size_t i = 0; i < widths_.size(); ++i) {
        widths_[i] = std::max(widths_[i], width_of(line.cells[i]));
        right_[i] = right_[i] && (line.right[i] || line.cells[i] == "-");
      }
    }
    shown_ = shown_columns();
  }

  // The name, with what the numbers below it count where their fields say it.
  static std::string heading(const Column& column) {
    const std::string_view unit = column.seen == nullptr ? "" : column.seen->unit();
    return visible(unit.empty() ? column.name : fmt::format("{} ({})", column.name, unit));
  }

  void append_line(std::string& text, const auto& cell_of) const {
    for (std::size_t n = 0; n < shown_.size(); ++n) {
      const std::size_t i = shown_[n];
      const std::string cell = cell_of(i);
      const std::size_t width = width_of(cell);
      const std::size_t fill = widths_[i] > width ? widths_[i] - width : 0;
      if (n != 0) text += "  ";
      if (right_[i]) text.append(fill, ' ');
      text += cell;
      if (!right_[i] && n + 1 != shown_.size()) text.append(fill, ' ');
    }
    text += '\n';
  }

  Result<void> put_lines() {
    std::string text;
    if (!aligned_) {
      align();
      const std::span<const Column> columns = query_.columns();
      if (!shown_.empty()) append_line(text, [&](std::size_t i) { return heading(columns[i]); });
    }
    for (const Line& line : lines_) {
      if (!shown_.empty()) append_line(text, [&](std::size_t i) { return line.cells[i]; });
      text += line.bars;
    }
    lines_.clear();
    return output_.write(text);
  }

  io::Output& output_;
  const Query& query_;
  AnswerOptions options_;
  std::vector<Line> lines_;
  bool aligned_ = false;
  std::vector<std::size_t> widths_;
  std::vector<bool> right_;
  std::vector<std::size_t> shown_;
};

void append_integer(TextBuffer& out, const Integer& value) {
  append_decimal(out, Nanoseconds::from_unsigned(value.magnitude, value.negative));
}

void append_json(TextBuffer& out, const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::kUnknown:
      return out.append("null");
    case Cell::Kind::kBoolean:
      return out.append(cell.boolean ? "true" : "false");
    case Cell::Kind::kInteger: {
      if (cell.labels.empty()) return append_integer(out, cell.integer);
      JsonObject object(out);
      append_integer(object.key("value"), cell.integer);
      JsonArray labels(object.key("labels"));
      for (const std::string& label : cell.labels) append_json_string(labels.next(), label);
      labels.end();
      return object.end();
    }
    case Cell::Kind::kReal:
      return append_json_real(out, cell.real);
    case Cell::Kind::kText:
      append_json_string(out, cell.text);
      return;
    case Cell::Kind::kBlob:
      return append_json_base64(
          out, {reinterpret_cast<const std::uint8_t*>(cell.text.data()), cell.text.size()});
    case Cell::Kind::kJson:
      return out.append(cell.text);
    case Cell::Kind::kBuckets: {
      JsonArray buckets(out);
      for (const Histogram::Bucket& bucket : cell.buckets) {
        JsonArray each(buckets.next());
        append_json_real(each.next(), bucket.lower);
        append_json_real(each.next(), bucket.upper);
        append_decimal(each.next(), bucket.count);
        each.end();
      }
      return buckets.end();
    }
  }
}

class JsonAnswer final : public RowSink {
 public:
  JsonAnswer(io::Output& output, const Query& query)
      : output_(output), out_(&output), query_(query) {}

  Result<void> add(std::span<const Value> row) override {
    JsonObject object(out_);
    for (std::size_t i = 0; i < row.size(); ++i)
      append_json(object.key(query_.columns()[i].name), Cell::of(row[i]));
    object.end();
    out_.append('\n');
    return out_.failed() ? out_.drain() : Result<void>();
  }
  Result<void> finish() override { return out_.drain(); }
  Result<void> show() override {
    auto drained = out_.drain();
    return drained ? output_.flush() : drained;
  }

 private:
  io::Output& output_;
  TextBuffer out_;
  const Query& query_;
};

class CsvAnswer final : public RowSink {
 public:
  CsvAnswer(io::Output& output, const Query& query)
      : output_(output), out_(&output), query_(query) {}

  Result<void> add(std::span<const Value> row) override {
    put_heading();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i != 0) out_.append(',');
      append_field(Cell::of(row[i]));
    }
    out_.append('\n');
    return out_.failed() ? out_.drain() : Result<void>();
  }
  Result<void> finish() override {
    put_heading();
    return out_.drain();
  }
  Result<void> show() override {
    auto drained = out_.drain();
    return drained ? output_.flush() : drained;
  }

 private:
  void put_heading() {
    if (std::exchange(has_heading_, true)) return;
    bool first = true;
    for (const Column& column : query_.columns()) {
      if (!std::exchange(first, false)) out_.append(',');
      render::append_csv_text(out_, column.name);
    }
    out_.append('\n');
  }

  void append_field(const Cell& cell) {
    if (cell.kind == Cell::Kind::kUnknown) return;
    if (cell.kind == Cell::Kind::kText) {
      render::append_csv_text(out_, cell.text);
      return;
    }
    if (cell.kind == Cell::Kind::kInteger && !cell.labels.empty()) {
      render::append_csv_text(out_, fmt::format("{}", fmt::join(cell.labels, "|")));
      return;
    }
    render::append_csv_text(out_, json_of(cell));
  }

  io::Output& output_;
  TextBuffer out_;
  const Query& query_;
  bool has_heading_ = false;
};

class WatchedAnswer final : public RowSink {
 public:
  WatchedAnswer(std::unique_ptr<RowSink> next, const Query& query,
                std::shared_ptr<Estimates> estimates)
      : next_(std::move(next)), query_(query), estimates_(std::move(estimates)) {}

  Result<void> add(std::span<const Value> row) override {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i].is_estimate) estimates_->note(i, query_.columns()[i].name);
    }
    return next_->add(row);
  }
  Result<void> finish() override { return next_->finish(); }
  Result<void> show() override { return next_->show(); }
  [[nodiscard]] bool full() const override { return next_->full(); }

 private:
  std::unique_ptr<RowSink> next_;
  const Query& query_;
  std::shared_ptr<Estimates> estimates_;
};

}  // namespace

std::string json_of(const Cell& cell) {
  TextBuffer json(nullptr, 256);
  append_json(json, cell);
  return std::string(json.view());
}

std::unique_ptr<RowSink> text_answer(io::Output& output, const Query& query,
                                     const AnswerOptions& options) {
  return std::make_unique<TextAnswer>(output, query, options);
}
std::unique_ptr<RowSink> json_answer(io::Output& output, const Query& query) {
  return std::make_unique<JsonAnswer>(output, query);
}
std::unique_ptr<RowSink> csv_answer(io::Output& output, const Query& query) {
  return std::make_unique<CsvAnswer>(output, query);
}

void Estimates::note(std::size_t column, const std::string& name) {
  columns_.try_emplace(column, name);
}

std::vector<std::string> Estimates::columns() const {
  std::vector<std::string> names;
  for (const auto& [column, name] : columns_) names.push_back(name);
  return names;
}

std::unique_ptr<RowSink> watch_estimates(std::unique_ptr<RowSink> answer, const Query& query,
                                         std::shared_ptr<Estimates> estimates) {
  return std::make_unique<WatchedAnswer>(std::move(answer), query, std::move(estimates));
}

namespace {

std::string spans_text(const SpanCounts& spans) {
  std::string text = say<"query/spans">(Plain(spans.whole));
  if (spans.left_out != 0) {
    text += ", " + say<"query/left-out">(Plain(spans.left_out));
    const std::string reasons = Facts()
                                    .add<"query/open">(Plain(spans.open))
                                    .add<"query/began-before">(Plain(spans.began_before))
                                    .add<"query/across-loss">(Plain(spans.across_loss))
                                    .text();
    if (!reasons.empty()) text += fmt::format(" ({})", reasons);
  }
  const std::string besides = Facts()
                                  .add<"query/unmatched-ends">(Plain(spans.unmatched_ends))
                                  .add<"query/begins-left-out">(Plain(spans.not_held))
                                  .text();
  return besides.empty() ? text : text + ", " + besides;
}

std::string allocations_text(const AllocationCounts& allocations) {
  return Facts()
      .add<"query/allocations">(Plain(allocations.allocations))
      .add<"query/live-allocations">(Plain(allocations.live))
      .add<"query/untracked-allocations">(Plain(allocations.untracked))
      .add<"query/allocations-not-held">(Plain(allocations.not_held))
      .add<"query/unmatched-frees">(Plain(allocations.unmatched_frees))
      .text();
}

std::string samples_text(const SampleCounts& samples) {
  return Facts()
      .add<"query/samples">(Plain(samples.samples))
      .add<"query/doubtful-samples">(Plain(samples.doubtful))
      .text();
}

std::string pairs_text(const PairCounts& pairs, std::uint64_t without_time) {
  const std::string text = say<"query/pairs">(Plain(pairs.pairs), Plain(pairs.without_end),
                                              Plain(pairs.without_begin), Plain(pairs.replaced));
  const std::string besides = Facts()
                                  .add<"query/void-by-loss">(Plain(pairs.void_by_loss))
                                  .add<"query/pairs-across-step">(Plain(pairs.across_step))
                                  .add<"query/too-long">(Plain(pairs.too_long))
                                  .add<"query/not-held">(Plain(pairs.not_held))
                                  .add<"query/without-key">(Plain(pairs.without_key))
                                  .add<"query/without-time">(Plain(without_time))
                                  .text();
  return besides.empty() ? text : text + ", " + besides;
}

std::string losses_text(const QueryCounts& counts) {
  std::string losses =
      Facts()
          .add<"query/lost">(Plain(counts.lost))
          .add<"query/lost-of-unknown-size">(Plain(counts.losses_of_unknown_size))
          .add<"query/damaged">(Plain(counts.damaged_bytes))
          .add<"query/ended-early">(Plain(counts.spans ? counts.spans->ended_early : 0))
          .text();
  return losses.empty() ? say<"query/none-lost">() : losses;
}

}  // namespace

std::string counts_text(const QueryCounts& counts) {
  std::vector<std::string> parts = {say<"query/read">(Plain(counts.read), Plain(counts.selected))};
  if (counts.pairs) parts.push_back(pairs_text(*counts.pairs, counts.without_time));
  if (counts.spans) parts.push_back(spans_text(*counts.spans));
  if (counts.allocations && counts.allocations->allocations != 0)
    parts.push_back(allocations_text(*counts.allocations));
  if (counts.samples && counts.samples->samples != 0)
    parts.push_back(samples_text(*counts.samples));
  parts.push_back(losses_text(counts));
  if (counts.late != 0) parts.push_back(say<"query/late">(Plain(counts.late)));
  if (counts.partial_answers != 0)
    parts.push_back(say<"query/merged">(Plain(counts.partial_answers)));
  if (!counts.estimates.empty())
    parts.push_back(
        say<"query/estimates">(visible(fmt::format("{}", fmt::join(counts.estimates, ", ")))));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string counts_json(const QueryCounts& counts) {
  TextBuffer out(nullptr, 256);
  JsonObject line(out);
  JsonObject answer(line.key("answer"));
  answer.integer("read", counts.read);
  answer.integer("selected", counts.selected);
  answer.integer("lost", counts.lost);
  answer.integer("losses_of_unknown_size", counts.losses_of_unknown_size);
  answer.integer("damaged_bytes", counts.damaged_bytes);
  if (counts.pairs) {
    JsonObject pairs(answer.key("pairs"));
    pairs.integer("complete", counts.pairs->pairs);
    pairs.integer("without_end", counts.pairs->without_end);
    pairs.integer("without_begin", counts.pairs->without_begin);
    pairs.integer("replaced", counts.pairs->replaced);
    pairs.integer("void", counts.pairs->void_by_loss);
    pairs.integer("across_clock_step", counts.pairs->across_step);
    pairs.integer("too_long", counts.pairs->too_long);
    pairs.integer("not_held", counts.pairs->not_held);
    pairs.integer("without_key", counts.pairs->without_key);
    pairs.integer("without_time", counts.without_time);
    pairs.end();
  }
  if (counts.spans) {
    JsonObject spans(answer.key("spans"));
    spans.integer("whole", counts.spans->whole);
    spans.integer("left_out", counts.spans->left_out);
    spans.integer("open", counts.spans->open);
    spans.integer("began_before", counts.spans->began_before);
    spans.integer("across_loss", counts.spans->across_loss);
    spans.integer("unmatched_ends", counts.spans->unmatched_ends);
    spans.integer("not_held", counts.spans->not_held);
    spans.integer("ended_early", counts.spans->ended_early);
    spans.end();
  }
  if (counts.allocations) {
    JsonObject allocations(answer.key("allocations"));
    allocations.integer("sampled", counts.allocations->allocations);
    allocations.integer("live", counts.allocations->live);
    allocations.integer("untracked", counts.allocations->untracked);
    allocations.integer("not_held", counts.allocations->not_held);
    allocations.integer("unscaled", counts.allocations->unscaled);
    allocations.integer("unmatched_frees", counts.allocations->unmatched_frees);
    allocations.end();
  }
  if (counts.samples) {
    JsonObject samples(answer.key("samples"));
    samples.integer("sampled", counts.samples->samples);
    samples.integer("doubtful", counts.samples->doubtful);
    samples.integer("perhaps_inside", counts.samples->perhaps_inside);
    samples.end();
  }
  if (counts.late != 0) answer.integer("late", counts.late);
  if (counts.partial_answers != 0) answer.integer("partial_answers", counts.partial_answers);
  answer.boolean("in_order", true);  // groups always are; scripts ask for it
  const auto add_columns = [&](std::string_view key, const std::vector<std::string>& columns) {
    JsonArray names(answer.key(key));
    for (const std::string& column : columns) append_json_string(names.next(), column);
    names.end();
  };
  add_columns("columns", counts.columns);
  if (!counts.estimates.empty()) add_columns("estimates", counts.estimates);
  if (!counts.units.empty()) {
    JsonObject units(answer.key("units"));
    for (const auto& [column, unit] : counts.units) append_json_string(units.key(column), unit);
    units.end();
  }
  answer.end();
  line.end();
  out.append('\n');
  return std::string(out.view());
}

}  // namespace tracedeck::query
