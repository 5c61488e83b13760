// What a caller asks to be read, as the library wants it.
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "tracedeck/c/errors.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/reading.hpp"

namespace tracedeck::capi {

struct Request {
  std::vector<std::string> paths = {};
  OpenOptions options = {};
  bool has_order = false;
  std::set<std::string, std::less<>> names = {};
  td_go_on go_on = nullptr;
  void* user = nullptr;
  td_note note = nullptr;
};

// Errors: kInvalidArgument, what cannot be.
[[nodiscard]] Result<Request> request_of(const char* const* paths, std::size_t count,
                                         const td_options* options);

// Asks a caller now and then whether to go on.
class Progress {
 public:
  Progress(td_go_on call, void* user) : call_(call), user_(user) {}

  // `events`: that were read since the last call.
  void count(std::uint64_t events) { events_ += events; }
  // Whether to go on.
  [[nodiscard]] bool ask() {
    constexpr std::chrono::milliseconds kInterval{100};
    if (call_ == nullptr) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kInterval) return true;
    last_ = now;
    td_progress state = {};
    state.struct_size = sizeof state;
    state.events = events_;
    state.user = user_;
    return call_(&state) == 0;
  }
  [[nodiscard]] std::uint64_t events() const { return events_; }

 private:
  td_go_on call_;
  void* user_;
  std::uint64_t events_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

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
