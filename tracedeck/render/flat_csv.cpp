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

  void add(std::string name) {
    const std::string wanted = name;
    for (std::size_t i = 2; !taken_.insert(name).second; ++i)
      name = fmt::format("{}.{}", wanted, i);
    names_.push_back(std::move(name));
  }
  // The columns of the members of a root, which may be null.
  void add_members(std::string_view scope, const FieldClass* root) {
    const auto* const structure = class_as<StructureClass>(root);
    if (structure == nullptr) return;
    for (const Member& member : structure->members) {
      const std::string_view name = member.name.view();
      const bool is_bare = scope == "fields" && !is_of_others(name);
      add_value(is_bare ? std::string(name) : fmt::format("{}.{}", scope, name),
                member.field_class.get());
    }
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

// The values of one line, in the order of a class's columns.
class FlatCells {
 public:
  explicit FlatCells(bool large_as_strings) : values_(large_as_strings) {}

  void clear() {
    text_.clear();
    ends_.clear();
  }
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t cell) const {
    const std::size_t begin = cell == 0 ? 0 : ends_[cell - 1];
    return text_.view().substr(begin, ends_[cell] - begin);
  }
  [[nodiscard]] const JsonStyle& style() const { return values_.style(); }
  [[nodiscard]] std::uint64_t replaced_texts() const { return replaced_texts_; }

  void add_empty() { end(); }
  void add_text(std::string_view text) {
    if (!append_csv_text(text_, text)) ++replaced_texts_;
    end();
  }
  void add_time(const Nanoseconds& time) {
    const bool quoted =
        values_.style().large_as_strings() && time.magnitude() > kLargestExactInteger;
    if (quoted) text_.append('"');
    append_decimal(text_, time);
    if (quoted) text_.append('"');
    end();
  }
  void add_number(std::uint64_t number) { add_time(Nanoseconds::from_unsigned(number)); }
  template <class Append>
  void add_json(Append append) {
    add_quoted([&](TextBuffer& json) { append(json, values_); });
  }

  // The values of a root's members. `slots` may be fewer.
  void add_members(const FieldClass* root, std::span<const Slot> slots) {
    const auto* const structure = class_as<StructureClass>(root);
    if (structure == nullptr) return;
    const Slot* slot = slots.data();
    const Slot* const last = slot + slots.size();
    for (const Member& member : structure->members) {
      add_value(member.field_class.get(), slot == last ? nullptr : slot);
      if (slot != last) slot = slot->next();
    }
  }

  // `slot`: null where there is no value.
  void add_value(const FieldClass* field_class, const Slot* slot) {
    if (const auto* const optional = class_as<OptionalClass>(field_class)) {
      const bool is_there = slot != nullptr && slot->bits != 0;
      return add_value(optional->value.get(), is_there ? slot + 1 : nullptr);
    }
    if (const auto* const structure = class_as<StructureClass>(field_class)) {
      const Slot* inner = slot == nullptr ? nullptr : slot + 1;
      for (const Member& member : structure->members) {
        add_value(member.field_class.get(), inner);
        if (inner != nullptr) inner = inner->next();
      }
      return;
    }
    const IntegerClass* const enumeration = as_enumeration(field_class);
    if (slot == nullptr) {
      end();
      if (enumeration != nullptr) end();
    } else if (enumeration == nullptr) {
      add_single(field_class, slot);
    } else {
      add_single(nullptr, slot);
      add_label(*enumeration, *slot);
    }
  }

 private:
  void end() { ends_.push_back(text_.size()); }
  template <class Append>
  void add_quoted(Append append) {
    text_.append('"');
    json_(text_, append);
    text_.append('"');
    end();
  }

  void add_single(const FieldClass* field_class, const Slot* slot) {
    while (slot->kind == SlotKind::kVariant) {
      const auto* const variant = class_as<VariantClass>(field_class);
      field_class = variant == nullptr || slot->bits >= variant->options.size()
                        ? nullptr
                        : variant->options[slot->bits].field_class.get();
      ++slot;
    }
    if (slot->kind == SlotKind::kOptional && slot->bits == 0) return end();
    switch (slot->kind) {
      case SlotKind::kString:
        return add_text(slot->text());
      case SlotKind::kBoolean:
      case SlotKind::kUnsigned:
      case SlotKind::kSigned:
      case SlotKind::kWideUnsigned:
      case SlotKind::kWideSigned:
        // Its quotes, if it has some, are those of a value of a line.
        values_.append(text_, slot, nullptr);
        return end();
      case SlotKind::kReal:
      case SlotKind::kWideReal:
      case SlotKind::kBlob:
        bare_.clear();
        values_.append(bare_, slot, nullptr);
        text_.append(bare_.view().starts_with('"') ? bare_.view().substr(1, bare_.view().size() - 2)
                                                   : bare_.view());
        return end();
      default:
        return add_quoted([&](TextBuffer& json) { values_.append(json, slot, field_class); });
    }
  }

  void add_label(const IntegerClass& enumeration, const Slot& slot) {
    const std::optional<Int128> value = integer_value(slot);
    const auto label = std::ranges::find_if(
        enumeration.mappings, [&](const Mapping& each) { return has_label(each, slot, value); });
    if (label == enumeration.mappings.end()) return end();
    add_text(label->label.view());
  }

  TextBuffer text_;
  TextBuffer bare_{nullptr, 256};
  std::vector<std::size_t> ends_;
  JsonValues values_;
  CsvJson json_;
  std::uint64_t replaced_texts_ = 0;
};

// What is known of the lines of an event class.
struct FlatClass {
  explicit FlatClass(const EventClass&) {}

  bool is_made = false;
  std::vector<std::string> names = {};
  std::vector<std::string> stream_keys = {};
  // By whom lines are taken.
  std::size_t table = 0;
  std::vector<std::pair<std::size_t, std::size_t>> order = {};  // column of all, column of these
};

class FlatWriter : public Writer {
 public:
  explicit FlatWriter(const FlatCsvOptions& options)
      : cells_(options.large_integers_as_strings),
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
    Receipt receipt = json_receipt(cells_.style().faults());
    if (cells_.replaced_texts() != 0) {
      receipt.push_back({.what = "texts that are no UTF-8",
                         .done = "U+FFFD put in for their bytes",
                         .count = cells_.replaced_texts()});
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
  virtual Result<void> add(const FlatClass& of, const FlatCells& cells) = 0;

  [[nodiscard]] bool has_trace() const { return static_cast<bool>(tags_); }

 private:
  Result<void> make(FlatClass& made, const Event& event) {
    made.is_made = true;
    const EventClass& of = *event.event_class;
    FlatNames names;
    for (const std::string_view name : kFirstColumns)
      if (name != "trace" || has_trace()) names.add(std::string(name));
    if (event.stream != nullptr) {
      for (const StreamKey& key : event.stream->keys) {
        made.stream_keys.push_back(key.name);
        names.add("stream." + key.name);
      }
    }
    if (of.stream_class != nullptr) {
      names.add_members("packet", of.stream_class->packet_context.get());
      names.add_members(of.stream_class->context_identifies ? "stream" : "common",
                        of.stream_class->common_context.get());
    }
    names.add_members("specific", of.specific_context.get());
    if (of.self_described) {
      names.add(std::string(kDescribedFields));
    } else {
      names.add_members("fields", of.payload.get());
    }
    made.names = names.take();
    return begin(made, of.name ? std::string_view(*of.name) : std::string_view());
  }

  Result<void> write_event(const Event& event) {
    left_out_.see(event);
    const EventClass& of = *event.event_class;
    FlatClass& known = classes_[of];
    if (!known.is_made) {
      if (auto made = make(known, event); !made) return made;
    }
    const bool describes_itself = of.self_described && !event.payload().empty();
    cells_.clear();
    if (has_trace()) {
      const std::string_view tag = tags_.of(of);
      tag.empty() ? cells_.add_empty() : cells_.add_text(tag);
    }
    of.clock != nullptr ? cells_.add_time(event.began_at()) : cells_.add_empty();
    of.clock != nullptr&& of.has_duration
        ? cells_.add_time(of.clock->interval(event.time, event.end_time))
        : cells_.add_empty();
    if (describes_itself) {
      cells_.add_text(described_name(event));
    } else {
      of.name ? cells_.add_text(*of.name) : cells_.add_empty();
    }
    of.id ? cells_.add_number(*of.id) : cells_.add_empty();
    add_keys(known, event.stream);
    if (of.stream_class != nullptr) {
      const std::span<const Slot> packet =
          event.packet == nullptr ? std::span<const Slot>() : std::span(event.packet->context);
      cells_.add_members(of.stream_class->packet_context.get(), packet);
      cells_.add_members(of.stream_class->common_context.get(), event.common_context());
    }
    cells_.add_members(of.specific_context.get(), event.specific_context());
    if (describes_itself) {
      cells_.add_json([&](TextBuffer& json, JsonValues& values) {
        append_described_fields(json, values, event);
      });
    } else if (!of.self_described) {
      cells_.add_members(of.payload.get(), event.payload());
    }
    return add(known, cells_);
  }

  void add_keys(const FlatClass& known, const DataStream* stream) {
    const std::span<const StreamKey> keys =
        stream == nullptr ? std::span<const StreamKey>() : std::span(stream->keys);
    std::size_t used = 0;
    for (const std::string& name : known.stream_keys) {
      const auto key = std::ranges::find(keys, name, &StreamKey::name);
      if (key == keys.end()) {
        cells_.add_empty();
        continue;
      }
      ++used;
      key->digits.empty() ? cells_.add_number(key->value) : cells_.add_text(key->digits);
    }
    other_keys_ += keys.size() - used;
  }

  FlatCells cells_;
  TraceTags tags_;
  LeftOut left_out_;
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
    for (std::size_t i = 0; i < of.names.size(); ++i)
      of.order.emplace_back(number_of(of.names[i]), i);
    std::ranges::sort(of.order);
    return {};
  }

  Result<void> add(const FlatClass& of, const FlatCells& cells) override {
    const std::size_t head = held_.size();
    held_.resize(head + sizeof(LineHead));
    std::size_t column = 0;
    for (const auto& [number, cell] : of.order) {
      held_.append(number - column, ',');
      column = number;
      held_ += cells[cell];
    }
    const LineHead says{.columns = static_cast<std::uint32_t>(column),
                        .size = static_cast<std::uint32_t>(held_.size() - head - sizeof(LineHead))};
    std::memcpy(held_.data() + head, &says, sizeof says);
    return held_.size() < kPiece ? Result<void>() : spill();
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

  Result<void> add(const FlatClass& of, const FlatCells& cells) override {
    Table& table = tables_[of.table];
    const std::size_t before = table.lines.size();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i != 0) table.lines += ',';
      table.lines += cells[i];
    }
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
