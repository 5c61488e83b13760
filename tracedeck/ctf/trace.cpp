#include "tracedeck/ctf/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "tracedeck/base/spare_memory.hpp"
#include "tracedeck/ctf/metadata/json_auxiliary.hpp"
#include "tracedeck/ctf/metadata/metadata_rules.hpp"
#include "tracedeck/ctf/metadata/tsdl_rules.hpp"
#include "tracedeck/ctf/words.hpp"
#include "tracedeck/io/likeness.hpp"
#include "tracedeck/io/read_file.hpp"

namespace tracedeck::ctf {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMetadata = "metadata";

std::string path_in(const std::string& directory, std::string_view name) {
  return (fs::path(directory) / name).string();
}

constexpr std::size_t kMetadataPortion = std::size_t{64} << 10;
// Reading more than this takes memory between the classes that stay.
constexpr std::size_t kLargeMetadata = std::size_t{1} << 20;

// Whether a file begins as an auxiliary stream. `most`: bytes that its first element may have.
bool begins_as_auxiliary(const std::string& path, std::uint64_t most) {
  auto input = io::open_input(path);
  if (!input) return false;
  FirstElement first;
  std::array<std::uint8_t, 4096> portion;
  while (first.bytes().size() < most) {
    const auto got = (*input)->read(portion.data(), portion.size());
    if (!got || *got == 0 || !first.take(ByteSpan(portion).first(*got))) break;
  }
  return begins_auxiliary_stream(first.bytes());
}

// By how many ticks the offset of `other` is greater; clocks with equal ticks. A part of a tick is
// left out; 0 where 64 bits do not hold it.
std::int64_t ticks_between(const ClockClass& clock, const ClockClass& other) {
  const Int128 seconds = Int128{other.offset_seconds} - clock.offset_seconds;
  constexpr Int128 kMostSeconds = Int128{1} << 33U;
  if (seconds > kMostSeconds || seconds < -kMostSeconds) return 0;
  const Int128 ticks = seconds * 1'000'000'000 / clock.tick.numerator * clock.tick.denominator +
                       Int128{other.offset_ticks} - Int128{clock.offset_ticks};
  constexpr Int128 kMost = INT64_MAX / 2;
  return ticks > kMost || ticks < -kMost ? 0 : static_cast<std::int64_t>(ticks);
}

bool is_hidden(const fs::path& path) { return path.filename().native().starts_with('.'); }

// Metadata that are cut cost the classes that are cut.
bool is_cut_rule(const Rule& rule, Dialect dialect) {
  return &rule == &tsdl_rule(TsdlRule::kCut) ||
         &rule == &metadata_rule(MetadataRule::kTruncated, dialect);
}

}  // namespace

bool is_trace_directory(const std::string& directory) {
  std::error_code error;
  return fs::exists(path_in(directory, kMetadata), error) &&
         !fs::is_directory(path_in(directory, kMetadata), error);
}

std::string metadata_path(const std::string& directory) { return path_in(directory, kMetadata); }

std::string trace_identity(const std::string& directory) {
  const std::array<std::string, 1> directories = {directory};
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  const auto trace = Trace::open(directories, 0, kMost, {});
  if (!trace) return {};
  const TraceClass& named = (*trace)->description()->trace_class();
  if (!named.uuid && named.uid.empty()) return {};
  return fmt::format("{}\n{}\n{}\n{}", named.uuid ? uuid_text(*named.uuid) : "", named.name_space,
                     named.name.value_or(""), named.uid);
}

std::optional<Error> take_rejection(Trace& trace, std::vector<FileFinding>& findings) {
  const auto is_error = [](const FileFinding& each) {
    return each.rejects && each.finding.rule->severity == Severity::kError;
  };
  const auto last = std::find_if(findings.rbegin(), findings.rend(), is_error);
  if (last != findings.rend()) {
    Error error{.code = ErrorCode::kMustReject,
                .message = last->finding.text,
                .input = last->file,
                .offset = last->finding.offset,
                .rule = last->finding.rule};
    findings.erase(std::next(last).base());
    return error;
  }
  const auto& extensions = trace.metadata().extensions;
  if (extensions.empty()) return {};
  std::string names;
  for (const std::string& each : extensions) names += (names.empty() ? "" : ", ") + each;
  return Error{.code = ErrorCode::kMustReject,
               .message = fmt::format("its metadata declares extensions that are not supported, "
                                      "{}, so that its data streams cannot be read",
                                      names),
               .input = trace.metadata_files().front(),
               .rule = &metadata_rule(MetadataRule::kExtensions, trace.metadata().dialect())};
}

Result<std::unique_ptr<Trace>> Trace::open(std::span<const std::string> directories,
                                           std::int64_t clock_shift, std::uint64_t max_state,
                                           std::stop_token stop) {
  std::unique_ptr<Trace> trace(new Trace());
  trace->stop_ = std::move(stop);
  trace->max_state_ = max_state;
  trace->metadata_ = std::make_unique<Metadata>(directories.front(), clock_shift);
  // The chunks of a rotated trace repeat its metadata, so the longest of them says it all.
  const std::string* longest = &directories.front();
  std::uintmax_t most = 0;
  for (const std::string& directory : directories) {
    const std::string path = path_in(directory, kMetadata);
    trace->metadata_files_.push_back(path);
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path, error);
    if (!error && size > most) {
      most = size;
      longest = &directory;
    }
  }
  std::swap(trace->metadata_files_.front(),
            trace->metadata_files_[static_cast<std::size_t>(longest - directories.data())]);
  if (auto read = trace->feed(trace->metadata_files_.front()); !read)
    return std::unexpected(std::move(read.error()));
  for (const std::string& directory : directories) {
    if (auto listed = trace->list(directory); !listed)
      return std::unexpected(std::move(listed.error()));
  }
  trace->compare_clocks(directories);
  return trace;
}

// Regenerated metadata give clocks the offsets they have by then. The least of them counts, and the
// values of the others become greater.
void Trace::compare_clocks(std::span<const std::string> directories) {
  if (directories.size() == 1) return;
  // How much later each directory has a clock begin, in ticks; none: as the metadata that count.
  std::map<std::string, std::map<std::string, std::int64_t>> later;
  for (const std::string& directory : directories) {
    const std::string path = metadata_path(directory);
    if (path == metadata_files_.front() ||
        io::likeness(path, metadata_files_.front()) != io::Likeness::kDifferent)
      continue;
    const auto other = open(std::span(&directory, 1), 0, max_state_, stop_);
    if (!other) continue;
    for (const ClockClass& clock : (*other)->description()->clocks()) {
      const ClockClass* const own = metadata_->find_clock(clock.id);
      if (own == nullptr || own->tick != clock.tick) continue;
      if (const auto ticks = ticks_between(*own, clock); ticks != 0)
        later[clock.id][directory] = ticks;
    }
  }
  for (const auto& [clock, by_directory] : later) {
    std::int64_t least = 0;
    for (const auto& [directory, ticks] : by_directory) least = std::min(least, ticks);
    metadata_->move_clock(clock, least);
    for (const std::string& directory : directories) {
      const auto found = by_directory.find(directory);
      const std::int64_t ticks = found == by_directory.end() ? 0 : found->second;
      if (ticks != least)
        corrections_[{directory, clock}] =
            static_cast<std::uint64_t>(ticks) - static_cast<std::uint64_t>(least);
    }
  }
}

std::uint64_t Trace::clock_correction(const std::string& file, const std::string& clock) const {
  if (corrections_.empty()) return 0;
  const auto found = corrections_.find({fs::path(file).parent_path().string(), clock});
  return found == corrections_.end() ? 0 : found->second;
}

Result<std::unique_ptr<Trace>> Trace::given(const GivenMetadata& metadata,
                                            const std::string& stream, std::int64_t clock_shift,
                                            std::uint64_t max_state) {
  std::unique_ptr<Trace> trace(new Trace());
  trace->max_state_ = max_state;
  trace->metadata_ = std::make_unique<Metadata>(stream, clock_shift);
  trace->grows_ = false;
  trace->files_.push_back(stream);
  trace->metadata_files_.push_back(metadata.name);
  const auto input = io::memory_input(metadata.name, as_bytes(metadata.text));
  if (auto read = trace->feed(*input, metadata.name); !read)
    return std::unexpected(std::move(read.error()));
  return trace;
}

Result<void> Trace::feed(const std::string& path) {
  auto input = io::open_input(path, stop_);
  if (!input) return std::unexpected(std::move(input.error()));
  if (auto skipped = (*input)->skip(metadata_read_); !skipped)
    return std::unexpected(std::move(skipped.error()));
  return feed(**input, path);
}

// Portion by portion: the text of large metadata takes memory enough as it is read.
Result<void> Trace::feed(io::Input& input, const std::string& name) {
  const auto read = [&](ByteSpan bytes, bool last) {
    if (reader_ == nullptr) reader_ = metadata_reader(bytes, *metadata_);
    metadata_read_ += bytes.size();
    if (!bytes.empty()) metadata_cut_at_.reset();
    for (Finding& finding : reader_->read(bytes, last)) {
      const bool is_cut = is_cut_rule(*finding.rule, metadata_->dialect());
      if (is_cut) metadata_cut_at_ = metadata_read_;
      findings_.push_back({name, std::move(finding), !is_cut});
    }
  };
  const std::uint64_t read_before = metadata_read_;
  std::vector<std::uint8_t> portion(kMetadataPortion);
  for (;;) {
    std::size_t size = 0;
    if (auto filled = io::fill(input, portion, size); !filled) return filled;
    if (metadata_read_ + size > max_state_) return io::exceeds_state(name, max_state_);
    read(ByteSpan(portion).first(size), size < portion.size());
    if (size < portion.size()) break;
  }
  if (metadata_read_ - read_before > kLargeMetadata) give_back_spare_memory();
  return {};
}

Result<void> Trace::list(const std::string& directory) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator each(directory, error), end; !error && each != end;
       each.increment(error)) {
    std::error_code ignored;
    const fs::path& path = each->path();
    if (is_hidden(path) || path.filename() == kMetadata || !each->is_regular_file(ignored))
      continue;
    names.push_back(path.filename().string());
  }
  if (error) return fail(ErrorCode::kCannotOpen, "cannot list it: " + error.message(), directory);
  std::ranges::sort(names);
  for (const std::string& name : names) {
    const std::string path = path_in(directory, name);
    if (!is_auxiliary(path)) {
      files_.push_back(path);
      continue;
    }
    auxiliary_files_.push_back(path);
    auto bytes = io::read_file(path, max_state_, stop_);
    if (!bytes) return std::unexpected(std::move(bytes.error()));
    for (Finding& finding : read_auxiliary_stream(*bytes, *metadata_))
      findings_.push_back({path, std::move(finding), false});
  }
  return {};
}

bool Trace::is_auxiliary(const std::string& path) const {
  if (path.ends_with(".json-seq")) return true;
  return metadata_->dialect() == Dialect::kRc3 && begins_as_auxiliary(path, max_state_);
}

std::vector<std::shared_ptr<const DataStream>> Trace::begun_streams() const {
  std::vector<std::shared_ptr<const DataStream>> begun;
  for (const auto& [key, state] : streams_) {
    if (state.begun) begun.push_back(state.stream);
  }
  std::ranges::sort(begun, {}, [](const auto& stream) { return stream->entity.ordinal; });
  return begun;
}

bool Trace::has_room(const DataStreamClass& stream_class, const StreamId& id,
                     const std::string& file) const {
  return grows_ || streams_.size() < kMostGivenStreams ||
         streams_.contains(key_of(stream_class, id, file));
}

bool Trace::reload() {
  if (!grows_) return false;
  const std::size_t classes = description()->event_classes().size();
  const std::size_t streams = description()->stream_classes().size();
  // What cannot be read is no better than what did not grow: the caller says what it misses.
  if (const auto fed = feed(metadata_files_.front()); !fed) return false;
  return description()->event_classes().size() != classes ||
         description()->stream_classes().size() != streams;
}

StreamState& Trace::stream(const DataStreamClass& stream_class, const StreamId& id,
                           const std::string& file) {
  StreamState& state = streams_[key_of(stream_class, id, file)];
  if (state.stream == nullptr) {
    DataStream stream{.entity = metadata_->description()->next_stream(),
                      .stream_class = &stream_class,
                      .keys = {},
                      .file = file};
    stream.keys.push_back({"class", stream_class.id.value_or(0)});
    if (id.value) stream.keys.push_back({"id", *id.value, id.digits});
    state.stream = std::make_shared<const DataStream>(std::move(stream));
  }
  return state;
}

}  // namespace tracedeck::ctf
