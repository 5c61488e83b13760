// The parts of a divided result: files or directories with numbered names.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "tracedeck/flow/split.hpp"
#include "tracedeck/outputs.hpp"

namespace tracedeck {

// The name of a part, counted from 1: "run-0001.dial9.gz" of "run.dial9.gz". The number stands
// before the ending, where `path` has one.
[[nodiscard]] std::string part_name(const std::string& path, const OutputKind& kind,
                                    std::uint64_t number);

// Whether `name` is that of a part of `path`, both in one folder. Only their last components count.
[[nodiscard]] bool is_part_name(const std::string& name, const std::string& path,
                                const OutputKind& kind);

// Each part appears under its name when it ends, see `io::create_file`, compressed as the name
// says. One thread at a time.
class PartFiles final : public flow::Parts {
 public:
  // `kind` is no text, and not drawn. `settings`: see `create_writer`.
  PartFiles(const OutputKind& kind, OutputSettings settings, std::string path,
            std::stop_token stop = {});
  ~PartFiles() override;

  // Errors: those of `create_writer`; kCannotOpen.
  [[nodiscard]] Result<Writer*> begin() override;
  [[nodiscard]] Result<void> end() override;
  // Of a file all that was written, without its compression; of a directory what is in its data
  // stream files, without packets that are not complete.
  [[nodiscard]] Result<std::uint64_t> size() override;
  [[nodiscard]] Result<void> flush() override;
  // Instead of `end`: the part that has begun is not wanted.
  void discard();

  // The parts that have ended.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  // Where the one that has begun is written until it ends; "": none has.
  [[nodiscard]] std::string unfinished() const;

 private:
  [[nodiscard]] std::string next_name() const;

  const OutputKind& kind_;
  OutputSettings settings_;
  std::string path_;
  std::stop_token stop_;
  std::vector<std::string> names_;
  std::uint64_t size_ = 0;
  std::unique_ptr<io::Output> file_;
  std::unique_ptr<io::OutputDirectory> directory_;
  std::unique_ptr<Writer> writer_;  // goes before what it writes to
};

}  // namespace tracedeck
