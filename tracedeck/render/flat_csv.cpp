#include "tracedeck/render/flat_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tracedeck/model/class_table.hpp"
#include "tracedeck/model/labels.hpp"
#include "tracedeck/render/csv.hpp"
#include "tracedeck/render/csv_cells.hpp"
#include "tracedeck/render/json_event.hpp"
#include "tracedeck/render/left_out.hpp"
#include "tracedeck/render/time_text.hpp"
#include "tracedeck/spill/spill_file.hpp"
#include "tracedeck/text/number.hpp"

namespace tracedeck::render {
namespace {

constexpr auto kFirstColumns =
    std::to_array<std::string_view>({"trace", "time", "duration", "name", "id"});
constexpr std::string_view kDescribedFields = "fields";

// The names of the columns of an event class.
class FlatNames {
 public:
  [[nodiscard]] std::vector<std::string> take() { return std::move(names_); }
  [[nodiscard]] std::size_t size() const { return names_.size(); }

  void add(std::string name) {
    const std::string wanted = name;
    for (std::size_t i = 2; !taken_.insert(name).second; ++i)
      name = fmt::format("{}.{}", wanted, i);
    names_.push_back(std::move(name));
  }
  // The columns of the members of a root, which may be null. Returns how many each member has.
  std::vector<std::size_t> add_members(std::string_view scope, const FieldClass* root) {
    std::vector<std::size_t> counts;
    const auto* const structure = class_as<StructureClass>(root);
    if (structure == nullptr) return counts;
    for (const Member& member : structure->members) {
      const std::string_view name = member.name.view();
      const bool is_bare = scope == "fields" && !is_of_others(name);
      const std::size_t before = names_.size();
      add_value(is_bare ? std::string(name) : fmt::format("{}.{}", scope, name),
                member.field_class.get());
      counts.push_back(names_.size() - before);
    }
    return counts;
  }

 private:
  static bool is_of_others(std::string_view name) {
    constexpr auto kScopes =
        std::to_array<std::string_view>({"stream.", "packet.", "common.", "specific.", "fields."});
    return std::ranges::find(kFirstColumns, name) != kFirstColumns.end() ||
           std::ranges::any_of(kScopes,
                               [&](std::string_view scope) { return name.starts_with(scope); });
  }

  void add_value(const std::string& name, const FieldClass* field_class) {
    if (const auto* const optional = class_as<OptionalClass>(field_class))
      return add_value(name, optional->value.get());
    if (const auto* const structure = class_as<StructureClass>(field_class)) {
      for (const Member& member : structure->members)
        add_value(fmt::format("{}.{}", name, member.name.view()), member.field_class.get());
      return;
    }
    add(name);
    if (as_enumeration(field_class) != nullptr) add(name + "_label");
  }

  std::vector<std::string> names_;
  std::set<std::string, std::less<>> taken_;
};

// How values look that are one column: a style of programs.
class FlatStyle {
 public:
  explicit FlatStyle(bool large_as_strings) : json_(large_as_strings) {}

  using Spelling = JsonStyle::Spelling;
  [[nodiscard]] static ValueForm form_of(const FieldClass* field_class, Spelling& spelling) {
    return JsonStyle::form_of(field_class, spelling);
  }
  [[nodiscard]] static bool is_bare(const Slot& slot) { return JsonStyle::is_bare(slot); }
  static char* write_integer(char*, const Slot&, Spelling) { return nullptr; }
  static char* write_real(char* to, double value) { return JsonStyle::write_real(to, value); }
  static char* write_text(char* to, std::string_view text) {
    constexpr Escaped kEscaped = {.marks = {'"', '"', ',', ','}};
    const bool is_plain = !text.empty() && copy_plain<kEscaped>(to, text.data(), text.size());
    return is_plain ? to + text.size() : nullptr;
  }
  [[nodiscard]] static std::size_t columns() { return 0; }

  struct Faults {
    JsonStyle::Faults json = {};
    std::uint64_t replaced_texts = 0;

    friend bool operator==(const Faults&, const Faults&) = default;
  };
  [[nodiscard]] Faults faults() const { return {json_.style().faults(), replaced_texts_}; }
  void count_replaced(bool replaced) { replaced_texts_ += replaced ? 1 : 0; }

  [[nodiscard]] bool large_as_strings() const { return json_.style().large_as_strings(); }
  [[nodiscard]] JsonValues& json() { return json_; }

 private:
  JsonValues json_;
  std::uint64_t replaced_texts_ = 0;
};

// Values of all kinds, which may be several columns.
class FlatWalk {
 public:
  explicit FlatWalk(bool large_as_strings) : style_(large_as_strings) {}

  [[nodiscard]] FlatStyle& style() { return style_; }
  [[nodiscard]] const FlatStyle& style() const { return style_; }

  // The columns of a value, with commas between them.
  const Slot* append(TextBuffer& out, const Slot* slot, const FieldClass* field_class) {
    is_first_ = true;
    add_value(out, field_class, slot);
    return slot->next();
  }

  void text(TextBuffer& out, std::string_view text) {
    style_.count_replaced(!append_csv_text(out, text));
  }
  // What `append(buffer, values)` appends, which is JSON.
  template <class Append>
  void json(TextBuffer& out, Append append) {
    out.append('"');
    json_(out, [&](TextBuffer& text) { append(text, style_.json()); });
    out.append('"');
  }

 private:
  void begin(TextBuffer& out) {
    if (!std::exchange(is_first_, false)) out.append(',');
  }

  // `slot`: null where there is no value.
  void add_value(TextBuffer& out, const FieldClass* field_class, const Slot* slot) {
    if (const auto* const optional = class_as<OptionalClass>(field_class)) {
      const bool is_there = slot != nullptr && slot->bits != 0;
      return add_value(out, optional->value.get(), is_there ? slot + 1 : nullptr);
    }
    if (const auto* const structure = class_as<StructureClass>(field_class)) {
      const Slot* inner = slot == nullptr ? nullptr : slot + 1;
      for (const Member& member : structure->members) {
        add_value(out, member.field_class.get(), inner);
        if (inner != nullptr) inner = inner->next();
      }
      return;
    }
    const IntegerClass* const enumeration = as_enumeration(field_class);
    begin(out);
    if (slot != nullptr) add_single(out, enumeration == nullptr ? field_class : nullptr, slot);
    if (enumeration == nullptr) return;
    begin(out);
    if (slot != nullptr) add_label(out, *enumeration, *slot);
  }

  void add_single(TextBuffer& out, const FieldClass* field_class, const Slot* slot) {
    while (slot->kind == SlotKind::kVariant) {
      const auto* const variant = class_as<VariantClass>(field_class);
      field_class = variant == nullptr || slot->bits >= variant->options.size()
                        ? nullptr
                        : variant->options[slot->bits].field_class.get();
      ++slot;
    }
    if (slot->kind == SlotKind::kOptional && slot->bits == 0) return;
    switch (slot->kind) {
      case SlotKind::kString:
        return text(out, slot->text());
      case SlotKind::kBoolean:
      case SlotKind::kUnsigned:
      case SlotKind::kSigned:
      case SlotKind::kWideUnsigned:
      case SlotKind::kWideSigned:
        // Its quotes, if it has some, are those of a value of a line.
        style_.json().append(out, slot, nullptr);
        return;
      case SlotKind::kReal:
      case SlotKind::kWideReal:
      case SlotKind::kBlob:
        bare_.clear();
        style_.json().append(bare_, slot, nullptr);
        return out.append(bare_.view().starts_with('"')
                              ? bare_.view().substr(1, bare_.view().size() - 2)
                              : bare_.view());
      default:
        return json(out, [&](TextBuffer& text, JsonValues& values) {
          values.append(text, slot, field_class);
        });
    }
  }

  void add_label(TextBuffer& out, const IntegerClass& enumeration, const Slot& slot) {
    const std::optional<Int128> value = integer_value(slot);
    const auto label = std::ranges::find_if(
        enumeration.mappings, [&](const Mapping& each) { return has_label(each, slot, value); });
    if (label != enumeration.mappings.end()) text(out, label->label.view());
  }

  FlatStyle style_;
  TextBuffer bare_{nullptr, 256};
  CsvJson json_;
  bool is_first_ = true;
};

using FlatValues = CompiledValues<FlatStyle, FlatWalk>;

// The columns of a structure whose members stand one after the other on the tape.
class FlatPart {
 public:
  // `counts`: the columns of each member. `gaps`: the commas before each column of the line, of
  // which the part has those from `first` on.
  FlatPart(FieldClassPtr root, std::span<const std::size_t> counts,
           std::span<const std::size_t> gaps, std::size_t first, FlatValues& values)
      : root_(std::move(root)) {
    const auto* const structure = class_as<StructureClass>(root_.get());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      std::size_t commas = 0;
      for (std::size_t k = 0; k < counts[i]; ++k) commas += gaps[first + k];
      commas_.push_back(commas);
      if (counts[i] == 0) {
        program_.add_hidden();
      } else {
        program_.add(std::string(gaps[first], ','), 0, structure->members[i].field_class.get(),
                     values);
      }
      first += counts[i];
    }
  }

  // `slots` may be of fewer members.
  void run(TextBuffer& out, std::span<const Slot> slots, FlatValues& values) {
    for (std::size_t i = program_.run(out, slots, values); i < commas_.size(); ++i)
      out.append(commas_[i], ',');
  }

 private:
  FieldClassPtr root_;  // which the program points into
  MemberProgram<FlatStyle, FlatValues> program_;
  std::vector<std::size_t> commas_;  // of each member
};

// What is known of the lines of an event class.
struct FlatClass {
  explicit FlatClass(const EventClass&) {}

  bool is_made = false;
  std::vector<std::string> names = {};
  // Of columns that lie with the one before them in one member.
  std::vector<bool> go_on = {};
  // By whom lines are taken: the number of each column among those of all lines, if these are
  // written in that order; else the order in which columns are to be: of all, and of these.
  std::size_t table = 0;
  std::vector<std::size_t> numbers = {};
  std::vector<std::pair<std::size_t, std::size_t>> order = {};

  NarrowClock clock = {};
  Literal name_and_id = {};  // `,NAME,ID`
  bool replaced_name = false;
  std::vector<std::string> stream_keys = {};
  std::vector<std::size_t> key_gaps = {};  // commas before each
  std::size_t fields_gap = 0;              // of events that describe themselves
  std::vector<FlatPart> parts = {};        // packet, common, specific, fields

  // Of the data stream of the last event.
  EntityId stream = EntityId::none();
  Literal keys = {};
  std::size_t other_keys = 0;
};

class FlatWriter : public Writer {
 public:
  explicit FlatWriter(const FlatCsvOptions& options)
      : values_(options.large_integers_as_strings),
        tags_(options.trace_names, [](std::string_view name) { return std::string(name); }),
        left_out_(false, options.receipt) {}

  Result<void> write(const Record& record) final {
    if (record.kind == RecordKind::kEvent) return write_event(record.event);
    left_out_.see(record);
    return {};
  }
  Result<void> describe(const TraceDescription& trace) final {
    left_out_.see(trace);
    return {};
  }

  [[nodiscard]] Receipt receipt() const final {
    const FlatStyle::Faults faults = values_.style().faults();
    Receipt receipt = json_receipt(faults.json);
    if (faults.replaced_texts != 0) {
      receipt.push_back({.what = "texts that are no UTF-8",
                         .done = "U+FFFD put in for their bytes",
                         .count = faults.replaced_texts});
    }
    if (other_keys_ != 0) {
      receipt.push_back({.what = "keys of data streams that others of the class lack",
                         .done = "left out",
                         .count = other_keys_});
    }
    std::ranges::move(left_out_.receipt(), std::back_inserter(receipt));
    return receipt;
  }

 protected:
  // A class whose columns are known now.
  virtual Result<void> begin(FlatClass& of, std::string_view name) = 0;
  // A line up to the last column of the class.
  virtual Result<void> add(const FlatClass& of, std::string_view line) = 0;

  [[nodiscard]] bool has_trace() const { return static_cast<bool>(tags_); }

 private:
  static constexpr std::size_t kTimesRoom = 2 * kJsonIntegerSize + DecimalTimes::kRoom;

  Result<void> make(FlatClass& made, const Event& event) {
    made.is_made = true;
    const EventClass& of = *event.event_class;
    left_out_.see(event);
    FlatNames names;
    for (const std::string_view name : kFirstColumns)
      if (name != "trace" || has_trace()) names.add(std::string(name));
    const std::size_t first = names.size();
    if (event.stream != nullptr) {
      for (const StreamKey& key : event.stream->keys) {
        made.stream_keys.push_back(key.name);
        names.add("stream." + key.name);
      }
    }
    std::vector<std::pair<FieldClassPtr, std::vector<std::size_t>>> roots;
    const auto add_root = [&](std::string_view scope, const FieldClassPtr& root) {
      roots.emplace_back(root, names.add_members(scope, root.get()));
    };
    if (of.stream_class != nullptr) {
      add_root("packet", of.stream_class->packet_context);
      add_root(of.stream_class->context_identifies ? "stream" : "common",
               of.stream_class->common_context);
    } else {
      add_root("packet", nullptr);
      add_root("common", nullptr);
    }
    add_root("specific", of.specific_context);
    if (of.self_described) {
      names.add(std::string(kDescribedFields));
    } else {
      add_root("fields", of.payload);
    }
    made.names = names.take();
    made.go_on.resize(first + made.stream_keys.size());
    for (const auto& [root, counts] : roots) {
      for (const std::size_t count : counts) {
        for (std::size_t i = 0; i < count; ++i) made.go_on.push_back(i != 0);
      }
    }
    made.go_on.resize(made.names.size());
    auto begun = begin(made, of.name ? std::string_view(*of.name) : std::string_view());
    if (begun) compile(made, of, first, roots);
    return begun;
  }

  // `first`: of the columns behind the first ones that each class has.
  void compile(FlatClass& made, const EventClass& of, std::size_t first,
               std::span<const std::pair<FieldClassPtr, std::vector<std::size_t>>> roots) {
    std::vector<std::size_t> gaps(made.names.size(), 1);
    for (std::size_t i = 1; i < made.numbers.size(); ++i)
      gaps[i] = made.numbers[i] - made.numbers[i - 1];
    const auto keys = std::span(gaps).subspan(first, made.stream_keys.size());
    made.key_gaps.assign(keys.begin(), keys.end());
    first += keys.size();
    for (const auto& [root, counts] : roots) {
      made.parts.emplace_back(root, counts, gaps, first, values_);
      for (const std::size_t count : counts) first += count;
    }
    if (of.self_described) made.fields_gap = gaps[first];
    if (of.clock != nullptr) made.clock = NarrowClock(*of.clock);
    TextBuffer text(nullptr, 512);
    text.append(',');
    made.replaced_name = of.name && !append_csv_text(text, *of.name);
    text.append(',');
    if (of.id) text.commit(write_number(text.reserve(kJsonIntegerSize), *of.id));
    made.name_and_id = Literal(text.view());
  }

  Result<void> write_event(const Event& event) {
    const EventClass& of = *event.event_class;
    FlatClass& known = classes_[of];
    if (!known.is_made) [[unlikely]] {
      if (auto made = make(known, event); !made) return made;
    }
    line_.clear();
    if (has_trace()) {
      const std::string_view tag = tags_.of(of);
      if (!tag.empty()) values_.text(line_, tag);
      line_.append(',');
    }
    times(known, event);
    const bool describes_itself = of.self_described && !event.payload().empty();
    if (describes_itself) [[unlikely]] {
      line_.append(',');
      values_.text(line_, described_name(event));
      line_.append(',');
      if (of.id) line_.commit(write_number(line_.reserve(kJsonIntegerSize), *of.id));
    } else {
      known.name_and_id.append(line_);
      values_.style().count_replaced(known.replaced_name);
    }
    keys(known, event.stream);
    const std::span<const Slot> packet = event.packet == nullptr || of.stream_class == nullptr
                                             ? std::span<const Slot>()
                                             : std::span(event.packet->context);
    known.parts[0].run(line_, packet, values_);
    known.parts[1].run(line_, event.common_context(), values_);
    known.parts[2].run(line_, event.specific_context(), values_);
    if (!of.self_described) {
      known.parts[3].run(line_, event.payload(), values_);
    } else {
      line_.append(known.fields_gap, ',');
      if (describes_itself)
        values_.json(line_, [&](TextBuffer& json, JsonValues& values) {
          append_described_fields(json, values, event);
        });
    }
    return add(known, line_.view());
  }

  // Time and duration.
  void times(const FlatClass& known, const Event& event) {
    const ClockClass* const clock = event.event_class->clock;
    if (clock == nullptr) return line_.append(',');
    char* at = line_.reserve(kTimesRoom);
    const auto time = known.clock.time_of(*clock, event.time);
    at = time && !values_.style().large_as_strings() ? times_.write(at, *time)
                                                     : write_time(at, event.began_at());
    *at++ = ',';
    if (event.event_class->has_duration)
      at = write_time(at, clock->interval(event.time, event.end_time));
    line_.commit(at);
  }

  char* write_time(char* to, const Nanoseconds& time) const {
    return values_.style().large_as_strings() ? write_json_integer(to, time)
                                              : write_decimal(to, time);
  }
  char* write_number(char* to, std::uint64_t number) const {
    return write_time(to, Nanoseconds::from_unsigned(number));
  }

  void keys(FlatClass& known, const DataStream* stream) {
    const EntityId entity = stream == nullptr ? EntityId::none() : stream->entity;
    if (known.stream != entity || entity.trace == 0 || stream == nullptr) [[unlikely]] {
      make_keys(known, stream);
      known.stream = entity;
    }
    known.keys.append(line_);
    other_keys_ += known.other_keys;
  }

  void make_keys(FlatClass& known, const DataStream* stream) {
    const std::span<const StreamKey> keys =
        stream == nullptr ? std::span<const StreamKey>() : std::span(stream->keys);
    TextBuffer text(nullptr, 512);
    known.other_keys = keys.size();
    for (std::size_t i = 0; i < known.stream_keys.size(); ++i) {
      text.append(known.key_gaps[i], ',');
      const auto key = std::ranges::find(keys, known.stream_keys[i], &StreamKey::name);
      if (key == keys.end()) continue;
      --known.other_keys;
      if (key->digits.empty()) {
        text.commit(write_number(text.reserve(kJsonIntegerSize), key->value));
      } else {
        values_.text(text, key->digits);
      }
    }
    known.keys = Literal(text.view());
  }

  FlatValues values_;
  TraceTags tags_;
  LeftOut left_out_;
  DecimalTimes times_;
  TextBuffer line_{nullptr, 4096};
  ClassCache<FlatClass> classes_;
  std::uint64_t other_keys_ = 0;
};

void append_header(TextBuffer& out, std::span<const std::string> columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i != 0) out.append(',');
    append_csv_text(out, columns[i]);
  }
  out.append('\n');
}

// Lines of one table, until all columns are known.
class UnionWriter final : public FlatWriter {
 public:
  UnionWriter(io::Output& output, const FlatCsvOptions& options)
      : FlatWriter(options), out_(&output) {
    for (const std::string_view name : kFirstColumns)
      if (name != "trace" || has_trace()) (void)number_of(std::string(name));
  }

  Result<void> flush() override { return {}; }
  Result<void> finish() override {
    append_header(out_, columns_);
    if (spilled_ != nullptr) {
      std::vector<std::uint8_t> bytes;
      for (std::uint64_t at = 0; at < spilled_->size(); at += bytes.size()) {
        bytes.resize(pieces_[piece_++]);
        if (auto read = spilled_->read(at, bytes); !read) return read;
        append_lines({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      }
    }
    append_lines(held_);
    return out_.drain();
  }

 private:
  // Lines are held in pieces of about this size.
  static constexpr std::size_t kPiece = std::size_t{4} << 20;

  // What stands before a line that is held.
  struct LineHead {
    std::uint32_t columns;
    std::uint32_t size;
  };

  std::size_t number_of(const std::string& name) {
    const auto [place, is_new] = numbers_.try_emplace(name, columns_.size());
    if (is_new) columns_.push_back(name);
    return place->second;
  }

  Result<void> begin(FlatClass& of, std::string_view) override {
    bool in_order = true;
    for (std::size_t i = 0; i < of.names.size(); ++i) {
      const std::size_t number = number_of(of.names[i]);
      const std::size_t last = of.numbers.empty() ? 0 : of.numbers.back();
      const bool follows = of.go_on[i] ? number == last + 1 : i == 0 || number > last;
      in_order = in_order && follows;
      of.numbers.push_back(number);
    }
    if (in_order) return {};
    for (std::size_t i = 0; i < of.names.size(); ++i) of.order.emplace_back(of.numbers[i], i);
    std::ranges::sort(of.order);
    of.numbers.clear();
    return {};
  }

  Result<void> add(const FlatClass& of, std::string_view line) override {
    const std::size_t head = held_.size();
    held_.resize(head + sizeof(LineHead));
    std::size_t column = 0;
    if (of.order.empty()) {
      held_ += line;
      column = of.numbers.back();
    } else {
      const std::vector<std::string_view> cells = cells_of(line);
      for (const auto& [number, cell] : of.order) {
        held_.append(number - column, ',');
        column = number;
        held_ += cells[cell];
      }
    }
    const LineHead says{.columns = static_cast<std::uint32_t>(column),
                        .size = static_cast<std::uint32_t>(held_.size() - head - sizeof(LineHead))};
    std::memcpy(held_.data() + head, &says, sizeof says);
    return held_.size() < kPiece ? Result<void>() : spill();
  }

  // What is between the commas of a line that are not in quotes.
  static std::vector<std::string_view> cells_of(std::string_view line) {
    std::vector<std::string_view> cells;
    bool is_quoted = false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '"') is_quoted = !is_quoted;
      if (line[i] != ',' || is_quoted) continue;
      cells.push_back(line.substr(begin, i - begin));
      begin = i + 1;
    }
    cells.push_back(line.substr(begin));
    return cells;
  }

  Result<void> spill() {
    if (spilled_ == nullptr) {
      auto file = SpillFile::create({});
      if (!file) return std::unexpected(std::move(file.error()));
      spilled_ = *std::move(file);
    }
    pieces_.push_back(held_.size());
    auto written =
        spilled_->append({reinterpret_cast<const std::uint8_t*>(held_.data()), held_.size()});
    held_.clear();
    return written;
  }

  void append_lines(std::string_view lines) {
    while (!lines.empty()) {
      LineHead head{};
      std::memcpy(&head, lines.data(), sizeof head);
      out_.append(lines.substr(sizeof head, head.size));
      out_.append(columns_.size() - 1 - head.columns, ',');
      out_.append('\n');
      lines.remove_prefix(sizeof head + head.size);
    }
  }

  TextBuffer out_;
  std::vector<std::string> columns_;
  std::map<std::string, std::size_t, std::less<>> numbers_;
  std::string held_;
  std::unique_ptr<SpillFile> spilled_;
  std::vector<std::size_t> pieces_;  // sizes, of what is spilled
  std::size_t piece_ = 0;
};

// A file for each table.
class FilesWriter final : public FlatWriter {
 public:
  FilesWriter(io::OutputDirectory& output, const FlatCsvOptions& options,
              std::function<std::string(std::string_view)> file_of)
      : FlatWriter(options), output_(output), file_of_(std::move(file_of)) {}

  Result<void> flush() override {
    for (Table& table : tables_) {
      if (auto drained = drain(table); !drained) return drained;
    }
    return {};
  }
  Result<void> finish() override {
    for (Table& table : tables_) {
      if (auto drained = drain(table); !drained) return drained;
      if (auto finished = table.file->finish(); !finished) return finished;
    }
    return {};
  }

 private:
  // What all lines that are not written take before they are.
  static constexpr std::size_t kMost = std::size_t{8} << 20;

  struct Table {
    std::vector<std::string> columns;
    std::unique_ptr<io::Output> file;
    std::string lines = {};
  };

  Result<void> drain(Table& table) {
    auto written = table.file->write(
        {reinterpret_cast<const std::uint8_t*>(table.lines.data()), table.lines.size()});
    held_ -= table.lines.size();
    table.lines = {};
    return written;
  }

  Result<void> begin(FlatClass& of, std::string_view name) override {
    std::string file;
    for (std::size_t i = 1;; ++i) {
      file = file_of_(i == 1 ? std::string(name) : fmt::format("{}@{}", name, i));
      const auto known = numbers_.find(file);
      if (known == numbers_.end()) break;
      of.table = known->second;
      if (tables_[of.table].columns == of.names) return {};
    }
    auto created = output_.create_file(file);
    if (!created) return std::unexpected(std::move(created.error()));
    of.table = tables_.size();
    numbers_[file] = of.table;
    TextBuffer header(nullptr, 1024);
    append_header(header, of.names);
    tables_.push_back(
        {.columns = of.names, .file = *std::move(created), .lines = std::string(header.view())});
    held_ += tables_.back().lines.size();
    return {};
  }

  Result<void> add(const FlatClass& of, std::string_view line) override {
    Table& table = tables_[of.table];
    const std::size_t before = table.lines.size();
    table.lines += line;
    table.lines += '\n';
    held_ += table.lines.size() - before;
    return held_ < kMost ? Result<void>() : flush();
  }

  io::OutputDirectory& output_;
  std::function<std::string(std::string_view)> file_of_;
  std::vector<Table> tables_;
  std::map<std::string, std::size_t, std::less<>> numbers_;  // of tables, by their files
  std::size_t held_ = 0;
};

}  // namespace

std::unique_ptr<Writer> flat_csv_writer(io::Output& output, const FlatCsvOptions& options) {
  return std::make_unique<UnionWriter>(output, options);
}

std::unique_ptr<Writer> flat_csv_files(io::OutputDirectory& output, const FlatCsvOptions& options,
                                       std::function<std::string(std::string_view)> file_of) {
  return std::make_unique<FilesWriter>(output, options, std::move(file_of));
}

}  // namespace tracedeck::render
