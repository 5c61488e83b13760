// A stranger's program on the installed library: writes a trace with described events, decodes it,
// then opens it as a file without knowing its format.
//
//   consumer VERSION FILE      exits with 1 and a sentence when something is not as it should be

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <tracedeck/answers.hpp>
#include <tracedeck/base/padded_bytes.hpp>
#include <tracedeck/base/version.hpp>
#include <tracedeck/convert.hpp>
#include <tracedeck/dial9/decoder.hpp>
#include <tracedeck/dial9/encoder.hpp>
#include <tracedeck/dial9/typed.hpp>
#include <tracedeck/formats.hpp>
#include <tracedeck/io/output.hpp>
#include <tracedeck/io/output_directory.hpp>
#include <tracedeck/marks.hpp>
#include <tracedeck/outputs.hpp>
#include <tracedeck/tracedeck.hpp>

struct JobDone {
  std::uint64_t timestamp = 0;
  std::uint64_t job = 0;
  std::string_view worker;
};

namespace dial9 = tracedeck::dial9;

template <>
inline constexpr auto dial9::kDescription<JobDone> = dial9::describe<JobDone>(
    "JobDone", dial9::timestamp(&JobDone::timestamp), dial9::field("job", &JobDone::job),
    dial9::field("worker", &JobDone::worker));

namespace {

constexpr std::uint64_t kEvents = 1000;

void require(bool condition, std::string_view what) {
  if (condition) return;
  std::cerr << "FAILED: " << what << '\n';
  std::exit(1);
}

JobDone job(std::uint64_t number) {
  return {
      .timestamp = 5'000'000 + number * 250, .job = number, .worker = number % 2 ? "odd" : "even"};
}

struct Checker {
  dial9::TypedDecoder<JobDone> jobs;
  std::uint64_t seen = 0;

  void event(const dial9::EventView& event) {
    require(jobs.accepts(event), "the event is a JobDone");
    const auto decoded = jobs.decode(event);
    require(decoded.has_value(), "the event decodes");
    const JobDone expected = job(seen++);
    require(decoded->timestamp == expected.timestamp && decoded->job == expected.job &&
                decoded->worker == expected.worker,
            "the event is what was written");
  }
};

std::uint64_t count_events(const std::string& path) {
  const auto reader = tracedeck::open_trace(path);
  require(reader.has_value(), "the file opens");
  std::uint64_t events = 0;
  while (true) {
    const auto batch = (*reader)->next();
    require(batch.has_value(), "the file reads");
    if (*batch == nullptr) return events;
    for (const tracedeck::Record& record : (*batch)->records()) {
      if (record.kind == tracedeck::RecordKind::kEvent) ++events;
    }
  }
}

// Through the table of formats, as the command does it: nothing is refused.
void convert_by_hand(const std::string& path, const std::string& out) {
  std::filesystem::remove_all(out);
  const tracedeck::FoundTarget target = tracedeck::find_target("ctf2");
  const auto directory = tracedeck::io::OutputDirectory::create(out);
  require(directory.has_value(), "the directory is made");
  const auto writer = target.format->create_directory(**directory, {.target = "ctf2"});
  require(writer.has_value(), "the writer is made");
  const auto reader = tracedeck::open_trace(path);
  require(reader.has_value(), "the file opens");
  tracedeck::Written written;
  for (;;) {
    const auto batch = (*reader)->next();
    require(batch.has_value(), "the file reads");
    if (*batch == nullptr) break;
    require((*writer)->write_batch(**batch, written).has_value(), "the batch is written");
  }
  require((*writer)->finish().has_value() && (*directory)->finish().has_value(),
          "the conversion is finished");
  require(written.events == kEvents && written.refused == 0, "every event is converted");
  require(count_events(out) == kEvents, "the conversion holds every event");
}

// Chosen events as JSON lines.
void print_some(const std::string& path, const std::string& out) {
  const auto file = tracedeck::io::create_file(out);
  require(file.has_value(), "the file is made");
  const auto writer = tracedeck::create_writer(*tracedeck::find_output("jsonl"), **file, {});
  require(writer.has_value(), "the writer of lines is made");
  for (const auto& event : tracedeck::open(path)) {
    if (event["job"].get_or<std::uint64_t>(0) < 10)
      require((*writer)->write(tracedeck::Record(event.record())).has_value(), "a line is written");
  }
  require((*writer)->finish().has_value() && (*file)->finish().has_value(), "lines are finished");
  std::ifstream lines(out);
  std::uint64_t count = 0;
  for (std::string line; std::getline(lines, line);) ++count;
  require(count == 10, "there are ten lines");
}

}  // namespace

int main(int argc, char** argv) {
  require(argc == 3, "usage: consumer VERSION FILE");
  require(tracedeck::version() == argv[1], "the library has the version of its package");

  dial9::Encoder encoder;
  for (std::uint64_t number = 0; number < kEvents; ++number) {
    require(encoder.write(job(number)).has_value(), "the event is written");
  }
  const auto trace = encoder.finish();
  require(trace.has_value(), "the trace is finished");
  const tracedeck::ByteSpan bytes = trace->span();

  const tracedeck::PaddedBytes padded(bytes);
  Checker checker;
  require(dial9::decode(padded.view(), checker).has_value(), "the trace decodes");
  require(checker.seen == kEvents, "every event is seen");

  std::ofstream(argv[2], std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  require(count_events(argv[2]) == kEvents, "the file holds every event");
  std::uint64_t jobs = 0;
  for (const auto& event : tracedeck::open(argv[2])) jobs += event["job"].get_or<std::uint64_t>(0);
  require(jobs == kEvents * (kEvents - 1) / 2, "the events have their fields");
  std::uint64_t marks = 0;
  for (const auto& mark : tracedeck::open_marks(argv[2])) marks += mark.event() ? 1 : 0;
  require(marks == kEvents, "each event is shown on a time line");
  const std::string file = argv[2];
  convert_by_hand(file, file + ".by-hand");
  print_some(file, file + ".jsonl");
  std::filesystem::remove_all(file + ".ctf2");
  const auto report = tracedeck::convert({file}, "ctf2", file + ".ctf2");
  require(report.has_value() && report->events == kEvents && !is_lossy(report->receipt),
          "the trace is converted");
  require(count_events(file + ".ctf2") == kEvents, "the converted trace holds every event");
  std::string answer;
  const auto output = tracedeck::io::memory_output(answer);
  require(tracedeck::answer_query({.paths = {file}}, "count()", *output).has_value() &&
              answer.starts_with("{\"count()\":1000}\n"),
          "the events are counted");
  std::cout << "tracedeck " << tracedeck::version() << ": " << kEvents
            << " events there and back\n";
}
