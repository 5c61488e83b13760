// Where the traces of the command line are: a TRACE is a file, or a directory that may hold
// several, or a place where it comes from while it is read.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "tracedeck/formats.hpp"

namespace tracedeck::cli {

// A TRACE of the form FILE@CORE.
struct CoreFile {
  std::string operand = {};
  std::string path = {};
  std::uint32_t core = 0;
};

// One trace, not yet opened.
struct TracePlace {
  std::string operand = {};                   // the TRACE it is or lies in, as the user named it
  const Format* format = nullptr;             // of directories and core files
  std::vector<CoreFile> core_files = {};      // one for each core; empty: it is given otherwise
  std::vector<std::string> directories = {};  // of one logical trace; empty: a file
  std::optional<Error> failure = {};          // why there is nothing to open
  bool live = false;                          // it comes while it is read

  [[nodiscard]] bool is_directory() const { return !directories.empty(); }
  [[nodiscard]] bool has_core_files() const { return !core_files.empty(); }
  // Whether it can be opened again and again.
  [[nodiscard]] bool reopens() const;
};

// The traces of all TRACEs, in order. Directories are searched, files not touched. All FILE@CORE
// are one trace, in the place of the first; a path that exists with its `@` is a plain file. What
// cannot be searched, or holds no trace, is a place with a failure. Allows as many open files as
// the traces have.
[[nodiscard]] std::vector<TracePlace> list_traces(const Options& options,
                                                  const std::stop_token& stop);

// --max-state, or what holds without it.
[[nodiscard]] std::uint64_t max_state(const Options& options, bool live);

// How a command wants a trace read.
struct Reading {
  bool values = true;                                   // decode field values
  bool headers = false;                                 // and those of event headers
  bool findings = true;                                 // yield kFinding records
  std::size_t traces_at_once = 1;                       // that share --jobs
  std::function<void(const std::string&)> notice = {};  // see `ReadOptions::notice`
};

// Opens a trace for reading as the options say, clock offset included.
[[nodiscard]] Result<std::unique_ptr<Reader>> open_reader(const Options& options,
                                                          const TracePlace& place,
                                                          const Reading& reading,
                                                          std::stop_token stop);
// The same for one that was found before.
[[nodiscard]] Result<std::unique_ptr<Reader>> open_reader(const Options& options,
                                                          const TracePlace& place,
                                                          const Reading& reading, FoundTrace found,
                                                          std::stop_token stop);

}  // namespace tracedeck::cli
