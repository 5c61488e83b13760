// The stage that hides what a user wants hidden: records of traces become those of traces that
// never had it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tracedeck/flow/hiding.hpp"
#include "tracedeck/format/reader.hpp"

namespace tracedeck::flow {

// What is known of one trace that is read, and of those that were restored from it, shared by all
// of its sources. One thread at a time.
class HiddenTraces {
 public:
  // `of_files`: on the paths of the trace. `place`: see `Hiding::add`.
  HiddenTraces(std::shared_ptr<const Hiding> hiding, Verdict of_files, std::string place);
  HiddenTraces(const HiddenTraces&) = delete;
  HiddenTraces& operator=(const HiddenTraces&) = delete;
  ~HiddenTraces();

  // What a description is handed on as, which grows with it; as long as this lives.
  [[nodiscard]] std::shared_ptr<const TraceDescription> description_of(
      const TraceDescription& description);
  // The same path, or what stands for it.
  [[nodiscard]] std::string path(std::string_view path) const;

 private:
  friend class Hide;
  class Impl;

  std::unique_ptr<Impl> impl_;
};

// Event headers and packet headers are left out as a whole, and findings say what rule they are of
// and nothing else.
[[nodiscard]] std::unique_ptr<RecordSource> hide(std::unique_ptr<RecordSource> source,
                                                 std::shared_ptr<HiddenTraces> traces);

}  // namespace tracedeck::flow
