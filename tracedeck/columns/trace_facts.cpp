#include "tracedeck/columns/trace_facts.hpp"

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/render/description.hpp"
#include "tracedeck/text/json_object.hpp"

namespace tracedeck::columns {
namespace {

std::string last_part(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  return repaired_utf8(
      slash == std::string_view::npos || path.size() == 1 ? path : path.substr(slash + 1));
}

void append_environment(TextBuffer& out, const Attributes& environment) {
  JsonArray entries(out);
  for (const Attribute& entry : environment) {
    JsonObject object(entries.next());
    object.string("key", entry.key);
    if (entry.is_json) {
      object.key("value").append(entry.value);
    } else {
      object.string("value", entry.value);
    }
    object.end();
  }
  entries.end();
}

}  // namespace

std::string TraceFacts::name_of(const TraceDescription& trace) const {
  const std::string name = names_ == nullptr ? std::string() : names_(trace);
  return name.empty() ? last_part(trace.input()) : repaired_utf8(name);
}

std::string TraceFacts::name_of_input(std::string_view input) const {
  // Of files in a directory the trace is the directory, or one around it.
  for (std::string_view path = input; !path.empty();) {
    const auto found = by_input_.find(std::string(path));
    if (found != by_input_.end()) return found->second;
    const std::size_t slash = path.rfind('/');
    path = slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
  }
  return last_part(input);
}

void TraceFacts::see_once(const TraceDescription& trace) {
  if (!texts_.contains(trace.number())) see(trace);
}

void TraceFacts::see(const TraceDescription& trace) {
  const std::string name = name_of(trace);
  by_input_[trace.input()] = name;
  TextBuffer out(nullptr, 1024);
  JsonObject object(out);
  object.string("trace", name);
  // Not where it lies: the same trace makes the same manifest.
  object.string("format", trace.format());
  object.string("version", trace.version());
  JsonArray clocks(object.key("clocks"));
  for (const ClockClass& clock : trace.clocks()) render::append_clock_object(clocks.next(), clock);
  clocks.end();
  append_environment(object.key("environment"), trace.environment());
  object.end();
  texts_[trace.number()] = out.view();
}

void TraceFacts::append(TextBuffer& out) const {
  JsonArray traces(out);
  for (const auto& [number, text] : texts_) traces.next().append(text);
  traces.end();
}

}  // namespace tracedeck::columns
