// A trace along the ways of the command: read in odd portions, ordered, trimmed, shown in every
// form, summed up, converted and rewritten. What the fuzz targets of formats that are one file
// share.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tracedeck/flow/limit.hpp"
#include "tracedeck/flow/merge.hpp"
#include "tracedeck/flow/sort.hpp"
#include "tracedeck/flow/statistics.hpp"
#include "tracedeck/flow/summary.hpp"
#include "tracedeck/flow/trim.hpp"
#include "tracedeck/format/format.hpp"
#include "tracedeck/render/csv.hpp"
#include "tracedeck/render/json_lines.hpp"
#include "tracedeck/render/schema.hpp"
#include "tracedeck/render/statistics.hpp"
#include "tracedeck/render/summary.hpp"
#include "tracedeck/render/text.hpp"

namespace tracedeck::fuzz {

// Small, so that limits are met as well.
inline constexpr std::uint64_t kMaxState = std::uint64_t{4} << 20;

inline void require(bool holds) {
  if (!holds) std::abort();
}

// Opens the trace at hand. `chunk`: bytes that a read brings, 0: all.
using Open = std::function<std::unique_ptr<Reader>(std::size_t chunk, bool values)>;

inline void drain(RecordSource& source, Writer& writer) {
  for (;;) {
    const Result<BatchPtr> batch = source.next();
    require(batch.has_value());
    if (*batch == nullptr) break;
    for (const Record& record : (*batch)->records()) require(writer.write(record).has_value());
  }
  require(writer.finish().has_value());
}

using MakeWriter = std::unique_ptr<Writer> (*)(io::Output&);

inline std::unique_ptr<Writer> text(io::Output& output) {
  return render::text_writer(output, {.color = true, .all_records = true});
}
inline std::unique_ptr<Writer> json_lines(io::Output& output) {
  return render::json_lines_writer(output);
}
inline std::unique_ptr<Writer> all_json_lines(io::Output& output) {
  return render::json_lines_writer(output, {.all_records = true});
}
inline std::unique_ptr<Writer> csv(io::Output& output) { return render::csv_writer(output); }

inline std::string show(RecordSource& source, MakeWriter make) {
  std::string shown;
  const auto output = io::memory_output(shown);
  drain(source, *make(*output));
  require(output->finish().has_value());
  return shown;
}

// The bytes as several files of one trace.
class FilesInput final : public io::Input {
 public:
  FilesInput(std::vector<ByteSpan> parts) : parts_(std::move(parts)) {
    // One is missing before the last.
    for (std::size_t i = 0; i < parts_.size(); ++i)
      files_.push_back("fuzz." + std::to_string(i + 1 == parts_.size() ? i + 1 : i));
    open();
  }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] Result<std::size_t> read(std::uint8_t* into, std::size_t size) override {
    return part_->read(into, size);
  }
  [[nodiscard]] bool seekable() const override { return true; }
  [[nodiscard]] Result<void> rewind() override {
    index_ = 0;
    open();
    return {};
  }
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return {}; }
  [[nodiscard]] std::uint64_t stored_position() const override { return 0; }
  [[nodiscard]] bool next_part() override {
    if (index_ + 1 == parts_.size()) return false;
    ++index_;
    open();
    return true;
  }
  [[nodiscard]] std::span<const std::string> part_files() const override { return files_; }

 private:
  void open() { part_ = io::memory_input(files_[index_], parts_[index_]); }

  std::string name_ = "fuzz";
  std::vector<ByteSpan> parts_;
  std::vector<std::string> files_;
  std::size_t index_ = 0;
  std::unique_ptr<io::Input> part_;
};

inline void read_as_files(const Format& format, ByteSpan bytes) {
  const std::size_t third = bytes.size() / 3;
  auto input = std::make_unique<FilesInput>(std::vector<ByteSpan>{
      bytes, bytes.first(third), bytes.subspan(third, third), bytes.subspan(2 * third)});
  auto reader = format.open(std::move(input), {.values = true, .max_state = kMaxState});
  if (reader) show(**reader, all_json_lines);
}

inline void show_every_form(const Open& open) {
  for (const MakeWriter make : {text, all_json_lines, csv}) show(*open(0, true), make);
}

inline void order_and_trim(const Open& open) {
  std::vector<std::unique_ptr<RecordSource>> sources;
  sources.push_back(open(0, true));
  sources.push_back(open(3, true));
  const auto merged =
      flow::limit(flow::trim(flow::merge(std::move(sources)),
                             {.begin = Nanoseconds(5), .end = Nanoseconds(1'000'000)}),
                  1000);
  show(*merged, all_json_lines);
  std::vector<flow::SortInput> inputs;
  inputs.push_back({.open = [&](bool values) -> Result<std::vector<std::unique_ptr<RecordSource>>> {
    std::vector<std::unique_ptr<RecordSource>> made;
    made.push_back(open(0, values));
    return made;
  }});
  show(*flow::sort(std::move(inputs)), json_lines);
}

inline void sum_up(const Open& open) {
  const std::unique_ptr<Reader> reader = open(0, true);
  flow::Summarizer summarizer(reader->description());
  flow::StatisticsCollector statistics;
  for (;;) {
    const Result<BatchPtr> batch = reader->next();
    require(batch.has_value());
    if (*batch == nullptr) break;
    summarizer.add(**batch);
    statistics.add(**batch);
  }
  for (const std::string& shown :
       {render::summary_text(summarizer.finish()), render::summary_json(summarizer.finish()),
        render::statistics_text(statistics.finish()), render::statistics_json(statistics.finish()),
        render::schema_text(*reader->description()), render::schema_json(*reader->description())}) {
    require(!shown.empty());
  }
}

struct Converted {
  std::string bytes;
  bool entire = false;  // nothing stands on the receipt
};
inline Converted convert(const Format& target, const Open& open) {
  Converted converted;
  const auto output = io::memory_output(converted.bytes);
  const std::unique_ptr<Writer> writer = *target.create(*output, {});
  drain(*open(0, true), *writer);
  require(output->finish().has_value());
  converted.entire = writer->receipt().empty();
  return converted;
}

inline std::string rewrite(const Format& format, ByteSpan bytes) {
  std::string rewritten;
  const auto output = io::memory_output(rewritten);
  require(format
              .rewrite(io::memory_input("fuzz", bytes, 7), *output, {.max_state = kMaxState},
                       [](RecordKind, const Notice&) {}, {})
              .has_value());
  require(output->finish().has_value());
  return rewritten;
}

}  // namespace tracedeck::fuzz
