// What is written is none of what is read.
#pragma once

#include <string>
#include <vector>

#include "tracedeck/flow/trace_place.hpp"
#include "tracedeck/outputs.hpp"

namespace tracedeck {

// What is read, and where is written to.
struct ResultPlaces {
  flow::Operands traces = {};
  bool are_files = false;                    // they are read as files, whatever is in them
  std::vector<std::string> files_read = {};  // besides: metadata, tables, lists; "" is none

  struct File {
    std::string path;  // "" or "-": none
    std::string what;  // "the report"
  };
  std::vector<File> files = {};  // that are written besides the result

  std::string out = {};              // of the result; "" or "-": none
  const OutputKind* kind = nullptr;  // of what is divided
  bool is_directory = false;
  bool is_split = false;  // into parts, which are named after it
};

// Which file that is read a result would replace, empty or be written into, or which trace a result
// that is a directory would lie in, as a sentence; "" if none. Files are compared by what they are,
// not by their names, so links do not hide them. Nothing is opened.
[[nodiscard]] std::string check_results_apart(const ResultPlaces& places);

}  // namespace tracedeck
