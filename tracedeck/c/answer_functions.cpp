// The functions of the C interface that answer questions.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/c/answers.hpp"
#include "tracedeck/c/errors.hpp"
#include "tracedeck/tracedeck.h"

namespace tracedeck::capi {
namespace {

td_status answered(const Result<void>& answer, td_error* error) {
  if (answer) return TD_OK;
  if (answer.error().code == ErrorCode::kBrokenPipe)
    return report(TD_ERROR_CANCELLED, "cancelled", error);
  return report(answer.error(), error);
}

// Asks `question(request, output)`, whose text goes to `write`.
template <class Question>
td_status ask(const char* const* paths, std::size_t count, const td_options* options,
              td_write write, void* user, td_error* error, Question&& question) noexcept {
  return guarded(error, [&]() -> td_status {
    if (write == nullptr) return report(TD_ERROR_ARGUMENT, "write is null", error);
    auto request = request_of(paths, count, options);
    if (!request) return report(request.error(), error);
    if (!request->names.empty())
      return report(TD_ERROR_ARGUMENT, "names go with batches only", error);
    CallerOutput output(write, user);
    return answered(question(*std::move(request), output), error);
  });
}

Result<WhyQuestion> question_of(const td_why_question* given, const Request& request) {
  td_why_question question;
  if (given == nullptr || !copy_sized(given, question))
    return fail(ErrorCode::kInvalidArgument,
                "the question is null, or its struct_size is not that of td_why_question");
  const OpenOptions& options = request.options;
  if (!options.where.empty() || options.selection.begin || options.selection.end ||
      options.selection.limit || options.findings)
    return fail(ErrorCode::kInvalidArgument,
                "a question about one slice takes no condition, begin, end, limit and findings");
  if (question.slice == nullptr && question.at == nullptr)
    return fail(ErrorCode::kInvalidArgument, "a question needs a slice, or at");
  if (question.rank > timeline::SliceFinder::kMostRank)
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("rank: at most {}", timeline::SliceFinder::kMostRank));
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

}  // namespace
}  // namespace tracedeck::capi

using namespace tracedeck;        // NOLINT(google-build-using-namespace): functions in C have no
                                  // namespace
using namespace tracedeck::capi;  // NOLINT(google-build-using-namespace)

extern "C" {

td_status td_query(const char* const* paths, size_t path_count, const td_options* options,
                   const char* stages, td_write write, void* user, td_error* error) {
  return ask(paths, path_count, options, write, user, error,
             [&](Request request, io::Output& output) -> Result<void> {
               if (stages == nullptr) return fail(ErrorCode::kInvalidArgument, "stages is null");
               return answer_query(std::move(request), stages, output);
             });
}

td_status td_partial(const char* const* paths, size_t path_count, const td_options* options,
                     const char* stages, td_write write, void* user, td_error* error) {
  return ask(paths, path_count, options, write, user, error,
             [&](Request request, io::Output& output) -> Result<void> {
               if (stages == nullptr) return fail(ErrorCode::kInvalidArgument, "stages is null");
               return answer_partially(std::move(request), stages, output);
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
             [&](Request request, io::Output& output) {
               return answer_latency(std::move(request), by == nullptr ? "" : by, output);
             });
}

td_status td_diff(const char* const* paths, size_t path_count, const td_options* options,
                  const char* by, td_write write, void* user, td_error* error) {
  return ask(paths, path_count, options, write, user, error,
             [&](const Request& request, io::Output& output) {
               return answer_diff(request, by == nullptr ? "" : by, output);
             });
}

td_status td_why(const char* const* paths, size_t path_count, const td_options* options,
                 const td_why_question* question, td_write write, void* user, td_error* error) {
  return ask(paths, path_count, options, write, user, error,
             [&](const Request& request, io::Output& output) -> Result<void> {
               const auto asked = question_of(question, request);
               if (!asked) return std::unexpected(asked.error());
               return answer_why(request, *asked, output);
             });
}

td_status td_validate(const char* const* paths, size_t path_count, const td_options* options,
                      td_write write, void* user, td_error* error) {
  return ask(
      paths, path_count, options, write, user, error,
      [](Request request, io::Output& output) { return validate(std::move(request), output); });
}

}  // extern "C"
