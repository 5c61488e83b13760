// The progress line: shown on a terminal while long work goes on, gone when it ends.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdio>

namespace tracedeck::cli {

class Progress {
 public:
  // Draws to `terminal`, never when that is null.
  explicit Progress(std::FILE* terminal) : terminal_(terminal) {}
  ~Progress() { erase(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `part` of the work is done, 0 to 1, or negative when unknown. Cheap enough for every batch: it
  // draws at most every tenth of a second, and not before the work has lasted a second.
  void show(double part);

  // What `show` was told last; negative: unknown.
  [[nodiscard]] double part() const { return part_; }

  // Takes the line away, so that something else can be written.
  void erase();

  // Something else that is drawn and gives way likewise, on any thread.
  class Drawing {
   public:
    virtual void erase() = 0;
    virtual void draw_again() = 0;

   protected:
    ~Drawing() = default;
  };
  // Something else was written below which that is drawn again.
  void wrote() {
    if (Drawing* const beside = beside_; beside != nullptr) beside->draw_again();
  }
  // Null: nothing else is drawn.
  void draws_beside(Drawing* drawing) { beside_ = drawing; }

 private:
  using Clock = std::chrono::steady_clock;

  std::FILE* terminal_;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
  bool drawn_ = false;
  double part_ = -1;
  std::atomic<Drawing*> beside_ = nullptr;
};

}  // namespace tracedeck::cli
