#include "tracedeck/export/chrome_events.hpp"

#include <fmt/format.h>

#include "tracedeck/export/mark_flags.hpp"
#include "tracedeck/render/json.hpp"
#include "tracedeck/text/json_object.hpp"
#include "tracedeck/text/number.hpp"

namespace tracedeck::exporting::chrome {

void Event::begin(char phase, const Place& place) {
  phase_ = phase;
  pid_ = place.pid;
  tid_ = place.tid;
  members_.clear();
  arguments_.clear();
}

void Event::end_at_once() {
  phase_ = phase_ == 'b' ? 'n' : 'X';
  if (phase_ == 'X') put_time("dur", 0, 0);
}

// Microseconds, to the nanosecond.
void Event::put_time(std::string_view member, std::int64_t from, std::int64_t to) {
  constexpr std::uint64_t kMicrosecond = 1000;
  const std::uint64_t length = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  members_.append(",\"");
  members_.append(member);
  members_.append("\":");
  char* at = members_.reserve(kIntegerSize + 4);
  at = write_decimal(at, length / kMicrosecond);
  *at++ = '.';
  members_.commit(write_padded(at, length % kMicrosecond, 3));
}

void Event::put_string(TextBuffer& out, std::string_view text) {
  if (!append_json_string(out, text)) ++counts_.repaired;
}

void Event::put_name(std::string_view name, std::string_view category) {
  members_.append(R"(,"name":)");
  put_string(members_, name);
  if (category.empty()) return;
  members_.append(R"(,"cat":)");
  put_string(members_, category);
}

void Event::put_local_id(std::uint64_t id) {
  members_.append(R"(,"id2":{"local":")");
  append_decimal(members_, id);
  members_.append("\"}");
}

void Event::put_id(std::uint64_t id) {
  members_.append(R"(,"id":")");
  append_decimal(members_, id);
  members_.append('"');
}

void Event::put_key(std::string_view name) {
  arguments_.append(arguments_.size() == 0 ? R"(,"args":{)" : ",");
  put_string(arguments_, name);
  arguments_.append(':');
}

void Event::put_flags(const timeline::Mark& mark) {
  if ((mark.flags & kNamedFlags) == 0) return;
  for (const FlagName& each : kFlagNames) {
    if (!mark.has(each.flag)) continue;
    put_key(each.name);
    arguments_.append("true");
  }
}

void Event::put_argument(std::string_view name, const Argument& argument) {
  switch (argument.kind) {
    case Argument::Kind::kNone:
      return;
    case Argument::Kind::kBoolean:
      put_key(name);
      return arguments_.append(argument.boolean ? "true" : "false");
    case Argument::Kind::kSigned:
      return put_integer(name, argument.integer);
    case Argument::Kind::kUnsigned:
      put_key(name);
      return append_json_integer(arguments_, Nanoseconds::from_unsigned(argument.natural));
    case Argument::Kind::kAddress:
      return put_text(name, fmt::format("{:#x}", argument.natural));
    case Argument::Kind::kReal:
      return put_real(name, argument.real);
    case Argument::Kind::kText:
      return put_text(name, argument.text);
  }
}

void Event::put_integer(std::string_view name, std::int64_t value) {
  put_key(name);
  append_json_integer(arguments_, value);
}

void Event::put_number(std::string_view name, std::int64_t value) {
  put_key(name);
  append_decimal(arguments_, value);
}

void Event::put_real(std::string_view name, double value) {
  put_key(name);
  append_json_real(arguments_, value);
}

void Event::put_text(std::string_view name, std::string_view text) {
  put_key(name);
  put_string(arguments_, text);
}

void Event::write(TextBuffer& out) const {
  out.append(R"({"ph":")");
  out.append(phase_);
  out.append(R"(","pid":)");
  append_decimal(out, pid_);
  out.append(R"(,"tid":)");
  append_decimal(out, tid_);
  out.append(members_.view());
  out.append(arguments_.view());
  out.append(arguments_.size() == 0 ? "}" : "}}");
}

Events::Events(io::Output& output)
    : out_(&output), visit_([this](std::string_view name, const query::Value& value) {
        if (is_stack(name, value)) return visited_->put_text(name, stack_text(trace_, value));
        visited_->put_argument(name, reader_.read(value));
      }) {}

void Events::start(std::int64_t origin) {
  origin_ = origin;
  out_.append(R"({"displayTimeUnit":"ns","traceEvents":[)");
}

Event& Events::begin(char phase, std::int64_t time, const Place& place) {
  if (time != held_time_ || held_count_ == kMostHeld) write_held();
  held_time_ = time;
  if (held_count_ == held_.size()) held_.emplace_back(counts_);
  Event& event = held_[held_count_++];
  event.begin(phase, place);
  if (time < origin_) [[unlikely]] {
    ++counts_.clamped;
    time = origin_;
  }
  event.put_time("ts", origin_, time);
  return event;
}

Event* Events::open_slice(std::int64_t time, const Place& place) {
  if (time != held_time_) return nullptr;
  for (std::size_t i = held_count_; i-- != 0;) {
    const char phase = held_[i].phase();
    if ((phase == 'B' || phase == 'b') && held_[i].is_at(place)) return &held_[i];
  }
  return nullptr;
}

Event* Events::last(std::int64_t time, const Place& place) {
  if (time != held_time_) return nullptr;
  for (std::size_t i = held_count_; i-- != 0;) {
    const char phase = held_[i].phase();
    if (!held_[i].is_at(place) || held_[i].is_dropped() || phase == 's' || phase == 'f') continue;
    return phase == 'E' || phase == 'e' ? nullptr : &held_[i];
  }
  return nullptr;
}

void Events::put_arguments(Event& event, const timeline::Mark& mark) {
  event.put_flags(mark);
  if (mark.arguments == nullptr) return;
  visited_ = &event;
  trace_ = trace_of(mark);
  timeline::visit_arguments(mark, visit_);
}

void Events::put_metadata(std::string_view what, const Place& place, std::string_view name) {
  Event event(counts_);
  event.begin('M', place);
  event.put_name(what, {});
  event.put_text("name", name);
  write(event);
}

void Events::put_sort_index(const Place& place, std::uint32_t index) {
  Event event(counts_);
  event.begin('M', place);
  event.put_name("thread_sort_index", {});
  event.put_integer("sort_index", index);
  write(event);
}

void Events::write(const Event& event) {
  out_.append(any_ ? ",\n" : "\n");
  any_ = true;
  event.write(out_);
}

void Events::write_held() {
  for (std::size_t i = 0; i < held_count_; ++i) {
    if (!held_[i].is_dropped()) write(held_[i]);
  }
  held_count_ = 0;
}

Result<void> Events::finish(const std::vector<TraceAttribute>& attributes) {
  write_held();
  out_.append("\n]");
  if (!attributes.empty()) {
    out_.append(R"(,"otherData":)");
    JsonObject object(out_);
    for (const TraceAttribute& each : attributes) {
      if (const auto* const number = std::get_if<std::int64_t>(&each.value)) {
        object.integer(each.key, *number);
      } else {
        object.string(each.key, std::get<std::string>(each.value));
      }
    }
    object.end();
  }
  out_.append("}\n");
  return out_.drain();
}

}  // namespace tracedeck::exporting::chrome
