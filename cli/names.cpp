#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>

#include "cli/commands.hpp"
#include "cli/traces.hpp"
#include "tracedeck/query/words.hpp"

namespace tracedeck::cli {
namespace {

// Somebody has pressed a key and waits: the names come from what can be read meanwhile.
constexpr std::chrono::milliseconds kPatience{300};
constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 20;  // of each trace
constexpr std::size_t kMostTraces = 16;

// Requests a stop when the time is over.
class Timer {
 public:
  [[nodiscard]] std::stop_token over() const { return over_.get_token(); }

 private:
  std::stop_source over_;
  std::jthread thread_{[this](const std::stop_token& no_longer_needed) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any waiting;
    waiting.wait_for(lock, no_longer_needed, kPatience, [] { return false; });
    over_.request_stop();
  }};
};

// Whether reading it waits for nobody.
bool is_at_rest(const std::string& operand) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(operand, ignored) ||
         std::filesystem::is_directory(operand, ignored);
}

void look_at(const flow::TracePlace& place, const Options& options, const std::stop_token& stop,
             query::KnownNames& names) {
  ReadOptions reading;
  reading.values = false;
  reading.findings = false;
  reading.packets_only = true;
  reading.hexadecimal = options.tband_hexadecimal;
  reading.metadata = options.given_metadata;
  const auto reader = flow::open_place(place, options.format, reading, stop);
  if (!reader) return;
  const std::shared_ptr<const TraceDescription> description = (*reader)->description();
  while (!stop.stop_requested() && (*reader)->bytes_read().value_or(0) < kMostBytes) {
    const auto batch = (*reader)->next();
    if (!batch || *batch == nullptr) break;
    const Format* const format = find_format(description->format());
    if (format != nullptr && format->info().classes_first) break;
  }
  names.see(*description);
}

}  // namespace

void run_names(const Options& options, Session& session) {
  Options at_rest = options;
  std::erase_if(at_rest.operands, [](const std::string& each) { return !is_at_rest(each); });
  const Timer timer;
  query::KnownNames names;
  std::vector<flow::TracePlace> places = list_traces(at_rest, timer.over());
  places.resize(std::min(places.size(), kMostTraces));
  for (const flow::TracePlace& place : places) look_at(place, options, timer.over(), names);
  std::string lines;
  for (const std::string& name : names.events()) lines += fmt::format("event {}\n", name);
  for (const std::string& name : names.fields()) lines += fmt::format("field {}\n", name);
  print(session, lines);
}

}  // namespace tracedeck::cli
