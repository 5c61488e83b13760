// What the command says on standard error.
#pragma once

#include <cstdio>
#include <string_view>

#include "cli/progress.hpp"
#include "tracedeck/base/error.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::cli {

// Every message is a line. The progress line gives way to each.
class Diagnostics {
 public:
  struct Settings {
    bool quiet = false;    // errors and damage only
    bool verbose = false;  // also details
    bool color = false;
  };

  // Both must outlive the diagnostics.
  Diagnostics(std::FILE* stream, Progress& progress, Settings settings)
      : stream_(stream), progress_(progress), settings_(settings) {}

  [[nodiscard]] bool quiet() const { return settings_.quiet; }
  [[nodiscard]] bool verbose() const { return settings_.verbose; }
  [[nodiscard]] Progress& progress() { return progress_; }

  // What failed.
  void error(std::string_view sentence);
  void error(const Error& error);
  // What the user should know, and --quiet hides.
  void note(std::string_view sentence);
  // What --verbose shows.
  void detail(std::string_view sentence);
  // What another program would say, with its line ends, unchanged; --quiet hides it.
  void quote(std::string_view text);
  // A problem or finding at its place in an input.
  void notice(const Notice& notice);

 private:
  void line(std::string_view text);

  std::FILE* stream_;
  Progress& progress_;
  Settings settings_;
};

}  // namespace tracedeck::cli
