// Writes a CTF trace: a clock, one class of data streams, two of them, and events of a described
// struct. Run it with the name of a directory that does not exist; `babeltrace2` and `tracedeck
// print` read what it writes.
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "tracedeck/ctf/write/producer.hpp"

namespace {

enum class Outcome : std::uint8_t { kReady, kPending };

struct Poll {
  std::uint64_t task = 0;
  std::string_view location;
  Outcome outcome = Outcome::kReady;
};

}  // namespace

template <>
inline constexpr auto tracedeck::ctf::kPayload<Poll> = tracedeck::ctf::describe<Poll>(
    "poll", tracedeck::ctf::field("task", &Poll::task),
    tracedeck::ctf::field("location", &Poll::location),
    tracedeck::ctf::field("outcome", &Poll::outcome, {{"ready", 0}, {"pending", 1}}));

namespace {

using tracedeck::Result;
using tracedeck::ctf::Producer;

Result<void> record(tracedeck::io::OutputDirectory& directory) {
  auto producer = Producer::create(directory, {.dialect = tracedeck::ctf::Dialect::kCtf1});
  if (!producer) return std::unexpected(producer.error());
  const auto clock =
      (*producer)->add_clock({.id = "wall", .origin = tracedeck::ClockOrigin::kUnixEpoch});
  if (!clock) return std::unexpected(clock.error());
  const auto workers = (*producer)->add_stream_class({.name = "worker", .clock = *clock});
  if (!workers) return std::unexpected(workers.error());
  const auto polls = (*producer)->add_event<Poll>(**workers);
  if (!polls) return std::unexpected(polls.error());
  for (std::uint64_t worker = 0; worker < 2; ++worker) {
    const auto stream = (*producer)->open_stream(**workers);
    if (!stream) return std::unexpected(stream.error());
    std::uint64_t now = 1'700'000'000'000'000'000 + worker;
    for (std::uint64_t task = 0; task < 1000; ++task, now += 1500) {
      const Poll poll{.task = task,
                      .location = "src/main.rs:42",
                      .outcome = task % 3 == 0 ? Outcome::kPending : Outcome::kReady};
      if (auto written = (*stream)->write(*polls, now, poll); !written) return written;
    }
    (*stream)->add_discarded(7);
  }
  return (*producer)->finish();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write_ctf DIRECTORY\n", stderr);
    return 2;
  }
  auto directory = tracedeck::io::OutputDirectory::create(argv[1]);
  Result<void> done;
  if (!directory) {
    done = std::unexpected(directory.error());
  } else {
    done = record(**directory);
    if (done) done = (*directory)->finish();
  }
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().to_string().c_str());
  return 1;
}
