#include "tracedeck/query/condition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <unordered_map>
#include <utility>

#include "tracedeck/query/parser.hpp"
#include "tracedeck/query/program.hpp"
#include "tracedeck/query/time_texts.hpp"

namespace tracedeck::query {
namespace {

constexpr std::size_t kMaxTimes = 1'000;  // texts beside `time`

bool is_event_time(const Expression& expression) {
  return expression.operation == Operator::kPath && expression.path.root == Root::kTime;
}
void narrow_begin(flow::TrimRange& range, const Nanoseconds& begin) {
  range.begin = range.begin ? std::max(*range.begin, begin) : begin;
}
void narrow_end(flow::TrimRange& range, const Nanoseconds& end) {
  range.end = range.end ? std::min(*range.end, end) : end;
}

// What a comparison of `time` demands; `<` is taken for `<=`.
void narrow(flow::TrimRange& range, Operator operation, const Nanoseconds& bound) {
  switch (operation) {
    case Operator::kEqual:
      narrow_begin(range, bound);
      return narrow_end(range, bound);
    case Operator::kLess:
    case Operator::kLessOrEqual:
      return narrow_end(range, bound);
    case Operator::kGreater:
    case Operator::kGreaterOrEqual:
      return narrow_begin(range, bound);
    default:
      return;
  }
}

// What is known of the events of a class.
struct Decision {
  // kWithoutUnit: as `program` says, and to be counted.
  enum class Kind : std::uint8_t { kUnknown, kNever, kDepends, kAlways, kUncounted, kWithoutUnit };
  Kind kind = Kind::kUnknown;
  std::unique_ptr<const Program> program = nullptr;  // of kDepends and kWithoutUnit

  [[nodiscard]] bool passes(const Event& event, EventValues& values) const {
    return program->verdict() == Program::Verdict::kAlways ||
           (program->verdict() == Program::Verdict::kDepends && program->passes(event, values));
  }
};

// The records of one source.
class Filter final : public flow::RecordFilter {
 public:
  Filter(std::shared_ptr<const Condition> condition, flow::FilterContext context)
      : condition_(std::move(condition)), context_(std::move(context)) {
    values_.trace = context_.trace;
    values_.texts = &event_texts_;
  }

  ~Filter() override {
    if (context_.again) return;
    condition_->count(seen_, passed_);
    if (without_unit_ != 0) condition_->fields().count_without_unit(without_unit_);
  }

  std::size_t select(std::span<const Record> records, std::span<const Record*> passing) override {
    const Record** next = passing.data();
    std::uint64_t uncounted = 0;
    Known known = this->known();
    const Record* record = records.data();
    const Record* const end = record + records.size();
    while (record != end) {
      const Decision* decision = nullptr;
      if (known.has(*record)) [[likely]] {
        decision = known.decisions + record->event.event_class->entity.ordinal;
      } else {
        decision = &decide(*record);
        known = this->known();
      }
      // In the order of how often they are met.
      if (decision->kind == Kind::kDepends) {
        *next = record;
        next += decision->program->passes(record->event, values_) ? 1 : 0;
      } else if (decision->kind != Kind::kNever) {
        if (decision->kind == Kind::kUnknown) {
          decide(*record);
          continue;
        }
        if (decision->kind == Kind::kWithoutUnit) [[unlikely]] {
          ++without_unit_;
          *next = record;
          next += decision->passes(record->event, values_) ? 1 : 0;
        } else {
          uncounted += decision->kind == Kind::kUncounted ? 1 : 0;
          *next++ = record;
        }
      }
      ++record;
    }
    const auto count = static_cast<std::size_t>(next - passing.data());
    seen_ += records.size() - uncounted;
    passed_ += count - uncounted;
    return count;
  }

 private:
  using Kind = Decision::Kind;

  // The decisions at hand, to be kept in registers.
  struct Known {
    std::uint64_t trace;
    const Decision* decisions;
    std::size_t size;

    [[nodiscard]] bool has(const Record& record) const {
      if (record.kind != RecordKind::kEvent) return false;
      const EntityId& entity = record.event.event_class->entity;
      return entity.trace == trace && entity.ordinal < size;
    }
  };
  [[nodiscard]] Known known() const { return {trace_, decisions_.data(), decisions_.size()}; }

  [[gnu::noinline]] const Decision& decide(const Record& record) {
    static const Decision kUncounted{.kind = Kind::kUncounted};
    if (record.kind == RecordKind::kEvent) return decide(*record.event.event_class);
    if (record.kind == RecordKind::kStreamBegin) condition_->fields().see(*record.stream);
    if (record.kind == RecordKind::kDescription && record.event_class != nullptr)
      condition_->fields().see(*record.event_class);
    return kUncounted;
  }

  const Decision& decide(const EventClass& event_class) {
    const EntityId& entity = event_class.entity;
    if (entity.trace != trace_) {
      decisions_.clear();
      kept_texts_.clear();
      trace_ = entity.trace;
    }
    if (entity.ordinal >= decisions_.size()) decisions_.resize(entity.ordinal + 1);
    Decision& decision = decisions_[entity.ordinal];
    if (context_.keeps_describing && event_class.describes_others) {
      decision.kind = Kind::kUncounted;
      return decision;
    }
    condition_->fields().see(event_class);
    const TraceDescription* const trace =
        event_class.stream_class == nullptr ? nullptr : event_class.stream_class->trace;
    values_.names = trace == nullptr ? nullptr : &trace->value_names();
    const BindContext context{.matchers = condition_->matchers(),
                              .texts = kept_texts_,
                              .time_of_text = [&](std::string_view text) {
                                return condition_->time_of_text(text, context_.times);
                              }};
    auto program = std::make_unique<const Program>(
        bind(condition_->expression(), event_class, context), event_class);
    if (condition_->fields().lacks_unit(event_class)) {
      decision.kind = Kind::kWithoutUnit;
      decision.program = std::move(program);
      return decision;
    }
    switch (program->verdict()) {
      case Program::Verdict::kNever:
        decision.kind = Kind::kNever;
        break;
      case Program::Verdict::kAlways:
        decision.kind = Kind::kAlways;
        break;
      case Program::Verdict::kDepends:
        decision.kind = Kind::kDepends;
        decision.program = std::move(program);
    }
    return decision;
  }

  std::shared_ptr<const Condition> condition_;
  flow::FilterContext context_;
  std::uint64_t seen_ = 0;
  std::uint64_t passed_ = 0;
  std::uint64_t without_unit_ = 0;
  std::uint64_t trace_ = EntityId::none().trace;
  std::vector<Decision> decisions_;  // by the ordinals of classes of `trace_`
  EventValues values_;
  std::deque<std::string> kept_texts_;   // of constants
  std::deque<std::string> event_texts_;  // of the event at hand
};

}  // namespace

Result<void> Condition::take(ExpressionPtr expression, std::string_view text) {
  if (auto added = matchers_.add(*expression, text); !added) return added;
  std::optional<Error> failure = text_beside_duration(*expression, {}, text);
  for_each_text_beside(
      Unit::kTime, *expression, {}, [&](const Expression& place, const std::string& of) {
        const auto time = parse_time_point(of);
        if (!time && !failure) failure = syntax_error(text, place.place, time.error());
        if (!time) return;
        if (time_places_.emplace(of, times_.size()).second) times_.push_back(*time);
        if (times_.size() > kMaxTimes && !failure)
          failure = syntax_error(text, place.place,
                                 fmt::format("more than {} times stand as texts beside `time`; "
                                             "they may be given in nanoseconds",
                                             kMaxTimes));
      });
  if (failure) return std::unexpected(*std::move(failure));
  parts_.push_back(std::move(expression));
  return {};
}

void Condition::join() {
  if (parts_.size() == 1) {
    expression_ = std::move(parts_.front());
  } else {
    expression_ = std::make_unique<const Expression>(
        Expression{.operation = Operator::kAnd, .operands = std::move(parts_)});
  }
  parts_.clear();
  fields_.add(*expression_);
}

Result<std::shared_ptr<const Condition>> Condition::parse(std::span<const std::string> texts) {
  std::shared_ptr<Condition> condition(new Condition());
  for (const std::string& text : texts) {
    auto expression = parse_condition(text);
    if (!expression) return std::unexpected(expression.error());
    if (auto taken = condition->take(*std::move(expression), text); !taken)
      return std::unexpected(taken.error());
    condition->text_ += (condition->text_.empty() ? "(" : " && (") + text + ")";
  }
  condition->join();
  return condition;
}

Result<std::shared_ptr<const Condition>> Condition::from(std::vector<ExpressionPtr> expressions,
                                                         std::string_view text) {
  std::shared_ptr<Condition> condition(new Condition());
  for (ExpressionPtr& expression : expressions) {
    if (auto taken = condition->take(std::move(expression), text); !taken)
      return std::unexpected(taken.error());
  }
  condition->join();
  return condition;
}

std::optional<Nanoseconds> Condition::time_of_text(std::string_view text,
                                                   std::span<const Nanoseconds> times) const {
  const auto place = time_places_.find(text);
  return place != time_places_.end() && place->second < times.size()
             ? std::optional(times[place->second])
             : std::nullopt;
}

// By what has to hold in any case.
flow::TrimRange Condition::range(std::span<const Nanoseconds> times) const {
  flow::TrimRange range;
  const auto time_of = [&](const Expression& expression) -> std::optional<Nanoseconds> {
    if (const std::string* const text = as_text(expression)) return time_of_text(*text, times);
    if (expression.operation != Operator::kLiteral) return std::nullopt;
    const auto* const integer = std::get_if<Integer>(&expression.literal);
    if (integer == nullptr) return std::nullopt;
    return Nanoseconds::from_unsigned(integer->magnitude, integer->negative);
  };
  const auto narrow_by = [&](const Expression& comparison) {
    if (comparison.operands.size() != 2) return;
    const Expression& left = *comparison.operands[0];
    const Expression& right = *comparison.operands[1];
    if (is_event_time(left)) {
      if (const auto bound = time_of(right)) narrow(range, comparison.operation, *bound);
    } else if (is_event_time(right)) {
      if (const auto bound = time_of(left)) narrow(range, mirrored(comparison.operation), *bound);
    }
  };
  std::vector<const Expression*> waiting = {expression_.get()};
  while (!waiting.empty()) {
    const Expression& next = *waiting.back();
    waiting.pop_back();
    if (next.operation == Operator::kAnd) {
      for (const ExpressionPtr& operand : next.operands) waiting.push_back(operand.get());
    } else {
      narrow_by(next);
    }
  }
  return range;
}

std::unique_ptr<flow::RecordFilter> Condition::filter(flow::FilterContext context) const {
  return std::make_unique<Filter>(shared_from_this(), std::move(context));
}

}  // namespace tracedeck::query
