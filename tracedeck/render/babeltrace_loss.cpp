#include "tracedeck/render/babeltrace_loss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "tracedeck/render/babeltrace_line.hpp"
#include "tracedeck/text/visible.hpp"

namespace tracedeck::render {
namespace {

const TraceDescription* trace_of(const DataStream* stream) {
  return stream == nullptr || stream->stream_class == nullptr ? nullptr
                                                              : stream->stream_class->trace;
}

const StreamKey* own_id(const DataStream& stream) {
  const auto found = std::ranges::find(stream.keys, "id", &StreamKey::name);
  return found == stream.keys.end() ? nullptr : &*found;
}

std::string uuid_text(const Uuid& uuid) {
  std::string text;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid[i]);
  }
  return text;
}

// The whole path of a data stream's file, links not followed.
std::string whole_path(const std::string& file) {
  std::error_code failure;
  const auto path = std::filesystem::absolute(file, failure);
  return failure ? file : path.lexically_normal().string();
}

void append_loss_time(TextBuffer& out, std::int64_t time, BabeltraceTime& times) {
  out.append('[');
  out.commit(times.write(out.reserve(BabeltraceTime::kSize), time));
  out.append(']');
}

std::string discarded(std::uint64_t count, std::string_view noun) {
  return fmt::format("discarded {} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>> babeltrace_interval(
    const Loss& loss) {
  if (!loss.begin || !loss.end) return {};
  const BabeltraceClock clock(loss.stream == nullptr || loss.stream->stream_class == nullptr
                                  ? nullptr
                                  : loss.stream->stream_class->default_clock);
  const auto time = [&](Nanoseconds exact, std::optional<std::uint64_t> value) {
    return value ? clock.time_of(*value, [&] { return exact; }) : clock.time_of(exact);
  };
  return {time(*loss.begin, loss.begin_value), time(*loss.end, loss.end_value)};
}

void BabeltraceLosses::begin(const DataStream& stream) {
  begun_.try_emplace(key_of(stream));
  if (own_id(stream) == nullptr) number(stream);
}

void BabeltraceLosses::end(const DataStream& stream) {
  const auto found = begun_.find(key_of(stream));
  if (found != begun_.end() && found->second.losses.empty()) begun_.erase(found);
}

bool BabeltraceLosses::keep_until_first(const Loss& loss) {
  constexpr std::size_t kMost = 1024;  // of one data stream
  // Without a class for their contexts packets count nothing.
  if (loss.stream == nullptr || loss.stream->stream_class == nullptr ||
      loss.stream->stream_class->packet_context == nullptr)
    return false;
  const auto found = begun_.find(key_of(*loss.stream));
  if (found == begun_.end() || found->second.losses.size() >= kMost) return false;
  Begun& begun = found->second;
  if (begun.losses.empty()) {
    begun.stream = *loss.stream;
    if (const TraceDescription* const trace = trace_of(loss.stream); trace != nullptr)
      begun.trace = trace->weak_from_this().lock();
  }
  begun.losses.emplace_back(loss).stream = &begun.stream;
  return true;
}

std::vector<Loss> BabeltraceLosses::before_first(const Packet& packet) {
  auto first = begun_.extract(key_of(*packet.stream));
  if (first.empty()) return {};
  // babeltrace2 does not know data streams by their ids when their packets have no begin time.
  if (!packet.begin) number(*packet.stream);
  std::vector<Loss> losses = std::move(first.mapped().losses);
  for (Loss& loss : losses) loss.stream = packet.stream;
  // Where reading begins later in the data stream, there may be some from between two packets.
  const bool is_counted =
      std::erase_if(losses, [&](const Loss& loss) {
        return !loss.packets && loss.begin_value == packet.begin && loss.end_value == packet.end;
      }) != 0;
  if (packet.discarded.value_or(0) == 0 || (!is_counted && !losses.empty())) return losses;
  Loss& loss = losses.emplace_back(Loss{.stream = packet.stream});
  const ClockClass* const clock =
      packet.stream->stream_class == nullptr ? nullptr : packet.stream->stream_class->default_clock;
  if (clock != nullptr && packet.begin && packet.end) {
    loss.begin = clock->to_nanoseconds(*packet.begin);
    loss.end = clock->to_nanoseconds(*packet.end);
    loss.begin_value = packet.begin;
    loss.end_value = packet.end;
  }
  return losses;
}

std::vector<Loss> BabeltraceLosses::without_packet() const {
  std::vector<Loss> losses;
  for (const auto& [key, begun] : begun_)
    losses.insert(losses.end(), begun.losses.begin(), begun.losses.end());
  return losses;
}

BabeltraceLosses::Numbers& BabeltraceLosses::numbers_of(const DataStream& stream) {
  // Of that many traces the first is gone for long.
  constexpr std::size_t kMost = 16384;
  if (numbers_.size() > kMost) numbers_.erase(numbers_.begin());
  return numbers_[stream.entity.trace];
}

std::uint64_t BabeltraceLosses::number(const DataStream& stream) {
  Numbers& numbers = numbers_of(stream);
  const auto [place, is_new] = numbers.by_file.try_emplace(stream.file, numbers.next);
  if (is_new) ++numbers.next;
  return place->second;
}

std::uint64_t BabeltraceLosses::id_of(const DataStream& stream) {
  const StreamKey* const id = own_id(stream);
  if (id == nullptr) return number(stream);
  const Numbers& numbers = numbers_of(stream);
  const auto place = numbers.by_file.find(stream.file);
  return place == numbers.by_file.end() ? id->value : place->second;
}

void BabeltraceLosses::append(TextBuffer& out, const Loss& loss, BabeltraceTime& time) {
  if (loss.events) append_one(out, loss, discarded(*loss.events, "event"), time);
  if (loss.packets) append_one(out, loss, discarded(*loss.packets, "packet"), time);
  if (!loss.events && !loss.packets) append_one(out, loss, "may have discarded events", time);
}

void BabeltraceLosses::append_one(TextBuffer& out, const Loss& loss, std::string_view what,
                                  BabeltraceTime& time) {
  out.append(palette_.color() ? "\x1b[33m\x1b[1mWARNING\x1b[0m\x1b[33m: Tracer "
                              : "WARNING: Tracer ");
  out.append(what);
  const auto [begin, end] = babeltrace_interval(loss);
  if (begin && end) {
    out.append(" between ");
    append_loss_time(out, *begin, time);
    out.append(" and ");
    append_loss_time(out, *end, time);
  } else {
    out.append(" (unknown time range)");
  }
  const TraceDescription* const trace = trace_of(loss.stream);
  const bool has_uuid = trace != nullptr && trace->trace_class().uuid.has_value();
  out.append(fmt::format(" in trace \"{}\" ({}) within stream ", visible(name_of(trace)),
                         has_uuid ? "UUID: " + uuid_text(*trace->trace_class().uuid) : "no UUID"));
  if (loss.stream != nullptr) append_stream(out, *loss.stream);
  out.append(".");
  palette_.end(out);
  out.append('\n');
}

std::string BabeltraceLosses::name_of(const TraceDescription* trace) const {
  const std::string* const host = environment_text(trace, "hostname");
  std::string path = trace == nullptr || !path_of_ ? "" : path_of_(*trace);
  if (host == nullptr) return path;
  return path.empty() ? *host : fmt::format("{}/{}", *host, path);
}

void BabeltraceLosses::append_stream(TextBuffer& out, const DataStream& stream) {
  const TraceDescription* const trace = trace_of(&stream);
  const std::string& file = stream.file.empty() && trace != nullptr ? trace->input() : stream.file;
  const std::uint64_t class_id =
      stream.stream_class == nullptr ? 0 : stream.stream_class->id.value_or(0);
  out.append(fmt::format("\"{}\" (stream class ID: {}, stream ID: {})", visible(whole_path(file)),
                         class_id, id_of(stream)));
}

}  // namespace tracedeck::render
