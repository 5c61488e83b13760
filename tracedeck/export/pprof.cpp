#include "tracedeck/export/pprof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/export/mark_exporter.hpp"
#include "tracedeck/export/pprof_fields.hpp"
#include "tracedeck/export/protobuf_writer.hpp"
#include "tracedeck/export/sample_stack.hpp"
#include "tracedeck/export/track_depth.hpp"
#include "tracedeck/io/compressing_output.hpp"
#include "tracedeck/text/visible.hpp"
#include "tracedeck/timeline/arguments.hpp"
#include "tracedeck/timeline/heap_samples.hpp"

namespace tracedeck::exporting {
namespace {

using timeline::HeapSample;
using timeline::HeapSamples;
using timeline::Mark;
using timeline::Timeline;

constexpr std::size_t kMostProfileStacks = std::size_t{1} << 20U;  // and places in programs

// Hands on what is written, to an output that somebody else finishes.
class PassedOn final : public io::Output {
 public:
  explicit PassedOn(io::Output& output) : output_(output) {}
  [[nodiscard]] const std::string& name() const override { return output_.name(); }
  [[nodiscard]] Result<void> write(ByteSpan bytes) override { return output_.write(bytes); }
  [[nodiscard]] Result<void> flush() override { return {}; }
  [[nodiscard]] Result<void> finish() override { return {}; }

 private:
  io::Output& output_;
};

// Texts by numbers, of which 0 is "".
class StringTable {
 public:
  StringTable() { (void)number_of(""); }

  [[nodiscard]] std::uint64_t number_of(std::string_view text) {
    std::string shown = visible(text);
    const auto known = numbers_.find(shown);
    if (known != numbers_.end()) return known->second;
    const std::uint64_t number = texts_.size();
    numbers_.emplace(shown, number);
    texts_.push_back(std::move(shown));
    return number;
  }
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

 private:
  TextMap<std::uint64_t> numbers_;
  std::vector<std::string> texts_;
};

// Places in programs, and stacks of them that begin alike share what they begin with.
class ProfileStacks {
 public:
  static constexpr std::uint32_t kNone = 0;

  struct Line {
    std::uint64_t function = 0;  // from 1 on
    std::uint64_t line = 0;      // 0: nothing says it
  };
  struct Location {
    std::uint64_t address = 0;
    std::vector<Line> lines = {};  // the innermost function first; none: it has no name
  };
  struct Function {
    std::uint64_t name = 0;  // numbers of texts
    std::uint64_t file = 0;
  };
  struct Node {
    std::uint32_t above = kNone;  // what called it
    std::uint32_t location = 0;
  };

  // `value`: a list of addresses, the leaf first. `kNone`: there is none.
  [[nodiscard]] std::uint32_t find(const TraceDescription* trace, const query::Value& value) {
    locations_of_stack_.clear();
    (void)query::for_each_address(*value.slot, [&](std::uint64_t address) {
      if (locations_of_stack_.size() < kMostDepth)
        locations_of_stack_.push_back(location_of(trace, address));
    });
    std::uint32_t node = kNone;
    for (std::size_t i = locations_of_stack_.size(); i-- != 0;)
      node = below(node, locations_of_stack_[i]);
    return node;
  }

  StringTable strings;
  std::vector<Location> locations;  // their ids are one more
  std::vector<Function> functions;  // likewise
  std::vector<Node> nodes = std::vector<Node>(1);
  std::uint64_t nameless = 0;  // addresses in stacks
  std::uint64_t cut = 0;       // frames that were left out

 private:
  struct Known {
    std::uint32_t location;
    bool has_name;
  };

  [[nodiscard]] std::uint32_t location_of(const TraceDescription* trace, std::uint64_t address) {
    const std::pair key{trace == nullptr ? 0 : trace->number(), address};
    auto known = known_.find(key);
    if (known == known_.end()) {
      Location location{.address = address};
      for (const tracedeck::Function& each : query::functions_at(address, trace))
        location.lines.push_back({.function = function_of(each), .line = each.line});
      const bool has_name = !location.lines.empty();
      locations.push_back(std::move(location));
      known = known_
                  .emplace(key, Known{.location = static_cast<std::uint32_t>(locations.size()),
                                      .has_name = has_name})
                  .first;
    }
    if (!known->second.has_name) ++nameless;
    return known->second.location;
  }
  [[nodiscard]] std::uint64_t function_of(const tracedeck::Function& function) {
    const std::pair key{strings.number_of(function.name), strings.number_of(function.file)};
    const auto [place, is_new] = functions_.try_emplace(key, functions.size() + 1);
    if (is_new) functions.push_back({.name = key.first, .file = key.second});
    return place->second;
  }
  [[nodiscard]] std::uint32_t below(std::uint32_t node, std::uint32_t location) {
    const std::uint64_t key = std::uint64_t{node} << 32U | location;
    if (const auto known = below_.find(key); known != below_.end()) return known->second;
    if (nodes.size() == kMostProfileStacks) {
      ++cut;
      return node;
    }
    const auto number = static_cast<std::uint32_t>(nodes.size());
    nodes.push_back({.above = node, .location = location});
    below_.emplace(key, number);
    return number;
  }

  std::map<std::pair<std::uint64_t, std::uint64_t>, Known> known_;  // by trace and address
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> functions_;  // by name and file
  NumberMap<std::uint64_t, std::uint32_t> below_;  // by node and location
  std::vector<std::uint32_t> locations_of_stack_;
};

// The values of one type, by stack.
struct SampleType {
  std::string name;
  std::string unit;
  std::vector<double> values = {};

  void add(std::uint32_t node, double value) {
    if (node >= values.size()) values.resize(std::size_t{node} + 1);
    values[node] += value;
  }
  [[nodiscard]] std::int64_t value_of(std::size_t node) const {
    return node < values.size() ? std::llround(values[node]) : 0;
  }
};

class Pprof final : public MarkExporter<Pprof> {
 public:
  Pprof(io::Output& output, PprofOptions options)
      : output_(output),
        options_(options),
        visit_([this](std::string_view name, const query::Value& value) {
          if (query::is_stack(name, value)) add_sample(value);
        }),
        heap_([this](const Event& event, const Slot* stack) { return stack_of(event, stack); },
              [this](const HeapSample& sample) { add_allocation(sample); }) {}
  Pprof(const Pprof&) = delete;
  Pprof& operator=(const Pprof&) = delete;

  void see(const Timeline& timeline, const Batch& batch) override;
  Result<void> finish(const Timeline& timeline) override;
  [[nodiscard]] Receipt receipt() const override;

 private:
  friend class MarkExporter<Pprof>;

  static constexpr std::size_t kAllocatedObjects = 0;  // of `memory_`
  static constexpr std::size_t kAllocatedSpace = 1;
  static constexpr std::size_t kUsedObjects = 2;
  static constexpr std::size_t kUsedSpace = 3;

  [[nodiscard]] Result<void> status() const { return {}; }
  void begin_trace(const Timeline&, std::int64_t) {}
  void before(const Timeline&, const Mark&) {}
  void begin_slice(const Timeline&, const Mark&) {}
  void end_slice(const Timeline&, const Mark&) { ++slices_; }
  void put_instant(const Timeline& timeline, const Mark& mark);
  void put_state(const Timeline&, const Mark&) {}
  void put_counter(const Timeline&, const Mark&) {}
  void put_flow(const Timeline&, const Mark&) {}
  void put_wait(const Timeline&, const Mark&) {}
  void put_gap(const Timeline&, const Mark&) { ++gaps_; }

  void add_sample(const query::Value& value);
  [[nodiscard]] std::uint32_t stack_of(const Event& event, const Slot* stack);
  void add_allocation(const HeapSample& sample);
  void append_heap();
  void write_types(ProtobufWriter& out);
  void write_samples(ProtobufWriter& out) const;
  void write_places(ProtobufWriter& out) const;

  io::Output& output_;
  PprofOptions options_;
  timeline::Arguments::Visit visit_;
  ProfileStacks stacks_;
  std::vector<SampleType> types_;  // of samples, then of memory
  std::vector<SampleType> memory_ = {{.name = "alloc_objects", .unit = "count"},
                                     {.name = "alloc_space", .unit = "bytes"},
                                     {.name = "inuse_objects", .unit = "count"},
                                     {.name = "inuse_space", .unit = "bytes"}};
  HeapSamples heap_;
  const TraceDescription* trace_ = nullptr;  // of the mark at hand
  std::string kind_;                         // what it is called
  bool knows_frees_ = true;
  std::uint64_t samples_ = 0;
  std::uint64_t slices_ = 0;
  std::uint64_t gaps_ = 0;
};

void Pprof::see(const Timeline&, const Batch& batch) {
  for (const Record& record : batch.records()) {
    if (record.kind == RecordKind::kEvent) heap_.see(record.event);
  }
}

void Pprof::put_instant(const Timeline& timeline, const Mark& mark) {
  if (mark.arguments == nullptr || mark.event == nullptr) return;
  trace_ = trace_of(mark);
  kind_ = mark.name == timeline::kNoName ? "sample" : timeline.name(mark.name).text;
  timeline::visit_arguments(mark, visit_);
}

void Pprof::add_sample(const query::Value& value) {
  const std::uint32_t node = stacks_.find(trace_, value);
  if (node == ProfileStacks::kNone) return;
  ++samples_;
  // Words of a name are told apart in options of pprof by this.
  std::ranges::replace(kind_, ' ', '_');
  auto type = std::ranges::find(types_, kind_, &SampleType::name);
  if (type == types_.end()) type = types_.insert(type, {.name = kind_, .unit = "count"});
  type->add(node, 1);
}

std::uint32_t Pprof::stack_of(const Event& event, const Slot* stack) {
  if (stack == nullptr) return ProfileStacks::kNone;
  query::Value value;
  value.kind = query::Value::Kind::kCompound;
  value.slot = stack;
  const DataStreamClass* const stream_class = event.event_class->stream_class;
  return stacks_.find(stream_class == nullptr ? nullptr : stream_class->trace, value);
}

void Pprof::add_allocation(const HeapSample& sample) {
  memory_[kAllocatedObjects].add(sample.tag, sample.count);
  memory_[kAllocatedSpace].add(sample.tag, sample.bytes);
}

void Pprof::append_heap() {
  if (heap_.count() == 0) return;
  knows_frees_ = heap_.knows_frees();
  if (knows_frees_) {
    heap_.for_each_live([&](const HeapSample& sample) {
      memory_[kUsedObjects].add(sample.tag, sample.count);
      memory_[kUsedSpace].add(sample.tag, sample.bytes);
    });
  } else {
    memory_.resize(kUsedObjects);
  }
  std::ranges::move(memory_, std::back_inserter(types_));
}

void Pprof::write_types(ProtobufWriter& out) {
  for (const SampleType& type : types_) {
    const std::size_t message = out.open(pprof::profile::kSampleType);
    out.integer(pprof::value_type::kType, stacks_.strings.number_of(type.name));
    out.integer(pprof::value_type::kUnit, stacks_.strings.number_of(type.unit));
    out.close(message);
  }
}

void Pprof::write_samples(ProtobufWriter& out) const {
  for (std::size_t node = 0; node < stacks_.nodes.size(); ++node) {
    const auto has_value = [&](const SampleType& type) { return type.value_of(node) != 0; };
    if (std::ranges::none_of(types_, has_value)) continue;
    const std::size_t message = out.open(pprof::profile::kSample);
    for (std::size_t at = node; at != ProfileStacks::kNone; at = stacks_.nodes[at].above)
      out.integer(pprof::sample::kLocationId, stacks_.nodes[at].location);
    for (const SampleType& type : types_)
      out.signed_integer(pprof::sample::kValue, type.value_of(node));
    out.close(message);
    out.drain_if_full();
  }
}

void Pprof::write_places(ProtobufWriter& out) const {
  constexpr std::uint64_t kMapping = 1;
  const std::size_t all = out.open(pprof::profile::kMapping);
  out.integer(pprof::mapping::kId, kMapping);
  out.integer(pprof::mapping::kMemoryLimit, std::numeric_limits<std::uint64_t>::max());
  out.integer(pprof::mapping::kHasFunctions, 1);
  out.close(all);
  for (std::size_t i = 0; i < stacks_.locations.size(); ++i) {
    const ProfileStacks::Location& location = stacks_.locations[i];
    const std::size_t message = out.open(pprof::profile::kLocation);
    out.integer(pprof::location::kId, i + 1);
    out.integer(pprof::location::kMappingId, kMapping);
    out.integer(pprof::location::kAddress, location.address);
    for (const ProfileStacks::Line& each : location.lines) {
      const std::size_t line = out.open(pprof::location::kLine);
      out.integer(pprof::line::kFunctionId, each.function);
      if (each.line != 0) out.integer(pprof::line::kLine, each.line);
      out.close(line);
    }
    out.close(message);
    out.drain_if_full();
  }
  for (std::size_t i = 0; i < stacks_.functions.size(); ++i) {
    const std::size_t message = out.open(pprof::profile::kFunction);
    out.integer(pprof::function::kId, i + 1);
    out.integer(pprof::function::kName, stacks_.functions[i].name);
    out.integer(pprof::function::kSystemName, stacks_.functions[i].name);
    if (stacks_.functions[i].file != 0)
      out.integer(pprof::function::kFilename, stacks_.functions[i].file);
    out.close(message);
    out.drain_if_full();
  }
}

Result<void> Pprof::finish(const Timeline& timeline) {
  append_heap();
  auto file = io::compress(std::make_unique<PassedOn>(output_),
                           options_.gzip ? io::Compression::kGzip : io::Compression::kNone);
  ProtobufWriter out(*file);
  write_types(out);
  write_samples(out);
  write_places(out);
  for (const std::string& text : stacks_.strings.texts()) {
    out.text(pprof::profile::kStringTable, text);
    out.drain_if_full();
  }
  if (timeline.end() > timeline.begin())
    out.signed_integer(pprof::profile::kDurationNanos, timeline.end() - timeline.begin());
  if (const auto written = out.drain(); !written) return written;
  return file->finish();
}

Receipt Pprof::receipt() const {
  Receipt receipt = {
      {"slice", "left out: a profile is of stacks of samples", slices_, false},
      {"address without a name", "written as a number", stacks_.nameless, false},
      {"frame of a stack beyond a million others", "left out", stacks_.cut},
      {"allocation whose sample rate is not recorded", "counted once, as it was sampled",
       heap_.unscaled()},
      {"allocation whose free is not tracked", "what is in use is in no type of values",
       heap_.untracked()},
      {"allocation beyond a million in use", "what is in use is in no type of values",
       heap_.not_held()},
      {"loss", "left out: what happened in it is in no stack", gaps_},
  };
  std::erase_if(receipt, [](const ReceiptEntry& entry) { return entry.count == 0; });
  return receipt;
}

}  // namespace

std::unique_ptr<Exporter> make_pprof(io::Output& output, PprofOptions options) {
  return std::make_unique<Pprof>(output, options);
}

}  // namespace tracedeck::exporting
