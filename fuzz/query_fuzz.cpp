// Any text as a condition and as a query about events with a value of each kind: what can be
// understood, answers in each way that answers are written.

#include "tracedeck/query/query.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/io/output.hpp"
#include "tracedeck/query/answers.hpp"
#include "tracedeck/query/condition.hpp"
#include "tracedeck/render/sample_trace_test.hpp"

namespace {

using namespace tracedeck;  // NOLINT(google-build-using-namespace): one small file
using render::text_slot;
using render::unsigned_class;

void require(bool holds) {
  if (!holds) std::abort();
}

// Events of three classes, one of them with a value of each kind.
class Sample {
 public:
  Sample() {
    const EventClass& of_all = add_class("All", all_members());
    const EventClass& begin = add_class("A", begin_members());
    const EventClass& end = add_class("B", end_members());
    for (std::uint64_t i = 0; i < 6; ++i) {
      events_.push_back(trace_.event(of_all, 1000 * i, all_values(i)));
      events_.push_back(
          trace_.event(begin, 1000 * i + 1, {unsigned_slot(i % 3), text_slot("depth")}));
      events_.push_back(trace_.event(end, 1000 * i + 2, {real_slot(static_cast<double>(i % 2))}));
    }
  }

  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  [[nodiscard]] const DataStream& stream() const { return trace_.stream; }

 private:
  static FieldClassPtr begin_members() {
    return render::structure_class({{"depth", unsigned_class()}, {"text", render::string_class()}});
  }
  static FieldClassPtr end_members() {
    return render::structure_class({{"depth", make_field_class(RealClass{})}});
  }
  static FieldClassPtr all_members() {
    const auto state = render::enumeration_class(
        {{.label = "idle", .ranges = {{0, 0}}}, {.label = "busy", .ranges = {{1, 3}}}});
    const auto flags = make_field_class(IntegerClass{
        .form = IntegerClass::Form::kBitMap, .mappings = {{.label = "read", .ranges = {{0, 0}}}}});
    return render::structure_class(
        {{"depth", unsigned_class()},
         {"low",
          make_field_class(IntegerClass{.is_signed = true, .layout = FixedLayout{.width = 64}})},
         {"ratio", make_field_class(RealClass{})},
         {"ok", make_field_class(BooleanClass{})},
         {"text", render::string_class()},
         {"sizes", render::array_class(unsigned_class())},
         {"inner", render::structure_class({{"a", unsigned_class()}})},
         {"maybe", make_field_class(OptionalClass{.value = unsigned_class()})},
         {"state", state},
         {"flags", flags},
         {"wide", unsigned_class()}});
  }
  [[nodiscard]] std::vector<Slot> all_values(std::uint64_t i) const {
    const double infinity = std::numeric_limits<double>::infinity();
    std::vector<Slot> values = {unsigned_slot(i),
                                signed_slot(std::numeric_limits<std::int64_t>::min()),
                                real_slot(i == 0   ? infinity
                                          : i == 1 ? infinity - infinity
                                                   : static_cast<double>(i) / 2),
                                boolean_slot(i % 2 == 0),
                                text_slot("GET /"),
                                head_slot(SlotKind::kArray, 2, 2),
                                unsigned_slot(10),
                                unsigned_slot(~std::uint64_t{0}),
                                head_slot(SlotKind::kStructure, 0, 1),
                                unsigned_slot(11)};
    values.push_back(head_slot(SlotKind::kOptional, i % 2 == 0 ? 1 : 0, i % 2 == 0 ? 1 : 0));
    if (i % 2 == 0) values.push_back(unsigned_slot(8));
    values.push_back(unsigned_slot(i));
    values.push_back(unsigned_slot(1));
    values.push_back(render::wide_slot(SlotKind::kWideUnsigned, wide_));
    return values;
  }
  const EventClass& add_class(const char* name, FieldClassPtr payload) {
    return trace_.add(trace_.event_class(number_++, name, std::move(payload)));
  }

  std::vector<std::uint8_t> wide_ = std::vector<std::uint8_t>(20, 3);
  render::SampleTrace trace_;
  std::uint64_t number_ = 0;
  std::vector<Event> events_;
};

void ask_condition(const Sample& sample, const std::string& text) {
  const auto condition = query::Condition::parse(std::vector{text});
  if (!condition) return;
  const std::vector<Nanoseconds> times((*condition)->times().size());
  (void)(*condition)->range(times);
  const auto filter = (*condition)->filter({.times = times, .trace = "run.bin"});
  for (const Event& event : sample.events()) (void)filter->passes(event);
}

std::unique_ptr<query::RowSink> answer(char way, io::Output& output, const query::Query& query) {
  if (way == 't') return query::text_answer(output, query, {});
  return way == 'j' ? query::json_answer(output, query) : query::csv_answer(output, query);
}

void ask_query(const Sample& sample, const std::string& text, char way) {
  const auto parsed = query::Query::parse(text);
  if (!parsed) return;
  query::Query& query = **parsed;
  std::string answered;
  const auto output = io::memory_output(answered);
  query.answer_to(answer(way, *output, query));
  Batch batch;
  std::unique_ptr<flow::RecordFilter> filter;
  if (query.condition() != nullptr) {
    const std::vector<Nanoseconds> times(query.condition()->times().size());
    filter = query.condition()->filter({.times = times});
  }
  for (const Event& event : sample.events()) {
    if (filter == nullptr || filter->passes(event)) batch.add_event(event);
  }
  require(query.add(batch).has_value());
  if (query.spans() != nullptr) {
    // Of some of the columns the values are known.
    std::vector<query::Value> span(query::kSpanColumns + query.spans()->arguments.size());
    for (std::uint64_t i = 0; i < 3; ++i) {
      span[0] = query::Value::of(std::string_view("poll"));
      for (std::size_t at = 5 + i; at < span.size(); at += 2)
        span[at] = query::Value::of(1000 * i + at);
      require(query.add_row(span).has_value());
    }
    query.note_spans({.whole = 3});
  }
  Batch lost;
  lost.add_loss({.stream = &sample.stream(),
                 .events = 3,
                 .begin = Nanoseconds::from_unsigned(500),
                 .end = Nanoseconds::from_unsigned(1500)});
  require(query.add(lost).has_value());
  require(query.finish().has_value());
  const std::string counts = query::counts_json(query.counts());
  require(counts.ends_with("\n") && !query::counts_text(query.counts()).empty());
  if (way == 'j') {
    // A line a row, an object each.
    for (std::size_t at = 0; at < answered.size(); at = answered.find('\n', at) + 1)
      require(answered[at] == '{');
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Sample sample;
  const std::string text(reinterpret_cast<const char*>(data), size);
  ask_condition(sample, text);
  for (const char way : {'t', 'j', 'c'}) ask_query(sample, text, way);
  return 0;
}
