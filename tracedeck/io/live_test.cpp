#include "tracedeck/io/live.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "tracedeck/io/hold_back.hpp"
#include "tracedeck/io/support_test.hpp"
#include "tracedeck/io/system.hpp"
#include "tracedeck/io/window.hpp"

namespace tracedeck::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

// What a place reports, from any thread.
class News {
 public:
  LiveOptions options() {
    LiveOptions options;
    options.news = [this](LiveNews what, const std::string& sentence) {
      const std::lock_guard lock(mutex_);
      reports_.emplace_back(what, sentence);
    };
    return options;
  }
  std::vector<std::pair<LiveNews, std::string>> reports() {
    const std::lock_guard lock(mutex_);
    return reports_;
  }
  // The port in "listening on SCHEME://ADDRESS:PORT".
  std::uint16_t port() {
    const std::string sentence = reports().at(0).second;
    return static_cast<std::uint16_t>(std::stoi(sentence.substr(sentence.rfind(':') + 1)));
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<LiveNews, std::string>> reports_;
};

// A socket connected to a port of the loopback.
class Peer {
 public:
  Peer(std::uint16_t port, int type) : socket_(::socket(AF_INET, type | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("cannot connect: " + system_message(errno));
  }
  void send(std::string_view text) const {
    if (::send(socket_.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
      throw std::runtime_error("cannot send: " + system_message(errno));
  }

 private:
  FileDescriptor socket_;
};

std::unique_ptr<InputSequence> opened(const std::string& text, const LiveOptions& options,
                                      std::stop_token stop = {}) {
  const auto address = parse_live_address(text);
  EXPECT_TRUE(address) << address.error().message;
  auto sequence = open_live(*address, options, std::move(stop));
  EXPECT_TRUE(sequence) << sequence.error().message;
  return std::move(*sequence);
}

std::unique_ptr<Input> next_of(InputSequence& sequence) {
  auto input = sequence.next();
  EXPECT_TRUE(input) << input.error().message;
  return input ? std::move(*input) : nullptr;
}

// One read, as text.
std::string read_once(Input& input, std::size_t size = 4096) {
  Bytes bytes(size);
  const Result<std::size_t> got = input.read(bytes.data(), size);
  EXPECT_TRUE(got);
  bytes.resize(got.value_or(0));
  return {bytes.begin(), bytes.end()};
}

std::string host_and_port(const std::string& text) {
  const auto address = parse_live_address(text);
  return address ? address->host + " " + address->port : "wrong: " + address.error().message;
}

TEST(LiveAddress, IsDistinguishedFromAPath) {
  for (const std::string_view text : {"tcp://a:1", "tcp-listen://:1", "udp-listen://1"})
    EXPECT_TRUE(is_live_address(text)) << text;
  for (const std::string_view text : {"tcp:/a:1", "udp://a:1", "a/tcp://b", "", "-"})
    EXPECT_FALSE(is_live_address(text)) << text;
}

TEST(LiveAddress, HasAHostAndAPort) {
  EXPECT_EQ(host_and_port("tcp://example.org:4000"), "example.org 4000");
  EXPECT_EQ(host_and_port("tcp://[::1]:4000"), "::1 4000");
  EXPECT_EQ(host_and_port("tcp-listen://0.0.0.0:0"), "0.0.0.0 0");
  EXPECT_EQ(host_and_port("tcp-listen://:4000"), " 4000");
  EXPECT_EQ(host_and_port("udp-listen://4000"), " 4000");
}

TEST(LiveAddress, ReportsWhatIsWrong) {
  for (const std::string text :
       {"tcp://", "tcp://4000", "tcp://:4000", "tcp://a:0", "tcp://a:65536", "tcp://a:-1",
        "tcp://a:1x", "tcp://::1:4000", "tcp://[::1]", "tcp://[::1]x:1", "tcp-listen://a",
        "udp-listen://[::1:1", "udp-listen://[]:1", "tcp-listen://"}) {
    EXPECT_THAT(host_and_port(text), HasSubstr("wrong: '" + text + "': ")) << text;
  }
}

TEST(Tcp, APeerThatSendsNothingKeepsNobodyWaiting) {
  News news;
  const auto listener = opened("tcp-listen://:0", news.options());
  EXPECT_THAT(news.reports(), ElementsAre(Pair(LiveNews::kListening,
                                               HasSubstr("listening on tcp-listen://127.0.0.1:"))));
  EXPECT_TRUE(listener->repeats());
  EXPECT_GT(listener->at_once(), 1U);
  const Peer silent(news.port(), SOCK_STREAM);
  auto first = std::make_unique<Peer>(news.port(), SOCK_STREAM);
  const Peer second(news.port(), SOCK_STREAM);
  first->send("first");
  const auto input = next_of(*listener);
  EXPECT_THAT(input->name(), testing::StartsWith("tcp-listen://:0/127.0.0.1:"));
  EXPECT_TRUE(input->live());
  EXPECT_FALSE(input->seekable());
  EXPECT_EQ(read_once(*input), "first");
  EXPECT_FALSE(input->ready(std::chrono::milliseconds(20)));
  second.send("second");
  const auto other = next_of(*listener);
  EXPECT_NE(other->name(), input->name());
  EXPECT_EQ(read_once(*other), "second");
  first.reset();
  EXPECT_EQ(read_once(*input), "");
  EXPECT_FALSE(input->next_part());
  EXPECT_FALSE(input->stopped());
}

TEST(Tcp, WhatHasArrivedIsReadAfterAStopRequest) {
  News news;
  std::stop_source stop;
  const auto listener = opened("tcp-listen://:0", news.options(), stop.get_token());
  const Peer served(news.port(), SOCK_STREAM);
  served.send("one");
  const auto input = next_of(*listener);
  EXPECT_EQ(read_once(*input), "one");
  const Peer silent(news.port(), SOCK_STREAM);
  const Peer waiting(news.port(), SOCK_STREAM);
  waiting.send("waited");
  served.send("two");
  stop.request_stop();
  EXPECT_EQ(read_once(*input, 2), "tw");
  EXPECT_FALSE(input->stopped());
  EXPECT_EQ(read_once(*input), "o");
  served.send("three");
  EXPECT_EQ(read_once(*input), "");
  EXPECT_TRUE(input->stopped());
  const auto waited = next_of(*listener);
  EXPECT_EQ(read_once(*waited), "waited");
  EXPECT_EQ(read_once(*waited), "");
  EXPECT_EQ(next_of(*listener), nullptr);
}

TEST(Tcp, SilentPeersAreLimited) {
  News news;
  LiveOptions options = news.options();
  options.most_peers = 2;
  const auto listener = opened("tcp-listen://:0", options);
  auto first = std::make_unique<Peer>(news.port(), SOCK_STREAM);
  const Peer second(news.port(), SOCK_STREAM);
  const Peer third(news.port(), SOCK_STREAM);
  third.send("third");
  std::jthread leaves([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    first.reset();
  });
  EXPECT_EQ(read_once(*next_of(*listener)), "");
  EXPECT_EQ(read_once(*next_of(*listener)), "third");
  EXPECT_THAT(news.reports(),
              testing::Contains(Pair(LiveNews::kChange,
                                     HasSubstr("2 peers are connected and have sent nothing"))));
}

TEST(Udp, WhatHasArrivedIsReadAfterAStopRequest) {
  News news;
  std::stop_source stop;
  const auto sequence = opened("udp-listen://:0", news.options(), stop.get_token());
  const Peer peer(news.port(), SOCK_DGRAM);
  const auto input = next_of(*sequence);
  for (int i = 0; i < 40; ++i) peer.send("x");
  stop.request_stop();
  std::string all;
  while (!input->stopped()) {
    all += read_once(*input);
    (void)input->next_part();
  }
  EXPECT_EQ(all, std::string(40, 'x'));
}

TEST(Tcp, Connects) {
  News news;
  const auto listener = opened("tcp-listen://:0", news.options());
  const auto connected = opened("tcp://localhost:" + std::to_string(news.port()), news.options());
  EXPECT_FALSE(connected->repeats());
  EXPECT_EQ(connected->at_once(), 1U);
  const auto input = next_of(*connected);
  ASSERT_NE(input, nullptr);
  EXPECT_EQ(next_of(*connected), nullptr);
  EXPECT_FALSE(input->ready(std::chrono::milliseconds(20)));
}

TEST(Tcp, ReportsWhyItCannotBeHad) {
  News news;
  std::string port;
  {
    const auto listener = opened("tcp-listen://:0", news.options());
    port = std::to_string(news.port());
    const auto again = open_live(*parse_live_address("tcp-listen://" + port), news.options(), {});
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, ErrorCode::kCannotOpen);
    EXPECT_THAT(again.error().message, HasSubstr("the port is in use"));
  }
  const auto nobody = open_live(*parse_live_address("tcp://127.0.0.1:" + port), news.options(), {});
  ASSERT_FALSE(nobody);
  EXPECT_THAT(nobody.error().message, HasSubstr("nobody listens there"));
  const auto nowhere =
      open_live(*parse_live_address("tcp-listen://203.0.113.1:0"), news.options(), {});
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().message, HasSubstr("does not have that address"));
}

// Requests a stop a moment after it was made.
class StopSoon {
 public:
  StopSoon()
      : thread_([this] {
          std::this_thread::sleep_for(std::chrono::milliseconds(30));
          source_.request_stop();
        }) {}
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread thread_;
};

TEST(Live, AStopRequestWakesWhatWaits) {
  News news;
  for (const std::string text : {"tcp-listen://:0", "udp-listen://:0"}) {
    const StopSoon stop;
    const auto sequence = opened(text, news.options(), stop.token());
    const auto input = next_of(*sequence);
    if (input == nullptr) continue;  // TCP waited for a peer
    EXPECT_EQ(read_once(*input), "");
    EXPECT_TRUE(input->stopped());
    EXPECT_FALSE(input->next_part());
    EXPECT_EQ(next_of(*sequence), nullptr);
  }
  const TemporaryFolder folder;
  const StopSoon stop;
  const auto sequence = follow(folder.file("empty", {}), {}, stop.token());
  ASSERT_TRUE(sequence);
  const auto input = next_of(**sequence);
  EXPECT_EQ(read_once(*input), "");
  EXPECT_TRUE(input->stopped());
  EXPECT_EQ(next_of(**sequence), nullptr);
}

TEST(Udp, EachDatagramIsAPart) {
  News news;
  const auto sequence = opened("udp-listen://:0", news.options());
  const Peer peer(news.port(), SOCK_DGRAM);
  const auto input = next_of(*sequence);
  EXPECT_FALSE(input->ready(std::chrono::milliseconds(1)));
  for (const std::string_view text : {"abc", "", "de"}) peer.send(text);
  EXPECT_TRUE(input->ready(std::chrono::seconds(10)));
  EXPECT_FALSE(input->next_part());
  EXPECT_EQ(read_once(*input, 2), "ab");
  EXPECT_EQ(read_once(*input, 2), "c");
  EXPECT_EQ(read_once(*input), "");
  EXPECT_EQ(read_once(*input), "");
  EXPECT_TRUE(input->next_part());
  EXPECT_FALSE(input->next_part());
  EXPECT_EQ(read_once(*input), "de");
  EXPECT_TRUE(input->ready(std::chrono::milliseconds(1)));  // for its end
  EXPECT_EQ(read_once(*input), "");
  EXPECT_TRUE(input->next_part());
  EXPECT_FALSE(input->ready(std::chrono::milliseconds(1)));
}

TEST(Udp, OrOnlyBytesMatter) {
  News news;
  LiveOptions options = news.options();
  options.datagrams_apart = false;
  const auto sequence = opened("udp-listen://:0", options);
  const Peer peer(news.port(), SOCK_DGRAM);
  const auto input = next_of(*sequence);
  for (const std::string_view text : {"abc", "de"}) peer.send(text);
  EXPECT_EQ(read_once(*input), "abc");
  EXPECT_EQ(read_once(*input), "de");
  EXPECT_FALSE(input->ready(std::chrono::milliseconds(1)));
  EXPECT_FALSE(input->next_part());
}

TEST(Udp, ReportsWhatItCuts) {
  News news;
  LiveOptions options = news.options();
  options.largest_datagram = 4;
  const auto sequence = opened("udp-listen://:0", options);
  const Peer peer(news.port(), SOCK_DGRAM);
  for (const std::string_view text : {"1234", "12345"}) peer.send(text);
  const auto input = next_of(*sequence);
  EXPECT_EQ(read_once(*input), "1234");
  EXPECT_EQ(read_once(*input), "");
  EXPECT_TRUE(input->next_part());
  EXPECT_EQ(read_once(*input), "1234");
  EXPECT_THAT(news.reports().back(), Pair(LiveNews::kCut, HasSubstr("a datagram of 5 bytes from")));
  EXPECT_THAT(news.reports().back().second, HasSubstr("was cut to 4"));
}

TEST(Udp, WhatWasGivenUpIsNotForTheNextInput) {
  News news;
  const auto sequence = opened("udp-listen://:0", news.options());
  const Peer peer(news.port(), SOCK_DGRAM);
  for (const std::string_view text : {"garbage", "more", "good"}) peer.send(text);
  EXPECT_EQ(read_once(*next_of(*sequence), 3), "gar");
  {
    const auto input = next_of(*sequence);
    EXPECT_EQ(read_once(*input), "more");
    EXPECT_EQ(read_once(*input), "");
  }
  EXPECT_EQ(read_once(*next_of(*sequence)), "good");
}

TEST(Udp, PartsAreKeptByWhoLooksAhead) {
  News news;
  const auto sequence = opened("udp-listen://:0", news.options());
  const Peer peer(news.port(), SOCK_DGRAM);
  for (const std::string_view text : {"abc", "de", "f"}) peer.send(text);
  const auto input = hold_back(next_of(*sequence), {.bytes = 100}, [](ByteSpan bytes, bool) {
                       return as_text(bytes) == "abcde";
                     }).input;
  EXPECT_EQ(read_once(*input), "abc");
  EXPECT_EQ(read_once(*input), "");
  EXPECT_TRUE(input->next_part());
  EXPECT_EQ(read_once(*input), "de");
  EXPECT_EQ(read_once(*input), "");
  EXPECT_TRUE(input->next_part());
  EXPECT_EQ(read_once(*input), "f");
}

TEST(Udp, AWindowEndsWithItsPart) {
  News news;
  const auto sequence = opened("udp-listen://:0", news.options());
  const Peer peer(news.port(), SOCK_DGRAM);
  for (const std::string_view text : {"abc", "de"}) peer.send(text);
  WindowReader windows(next_of(*sequence));
  ASSERT_TRUE(windows.advance(0, 1));
  EXPECT_FALSE(windows.at_end());
  EXPECT_FALSE(windows.next_part());
  EXPECT_FALSE(windows.advance(3, 1));
  EXPECT_TRUE(windows.at_end());
  ASSERT_TRUE(windows.next_part());
  EXPECT_FALSE(windows.at_end());
  ASSERT_TRUE(windows.advance(3, 1));
  EXPECT_EQ(windows.current()->offset(), 3U);
  EXPECT_EQ(windows.current()->size(), 2U);
}

TEST(Follow, WaitsForWhatIsAppended) {
  const TemporaryFolder folder;
  const std::string path = folder.file("log", bytes_of("one"));
  const auto sequence = follow(path, {}, {});
  ASSERT_TRUE(sequence);
  const auto input = next_of(**sequence);
  EXPECT_EQ(read_once(*input), "one");
  EXPECT_FALSE(input->ready(std::chrono::milliseconds(1)));
  std::ofstream(path, std::ios::app) << "two";
  EXPECT_TRUE(input->ready(std::chrono::seconds(10)));
  EXPECT_EQ(read_once(*input), "two");
}

TEST(Follow, GoesOnWithTheFileThatHasTheName) {
  const TemporaryFolder folder;
  const std::string path = folder.file("log", bytes_of("one"));
  News news;
  const auto sequence = follow(path, news.options(), {});
  ASSERT_TRUE(sequence);
  {
    const auto input = next_of(**sequence);
    EXPECT_EQ(read_once(*input), "one");
    std::ofstream old(path, std::ios::app);
    std::filesystem::rename(path, folder.file("log.1"));
    EXPECT_FALSE(input->ready(std::chrono::milliseconds(1)));
    (void)folder.file("log", bytes_of("new"));
    old << "rest" << std::flush;
    EXPECT_EQ(as_text(read_all(*input).bytes), "rest");
    EXPECT_FALSE(input->stopped());
  }
  EXPECT_THAT(news.reports(), ElementsAre(Pair(LiveNews::kChange, HasSubstr("another file"))));
  EXPECT_EQ(read_once(*next_of(**sequence)), "new");
}

TEST(Follow, BeginsAnewWhatWasCut) {
  const TemporaryFolder folder;
  const std::string path = folder.file("log", bytes_of("one two"));
  News news;
  const auto sequence = follow(path, news.options(), {});
  ASSERT_TRUE(sequence);
  {
    const auto input = next_of(**sequence);
    EXPECT_EQ(read_once(*input), "one two");
    (void)folder.file("log", bytes_of("new"));
    EXPECT_EQ(as_text(read_all(*input).bytes), "");
  }
  EXPECT_THAT(news.reports(), ElementsAre(Pair(LiveNews::kChange, HasSubstr("it was cut"))));
  EXPECT_EQ(read_once(*next_of(**sequence)), "new");
}

TEST(LiveAddress, SaysOfOtherKindsWhatCanBeDone) {
  for (const char* relay :
       {"net://h/x", "net4://h", "net6://[::1]", "tcp4://h:1", "tcp6://h:1", "lttng-live://h"})
    EXPECT_THAT(why_no_address(relay), HasSubstr("relay daemon")) << relay;
  EXPECT_THAT(why_no_address("ws+unix://h"), HasSubstr("ws+unix:// is not supported; traces come"));
  for (const char* path : {"", "a", "a:/b", "://x", "1a://x", "a b://x", "dir/net://x"})
    EXPECT_EQ(why_no_address(path), "") << path;
}

TEST(Follow, RefusesWhatCannotBe) {
  const TemporaryFolder folder;
  EXPECT_EQ(follow(folder.file("none"), {}, {}).error().code, ErrorCode::kCannotOpen);
  EXPECT_EQ(follow(folder.file("."), {}, {}).error().code, ErrorCode::kUnsupported);
}

TEST(Once, IsASequenceOfOne) {
  const TemporaryFolder folder;
  const auto sequence = once(folder.file("a", bytes_of("bytes")), {});
  ASSERT_TRUE(sequence);
  EXPECT_FALSE((*sequence)->repeats());
  EXPECT_EQ(read_once(*next_of(**sequence)), "bytes");
  EXPECT_EQ(next_of(**sequence), nullptr);
}

}  // namespace
}  // namespace tracedeck::io
