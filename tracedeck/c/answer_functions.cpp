// The functions of the C interface that answer questions.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/answers.hpp"
#include "tracedeck/base/utf8.hpp"
#include "tracedeck/c/errors.hpp"
#include "tracedeck/c/request.hpp"
#include "tracedeck/convert.hpp"
#include "tracedeck/tracedeck.h"

namespace tracedeck::capi {
namespace {

td_status answered(const Result<void>& answer, td_error* error) {
  if (answer) return TD_OK;
  if (answer.error().code == ErrorCode::kBrokenPipe)
    return report(TD_ERROR_CANCELLED, "cancelled", error);
  return report(answer.error(), error);
}

// Asks `answer(question, output)`, whose text goes to `write`.
template <class Answer>
td_status ask(const char* const* paths, std::size_t count, const td_options* options,
              td_write write, void* user, td_error* error, Answer&& answer) noexcept {
  return guarded(error, [&]() -> td_status {
    if (write == nullptr) return report(TD_ERROR_ARGUMENT, "write is null", error);
    auto request = request_of(paths, count, options);
    if (!request) return report(request.error(), error);
    if (!request->names.empty())
      return report(TD_ERROR_ARGUMENT, "names go with batches only", error);
    CallerOutput output(write, user);
    return answered(answer(std::move(request->question), output), error);
  });
}

Result<WhyQuestion> why_of(const td_why_question* given, const Question& asked) {
  td_why_question question;
  if (given == nullptr || !copy_sized(given, question))
    return fail(ErrorCode::kInvalidArgument,
                "the question is null, or its struct_size is not that of td_why_question");
  const OpenOptions& options = asked.reading;
  if (!options.where.empty() || options.selection.begin || options.selection.end ||
      options.selection.limit || options.findings)
    return fail(ErrorCode::kInvalidArgument,
                "a question about one slice takes no condition, begin, end, limit and findings");
  if (question.slice == nullptr && question.at == nullptr)
    return fail(ErrorCode::kInvalidArgument, "a question needs a slice, or at");
  if (question.rank > timeline::kMostRank)
    return fail(ErrorCode::kInvalidArgument, fmt::format("rank: at most {}", timeline::kMostRank));
  if (question.rank > 1 && (question.slice == nullptr || question.at != nullptr))
    return fail(ErrorCode::kInvalidArgument, "a rank above 1 goes with a slice, and not with at");
  WhyQuestion why;
  if (question.slice != nullptr) why.slice.name = question.slice;
  if (question.track != nullptr) why.slice.track = question.track;
  why.slice.rank = std::max(question.rank, 1U);
  if (question.at == nullptr) return why;
  const auto at = parse_time_point(question.at);
  if (!at) return fail(ErrorCode::kInvalidArgument, fmt::format("at: {}", at.error()));
  why.at = *at;
  return why;
}

// Sets `member` to what the word stands for; null leaves it as it is. Returns whether it is one.
template <class Value>
bool take_word(const char* word, std::optional<Value> (*find)(std::string_view), Value& member) {
  if (word == nullptr) return true;
  const std::optional<Value> found = find(word);
  if (found) member = *found;
  return found.has_value();
}

Result<void> take_tags(const td_convert_options& given, ConvertOptions& options) {
  auto tags = texts_of(given.tags, given.tag_count, "tags");
  if (!tags) return std::unexpected(tags.error());
  for (const std::string& tag : *tags) {
    const std::size_t equals = tag.find('=');
    if (equals == 0 || equals == std::string::npos || !is_valid_utf8(tag))
      return fail(ErrorCode::kInvalidArgument,
                  "a tag is a name and a value in UTF-8 with '=' between them, as host=web17");
    options.tags.emplace_back(tag.substr(0, equals), tag.substr(equals + 1));
  }
  return {};
}

Nanoseconds duration_of(std::uint64_t ns) {
  constexpr auto kMost = std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  return Nanoseconds(static_cast<std::int64_t>(std::min(ns, kMost)));
}

// What is of time lines and no word.
void take_drawing(const td_convert_options& given, ConvertOptions& options) {
  options.spans = (given.flags & TD_SPANS) != 0;
  options.all_flows = (given.flags & TD_ALL_FLOWS) != 0;
  options.all_arguments = (given.flags & TD_ALL_ARGUMENTS) != 0;
  if (given.min_duration != 0) options.min_duration = duration_of(given.min_duration);
  if (given.max_size != 0) options.max_size = given.max_size;
  constexpr std::uint32_t kMostLevel = 1000;
  if (given.perfetto_level != 0)
    options.perfetto_level = static_cast<int>(std::min(given.perfetto_level, kMostLevel));
}

Result<ConvertOptions> convert_options_of(const td_convert_options* convert) {
  td_convert_options given;
  if (!copy_sized(convert, given))
    return fail(ErrorCode::kInvalidArgument,
                "struct_size of the options is not that of td_convert_options");
  constexpr std::uint32_t kKnown =
      TD_FLAT | TD_SHARE | TD_SPANS | TD_ALL_FLOWS | TD_ALL_ARGUMENTS | TD_TIMESTAMPS | TD_RAW;
  if ((given.flags & ~kKnown) != 0 || given.reserved != 0)
    return fail(ErrorCode::kInvalidArgument, "the options have unknown flags");
  ConvertOptions options;
  options.flat = (given.flags & TD_FLAT) != 0;
  options.share = (given.flags & TD_SHARE) != 0;
  options.timestamps = (given.flags & TD_TIMESTAMPS) != 0;
  options.clock_values = (given.flags & TD_RAW) != 0;
  if (!take_word(given.what, find_content, options.content) ||
      !take_word(given.layout, find_layout, options.layout) ||
      !take_word(given.partition, find_partition, options.partition) ||
      !take_word(given.weight, find_weight, options.weight))
    return fail(ErrorCode::kInvalidArgument,
                "what is events, spans or all; layout is class, schema or one; partition is class, "
                "or class,date, or class,date,hour; weight is time, samples, bytes or live-bytes");
  if (auto taken = take_tags(given, options); !taken) return std::unexpected(taken.error());
  auto drop = texts_of(given.drop, given.drop_count, "drop");
  auto mask = texts_of(given.mask, given.mask_count, "mask");
  if (!drop) return std::unexpected(drop.error());
  if (!mask) return std::unexpected(mask.error());
  options.drop = *std::move(drop);
  options.mask = *std::move(mask);
  if (given.segment != nullptr) options.segment = given.segment;
  if (given.mask_key != nullptr) options.mask_key = given.mask_key;
  if (given.dial9_version != nullptr) options.dial9_version = given.dial9_version;
  if (given.packet_size != 0) options.packet_size = given.packet_size;
  if (given.split_size != 0) options.split_size = given.split_size;
  if (given.split_duration != 0) options.split_duration = duration_of(given.split_duration);
  take_drawing(given, options);
  return options;
}

}  // namespace
}  // namespace tracedeck::capi

using namespace tracedeck;        // NOLINT(google-build-using-namespace): functions in C have no
                                  // namespace
using namespace tracedeck::capi;  // NOLINT(google-build-using-namespace)

extern "C" {

td_status td_query(const char* const* paths, size_t path_count, const td_options* options,
                   const char* stages, td_write write, void* user, td_error* error) {
  return ask(paths, path_count, options, write, user, error,
             [&](Question question, io::Output& output) -> Result<void> {
               if (stages == nullptr) return fail(ErrorCode::kInvalidArgument, "stages is null");
               return answer_query(std::move(question), stages, output);
             });
}

td_status td_partial(const char* const* paths, size_t path_count, const td_options* options,
                     const char* stages, td_write write, void* user, td_error* error) {
  return ask(paths, path_count, options, write, user, error,
             [&](Question question, io::Output& output) -> Result<void> {
               if (stages == nullptr) return fail(ErrorCode::kInvalidArgument, "stages is null");
               // What one part does not have another may.
               question.reading.report = [told = question.reading.report](const Report& report) {
                 if (report.kind != Report::Kind::kNote) told(report);
               };
               return answer_partially(std::move(question), stages, output);
             });
}

td_status td_merge(const td_part* parts, size_t part_count, int as_part, td_write write, void* user,
                   td_error* error) {
  return guarded(error, [&]() -> td_status {
    if (write == nullptr) return report(TD_ERROR_ARGUMENT, "write is null", error);
    if (parts == nullptr && part_count != 0)
      return report(TD_ERROR_ARGUMENT, "parts is null", error);
    std::vector<ByteSpan> all;
    for (size_t i = 0; i < part_count; ++i) {
      if (parts[i].data == nullptr) return report(TD_ERROR_ARGUMENT, "a part is null", error);
      all.emplace_back(static_cast<const std::uint8_t*>(parts[i].data), parts[i].size);
    }
    CallerOutput output(write, user);
    return answered(merge_parts(all, as_part != 0, output), error);
  });
}

td_status td_latency(const char* const* paths, size_t path_count, const td_options* options,
                     const char* by, td_write write, void* user, td_error* error) {
  return ask(paths, path_count, options, write, user, error,
             [&](Question question, io::Output& output) {
               return answer_latency(std::move(question), by == nullptr ? "" : by, output);
             });
}

td_status td_diff(const char* const* paths, size_t path_count, const td_options* options,
                  const char* by, td_write write, void* user, td_error* error) {
  return ask(paths, path_count, options, write, user, error,
             [&](const Question& question, io::Output& output) {
               return answer_diff(question, by == nullptr ? "" : by, output);
             });
}

td_status td_why(const char* const* paths, size_t path_count, const td_options* options,
                 const td_why_question* question, td_write write, void* user, td_error* error) {
  return ask(paths, path_count, options, write, user, error,
             [&](const Question& asked, io::Output& output) -> Result<void> {
               const auto why = why_of(question, asked);
               if (!why) return std::unexpected(why.error());
               return answer_why(asked, *why, output);
             });
}

td_status td_convert(const char* const* paths, size_t path_count, const td_options* options,
                     const char* to, const char* out, const td_convert_options* convert,
                     td_write write, void* user, td_error* error) {
  return ask(paths, path_count, options, write, user, error,
             [&](const Question& question, io::Output& output) -> Result<void> {
               if (out == nullptr) return fail(ErrorCode::kInvalidArgument, "out is null");
               auto asked = convert_options_of(convert);
               if (!asked) return std::unexpected(asked.error());
               asked->reading = question.reading;
               asked->keeps_order = question.keeps_order;
               asked->tables = question.tables;
               asked->go_on = question.go_on;
               const auto report =
                   tracedeck::convert(question.paths, to == nullptr ? "" : to, out, *asked);
               if (!report) return std::unexpected(report.error());
               auto written = output.write(report_json(*report));
               return written ? output.flush() : written;
             });
}

td_status td_validate(const char* const* paths, size_t path_count, const td_options* options,
                      td_write write, void* user, td_error* error) {
  return ask(paths, path_count, options, write, user, error,
             [](Question question, io::Output& output) {
               return tracedeck::validate(std::move(question), output);
             });
}

}  // extern "C"
