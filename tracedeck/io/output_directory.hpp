// Results that are several files in a directory of their own.
#pragma once

#include <memory>
#include <string>

#include "tracedeck/io/output.hpp"

namespace tracedeck::io {

// Writes into the directory PATH.part and renames it to PATH in `finish`. Without `finish` (an
// error, a kill) the .part directory stays. One thread at a time.
class OutputDirectory {
 public:
  // Error: kCannotOpen: `path` exists (a directory is never written over), or its .part directory
  // cannot be made. What an earlier run left of a .part directory is removed; one that holds
  // anything else is in the way.
  [[nodiscard]] static Result<std::unique_ptr<OutputDirectory>> create(const std::string& path);
  // The .part directory of `create(path)`.
  [[nodiscard]] static std::string part_path(const std::string& path);
  virtual ~OutputDirectory() = default;

  // The name the result will have.
  [[nodiscard]] virtual const std::string& name() const = 0;

  // A new file in the directory; `file` is a plain name, or one behind the names of folders, which
  // are made where they are not there: `a/b`. It is closed by its own `finish`, which
  // every file must have seen before the directory's. The file at the path exists at once, under
  // its own name, inside the .part directory. There may be any number of them: a few are open at a
  // time. Error: kCannotOpen.
  [[nodiscard]] virtual Result<std::unique_ptr<Output>> create_file(const std::string& file) = 0;

  // Renames the directory to its final name. Error: kWriteFailed.
  [[nodiscard]] virtual Result<void> finish() = 0;
  // Instead of `finish`: removes what was written, unless an error said where it is.
  virtual void discard() = 0;
};

}  // namespace tracedeck::io
