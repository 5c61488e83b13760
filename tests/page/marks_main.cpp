// Writes a page of made-up marks, and the marks themselves for whoever checks it:
//   page-marks SHAPE COUNT PAGE [MARKS.jsonl]
// SHAPE: `runtime`, workers with polls and all that may be seen beside them; `flat`, sixteen tracks
// of slices one after the other; `odd`, what disorder leaves; `hostile`, names that want out.
// COUNT: slices, about. With a variable PAGE_ALL the arguments of all slices, PAGE_MEMORY is what
// the page may hold.
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/page/made_up_marks.hpp"
#include "tracedeck/export/page/page.hpp"
#include "tracedeck/io/output.hpp"

namespace {

using namespace tracedeck;
using Clock = std::chrono::steady_clock;

// Seconds of what the page does itself.
class Timed final : public timeline::MarkSink {
 public:
  explicit Timed(std::unique_ptr<timeline::MarkSink> into) : into_(std::move(into)) {}

  Result<void> take(const timeline::Timeline& timeline,
                    std::span<const timeline::Mark> marks) override {
    const auto begin = Clock::now();
    auto done = into_->take(timeline, marks);
    spent_ += Clock::now() - begin;
    return done;
  }
  Result<void> finish(const timeline::Timeline& timeline) override {
    const auto begin = Clock::now();
    auto done = into_->finish(timeline);
    spent_ += Clock::now() - begin;
    return done;
  }
  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(spent_).count(); }

 private:
  std::unique_ptr<timeline::MarkSink> into_;
  Clock::duration spent_{};
};

int fail_with(const Error& error) {
  std::fprintf(stderr, "%s\n", error.to_string().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s SHAPE COUNT PAGE [MARKS.jsonl]\n", argv[0]);
    return 2;
  }
  auto output = io::create_file(argv[3]);
  if (!output) return fail_with(output.error());
  page::PageOptions options{.title = std::string("made-up ") + argv[1]};
  if (std::strcmp(argv[1], "hostile") == 0) options.title = tests::kHostileNames[0];
  options.all_arguments = std::getenv("PAGE_ALL") != nullptr;
  if (const char* memory = std::getenv("PAGE_MEMORY"))
    options.memory = std::strtoull(memory, nullptr, 10);
  Timed sink(page::make_page(**output, options));
  std::FILE* const listing = argc > 4 ? std::fopen(argv[4], "w") : nullptr;
  tests::MadeUpMarks marks(sink, listing);
  const auto made = marks.make(argv[1], std::strtoull(argv[2], nullptr, 10));
  if (listing != nullptr) std::fclose(listing);
  if (!made) return fail_with(made.error());
  if (const auto done = (*output)->finish(); !done) return fail_with(done.error());
  std::printf("{\"slices\": %llu, \"seconds\": %.3f}\n",
              static_cast<unsigned long long>(marks.slices()), sink.seconds());
}
