// The formats at hand and how to open a trace without knowing its format.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/format/format.hpp"
#include "tracedeck/format/part_search.hpp"

namespace tracedeck {

// All formats, in the order in which they are tried. Static storage.
[[nodiscard]] std::span<const Format* const> formats();

// The format of that name, or null.
[[nodiscard]] const Format* find_format(std::string_view name);

// The target of that name ("ctf2rc") and the format that writes it, or nulls.
struct FoundTarget {
  const Format* format = nullptr;
  const WriteTarget* target = nullptr;
};
[[nodiscard]] FoundTarget find_target(std::string_view name);

// A trace that was recognised, not yet read: an input, or directories.
struct FoundTrace {
  const Format* format = nullptr;
  std::unique_ptr<io::Input> input = {};      // at its first byte; null: it is directories
  std::vector<std::string> directories = {};  // of one logical trace
  std::string name = {};  // the path asked for, the first directory or the first file
  // Of an input: the core that all of it is of, where the trace is a file for each core.
  std::optional<std::uint32_t> core = {};
};

struct FoundTraces {
  std::vector<FoundTrace> traces = {};  // never empty
  std::vector<Error> unsearched = {};   // folders of a tree that cannot be read
};

// What `path` ("-": standard input) holds.
//
// A file is opened, and its format recognised, or `format` taken unseen when not null. A directory
// that a format (or `format`) recognises is a trace; another is a tree that is searched for traces
// (see `find_trace_parts` and `join_parts`), and may hold several. Errors: those of
// `io::open_input`; kUnrecognised with what the content looks like, that it is empty, or what was
// looked for.
[[nodiscard]] Result<FoundTraces> find_traces(const std::string& path,
                                              const Format* format = nullptr,
                                              std::stop_token stop = {});

// The directories and files in `path`, which is a directory, that are a trace by themselves, or a
// part of one (see `join_parts`). Never empty. Errors: as above.
[[nodiscard]] Result<PartSearch> find_parts(const std::string& path, const Format* format = nullptr,
                                            const std::stop_token& stop = {});

// The file at `path`, which is a regular one, as a part of a trace.
[[nodiscard]] TracePart find_file_part(const std::string& path, const Format* format = nullptr,
                                       const std::stop_token& stop = {});

// What an input that is open holds: its format is recognised, or `format` taken unseen when not
// null. Errors: kUnrecognised as above.
[[nodiscard]] Result<FoundTrace> find_trace(std::unique_ptr<io::Input> input,
                                            const Format* format = nullptr);

// Opens what was found. Errors: those of `Format::open` and `Format::open_directories`.
[[nodiscard]] Result<std::unique_ptr<Reader>> open_found(FoundTrace found,
                                                         const ReadOptions& options = {},
                                                         std::stop_token stop = {});

// `find_traces`, then the reader of the one trace there is. Error: kUnsupported for a tree that
// holds several; each can be opened by the name of its directory.
[[nodiscard]] Result<std::unique_ptr<Reader>> open_trace(const std::string& path,
                                                         const ReadOptions& options = {},
                                                         const Format* format = nullptr,
                                                         std::stop_token stop = {});

}  // namespace tracedeck
