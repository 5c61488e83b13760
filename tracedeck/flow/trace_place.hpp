// Where the traces that a user named are: an operand is a file, a directory that may hold several
// traces, `-`, one core's file of several (FILE@CORE), or a place where traces come from while they
// are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "tracedeck/base/rare.hpp"
#include "tracedeck/formats.hpp"

namespace tracedeck::flow {

// An operand of the form FILE@CORE.
struct CoreFile {
  std::string operand = {};
  std::string path = {};
  std::uint32_t core = 0;
};

// One trace, not yet opened; of a live place all traces that come from there.
struct TracePlace {
  std::string operand = {};                   // that it is or lies in, as the user named it
  const Format* format = nullptr;             // of directories and core files
  std::vector<CoreFile> core_files = {};      // one for each core, or one that is followed
  std::vector<std::string> directories = {};  // of one logical trace; empty: files
  // Of one trace that is in several files, or in one below `operand`; else empty: `operand` is it.
  std::vector<std::string> files = {};
  FileOrigin origin = {};  // of files, where somebody looked at them
  // What named those of them that `operand` does not.
  std::vector<std::string> other_operands = {};
  std::vector<std::string> notices = {};      // of what its parts are
  std::vector<std::string> named_again = {};  // paths that lead to one of them again
  Rare<Error> failure = {};                   // why there is nothing to open
  bool live = false;                          // it comes while it is read
  // What distinguishes it from the other traces (see `shortest_endings`); "" when it is the only
  // one.
  std::string name = {};

  [[nodiscard]] bool is_directory() const { return !directories.empty(); }
  [[nodiscard]] bool has_core_files() const { return !core_files.empty(); }
  // The directories, or files, that it lies in; empty: `operand` alone, or core files.
  [[nodiscard]] const std::vector<std::string>& parts() const {
    return is_directory() ? directories : files;
  }
  // The names of its addresses, where somebody needs them; all readings of it share them.
  std::shared_ptr<const Symbols> symbols = {};

  // Whether it can be opened again and again.
  [[nodiscard]] bool reopens() const;
  // What may name it: the operands, in a tree its directories, and what distinguishes it.
  [[nodiscard]] std::vector<std::string_view> names() const;
};

// What operands are and how to understand them.
struct Operands {
  std::span<const std::string> names;
  const Format* format = nullptr;  // null: recognise it
  bool follow = false;             // files and devices are live places
};

// The traces of all operands, in order. Directories are searched, and what of all operands is part
// of one trace is one (`join_parts`), for which the first bytes of regular files are read, unless
// there is one operand alone. All FILE@CORE are one trace, in the place of the first, or one each
// if any operand is live; a path that exists with its
// `@` is a plain file. What cannot be searched, or holds no trace, is a place with a failure.
// Allows as many open files as the traces have.
[[nodiscard]] std::vector<TracePlace> list_traces(const Operands& operands,
                                                  const std::stop_token& stop);

// The trace of a place that is not live and has no core files. `format`: of a file, null: recognise
// it. Errors: the place's failure; those of `find_traces`.
[[nodiscard]] Result<FoundTrace> find_place(const TracePlace& place, const Format* format,
                                            const std::stop_token& stop);

// Opens the trace of a place that is not live. `format`: of a file, null: recognise it. Errors:
// the place's failure; those of `find_traces` and `open_found`.
[[nodiscard]] Result<std::unique_ptr<Reader>> open_place(const TracePlace& place,
                                                         const Format* format,
                                                         const ReadOptions& options,
                                                         std::stop_token stop);

}  // namespace tracedeck::flow
