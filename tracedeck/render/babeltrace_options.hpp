// How events are written as the command babeltrace2 prints them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::render {

// Which names stand before what they name: `timestamp = ..., name = ..., event.fields = { a = 1 }`.
struct BabeltraceNames {
  bool payload = true;  // of the fields of the payload
  bool context = true;  // and of contexts
  bool scope = false;   // of the payload and the contexts themselves
  bool header = false;  // of times, and of what stands between them and the fields
};

// What a line says of its trace and its event class besides the name of the latter.
struct BabeltraceFields {
  bool trace = false;  // the trace's name
  bool hostname = true;
  bool domain = false;
  bool procname = true;
  bool vpid = true;
  bool loglevel = false;
  bool emf = false;  // a URI of the Eclipse Modeling Framework
};

struct BabeltraceOptions {
  bool clock_gmt = false;      // times of day in UTC instead of the local time zone
  bool clock_seconds = false;  // seconds instead of a time of day
  bool clock_cycles = false;   // clock values instead of times; goes before the others
  bool clock_date = false;     // the date before the time of day
  bool no_delta = false;       // no time since the line before
  BabeltraceNames names = {};
  BabeltraceFields fields = {};
  bool color = false;
  // Where a trace lies below the directory that the user named ("ust/uid/0"); "": it is that one.
  // It is a part of the trace's name in warnings.
  std::function<std::string(const TraceDescription&)> path_of = {};
  // Takes what babeltrace2 says on standard error, such as its warnings about discarded events, a
  // line with its end at a time. What was written before has reached the output then.
  std::function<void(std::string_view)> say = {};
};

}  // namespace tracedeck::render
