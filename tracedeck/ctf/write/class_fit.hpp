// Whether values that lie as CTF 1.8 has them fit the classes that a trace is said to have had
// before: what an environment keeps may have been edited, or be another trace's.
//
// Values fit when every part of them is of the class, width and name that our conventions make of
// the class from before, and lengths and selectors are the same fields. So what is written by those
// classes can be read by them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tracedeck/ctf/write/target_classes.hpp"
#include "tracedeck/model/event_class.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::ctf {

// For one data stream class. The classes must outlive it.
class ClassFit {
 public:
  // `headers`: the packet headers of both traces, which may be null.
  ClassFit(const FieldClassPtr& recorded_header, const FieldClassPtr& header_before);
  ClassFit(const ClassFit&) = delete;
  ClassFit& operator=(const ClassFit&) = delete;
  ~ClassFit();

  // What does not fit, as a sentence without its end: "its packet header: `uuid` is ...". Nothing:
  // all fits.
  [[nodiscard]] std::optional<std::string> packet_header();
  // To be called next.
  [[nodiscard]] std::optional<std::string> stream_class(const DataStreamClass& recorded,
                                                        const DataStreamClass& before);
  // Of that data stream class, which fits.
  [[nodiscard]] std::optional<std::string> event_class(const EventClass& recorded,
                                                       const EventClass& before);

 private:
  struct Sides;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tracedeck::ctf
