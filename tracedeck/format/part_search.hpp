// Parts of traces, found in a tree of folders: directories that a format recognises, and files.
#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/format/file_origin.hpp"
#include "tracedeck/format/format.hpp"

namespace tracedeck {

// A directory or a file that is a trace by itself, or a part of one.
struct TracePart {
  const Format* format = nullptr;  // null: a file that no format recognises
  std::string path = {};
  bool is_file = false;
  FileOrigin origin = {};  // of a file
};

struct PartSearch {
  std::vector<TracePart> found = {};   // in the order in which they were found
  std::vector<Error> unsearched = {};  // folders that cannot be read
};

// How many folders deep a tree is searched.
inline constexpr int kDeepestTrace = 64;

// `root`, if one of `formats` recognises it as a directory; or else what lies below it, depth
// first, the names of each folder in bytewise order and its files before its folders: directories
// that a format recognises, and all files of a folder in which a format recognises one. Folders in
// a trace, hidden files and folders, and folders met before by another way (symbolic links are
// followed) are not looked at. Empty when there are none, or once `stop` was requested.
[[nodiscard]] PartSearch find_trace_parts(const std::string& root,
                                          std::span<const Format* const> formats,
                                          const std::stop_token& stop = {});

// The regular file at `path`: its first bytes are read, decompressed. One that cannot be read is as
// one that no format recognises.
[[nodiscard]] TracePart file_part(const std::string& path, std::span<const Format* const> formats,
                                  const std::stop_token& stop = {});

}  // namespace tracedeck
