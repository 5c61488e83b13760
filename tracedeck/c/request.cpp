#include "tracedeck/c/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "tracedeck/base/time_point.hpp"
#include "tracedeck/base/utf8.hpp"
#include "tracedeck/formats.hpp"

namespace tracedeck::capi {
namespace {

constexpr std::size_t kMostPaths = 1'000'000;

Result<std::optional<TimePoint>> time_of(const char* text, std::string_view name) {
  if (text == nullptr) return std::nullopt;
  auto time = parse_time_point(text);
  if (!time) return fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", name, time.error()));
  return *time;
}

Result<flow::Order> order_of(const char* text) {
  const std::string_view name = text == nullptr ? "merged" : text;
  if (name == "merged") return flow::Order::kMerged;
  if (name == "recorded") return flow::Order::kRecorded;
  if (name == "time") return flow::Order::kTime;
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("order: '{}' is none of merged, recorded, time", repaired_utf8(name)));
}

Result<void> take_clock(const char* text, OpenOptions& reading) {
  if (text == nullptr) return {};
  const std::string_view name = text;
  if (name != "trace" && name != "wall")
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("clock: '{}' is none of trace, wall", repaired_utf8(name)));
  reading.selection.clock = name == "wall" ? flow::Clock::kWall : flow::Clock::kTrace;
  reading.keeps_clock = true;
  return {};
}

Result<void> take_format(const char* text, OpenOptions& reading) {
  if (text == nullptr) return {};
  reading.format = find_format(text);
  if (reading.format != nullptr) return {};
  std::vector<std::string_view> names;
  for (const Format* const format : formats()) names.push_back(format->info().name);
  return fail(
      ErrorCode::kInvalidArgument,
      fmt::format("format: '{}' is none of {}", repaired_utf8(text), fmt::join(names, ", ")));
}

// What is missing goes to the caller, and what is to be known about the answer.
std::function<void(const Report&)> noted_by(td_note note, void* user) {
  return [note, user, count = 0](const Report& report) mutable {
    constexpr int kMost = 1000;
    const bool is_told = report.kind == Report::Kind::kError ||
                         report.kind == Report::Kind::kProblem ||
                         report.kind == Report::Kind::kNote;
    if (note != nullptr && is_told && count++ < kMost)
      note(user, report.text.data(), report.text.size());
  };
}

GoOn asked_of(td_go_on call, void* user) {
  if (call == nullptr) return {};
  return [call, user](std::uint64_t events) {
    td_progress state = {};
    state.struct_size = sizeof state;
    state.events = events;
    state.user = user;
    return call(&state) == 0;
  };
}

Result<void> take_tables(const td_options& options, Question& question) {
  const auto names = texts_of(options.tables, options.table_count, "tables");
  if (!names) return std::unexpected(names.error());
  for (const std::string& name : *names) {
    auto tables = timeline::find_tables(name);
    if (!tables) return std::unexpected(tables.error());
    std::ranges::move(*tables, std::back_inserter(question.tables));
  }
  return {};
}

Result<void> take_options(const td_options* given, Request& request) {
  td_options options;
  if (!copy_sized(given, options))
    return fail(ErrorCode::kInvalidArgument,
                "struct_size of the options is not that of td_options, or they have members that "
                "this version of the library does not know");
  if ((options.flags & ~std::uint32_t{TD_FINDINGS}) != 0 || options.reserved != 0)
    return fail(ErrorCode::kInvalidArgument, "the options have unknown flags");
  constexpr unsigned kMostJobs = 1024;
  if (options.jobs > kMostJobs)
    return fail(ErrorCode::kInvalidArgument, fmt::format("jobs: at most {}", kMostJobs));
  auto begin = time_of(options.begin, "begin");
  if (!begin) return std::unexpected(begin.error());
  auto end = time_of(options.end, "end");
  if (!end) return std::unexpected(end.error());
  auto order = order_of(options.order);
  if (!order) return std::unexpected(order.error());
  Question& question = request.question;
  OpenOptions& reading = question.reading;
  reading.selection.begin = *begin;
  reading.selection.end = *end;
  reading.selection.order = *order;
  if (auto taken = take_clock(options.clock, reading); !taken) return taken;
  if (auto taken = take_format(options.format, reading); !taken) return taken;
  if (options.metadata != nullptr) reading.metadata = options.metadata;
  question.keeps_order = options.order != nullptr;
  if (options.limit != 0) reading.selection.limit = options.limit;
  if (options.where != nullptr) reading.where = options.where;
  reading.jobs = std::max(options.jobs, 1U);
  reading.findings = (options.flags & TD_FINDINGS) != 0;
  reading.report = noted_by(options.note, options.user);
  question.go_on = asked_of(options.go_on, options.user);
  auto names = texts_of(options.names, options.name_count, "names");
  if (!names) return std::unexpected(names.error());
  request.names.insert(names->begin(), names->end());
  return take_tables(options, question);
}

}  // namespace

Result<std::vector<std::string>> texts_of(const char* const* texts, std::size_t count,
                                          std::string_view name) {
  std::vector<std::string> all;
  if (texts == nullptr && count != 0)
    return fail(ErrorCode::kInvalidArgument, fmt::format("{} is null", name));
  for (std::size_t i = 0; i < count; ++i) {
    if (texts[i] == nullptr)
      return fail(ErrorCode::kInvalidArgument, fmt::format("{}[{}] is null", name, i));
    all.emplace_back(texts[i]);
  }
  return all;
}

Result<Request> request_of(const char* const* paths, std::size_t count, const td_options* options) {
  if (paths == nullptr || count == 0)
    return fail(ErrorCode::kInvalidArgument, "there are no paths");
  if (count > kMostPaths) return fail(ErrorCode::kInvalidArgument, "there are too many paths");
  Request request;
  for (std::size_t i = 0; i < count; ++i) {
    if (paths[i] == nullptr)
      return fail(ErrorCode::kInvalidArgument, fmt::format("paths[{}] is null", i));
    request.question.paths.emplace_back(paths[i]);
  }
  if (auto taken = take_options(options, request); !taken)
    return std::unexpected(std::move(taken.error()));
  return request;
}

Result<void> CallerOutput::write(ByteSpan bytes) {
  constexpr std::size_t kPart = std::size_t{256} << 10;
  waiting_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return waiting_.size() >= kPart ? flush() : Result<void>();
}

Result<void> CallerOutput::flush() {
  if (!refused_ && !waiting_.empty())
    refused_ = write_(user_, waiting_.data(), waiting_.size()) != 0;
  waiting_.clear();
  if (refused_) return fail(ErrorCode::kBrokenPipe, "the caller takes no more", name_);
  return {};
}

}  // namespace tracedeck::capi
