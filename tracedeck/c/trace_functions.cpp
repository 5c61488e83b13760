// The functions of the C interface about traces.
#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "tracedeck/base/version.hpp"
#include "tracedeck/c/errors.hpp"
#include "tracedeck/c/handles.hpp"
#include "tracedeck/c/open_trace.hpp"
#include "tracedeck/text/json_object.hpp"
#include "tracedeck/tracedeck.h"

namespace tracedeck::capi {
namespace {

// Never destroyed: threads may still call when the process ends.
Handles<OpenTrace>& traces() {
  static auto* const all = new Handles<OpenTrace>();
  return *all;
}

td_status unknown_handle(td_error* error) {
  return report(TD_ERROR_HANDLE, "there is no such trace: it was closed, or never opened", error);
}

td_status null_argument(std::string_view name, td_error* error) {
  return report(TD_ERROR_ARGUMENT, std::string(name) + " is null", error);
}

td_status busy(td_error* error) {
  return report(TD_ERROR_BUSY, "another call works with the trace", error);
}

// Calls `work` with the trace of a handle, on no other thread at the same time.
template <class Work>
td_status with_trace(td_trace handle, td_error* error, Work&& work) noexcept {
  return guarded(error, [&]() -> td_status {
    const std::shared_ptr<OpenTrace> trace = traces().find(handle);
    if (trace == nullptr) return unknown_handle(error);
    const Turn turn(trace->turn);
    if (!turn) return busy(error);
    return work(*trace);
  });
}

td_status reported(const OpenTrace& trace, const Error& what, td_error* error) {
  const bool is_cancelled = what.code == ErrorCode::kBrokenPipe || trace.stop.stop_requested();
  return is_cancelled ? report(TD_ERROR_CANCELLED, "cancelled", error) : report(what, error);
}

td_status hand_over(std::string_view text, td_write write, void* user, td_error* error) {
  if (write == nullptr) return null_argument("write", error);
  if (write(user, text.data(), text.size()) != 0)
    return report(TD_ERROR_CANCELLED, "cancelled", error);
  return TD_OK;
}

std::int64_t saturated(const Nanoseconds& time) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  if (time.magnitude() > static_cast<Uint128>(kMost))
    return time.negative() ? std::numeric_limits<std::int64_t>::min() : kMost;
  const auto size = static_cast<std::int64_t>(time.magnitude());
  return time.negative() ? -size : size;
}

td_event described(const EventView& event) {
  td_event made = {};
  made.name = event.name().data();
  made.name_size = event.name().size();
  if (const auto time = event.time()) {
    made.has_time = 1;
    made.time = saturated(*time);
  }
  if (const auto duration = event.duration()) {
    made.has_duration = 1;
    made.duration = saturated(*duration);
  }
  return made;
}

td_value described(OpenTrace& trace, const Value& value) {
  td_value made = {};
  if (!value) return made;
  const Slot& slot = value.slot();
  const auto as_text = [&](td_kind kind, std::string_view text) {
    made.kind = kind;
    made.data = text.data();
    made.size = text.size();
  };
  switch (slot.kind) {
    case SlotKind::kBoolean:
      made.kind = TD_BOOLEAN;
      made.integer = slot.bits != 0 ? 1 : 0;
      break;
    case SlotKind::kUnsigned:
      made.kind = TD_UNSIGNED;
      made.natural = slot.bits;
      break;
    case SlotKind::kSigned:
      made.kind = TD_SIGNED;
      made.integer = slot.integer;
      break;
    case SlotKind::kReal:
      made.kind = TD_REAL;
      made.real = slot.real;
      break;
    case SlotKind::kString:
      as_text(TD_TEXT, slot.text());
      break;
    case SlotKind::kBlob:
      as_text(TD_BYTES, slot.text());
      break;
    case SlotKind::kWideUnsigned:
    case SlotKind::kWideSigned:
    case SlotKind::kWideReal:
    case SlotKind::kUnresolved:
      trace.text.clear();
      trace.json.append(trace.text, &slot, value.field_class());
      as_text(TD_TEXT, trace.text.view());
      break;
    default:
      made.kind = TD_COMPOUND;
      made.count = value.size();
      break;
  }
  trace.label = value.label();
  if (!trace.label.empty()) {
    made.label = trace.label.data();
    made.label_size = trace.label.size();
  }
  return made;
}

std::string class_json(const RowClass& each) {
  TextBuffer out(nullptr, 256);
  JsonObject object(out);
  object.string("name", each.name);
  object.boolean("is_event", each.is_event);
  object.integer_if("id", each.id);
  object.boolean("self_described", each.self_described);
  object.end();
  return std::string(out.view());
}

// What an Arrow stream reads.
struct EventStream {
  std::shared_ptr<OpenTrace> trace = {};
  std::string error = {};
  // The first batch, which says the columns.
  ArrowArray ahead = {};
  bool has_ahead = false;
  bool has_class = false;
  std::uint32_t class_number = 0;

  Result<bool> next(ArrowArray& array) {
    bool last = false;
    std::uint32_t number = 0;
    auto read = trace->next_batch(kStreamRows, number, last, array);
    if (!read || !*read) return read;
    if (!std::exchange(has_class, true)) class_number = number;
    if (number == class_number) return true;
    array.release(&array);
    return fail(ErrorCode::kUnsupported,
                "events of this name have other columns from here on; td_next_batch reads both");
  }

  static constexpr std::uint32_t kStreamRows = 65'536;
};

EventStream& stream_of(ArrowArrayStream* stream) {
  return *static_cast<EventStream*>(stream->private_data);
}

// Calls `work`, whose error becomes that of the stream. Returns an errno.
template <class Work>
int in_stream(ArrowArrayStream* stream, Work&& work) noexcept {
  constexpr int kInputOutput = 5;
  EventStream& events = stream_of(stream);
  td_error error = {};
  error.struct_size = sizeof error;
  const td_status status = guarded(&error, [&]() -> td_status {
    const Result<void> done = work(events);
    return done ? TD_OK : reported(*events.trace, done.error(), &error);
  });
  if (status == TD_OK) return 0;
  events.error = error.message;
  return kInputOutput;
}

int stream_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  return in_stream(stream, [&](EventStream& events) -> Result<void> {
    if (!events.has_class) {
      auto read = events.next(events.ahead);
      if (!read) return std::unexpected(read.error());
      events.has_ahead = *read;
    }
    if (!events.has_class)
      return fail(ErrorCode::kInvalidArgument, "the traces have no events of this name");
    const RowClass& each = events.trace->classes()[events.class_number];
    export_schema(each.table.root, each.notes, *out);
    return {};
  });
}

int stream_next(ArrowArrayStream* stream, ArrowArray* out) {
  return in_stream(stream, [&](EventStream& events) -> Result<void> {
    *out = {};
    if (std::exchange(events.has_ahead, false)) {
      *out = std::exchange(events.ahead, {});
      return {};
    }
    auto read = events.next(*out);
    if (!read) return std::unexpected(read.error());
    return {};
  });
}

const char* stream_error(ArrowArrayStream* stream) { return stream_of(stream).error.c_str(); }

void stream_release(ArrowArrayStream* stream) {
  EventStream* const events = &stream_of(stream);
  if (events->has_ahead) events->ahead.release(&events->ahead);
  delete events;
  stream->release = nullptr;
}

Result<std::shared_ptr<OpenTrace>> open_paths(const char* const* paths, std::size_t count,
                                              const td_options* options, const char* name) {
  auto request = request_of(paths, count, options);
  if (!request) return std::unexpected(request.error());
  if (name != nullptr) request->names = {name};
  return OpenTrace::open(*std::move(request));
}

}  // namespace
}  // namespace tracedeck::capi

using namespace tracedeck;        // NOLINT(google-build-using-namespace): functions in C have no
                                  // namespace
using namespace tracedeck::capi;  // NOLINT(google-build-using-namespace)

extern "C" {

const char* td_version(void) {
  static const std::string kText(tracedeck::version());
  return kText.c_str();
}

uint32_t td_abi_version(void) { return TD_ABI_VERSION; }

td_status td_open(const char* const* paths, size_t path_count, const td_options* options,
                  td_trace* trace, td_error* error) {
  return guarded(error, [&]() -> td_status {
    if (trace == nullptr) return null_argument("trace", error);
    *trace = 0;
    auto opened = open_paths(paths, path_count, options, nullptr);
    if (!opened) return report(opened.error(), error);
    *trace = traces().add(*std::move(opened));
    return TD_OK;
  });
}

td_status td_close(td_trace trace, td_error* error) {
  return guarded(error, [&]() -> td_status {
    const std::shared_ptr<OpenTrace> found = traces().find(trace);
    if (found == nullptr) return unknown_handle(error);
    const Turn turn(found->turn);
    if (!turn) return busy(error);
    return traces().remove(trace) == nullptr ? unknown_handle(error) : TD_OK;
  });
}

td_status td_cancel(td_trace trace, td_error* error) {
  return guarded(error, [&]() -> td_status {
    const std::shared_ptr<OpenTrace> found = traces().find(trace);
    if (found == nullptr) return unknown_handle(error);
    found->stop.request_stop();
    return TD_OK;
  });
}

td_status td_next_batch(td_trace trace, uint32_t max_rows, uint32_t* class_number,
                        int* last_of_group, struct ArrowArray* array, td_error* error) {
  return with_trace(trace, error, [&](OpenTrace& open) -> td_status {
    if (array == nullptr) return null_argument("array", error);
    *array = {};
    std::uint32_t number = 0;
    bool last = false;
    constexpr std::uint32_t kUsualRows = 65'536;
    constexpr std::uint32_t kMostRows = 1U << 24;
    const std::uint32_t rows = max_rows == 0 ? kUsualRows : std::min(max_rows, kMostRows);
    const auto read = open.next_batch(rows, number, last, *array);
    if (!read) return reported(open, read.error(), error);
    if (class_number != nullptr) *class_number = number;
    if (last_of_group != nullptr) *last_of_group = last ? 1 : 0;
    return *read ? TD_OK : TD_END;
  });
}

td_status td_class_count(td_trace trace, uint32_t* count, td_error* error) {
  return with_trace(trace, error, [&](OpenTrace& open) -> td_status {
    if (count == nullptr) return null_argument("count", error);
    *count = static_cast<std::uint32_t>(open.classes().size());
    return TD_OK;
  });
}

td_status td_class_schema(td_trace trace, uint32_t class_number, struct ArrowSchema* schema,
                          td_error* error) {
  return with_trace(trace, error, [&](OpenTrace& open) -> td_status {
    if (schema == nullptr) return null_argument("schema", error);
    *schema = {};
    if (class_number >= open.classes().size())
      return report(TD_ERROR_ARGUMENT, "there is no class of that number", error);
    const RowClass& each = open.classes()[class_number];
    export_schema(each.table.root, each.notes, *schema);
    return TD_OK;
  });
}

td_status td_class_json(td_trace trace, uint32_t class_number, td_write write, void* user,
                        td_error* error) {
  return with_trace(trace, error, [&](OpenTrace& open) -> td_status {
    if (class_number >= open.classes().size())
      return report(TD_ERROR_ARGUMENT, "there is no class of that number", error);
    return hand_over(class_json(open.classes()[class_number]), write, user, error);
  });
}

td_status td_report(td_trace trace, td_write write, void* user, td_error* error) {
  return with_trace(trace, error, [&](OpenTrace& open) -> td_status {
    return hand_over(open.report(), write, user, error);
  });
}

td_status td_schema(td_trace trace, td_write write, void* user, td_error* error) {
  return with_trace(trace, error, [&](OpenTrace& open) -> td_status {
    const auto text = open.schema();
    return text ? hand_over(*text, write, user, error) : report(text.error(), error);
  });
}

td_status td_stream(const char* const* paths, size_t path_count, const td_options* options,
                    const char* name, struct ArrowArrayStream* stream, td_error* error) {
  return guarded(error, [&]() -> td_status {
    if (stream == nullptr) return null_argument("stream", error);
    *stream = {};
    if (name == nullptr) return null_argument("name", error);
    auto opened = open_paths(paths, path_count, options, name);
    if (!opened) return report(opened.error(), error);
    auto events = std::make_unique<EventStream>();
    events->trace = *std::move(opened);
    stream->get_schema = stream_schema;
    stream->get_next = stream_next;
    stream->get_last_error = stream_error;
    stream->release = stream_release;
    stream->private_data = events.release();
    return TD_OK;
  });
}

td_status td_next_event(td_trace trace, td_event* event, td_error* error) {
  return with_trace(trace, error, [&](OpenTrace& open) -> td_status {
    const auto read = open.next_event();
    if (!read) return reported(open, read.error(), error);
    if (!*read) return TD_END;
    td_event made = described(*open.event());
    if (event != nullptr && !fill_sized(made, event))
      return report(TD_ERROR_ARGUMENT, "struct_size of the event is not set", error);
    return TD_OK;
  });
}

td_status td_field(td_trace trace, const char* path, td_value* value, td_error* error) {
  return with_trace(trace, error, [&](OpenTrace& open) -> td_status {
    if (path == nullptr) return null_argument("path", error);
    if (open.event() == nullptr)
      return report(TD_ERROR_ARGUMENT, "there is no event: td_next_event goes to the next", error);
    Value found = (*open.event())[path];
    if (!found) found = open.event()->context(path);
    td_value made = described(open, found);
    if (!fill_sized(made, value))
      return report(TD_ERROR_ARGUMENT, "value is null, or its struct_size is not set", error);
    return TD_OK;
  });
}

}  // extern "C"
