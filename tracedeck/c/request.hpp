// What a caller asks to be read, as the library wants it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/answers.hpp"
#include "tracedeck/c/errors.hpp"
#include "tracedeck/io/output.hpp"

namespace tracedeck::capi {

struct Request {
  // What is missing, and what is to be known about the answer, goes to the caller's `note`.
  Question question = {};
  std::set<std::string, std::less<>> names = {};
};

// Texts that a caller hands in. Errors: kInvalidArgument, `name` or one of them is null.
[[nodiscard]] Result<std::vector<std::string>> texts_of(const char* const* texts, std::size_t count,
                                                        std::string_view name);

// Errors: kInvalidArgument, what cannot be; those of a table that cannot be read.
[[nodiscard]] Result<Request> request_of(const char* const* paths, std::size_t count,
                                         const td_options* options);

// Hands texts to a caller, in large parts. Once that refuses, all is kBrokenPipe.
class CallerOutput final : public io::Output {
 public:
  CallerOutput(td_write take, void* user) : write_(take), user_(user) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  using io::Output::write;
  [[nodiscard]] Result<void> write(ByteSpan bytes) override;
  [[nodiscard]] Result<void> flush() override;
  [[nodiscard]] Result<void> finish() override { return flush(); }
  [[nodiscard]] bool refused() const { return refused_; }

 private:
  td_write write_;
  void* user_;
  std::string name_ = "the caller";
  std::string waiting_;
  bool refused_ = false;
};

}  // namespace tracedeck::capi
