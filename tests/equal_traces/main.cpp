// Compares two traces, for tests and scripts:
//   equal_traces A B [FORMAT]
// Both are read as FORMAT, or as what they are recognised as. Prints the differences as JSON lines.
// Exit 0: the traces are equal, 1: they are not, 2: one of them cannot be read.
#include <cstdio>
#include <memory>
#include <string>

#include "tracedeck/comparison/equal_traces.hpp"
#include "tracedeck/flow/pipeline.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/text/json_object.hpp"

using namespace tracedeck;

namespace {

constexpr int kUnreadable = 2;

// A conversion may lose something of each field of each class.
constexpr std::size_t kMostKinds = 100'000;

// Keeps the description of the trace that is opened, and whether all went well.
class Opened final : public flow::PipelineObserver {
 public:
  void failed(const Error& error) override {
    std::fprintf(stderr, "equal_traces: %s\n", error.to_string().c_str());
    failed_ = true;
  }
  void opened(const TraceDescription& description) override {
    if (description_ != nullptr) several_ = true;
    description_ = description.shared_from_this();
  }

  [[nodiscard]] const std::shared_ptr<const TraceDescription>& description() const {
    return description_;
  }
  [[nodiscard]] bool failed_to_read() const { return failed_; }
  // One trace, and no more.
  [[nodiscard]] bool is_one() const { return description_ != nullptr && !several_; }

 private:
  std::shared_ptr<const TraceDescription> description_;
  bool failed_ = false;
  bool several_ = false;
};

std::unique_ptr<flow::Pipeline> open(const char* path, const Format* format, Opened& observer) {
  return flow::Pipeline::open({.operands = {path},
                               .format = format,
                               .selection = {.order = flow::Order::kRecorded},
                               .needs = {.values = true},
                               .jobs = 1},
                              observer);
}

void print(const comparison::Difference& difference) {
  TextBuffer text;
  JsonObject object(text);
  object.string("kind", comparison::kind_name(difference.key.kind));
  object.string("class", difference.key.class_name);
  object.string("path", difference.key.path);
  object.string("what", difference.key.what);
  object.string("place", comparison::place_of(difference.key));
  object.boolean("of_class", comparison::is_of_event_class(difference.key));
  object.string("left", difference.left);
  object.string("right", difference.right);
  object.integer("left_offset", difference.left_offset);
  object.integer("right_offset", difference.right_offset);
  object.integer("count", difference.count);
  object.end();
  std::printf("%s\n", std::string(text.view()).c_str());
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3 && count != 4) return kUnreadable;
  const Format* const format = count == 4 ? find_format(arguments[3]) : nullptr;
  Opened left;
  Opened right;
  const auto a = open(arguments[1], format, left);
  const auto b = open(arguments[2], format, right);
  if (a == nullptr || b == nullptr) return kUnreadable;
  if (!left.is_one() || !right.is_one()) {
    std::fprintf(stderr, "equal_traces: there are several traces\n");
    return kUnreadable;
  }
  const auto compared = comparison::equal_traces(
      {*a, left.description()}, {*b, right.description()}, {.most_kinds = kMostKinds});
  if (!compared) {
    std::fprintf(stderr, "equal_traces: %s\n", compared.error().to_string().c_str());
    return kUnreadable;
  }
  if (left.failed_to_read() || right.failed_to_read()) return kUnreadable;
  for (const comparison::Difference& each : compared->differences.found()) print(each);
  if (compared->differences.left_out() != 0) {
    std::printf("{\"kind\":\"more\",\"count\":%llu}\n",
                static_cast<unsigned long long>(compared->differences.left_out()));
  }
  return compared->equal() ? 0 : 1;
}
