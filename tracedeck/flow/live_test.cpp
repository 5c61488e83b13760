// Traces that come while they are read, through the pipeline as a program uses it.
#include "tracedeck/flow/live.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <fstream>
#include <mutex>

#include "tracedeck/dial9/encoder.hpp"
#include "tracedeck/flow/trace_by_trace.hpp"
#include "tracedeck/folder_format_test.hpp"
#include "tracedeck/io/system.hpp"

namespace tracedeck::flow {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

struct Beat {
  std::uint64_t timestamp = 0;
};

constexpr std::string_view kTickMetadata = R"(/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; };
stream { };
event { name = "tick"; fields := struct { integer { size = 8; align = 8; } n; }; };
)";

}  // namespace
}  // namespace tracedeck::flow

template <>
inline constexpr auto tracedeck::dial9::kDescription<tracedeck::flow::Beat> =
    tracedeck::dial9::describe<tracedeck::flow::Beat>(
        "Beat", tracedeck::dial9::timestamp(&tracedeck::flow::Beat::timestamp));

namespace tracedeck::flow {
namespace {

std::string beats(std::vector<std::uint64_t> times) {
  dial9::Encoder encoder;
  for (const std::uint64_t time : times) EXPECT_TRUE(encoder.write(Beat{.timestamp = time}));
  auto bytes = encoder.finish();
  EXPECT_TRUE(bytes);
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

// Remembers what was reported, on any thread.
class LiveListener final : public PipelineObserver {
 public:
  void failed(const Error& error) override { add(failures_, error.to_string()); }
  void note(const std::string& sentence) override { add(notes_, sentence); }

  std::vector<std::string> failures() {
    const std::lock_guard lock(mutex_);
    return failures_;
  }
  std::vector<std::string> notes() {
    const std::lock_guard lock(mutex_);
    return notes_;
  }
  // The port in "listening on SCHEME://ADDRESS:PORT".
  std::uint16_t port() {
    const std::string sentence = notes().at(0);
    return static_cast<std::uint16_t>(std::stoi(sentence.substr(sentence.rfind(':') + 1)));
  }

 private:
  void add(std::vector<std::string>& to, const std::string& sentence) {
    const std::lock_guard lock(mutex_);
    to.push_back(sentence);
  }

  std::mutex mutex_;
  std::vector<std::string> failures_;
  std::vector<std::string> notes_;
};

void send_to(std::uint16_t port, std::string_view bytes) {
  const io::FileDescriptor peer(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(peer.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::send(peer.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
}

std::vector<std::uint64_t> times_in(const Batch& batch) {
  std::vector<std::uint64_t> times;
  for (const Record& record : batch.records()) {
    if (record.kind == RecordKind::kEvent) times.push_back(record.event.time);
  }
  return times;
}

// The times of the next events, `count` of them or until it ends.
std::vector<std::uint64_t> next_times(RecordSource& source, std::size_t count) {
  std::vector<std::uint64_t> times;
  while (times.size() < count) {
    const auto batch = source.next();
    EXPECT_TRUE(batch) << batch.error().to_string();
    if (!batch || *batch == nullptr) break;
    for (const std::uint64_t time : times_in(**batch)) times.push_back(time);
  }
  return times;
}

class LivePipelineTest : public testing::Test {
 protected:
  void write(const std::string& name, std::string_view bytes) {
    std::ofstream(tree.path(name), std::ios::binary | std::ios::app) << bytes << std::flush;
  }
  std::unique_ptr<Pipeline> open(std::vector<std::string> operands) {
    options.operands = std::move(operands);
    return Pipeline::open(options, listener, stop.get_token());
  }
  void give_metadata() {
    options.format = find_format("ctf");
    options.metadata = std::make_shared<const GivenMetadata>(
        GivenMetadata{.name = "given", .text = std::string(kTickMetadata)});
  }

  FolderTree tree;
  PipelineOptions options;
  LiveListener listener;
  std::stop_source stop;
};

TEST_F(LivePipelineTest, PeersOfAListenerAreTracesUntilItIsStopped) {
  const auto pipeline = open({"tcp-listen://127.0.0.1:0"});
  ASSERT_NE(pipeline, nullptr);
  EXPECT_TRUE(pipeline->live());
  EXPECT_TRUE(pipeline->several());
  send_to(listener.port(), beats({10, 20}));
  EXPECT_THAT(next_times(*pipeline, 2), ElementsAre(10, 20));
  send_to(listener.port(), beats({5}));
  EXPECT_THAT(next_times(*pipeline, 1), ElementsAre(5)) << "in order of arrival";
  stop.request_stop();
  EXPECT_THAT(next_times(*pipeline, 1), IsEmpty());
  EXPECT_THAT(listener.failures(), IsEmpty());
}

TEST_F(LivePipelineTest, APeerThatCannotBeReadCostsTheOthersNothing) {
  const auto pipeline = open({"tcp-listen://127.0.0.1:0"});
  ASSERT_NE(pipeline, nullptr);
  send_to(listener.port(), "no trace at all");
  send_to(listener.port(), beats({7}));
  EXPECT_THAT(next_times(*pipeline, 1), ElementsAre(7));
  stop.request_stop();
  EXPECT_THAT(next_times(*pipeline, 1), IsEmpty());
  EXPECT_THAT(listener.failures(), ElementsAre(HasSubstr("127.0.0.1")));
}

TEST_F(LivePipelineTest, FilesAreFollowedThroughTheStages) {
  write("grows", beats({1, 2}));
  options.follow = true;
  options.selection.begin = parse_time_point("2ns").value();
  const auto pipeline = open({tree.path("grows")});
  ASSERT_NE(pipeline, nullptr);
  EXPECT_THAT(next_times(*pipeline, 1), ElementsAre(2));
  write("grows", beats({1, 3}));
  EXPECT_THAT(next_times(*pipeline, 1), ElementsAre(3));
  stop.request_stop();
  EXPECT_THAT(next_times(*pipeline, 1), IsEmpty());
}

TEST_F(LivePipelineTest, FilesOfCoresBesideLiveOnesAreReadEach) {
  const std::vector<std::string> names = {"a@0", "b@1", "tcp-listen://127.0.0.1:0"};
  const auto places = list_traces({.names = names}, {});
  std::vector<std::string> operands;
  for (const TracePlace& place : places) operands.push_back(place.operand);
  EXPECT_THAT(operands, testing::ElementsAreArray(names));
}

TEST_F(LivePipelineTest, BareDataStreamsComeOverSerialLinesAtTheirSpeed) {
  const io::FileDescriptor device(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (device.get() < 0 || ::grantpt(device.get()) != 0 || ::unlockpt(device.get()) != 0)
    GTEST_SKIP() << "there is no pseudo-terminal here";
  give_metadata();
  options.follow = true;
  options.baud = 19200;
  const std::string name = ::ptsname(device.get());
  const auto pipeline = open({name});
  ASSERT_NE(pipeline, nullptr);
  // Until the line was set up it would echo, and pass what it takes for whole lines.
  termios settings{};
  for (int i = 0; i < 500 && ::cfgetispeed(&settings) != B19200; ++i) {
    ::usleep(10'000);
    ASSERT_EQ(::tcgetattr(device.get(), &settings), 0);
  }
  EXPECT_EQ(::cfgetispeed(&settings), static_cast<speed_t>(B19200));
  ASSERT_EQ(::write(device.get(), "\x01\x02", 2), 2);
  EXPECT_THAT(next_times(*pipeline, 2), testing::SizeIs(2));
  stop.request_stop();
}

TEST_F(LivePipelineTest, WhatCannotBeLiveIsReported) {
  give_metadata();
  options.follow = true;
  (void)tree.trace("folder");
  EXPECT_EQ(open({tree.path("folder"), "-", "tcp://nowhere"}), nullptr);
  EXPECT_THAT(listener.failures(),
              ElementsAre(HasSubstr("is a directory"), HasSubstr("needs a name"),
                          HasSubstr("tcp://nowhere")));
}

TEST_F(LivePipelineTest, MetadataThatAreWrongAreReportedBeforeAnythingComes) {
  options.format = find_format("ctf");
  options.metadata = std::make_shared<const GivenMetadata>(
      GivenMetadata{.name = "given", .text = "/* CTF 1.8 */ trace { = };"});
  EXPECT_EQ(open({"tcp-listen://127.0.0.1:0"}), nullptr);
  EXPECT_THAT(listener.failures(), ElementsAre(HasSubstr("given")));
  EXPECT_THAT(listener.notes(), IsEmpty());
}

TEST_F(LivePipelineTest, TracesThatComeAreLookedAtByThemselves) {
  write("one", beats({1, 2}));
  std::vector<std::vector<std::uint64_t>> seen;
  const std::vector<std::string> operands = {tree.path("one"), "tcp-listen://127.0.0.1:0"};
  std::jthread peers([this](const std::stop_token& over) {
    while (!over.stop_requested() && listener.notes().empty()) ::usleep(1000);
    if (listener.notes().empty()) return;
    send_to(listener.port(), beats({10}));
    send_to(listener.port(), beats({20, 21}));
  });
  for_each_trace(options, listener, stop.get_token(), list_traces({.names = operands}, {}),
                 [&](const TracePlace&, Result<std::unique_ptr<SingleTrace>> trace) {
                   EXPECT_TRUE(trace) << trace.error().to_string();
                   if (trace) seen.push_back(next_times(**trace, 100));
                   return seen.size() < 3;
                 });
  EXPECT_THAT(seen, UnorderedElementsAre(ElementsAre(1, 2), ElementsAre(10), ElementsAre(20, 21)));
}

}  // namespace
}  // namespace tracedeck::flow
