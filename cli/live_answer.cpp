#include "cli/live_answer.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "tracedeck/io/watched_input.hpp"
#include "tracedeck/query/answers.hpp"
#include "tracedeck/query/partial.hpp"

namespace tracedeck::cli {
namespace {

bool is_terminal() {
  const char* const terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

// As many bytes as `width` characters take at most.
std::string_view cut_to(std::string_view line, std::size_t width) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if ((static_cast<unsigned char>(line[i]) & 0xC0U) == 0x80) continue;
    if (characters++ == width) return line.substr(0, i);
  }
  return line;
}

// The first lines of a text that a screen holds, and what they are of.
std::string screen_of(std::string_view text, std::uint64_t selected) {
  const TerminalSize size = terminal_size();
  // The last lines are what it is of, and where the cursor is.
  const std::size_t most = std::max<std::size_t>(size.height, 5) - 3;
  const auto all = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  std::string screen;
  for (std::size_t i = 0; i < std::min(all, most); ++i) {
    const std::size_t end = text.find('\n');
    screen += cut_to(text.substr(0, end), size.width);
    screen += '\n';
    text.remove_prefix(end + 1);
  }
  const std::string more = all > most ? fmt::format("; {} more lines", all - most) : "";
  screen += cut_to(fmt::format("{} events selected so far{}", selected, more), size.width);
  screen += '\n';
  return screen;
}

}  // namespace

TerminalSize terminal_size() {
  winsize size{};
  TerminalSize result;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return result;
  if (size.ws_col != 0) result.width = size.ws_col;
  if (size.ws_row != 0) result.height = size.ws_row;
  return result;
}

LiveAnswer::LiveAnswer(const Options& options, Session& session, query::Query& query)
    : session_(session),
      query_(query),
      adds_up_(query.adds_up().has_value()),
      draws_(adds_up_ && options.partial.empty() && options.output == "text" && !options.json &&
             options.progress && is_terminal()) {
  if (draws_) session_.diagnostics.progress().draws_beside(this);
}

Result<void> LiveAnswer::before_next(const Ready& ready) {
  if (shown_ || (adds_up_ && !draws_)) return {};
  const Clock::time_point now = Clock::now();
  if (now < due_) {
    // What is drawn waits until it is due; rows are shown when nothing comes for a while.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due_ - now);
    if (ready(adds_up_ ? left : std::min(left, io::kShowPause))) return {};
  }
  return show();
}

Result<void> LiveAnswer::show() {
  const Clock::time_point begun = Clock::now();
  shown_ = true;
  auto shown = adds_up_ ? draw() : query_.show();
  // Drawing takes no more than a twentieth of the time.
  due_ = Clock::now() + std::max<Clock::duration>(io::kShowInterval, (Clock::now() - begun) * 20);
  return shown;
}

Result<void> LiveAnswer::draw() {
  const query::QueryCounts counts = query_.counts();
  // What took a temporary file is too much to look at anyway.
  if (query_.spilled()) return {};
  std::string text;
  const auto output = io::memory_output(text);
  const auto answered = query::answer_by_now(query_, [&](const query::Query& query) {
    return query::text_answer(*output, query, {.width = terminal_size().width});
  });
  if (!answered) return answered;
  const std::lock_guard lock(mutex_);
  erase_lines();
  screen_ = screen_of(text, counts.selected);
  return put_lines();
}

Result<void> LiveAnswer::put_lines() {
  lines_ = static_cast<std::size_t>(std::ranges::count(screen_, '\n'));
  if (auto written = session_.out.write(screen_); !written) return written;
  return session_.out.flush();
}

void LiveAnswer::erase_lines() {
  if (lines_ == 0) return;
  // An error is met again by whoever writes next.
  [[maybe_unused]] const auto erased = session_.out.write(fmt::format("\x1b[{}A\r\x1b[J", lines_));
  lines_ = 0;
}

void LiveAnswer::erase() {
  const std::lock_guard lock(mutex_);
  if (lines_ == 0) return;
  erase_lines();
  [[maybe_unused]] const auto flushed = session_.out.flush();
}

void LiveAnswer::draw_again() {
  const std::lock_guard lock(mutex_);
  if (lines_ != 0 || screen_.empty()) return;
  [[maybe_unused]] const auto put = put_lines();
}

void LiveAnswer::end() {
  if (!draws_) return;
  session_.diagnostics.progress().draws_beside(nullptr);
  const std::lock_guard lock(mutex_);
  erase_lines();
  screen_.clear();
}

}  // namespace tracedeck::cli
