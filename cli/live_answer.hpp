// The answer to a query while events come: rows as they are made, or drawn anew on a terminal.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>

#include "cli/options.hpp"
#include "cli/session.hpp"
#include "tracedeck/query/query.hpp"

namespace tracedeck::cli {

// The size of the terminal that is standard output, in characters; of what is none, and of one that
// does not say, the usual.
struct TerminalSize {
  std::size_t width = 80;
  std::size_t height = 24;
};
[[nodiscard]] TerminalSize terminal_size();

// Rows that stand are shown when the traces pause, and about every second while they do not. An
// answer that is of all events is drawn about every second in the same place of a terminal, if that
// is where it goes to, as text; elsewhere it comes at the end alone.
class LiveAnswer final : public Progress::Drawing {
 public:
  // All must outlive it.
  LiveAnswer(const Options& options, Session& session, query::Query& query);
  ~LiveAnswer() { end(); }
  LiveAnswer(const LiveAnswer&) = delete;
  LiveAnswer& operator=(const LiveAnswer&) = delete;

  // Whether a batch would come within a time.
  using Ready = std::function<bool(std::chrono::milliseconds)>;
  // To be called before each wait for a batch of live traces. Errors: those of what is shown.
  [[nodiscard]] Result<void> before_next(const Ready& ready);
  // A batch came.
  void came() { shown_ = false; }
  // Takes away what is drawn, for the final answer.
  void end();
  void erase() override;
  void draw_again() override;

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] Result<void> show();
  [[nodiscard]] Result<void> draw();
  Result<void> put_lines();
  void erase_lines();

  Session& session_;
  query::Query& query_;
  bool adds_up_;
  bool draws_;
  bool shown_ = true;  // nothing came since
  Clock::time_point due_ = Clock::now();
  std::mutex mutex_;  // of what is drawn
  std::string screen_;
  std::size_t lines_ = 0;  // of it that stand above the cursor
};

}  // namespace tracedeck::cli
