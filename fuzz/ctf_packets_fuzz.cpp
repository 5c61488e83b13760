// Any bytes as a trace: metadata and one or two data stream files, between them the line `%%`.
// Every byte of a file belongs to an event record or head of a packet, or was reported as damage;
// what is read does not depend on windows, on whether values are wanted and on how it is asked for.
// The same of each file as a bare data stream, which comes at once, bit by bit, or in datagrams.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/ctf_metadata.hpp"
#include "fuzz/ctf_traces.hpp"
#include "tracedeck/ctf/bare_stream.hpp"
#include "tracedeck/ctf/batch_pool.hpp"
#include "tracedeck/ctf/reader.hpp"
#include "tracedeck/ctf/stream/stream_rules.hpp"
#include "tracedeck/ctf/stream_file.hpp"
#include "tracedeck/ctf/trace.hpp"
#include "tracedeck/io/prefix_input.hpp"
#include "tracedeck/render/json_lines.hpp"

namespace {

using namespace tracedeck;       // NOLINT(google-build-using-namespace): one small file
using namespace tracedeck::ctf;  // NOLINT(google-build-using-namespace)

// Small, so that limits are met as well.
constexpr std::uint64_t kMaxState = std::uint64_t{4} << 20;

// Looks at the records of one data stream file of `size` bytes: what is read and what is reported
// must join without a gap.
class Account {
 public:
  explicit Account(std::uint64_t size) : size_(size) {}

  void add(const Record& record) {
    switch (record.kind) {
      case RecordKind::kPacketBegin:
        begin(*record.packet);
        break;
      case RecordKind::kPacketEnd:
        end(*record.packet);
        break;
      case RecordKind::kEvent:
        add(record.event);
        break;
      case RecordKind::kProblem:
        if (!is_tolerated(*record.notice->finding.rule)) add(record.notice->finding);
        break;
      default:
        break;
    }
  }
  void finish() const { require(packet_ == nullptr && read_ == size_); }

 private:
  void begin(const Packet& packet) {
    require(packet_ == nullptr && read_ <= size_);
    packet_ = &packet;
    begin_ = read_;
    event_end_.reset();
    damaged_ = false;
    const std::optional<std::uint64_t> content = packet.content_size;
    end_ = size_;
    content_end_ = size_;
    if (packet.total_size) {
      end_ = begin_ + *packet.total_size;
    } else if (content) {
      end_ = begin_ + *content / 8;
    }
    content_end_ = content ? begin_ + *content / 8 : end_;
  }

  void end(const Packet& packet) {
    require(packet_ == &packet);
    packet_ = nullptr;
    if (!damaged_ && event_end_) expect_joint(content_end_);
    read_ = std::min(end_, size_);
    cut_ = !damaged_ && end_ > size_;
  }

  void add(const Event& event) {
    require(event.packet == packet_ && !damaged_);
    require(event.offset >= begin_);
    if (event_end_) expect_joint(event.offset);
    event_end_ = event.offset + event.size;
    require(*event_end_ <= size_ + 1);
  }

  void add(const Finding& problem) {
    const std::uint64_t end = problem.offset + problem.length;
    if (packet_ != nullptr) {
      require(problem.offset >= begin_ && end <= size_);
      if (event_end_) expect_joint(problem.offset);
      damaged_ = true;
      end_ = end;
    } else if (cut_) {
      require(problem.offset == begin_ && end == size_);
      cut_ = false;
    } else {
      require(problem.offset <= read_ && end >= read_ && end <= size_);
      read_ = end;
    }
  }

  // Event records follow each other bit by bit; offsets and sizes are whole bytes.
  void expect_joint(std::uint64_t offset) const {
    require(offset == *event_end_ || offset + 1 == *event_end_);
  }

  std::uint64_t size_;
  std::uint64_t read_ = 0;  // everything before is accounted for
  const Packet* packet_ = nullptr;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t content_end_ = 0;
  std::optional<std::uint64_t> event_end_;
  bool damaged_ = false;
  bool cut_ = false;  // the packet before ended behind the file, which must be reported
};

// What a source yields, as text; `account` looks on.
struct Seen {
  std::string text = {};
  std::uint64_t events = 0;
  std::uint64_t times = 0;  // of all events
  bool rejected = false;
};

void read(RecordSource& source, Seen& seen, Account* account = nullptr) {
  const auto output = io::memory_output(seen.text);
  const std::unique_ptr<Writer> writer = render::json_lines_writer(*output, {.all_records = true});
  for (;;) {
    const Result<BatchPtr> batch = source.next();
    if (!batch) {
      require(batch.error().code == ErrorCode::kMustReject);
      seen.rejected = true;
      break;
    }
    if (*batch == nullptr) break;
    require(!(*batch)->empty());
    for (const Record& record : (*batch)->records()) {
      require(writer->write(record).has_value());
      if (account != nullptr) account->add(record);
      if (record.kind != RecordKind::kEvent) continue;
      ++seen.events;
      seen.times += record.event.time ^ record.event.offset;
    }
  }
  require(writer->finish().has_value() && output->finish().has_value());
}

std::unique_ptr<Reader> open(const std::vector<std::string>& directories, bool values = true,
                             unsigned jobs = 1) {
  auto reader =
      open_reader(directories, {.values = values, .max_state = kMaxState, .jobs = jobs}, {});
  return reader ? *std::move(reader) : nullptr;
}

Seen read_all(const std::vector<std::string>& directories, bool values, Account* account = nullptr,
              unsigned jobs = 1) {
  Seen seen;
  const std::unique_ptr<Reader> reader = open(directories, values, jobs);
  require(reader != nullptr);
  read(*reader, seen, account);
  return seen;
}

Seen read_streams(const std::vector<std::string>& directories) {
  Seen seen;
  const std::unique_ptr<Reader> reader = open(directories);
  const auto streams = reader->take_streams();
  for (const auto& stream : streams) read(*stream, seen);
  return seen;
}

// Of a trace with one data stream file.
std::string read_in_windows(const std::string& directory, std::size_t window_size) {
  const std::vector directories = {directory};
  const auto trace = Trace::open(directories, 0, kMaxState, {});
  require(trace.has_value() && (*trace)->files().size() == 1);
  StreamFile file(**trace, (*trace)->files().front(),
                  {.read = {.max_state = kMaxState},
                   .window_size = window_size,
                   .batches = std::make_shared<BatchPool>(16, 3)});
  Seen seen;
  read(file, seen);
  return seen.text;
}

void expect_windows_make_no_difference(const std::string& directory) {
  const std::string in_windows = read_in_windows(directory, 16);
  // What does not fit into memory is damage of another kind when the file's end is at hand.
  if (in_windows.find("/limit-state") != std::string::npos) return;
  require_same(in_windows, read_in_windows(directory, std::size_t{256} << 10));
}

Seen read_bare(ByteSpan metadata, std::unique_ptr<io::Input> input, unsigned jobs = 1,
               Account* account = nullptr) {
  ReadOptions options{.max_state = kMaxState, .jobs = jobs};
  options.metadata =
      std::make_shared<const GivenMetadata>("metadata", std::string(as_text(metadata)));
  const auto reader = open_bare_stream(std::move(input), options);
  Seen seen;
  if (!reader) {
    seen.rejected = true;
    return seen;
  }
  read(**reader, seen, account);
  return seen;
}

std::unique_ptr<io::Input> datagrams(ByteSpan stream, std::size_t size) {
  std::vector<std::size_t> ends;
  for (std::size_t end = size; end < stream.size(); end += size) ends.push_back(end);
  return io::prefix_input({stream.begin(), stream.end()}, io::memory_input("stream", {}, 1),
                          std::move(ends));
}

// `files`: what was read of the stream as a file of a trace.
void expect_bare_stream(ByteSpan metadata, ByteSpan stream, const Seen& files) {
  Account account(stream.size());
  const Seen whole = read_bare(metadata, io::memory_input("stream", stream), 1, &account);
  if (whole.rejected) return;
  account.finish();
  if (files.text.find("\"problem\"") == std::string::npos)
    require(whole.events == files.events && whole.times == files.times);
  const auto expect_same = [&](std::unique_ptr<io::Input> input, unsigned jobs) {
    const std::string text = read_bare(metadata, std::move(input), jobs).text;
    // What does not fit into memory is damage of another kind when the stream's end is at hand.
    if ((whole.text + text).find("/limit-state") == std::string::npos)
      require_same(whole.text, text);
  };
  expect_same(io::memory_input("stream", stream), 2);
  for (const std::size_t chunk : {1U, 13U})
    expect_same(io::memory_input("stream", stream, chunk), 1);
  read_bare(metadata, datagrams(stream, 64));
}

// Whether it is taken for a data stream that is not compressed.
bool is_plain_stream(ByteSpan bytes) {
  return bytes.empty() || (bytes[0] != 0x1E && bytes[0] != 0x1F && bytes[0] != 0x28);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const FuzzFolder kFolder;
  const std::vector<ByteSpan> parts = parts_of({data, size});
  if (parts.size() == 1) return 0;
  std::vector<std::string> directories;
  std::uint64_t events = 0;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    directories.push_back(
        kFolder.trace(i == 1 ? "a" : "b", parts[0], static_cast<int>(i), parts[i]));
    if (!is_plain_stream(parts[i])) {
      if (open({directories.back()}) == nullptr) return 0;
      const Seen seen = read_all({directories.back()}, true);
      if (seen.rejected) return 0;
      events += seen.events;
      continue;
    }
    Account account(parts[i].size());
    if (open({directories.back()}) == nullptr) return 0;
    const Seen seen = read_all({directories.back()}, true, &account);
    if (seen.rejected) return 0;
    account.finish();
    const Seen bare = read_all({directories.back()}, false);
    require(bare.events == seen.events && bare.times == seen.times);
    expect_windows_make_no_difference(directories.back());
    expect_bare_stream(parts[0], parts[i], seen);
    events += seen.events;
  }
  const Seen seen = read_all(directories, true);
  require(seen.events == events);
  require_same(seen.text, read_all(directories, true, nullptr, 2).text);
  require(read_streams(directories).events == events);
  const MetadataReading metadata = read_metadata(parts[0], nullptr, {0});
  if (!metadata.has_errors()) expect_written_reads_back(metadata);
  return 0;
}
