// A trace and a sequence of calls of the library for C, right and wrong: handles that were closed
// or never were, nulls, sizes of structures, callbacks that end calls, other threads. Each call
// answers with a status that it may have, errors are told as the header says, and what is handed
// out can be read to its end.
//
// The input: how many bytes of calls there are, these bytes, the trace.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tracedeck/tracedeck.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// The bytes that say what is called, and zeros behind them.
class Script {
 public:
  explicit Script(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  [[nodiscard]] bool ended() const { return bytes_.empty(); }
  unsigned next() {
    if (bytes_.empty()) return 0;
    const unsigned byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }
  template <class T, std::size_t N>
  T one_of(const std::array<T, N>& choices) {
    return choices[next() % N];
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

// A structure of a caller who knows members that the library does not.
template <class T>
struct Sized {
  T value = {};
  std::array<char, 64> more = {};

  explicit Sized(Script& script) {
    const std::array<std::size_t, 6> sizes = {
        sizeof(T), sizeof(T), sizeof(T) + sizeof more, sizeof(std::uint32_t), sizeof(T) / 2, 0};
    value.struct_size = static_cast<std::uint32_t>(script.one_of(sizes));
  }
};

struct Outcome {
  std::string text;
  std::size_t refuse_behind = 0;  // bytes; 0: never
  unsigned asked = 0;
  unsigned refuse_ask = 0;  // 0: never
};

int take(void* user, const char* data, std::size_t size) {
  auto& outcome = *static_cast<Outcome*>(user);
  outcome.text.append(data, size);
  return outcome.refuse_behind != 0 && outcome.text.size() > outcome.refuse_behind ? 1 : 0;
}
int go_on(const td_progress* progress) {
  auto& outcome = *static_cast<Outcome*>(progress->user);
  return ++outcome.asked == outcome.refuse_ask ? 1 : 0;
}
void note(void* user, const char* sentence, std::size_t size) {
  static_cast<Outcome*>(user)->text.append(sentence, size);
}

// Reads what a schema and an array say that there is.
class ArrowWalk {
 public:
  void schema(const ArrowSchema& of) {
    require(of.release != nullptr && of.format != nullptr);
    add(of.format);
    if (of.name != nullptr) add(of.name);
    for (std::int64_t i = 0; i < of.n_children; ++i) schema(*of.children[i]);
    if (of.dictionary != nullptr) schema(*of.dictionary);
  }

  void array(const ArrowSchema& schema, const ArrowArray& of) {
    require(of.n_children == schema.n_children && of.length >= 0 && of.offset >= 0);
    const auto rows = static_cast<std::size_t>(of.length + of.offset);
    const std::string_view format = schema.format;
    if (of.n_buffers > 0) bytes(of.buffers[0], (rows + 7) / 8);
    if (of.n_buffers > 1 && of.length > 0) values(format, of, rows);
    for (std::int64_t i = 0; i < of.n_children; ++i) array(*schema.children[i], *of.children[i]);
    if (of.dictionary != nullptr) array(*schema.dictionary, *of.dictionary);
  }

 private:
  void add(std::string_view text) { bytes(text.data(), text.size()); }
  void bytes(const void* from, std::size_t size) {
    if (from == nullptr) return;
    for (std::size_t i = 0; i < size; ++i) sum_ = sum_ + static_cast<const unsigned char*>(from)[i];
  }
  void values(std::string_view format, const ArrowArray& of, std::size_t rows) {
    if (format == "u" || format == "z" || format == "+l") {
      const auto* const ends = static_cast<const std::int32_t*>(of.buffers[1]);
      for (std::size_t i = 0; i < rows; ++i) require(ends[i] <= ends[i + 1]);
      if (format != "+l") bytes(of.buffers[2], static_cast<std::size_t>(ends[rows]));
      return;
    }
    bytes(of.buffers[1], format == "b" ? (rows + 7) / 8 : rows * width(format));
  }
  static std::size_t width(std::string_view format) {
    if (format == "c" || format == "C") return 1;
    if (format == "s" || format == "S") return 2;
    if (format == "i" || format == "I" || format == "f") return 4;
    if (format.starts_with("d:")) return 16;
    return format == "l" || format == "L" || format == "g" || format.starts_with("ts") ? 8 : 0;
  }

  volatile unsigned sum_ = 0;
};

class Caller {
 public:
  Caller(Script script, const std::string& path)
      : script_(script), path_(path), folder_(std::filesystem::path(path).parent_path()) {}
  ~Caller() {
    for (const td_trace trace : traces_) td_close(trace, nullptr);
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  void run() {
    constexpr int kMostCalls = 32;
    for (int i = 0; i < kMostCalls && !script_.ended(); ++i) call(script_.next());
  }

 private:
  // What is handed to a call that opens traces.
  struct Request {
    std::vector<const char*> paths;
    const char* const* pointer = nullptr;
    std::size_t count = 0;
    Sized<td_options> options;
    const td_options* given = nullptr;

    explicit Request(Script& script) : options(script) {}
  };

  Request request() {
    Request made(script_);
    const unsigned kind = script_.next();
    made.paths = {path_.c_str()};
    if (kind % 8 == 1) made.paths = {"/nowhere/at-all", path_.c_str()};
    if (kind % 8 == 2) made.paths = {path_.c_str(), path_.c_str()};
    if (kind % 8 == 3) made.paths = {nullptr};
    if (kind % 8 == 4) made.paths = {folder_.c_str()};
    made.pointer = kind % 8 == 5 ? nullptr : made.paths.data();
    made.count = kind % 8 == 6 ? 0 : made.paths.size();
    if (kind >= 128) return made;
    made.given = &made.options.value;
    fill(made.options.value);
    return made;
  }
  void fill(td_options& options) {
    using Text = const char*;
    const unsigned which = script_.next();
    outcome_ = {};
    options.user = &outcome_;
    if ((which & 1U) != 0) {
      options.where =
          script_.one_of(std::to_array<Text>({"n > 3", "time > \"+1us\" || duration > 0", "n >",
                                              "name ~ \"*i*\"", "a.b[-1] == 1", ""}));
    }
    if ((which & 2U) != 0) {
      options.begin = script_.one_of(std::to_array<Text>({"1", "+1us", "end-1s", "never"}));
      options.end = script_.one_of(std::to_array<Text>({"end", "+2s", "0", ""}));
    }
    if ((which & 4U) != 0)
      options.order = script_.one_of(std::to_array<Text>({"time", "recorded", "merged", "random"}));
    if ((which & 8U) != 0) {
      options.names = names_.data();
      options.name_count = script_.next() % (names_.size() + 1);
    }
    if ((which & 16U) != 0) options.go_on = go_on;
    if ((which & 32U) != 0) options.note = note;
    if ((which & 64U) != 0) options.jobs = script_.next() % 3;
    if ((which & 128U) != 0) fill_rare(options);
    options.limit = script_.next() % 16;
    outcome_.refuse_ask = script_.next() % 4;
    outcome_.refuse_behind = script_.next() % 64;
  }

  void fill_rare(td_options& options) {
    using Text = const char*;
    const unsigned which = script_.next();
    if ((which & 1U) != 0) options.flags = script_.next();
    if ((which & 2U) != 0)
      options.format =
          script_.one_of(std::to_array<Text>({"dial9", "heph", "tband", "ctf", "elf"}));
    if ((which & 4U) != 0)
      options.clock = script_.one_of(std::to_array<Text>({"wall", "trace", "water"}));
    if ((which & 8U) != 0) options.metadata = script_.one_of(std::array{path_.c_str(), "/nowhere"});
    if ((which & 16U) == 0) return;
    tables_ = script_.one_of(std::to_array<Text>({"dial9", "linux-priorities", path_.c_str()}));
    options.tables = script_.next() % 8 == 7 ? nullptr : &tables_;
    options.table_count = script_.next() % 2;
  }

  td_trace trace() {
    const unsigned which = script_.next();
    const td_trace known = traces_[which % traces_.size()];
    return which < 192 ? known : known + (std::uint64_t{which} << (which % 56));
  }

  // The error of a call, checked against its status.
  template <class Call>
  td_status checked(Call call) {
    Sized<td_error> error(script_);
    error.value.code = 99;
    std::memset(error.value.message, 'x', sizeof error.value.message);
    const bool is_given = script_.next() % 4 != 3;
    const td_status status = call(is_given ? &error.value : nullptr);
    require(status >= TD_ERROR_INTERNAL && status <= TD_END && status != TD_ERROR_INTERNAL);
    if (is_given && status < 0 && error.value.struct_size >= sizeof(td_error)) {
      require(error.value.code == status);
      require(std::memchr(error.value.message, 0, sizeof error.value.message) != nullptr);
    }
    require(std::ranges::all_of(error.more, [](char each) { return each == 0; }));
    return status;
  }

  void call(unsigned what) {
    switch (what % 16) {
      case 0:
      case 1:
        return open();
      case 2:
        return close();
      case 3:
        checked([&](td_error* error) { return td_cancel(trace(), error); });
        return;
      case 4:
      case 5:
        return next_batches(what / 16 + 1);
      case 6:
        return describe();
      case 7:
        return stream();
      case 8:
      case 9:
        return next_events(what / 16 + 1);
      case 10:
        return query();
      case 11:
        return merge();
      case 12:
        return latency(what);
      case 13:
        return why();
      case 14:
        return from_threads();
      case 15:
        if (what / 16 % 2 == 1) return convert();
        [[fallthrough]];
      default:
        checked([&](td_error* error) {
          const Request asked = request();
          return td_validate(asked.pointer, asked.count, asked.given, take, &outcome_, error);
        });
    }
  }

  void open() {
    td_trace& into = traces_[script_.next() % traces_.size()];
    td_close(into, nullptr);
    checked([&](td_error* error) {
      const Request asked = request();
      return td_open(asked.pointer, asked.count, asked.given,
                     script_.next() % 16 == 15 ? nullptr : &into, error);
    });
  }
  void close() {
    const td_trace closed = trace();
    checked([&](td_error* error) { return td_close(closed, error); });
    require(td_close(closed, nullptr) == TD_ERROR_HANDLE);
  }

  void next_batches(unsigned count) {
    const td_trace from = trace();
    for (unsigned i = 0; i < count; ++i) {
      ArrowArray array = {};
      std::uint32_t number = 0;
      int last = 0;
      const unsigned nulls = script_.next();
      const td_status status = checked([&](td_error* error) {
        return td_next_batch(from, script_.next() % 8, nulls % 32 == 31 ? nullptr : &number,
                             nulls % 16 == 15 ? nullptr : &last, nulls % 8 == 7 ? nullptr : &array,
                             error);
      });
      if (status != TD_OK || array.release == nullptr) return;
      ArrowSchema schema = {};
      if (td_class_schema(from, number, &schema, nullptr) == TD_OK) {
        // What was handed out lives on.
        if (nulls % 4 == 3) td_close(from, nullptr);
        ArrowWalk walk;
        walk.schema(schema);
        if (nulls % 32 != 31) walk.array(schema, array);
        schema.release(&schema);
      }
      array.release(&array);
    }
  }

  void describe() {
    const td_trace of = trace();
    const unsigned number = script_.next();
    std::uint32_t count = 0;
    checked([&](td_error* error) { return td_class_count(of, &count, error); });
    outcome_ = {};
    outcome_.refuse_behind = script_.next();
    checked([&](td_error* error) { return td_class_json(of, number, take, &outcome_, error); });
    checked([&](td_error* error) {
      return td_report(of, number % 16 == 15 ? nullptr : take, &outcome_, error);
    });
    checked([&](td_error* error) { return td_schema(of, take, &outcome_, error); });
    checked([&](td_error* error) { return td_class_schema(of, number, nullptr, error); });
  }

  void stream() {
    ArrowArrayStream stream = {};
    const auto status = checked([&](td_error* error) {
      const Request asked = request();
      const char* const name = script_.next() % 8 == 7 ? nullptr : script_.one_of(names_);
      return td_stream(asked.pointer, asked.count, asked.given, name, &stream, error);
    });
    require((status == TD_OK) == (stream.release != nullptr));
    if (status != TD_OK) return;
    ArrowSchema schema = {};
    if (stream.get_schema(&stream, &schema) == 0) {
      for (unsigned i = script_.next() % 4; i > 0; --i) {
        ArrowArray array = {};
        if (stream.get_next(&stream, &array) != 0) {
          require(stream.get_last_error(&stream) != nullptr);
          break;
        }
        if (array.release == nullptr) break;
        ArrowWalk().array(schema, array);
        array.release(&array);
      }
      schema.release(&schema);
    }
    stream.release(&stream);
  }

  void next_events(unsigned count) {
    const td_trace from = trace();
    for (unsigned i = 0; i < count; ++i) {
      Sized<td_event> event(script_);
      const bool is_given = script_.next() % 8 != 7;
      const td_status status = checked([&](td_error* error) {
        return td_next_event(from, is_given ? &event.value : nullptr, error);
      });
      if (status == TD_ERROR_HANDLE || status == TD_END) return;
      Sized<td_value> value(script_);
      const char* const path = script_.one_of(kPaths);
      const td_status found = checked([&](td_error* error) {
        return td_field(from, path, script_.next() % 8 == 7 ? nullptr : &value.value, error);
      });
      if (found != TD_OK || value.value.struct_size < sizeof(td_value)) continue;
      for (std::size_t at = 0; value.value.data != nullptr && at < value.value.size; ++at)
        outcome_.text += value.value.data[at];
      if (value.value.label != nullptr)
        outcome_.text.append(value.value.label, value.value.label_size);
      outcome_.text.clear();
    }
  }

  void query() {
    const bool is_partial = script_.next() % 2 == 1;
    const char* const stages = script_.one_of(kStages);
    const td_status status = checked([&](td_error* error) {
      const Request asked = request();
      return (is_partial ? td_partial : td_query)(asked.pointer, asked.count, asked.given, stages,
                                                  take, &outcome_, error);
    });
    if (is_partial && status == TD_OK) part_ = outcome_.text;
  }
  void merge() {
    std::string other = part_;
    if (const unsigned flip = script_.next(); flip != 0 && !other.empty())
      other[flip * other.size() / 256] ^= 1;
    const std::array<td_part, 2> parts = {td_part{.data = part_.data(), .size = part_.size()},
                                          td_part{.data = other.data(), .size = other.size()}};
    const unsigned kind = script_.next();
    Outcome outcome;
    checked([&](td_error* error) {
      return td_merge(kind % 8 == 7 ? nullptr : parts.data(), kind % 3, kind % 2 == 1 ? 1 : 0, take,
                      &outcome, error);
    });
  }
  void latency(unsigned what) {
    checked([&](td_error* error) {
      const Request asked = request();
      const char* const by =
          script_.one_of(std::to_array<const char*>({nullptr, "n", "track", "?"}));
      return ((what & 16U) != 0 ? td_diff : td_latency)(asked.pointer, asked.count, asked.given, by,
                                                        take, &outcome_, error);
    });
  }
  void why() {
    Sized<td_why_question> question(script_);
    question.value.slice = script_.one_of(std::to_array<const char*>({nullptr, "poll", "*", "["}));
    question.value.at = script_.one_of(std::to_array<const char*>({nullptr, "+1us", "never"}));
    question.value.rank = script_.next();
    checked([&](td_error* error) {
      const Request asked = request();
      return td_why(asked.pointer, asked.count, asked.given,
                    script_.next() % 8 == 7 ? nullptr : &question.value, take, &outcome_, error);
    });
  }

  void convert() {
    using Text = const char*;
    Sized<td_convert_options> options(script_);
    const unsigned which = script_.next();
    if ((which & 1U) != 0) fill(options.value);
    if ((which & 2U) != 0) fill_drawing(options.value);
    const std::string out =
        folder_ +
        script_.one_of(std::to_array<Text>({"/result", "/result.html", "/result.json.gz"}));
    const Text to = script_.one_of(kTargets);
    const Text name =
        script_.one_of(std::array<Text, 4>{out.c_str(), out.c_str(), path_.c_str(), nullptr});
    const td_status status = checked([&](td_error* error) {
      const Request asked = request();
      return td_convert(asked.pointer, asked.count, asked.given, to, name,
                        (which & 4U) != 0 ? nullptr : &options.value, take, &outcome_, error);
    });
    require(std::filesystem::exists(path_));
    if (status == TD_OK) require(outcome_.text.ends_with("}\n"));
    remove_results();
  }
  void fill(td_convert_options& options) {
    using Text = const char*;
    options.what = script_.one_of(std::to_array<Text>({nullptr, "events", "spans", "all", "none"}));
    options.layout = script_.one_of(std::to_array<Text>({nullptr, "class", "schema", "one"}));
    options.partition = script_.one_of(std::to_array<Text>({nullptr, "class,date", "date"}));
    options.segment = script_.one_of(std::to_array<Text>({nullptr, "s", "../s", ""}));
    hidden_ = script_.one_of(std::to_array<Text>({nullptr, "n", "[Tick:]text", "[", "*"}));
    tag_ = script_.one_of(std::to_array<Text>({nullptr, "host=a", "host", "=a"}));
    const unsigned counts = script_.next();
    options.tags = (counts & 1U) != 0 ? &tag_ : nullptr;
    options.tag_count = counts >> 1U & 1U;
    options.drop = &hidden_;
    options.drop_count = counts >> 2U & 1U;
    options.mask = &hidden_;
    options.mask_count = counts >> 3U & 1U;
    options.dial9_version = script_.one_of(std::to_array<Text>({nullptr, "0.3", "0.4", "9"}));
    options.packet_size = (counts & 16U) != 0 ? script_.next() * 64 : 0;
    options.split_size = (counts & 32U) != 0 ? 64 + script_.next() : 0;
    options.split_duration = (counts & 64U) != 0 ? 1000 * (1 + script_.next()) : 0;
  }
  void fill_drawing(td_convert_options& options) {
    using Text = const char*;
    options.flags = script_.next();
    options.min_duration = script_.next() * std::uint64_t{script_.next()};
    options.max_size = script_.next() * std::uint64_t{1024};
    options.weight =
        script_.one_of(std::to_array<Text>({nullptr, "time", "samples", "bytes", "?"}));
    options.perfetto_level = script_.one_of(std::to_array<std::uint32_t>({0, 50, 57, 1}));
    options.reserved = script_.next() / 255;
  }
  // Of conversions, which lie beside the trace.
  void remove_results() const {
    for (const auto& each : std::filesystem::directory_iterator(folder_)) {
      if (each.path() != path_) std::filesystem::remove_all(each.path());
    }
  }

  // Two threads use one handle: one of them may be told that the other does.
  void from_threads() {
    const td_trace shared = trace();
    const unsigned kind = script_.next();
    const auto use = [shared](unsigned what) {
      for (int i = 0; i < 8; ++i) {
        ArrowArray array = {};
        std::uint32_t number = 0;
        int last = 0;
        if (what % 4 == 0) td_next_event(shared, nullptr, nullptr);
        if (what % 4 == 1) td_next_batch(shared, 1, &number, &last, &array, nullptr);
        if (what % 4 == 2) td_cancel(shared, nullptr);
        if (what % 4 == 3) td_close(shared, nullptr);
        if (array.release != nullptr) array.release(&array);
      }
    };
    std::thread other(use, kind);
    use(kind / 4);
    other.join();
  }

  static constexpr auto kPaths = std::to_array<const char*>(
      {"n", "text", "list[-1]", "a.b.c", "[\"n\"]", "", "n[0]", ".", nullptr});
  static constexpr auto kTargets = std::to_array<const char*>(
      {"html", "perfetto", "chrome", "folded", "pprof", "heph", "dial9", "ctf1", "ctf2", "tband",
       "jsonl", "csv", "parquet", "arrow", "clickhouse", "sqlite", "text", "", nullptr});
  static constexpr auto kStages = std::to_array<const char*>(
      {"count() by name", "select * | limit 3", "p99(n), distinct(text) by n % 2 | sort n", "spans",
       "pair Tick Tick | max(duration)", "count(", "", nullptr});

  Script script_;
  std::string path_;
  std::string folder_;
  std::array<const char*, 4> names_ = {"Tick", "", "__loss", "Other"};
  std::array<td_trace, 3> traces_ = {};
  Outcome outcome_;
  std::string part_;
  const char* tables_ = nullptr;
  const char* hidden_ = nullptr;
  const char* tag_ = nullptr;
};

// Where the trace is written, removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "c_interface_XXXXXX").string();
    require(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string file(std::span<const std::uint8_t> content) const {
    const std::string name = (path_ / "trace").string();
    std::ofstream(name, std::ios::binary)
        .write(reinterpret_cast<const char*>(content.data()),
               static_cast<std::streamsize>(content.size()));
    return name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  if (size == 0) return 0;
  const std::span<const std::uint8_t> input(data, size);
  const std::size_t calls = std::min<std::size_t>(input[0], size - 1);
  const std::string path = folder.file(input.subspan(1 + calls));
  Caller(Script(input.subspan(1, calls)), path).run();
  return 0;
}
