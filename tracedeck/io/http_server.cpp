#include "tracedeck/io/http_server.hpp"

#include <fmt/format.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/io/http_request.hpp"
#include "tracedeck/io/socket.hpp"
#include "tracedeck/io/stop_signal.hpp"

namespace tracedeck::io {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostHead = std::size_t{16} << 10;
constexpr std::size_t kMostConnections = 16;
constexpr std::size_t kChunk = std::size_t{256} << 10;
constexpr std::chrono::seconds kHeadPatience{10};  // for a whole head
constexpr std::chrono::seconds kSendPatience{30};  // for a part of an answer to go on
constexpr std::chrono::seconds kLastPatience{2};   // for the other side to be done
constexpr std::chrono::milliseconds kLastLook{50};

struct Status {
  int code;
  std::string_view reason;
  std::string_view sentence;  // of a refusal
};
constexpr Status kOk{200, "OK", {}};
constexpr Status kMalformed{400, "Bad Request", "This is no request of HTTP."};
constexpr Status kForbidden{403, "Forbidden",
                            "This is served under the address that was printed, and no other."};
constexpr Status kForeign{403, "Forbidden", "This is not for pages of other origins."};
constexpr Status kNotFound{404, "Not Found",
                           "There is nothing here; the address that was printed "
                           "leads to what is served."};
constexpr Status kNotAllowed{405, "Method Not Allowed", "This can be read, and nothing else."};
constexpr Status kTooLarge{431, "Request Header Fields Too Large", "The request is too long."};

// Section 5.6.7 of RFC 9110, whatever the locale.
std::string date_now() {
  constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT",
                     kDays[static_cast<std::size_t>(parts.tm_wday)], parts.tm_mday,
                     kMonths[static_cast<std::size_t>(parts.tm_mon)], parts.tm_year + 1900,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string header(const Status& status, std::string_view type, std::uint64_t size) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\nDate: {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\nVary: Origin\r\nConnection: close\r\n",
      status.code, status.reason, date_now(), type, size);
}

std::string refusal(const Status& status, bool head_only) {
  std::string answer = header(status, "text/plain; charset=utf-8", status.sentence.size() + 1);
  if (status.code == kNotAllowed.code) answer += "Allow: GET, HEAD\r\n";
  answer += "\r\n";
  if (!head_only) answer += fmt::format("{}\n", status.sentence);
  return answer;
}

bool is_same_host(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, [](char a, char b) {
    const auto small = [](char each) {
      return each >= 'A' && each <= 'Z' ? static_cast<char>(each - 'A' + 'a') : each;
    };
    return small(a) == small(b);
  });
}

// One connection, from its request to the end of the answer.
class Connection {
 public:
  enum class State : std::uint8_t { kReading, kSending, kLeaving, kGone };

  Connection(FileDescriptor socket, Clock::time_point now)
      : socket_(std::move(socket)), deadline_(now + kHeadPatience), moved_(now) {}

  // What can be waited for; none: nothing more comes, and `settle` looks again at the deadline.
  [[nodiscard]] int descriptor_to_await() const { return closed_ ? -1 : socket_.get(); }
  [[nodiscard]] short awaits() const { return state_ == State::kSending ? POLLOUT : POLLIN; }
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] Clock::time_point deadline() const { return deadline_; }
  [[nodiscard]] Clock::time_point moved() const { return moved_; }
  // Whether the other side has all of what is served.
  [[nodiscard]] bool fetched() const { return fetched_; }
  // Whether it is sent what is served: who asked was allowed to.
  [[nodiscard]] bool is_served() const { return state_ == State::kSending && resource_ != nullptr; }

  // Chooses the answer to a request.
  using Answer = std::pair<std::string, const HttpResource*>;

  // Reads what has come; `answer_to` is asked when it is a head.
  template <class AnswerTo>
  void read(Clock::time_point now, const AnswerTo& answer_to) {
    std::array<char, 4096> bytes{};
    const std::size_t room =
        state_ == State::kLeaving ? bytes.size() : std::min(bytes.size(), kMostHead - head_.size());
    const ssize_t count = ::recv(socket_.get(), bytes.data(), room, 0);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (count == 0 && state_ == State::kLeaving) {
      closed_ = true;
      return settle(now);
    }
    if (count <= 0) return leave_at_once();
    if (state_ == State::kLeaving) return;  // what comes behind the request
    moved_ = now;
    head_.append(bytes.data(), static_cast<std::size_t>(count));
    const HttpHead head = read_http_head(head_);
    if (head.state == HttpHead::State::kIncomplete && head_.size() < kMostHead) return;
    std::tie(answer_, resource_) = answer_to(head);
    head_ = {};
    state_ = State::kSending;
    deadline_ = now + kSendPatience;
  }

  // Sends as much as goes. Error: kReadFailed, of the resource.
  [[nodiscard]] Result<void> send(Clock::time_point now, std::span<std::uint8_t> room) {
    while (state_ == State::kSending) {
      auto next = next_part(room);
      if (!next) return std::unexpected(std::move(next).error());
      if (next->empty()) {
        finish(now);
        break;
      }
      const ssize_t count = ::send(socket_.get(), next->data(), next->size(), MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) break;
      if (count < 0) {
        leave_at_once();
        break;
      }
      sent_ += static_cast<std::uint64_t>(count);
      moved_ = now;
      deadline_ = now + kSendPatience;
      // Others are served in between.
      if (sent_ > answer_.size()) break;
    }
    return {};
  }

  void leave_at_once() { state_ = State::kGone; }

  // All was sent, and the other side is done, or says nothing for long: it has what it
  // acknowledged.
  void settle(Clock::time_point now) {
    int missing = 0;
    if (::ioctl(socket_.get(), SIOCOUTQ, &missing) != 0) return leave_at_once();
    if (missing == 0) {
      fetched_ = resource_ != nullptr;
      return leave_at_once();
    }
    if (missing < missing_) moved_ = now;
    missing_ = missing;
    deadline_ = now + kLastLook;
    if (now - moved_ >= kLastPatience) leave_at_once();
  }

 private:
  // What is to be sent next; empty: nothing.
  [[nodiscard]] Result<ByteSpan> next_part(std::span<std::uint8_t> room) const {
    if (sent_ < answer_.size()) return as_bytes(std::string_view(answer_).substr(sent_));
    if (resource_ == nullptr) return ByteSpan{};
    const std::uint64_t offset = sent_ - answer_.size();
    const std::size_t wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(room.size(), resource_->size - offset));
    if (wanted == 0) return ByteSpan{};
    ssize_t count = -1;
    do {
      count = ::pread(resource_->descriptor, room.data(), wanted, static_cast<off_t>(offset));
    } while (count < 0 && errno == EINTR);
    if (count > 0) return ByteSpan(room.data(), static_cast<std::size_t>(count));
    return fail(ErrorCode::kReadFailed,
                fmt::format("what is served cannot be read: {}",
                            count < 0 ? system_message(errno) : "it was cut short"));
  }

  // Closing at once would take the answer away from who has not read it while bytes wait here.
  void finish(Clock::time_point now) {
    ::shutdown(socket_.get(), SHUT_WR);
    state_ = State::kLeaving;
    deadline_ = now + kLastPatience;
  }

  FileDescriptor socket_;
  State state_ = State::kReading;
  Clock::time_point deadline_;
  Clock::time_point moved_;  // when bytes last went either way
  std::string head_;
  std::string answer_;
  const HttpResource* resource_ = nullptr;  // sent behind the answer
  std::uint64_t sent_ = 0;
  bool fetched_ = false;
  bool closed_ = false;                            // the other side sends no more
  int missing_ = std::numeric_limits<int>::max();  // bytes that it had not acknowledged
};

class Serving {
 public:
  Serving(int listener, std::string address, std::uint16_t port,
          std::span<const HttpResource> resources, bool once,
          const std::function<void(const std::string&)>& note)
      : listener_(listener),
        hosts_{std::move(address), fmt::format("localhost:{}", port)},
        resources_(resources),
        once_(once),
        note_(note) {}

  [[nodiscard]] Result<void> run(const StopSignal& stop) {
    while (!stop.requested() && !(fetched_ && connections_.empty())) {
      wait(stop);
      const Clock::time_point now = Clock::now();
      for (std::size_t i = 0; i < connections_.size(); ++i) {
        if (auto done = go_on(connections_[i], waited_[i + kOthers].revents, now); !done)
          return done;
      }
      std::erase_if(connections_, [&](const Connection& each) {
        return each.state() == Connection::State::kGone || each.deadline() <= now ||
               (fetched_ && each.state() != Connection::State::kLeaving);
      });
      if (!fetched_ && waited_[1].revents != 0) accept_one(now);
    }
    return {};
  }

 private:
  static constexpr std::size_t kOthers = 2;  // in `waited_`, before connections

  void wait(const StopSignal& stop) {
    waited_.clear();
    waited_.push_back({.fd = stop.descriptor(), .events = POLLIN, .revents = 0});
    const bool accepts = !fetched_ && has_room();
    const bool pauses = pause_.lasts();
    waited_.push_back({.fd = accepts && !pauses ? listener_ : -1, .events = POLLIN, .revents = 0});
    std::optional<Clock::time_point> first;
    if (accepts && pauses) first = pause_.end();
    for (const Connection& each : connections_) {
      waited_.push_back({.fd = each.descriptor_to_await(), .events = each.awaits(), .revents = 0});
      first = std::min(first.value_or(each.deadline()), each.deadline());
    }
    int patience = StopSignal::kForEver;
    if (first) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*first - Clock::now());
      patience = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    }
    if (::poll(waited_.data(), waited_.size(), patience) < 0) {
      for (pollfd& each : waited_) each.revents = 0;
    }
  }

  [[nodiscard]] Result<void> go_on(Connection& connection, short events, Clock::time_point now) {
    if (connection.state() == Connection::State::kLeaving && connection.deadline() <= now) {
      connection.settle(now);
    } else if (events == 0) {
      return {};
    } else if (connection.state() != Connection::State::kSending) {
      connection.read(now, [&](const HttpHead& head) { return answer_to(head); });
    }
    const Result<void> sent = connection.send(now, room_);
    fetched_ = fetched_ || (once_ && connection.fetched());
    return sent;
  }

  [[nodiscard]] Connection::Answer answer_to(const HttpHead& head) const {
    const bool head_only = head.request.method == "HEAD";
    const auto refuse = [&](const Status& status) {
      return Connection::Answer{refusal(status, head_only), nullptr};
    };
    if (head.state == HttpHead::State::kIncomplete) return refuse(kTooLarge);
    if (head.state == HttpHead::State::kMalformed) return refuse(kMalformed);
    const HttpRequest& request = head.request;
    if (!is_host(request.host)) return refuse(kForbidden);
    const auto resource = std::ranges::find(resources_, request.target, &HttpResource::path);
    if (resource == resources_.end()) return refuse(kNotFound);
    if (!may_fetch(request, *resource)) return refuse(kForeign);
    if (!head_only && request.method != "GET") return refuse(kNotAllowed);
    std::string answer = header(kOk, resource->type, resource->size);
    if (!resource->origin.empty())
      answer += fmt::format("Access-Control-Allow-Origin: {}\r\n", resource->origin);
    for (const std::string& field : resource->fields) answer += field + "\r\n";
    answer += "\r\n";
    return {std::move(answer), head_only ? nullptr : &*resource};
  }

  [[nodiscard]] bool is_host(std::string_view name) const {
    return std::ranges::any_of(hosts_,
                               [&](const std::string& host) { return is_same_host(host, name); });
  }

  // Whether who asks may have it. Browsers send an Origin with every request that a page of another
  // origin could read, and none with those whose answers are only shown or run.
  [[nodiscard]] bool may_fetch(const HttpRequest& request, const HttpResource& resource) const {
    if (!resource.origin.empty()) return request.origin == resource.origin;
    constexpr std::string_view kScheme = "http://";
    const std::string_view origin = request.origin;
    if (!origin.empty() &&
        (!origin.starts_with(kScheme) || !is_host(origin.substr(kScheme.size()))))
      return false;
    const std::string_view site = request.fetch_site;
    if (site.empty() || site == "none" || site == "same-origin") return true;
    // A link to it that somebody follows.
    return request.fetch_mode == "navigate" && request.fetch_dest == "document";
  }

  // Whether a connection can be accepted: all places but those of who is served make room.
  [[nodiscard]] bool has_room() const {
    return connections_.size() < kMostConnections ||
           !std::ranges::all_of(connections_, &Connection::is_served);
  }

  // Lets go of the connection that has been still for longest. False: all are served.
  bool make_room() {
    auto stillest = connections_.end();
    for (auto each = connections_.begin(); each != connections_.end(); ++each) {
      if (each->is_served()) continue;
      if (stillest == connections_.end() || each->moved() < stillest->moved()) stillest = each;
    }
    if (stillest == connections_.end()) return false;
    connections_.erase(stillest);
    return true;
  }

  void accept_one(Clock::time_point now) {
    const auto accept = [this] {
      return FileDescriptor(::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    };
    FileDescriptor peer = accept();
    if (!peer.valid() && lacks_descriptors(errno) && make_room()) peer = accept();
    if (!peer.valid()) {
      if (lacks_descriptors(errno) && pause_.begin())
        note_(fmt::format("{}: {}; connections wait meanwhile", hosts_.front(),
                          why_not_opened(errno)));
      return;
    }
    if (connections_.size() == kMostConnections && !make_room()) return;
    connections_.emplace_back(std::move(peer), now);
  }

  int listener_;
  std::array<std::string, 2> hosts_;
  std::span<const HttpResource> resources_;
  bool once_;
  const std::function<void(const std::string&)>& note_;
  AcceptPause pause_;
  bool fetched_ = false;  // and that is all
  std::vector<Connection> connections_;
  std::vector<pollfd> waited_;
  std::vector<std::uint8_t> room_ = std::vector<std::uint8_t>(kChunk);
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::listen(std::uint16_t port) {
  const LiveAddress address{.kind = LiveKind::kTcpListen,
                            .text = fmt::format("127.0.0.1:{}", port),
                            .host = "127.0.0.1",
                            .port = std::to_string(port)};
  auto socket = bind_socket(address, SOCK_STREAM, {});
  if (!socket) return std::unexpected(std::move(socket).error());
  sockaddr_in bound{};
  socklen_t size = sizeof bound;
  if (::getsockname(socket->get(), reinterpret_cast<sockaddr*>(&bound), &size) != 0)
    return fail(ErrorCode::kCannotOpen, why_no_socket(errno), address.text);
  return std::unique_ptr<HttpServer>(new HttpServer(*std::move(socket), ntohs(bound.sin_port)));
}

std::string HttpServer::address() const { return fmt::format("127.0.0.1:{}", port_); }

Result<void> HttpServer::serve(std::span<const HttpResource> resources, Until until,
                               std::stop_token stop,
                               const std::function<void(const std::string&)>& note) const {
  StopSignal signal(std::move(stop));
  if (const int error = signal.arm(); error != 0)
    return fail(ErrorCode::kCannotOpen, why_not_opened(error), address());
  return Serving(socket_.get(), address(), port_, resources, until == Until::kFetchedOnce, note)
      .run(signal);
}

}  // namespace tracedeck::io
