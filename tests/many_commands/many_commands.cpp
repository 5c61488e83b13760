// The command, run many times in one process: many_commands DESCRIPTOR.
//
// A process for each run of a short command costs more than the run. Tests start this program once,
// and it runs one command after the other as the command's own process would: with its arguments,
// environment, directory and standard descriptors. A command that crashes takes the process with
// it, without an answer, so whoever asked for it knows which one it was. A command that leaves
// descriptors open, threads running, or signals handled is said on standard error, and ends the
// process too.
//
// DESCRIPTOR is a connected stream socket. A request is a 32-bit length in the machine's order,
// sent with three descriptors (standard input, output and error), and as many bytes: strings that
// end with a zero byte each: the directory, how many variables the environment has, these as
// NAME=VALUE, and the arguments. The answer is the exit code, 32 bits. The end of the requests ends
// the program.
#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/command_line.hpp"

namespace {

constexpr std::size_t kStandard = 3;
constexpr int kBroken = 2;  // exit code: not a request
constexpr int kLeft = 3;    // exit code: a command left something behind

struct Request {
  std::string directory;
  std::vector<std::string> environment;
  std::vector<std::string> arguments;
  std::array<int, kStandard> descriptors = {};
};

bool read_all(int from, std::span<char> into) {
  while (!into.empty()) {
    const ssize_t got = ::read(from, into.data(), into.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

// The length of a request, and its descriptors. Nothing: there is no more, or what came is no
// request.
std::optional<std::uint32_t> receive_head(int from, std::array<int, kStandard>& descriptors) {
  std::uint32_t length = 0;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof descriptors)> control{};
  iovec part{.iov_base = &length, .iov_len = sizeof length};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = 0;
  do {
    got = ::recvmsg(from, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof length) return std::nullopt;
  const cmsghdr* const head = CMSG_FIRSTHDR(&message);
  if (head == nullptr || head->cmsg_type != SCM_RIGHTS ||
      head->cmsg_len != CMSG_LEN(sizeof descriptors))
    return std::nullopt;
  std::memcpy(descriptors.data(), CMSG_DATA(head), sizeof descriptors);
  return length;
}

std::optional<Request> receive(int from) {
  Request request;
  const auto length = receive_head(from, request.descriptors);
  if (!length) return std::nullopt;
  std::string body(*length, '\0');
  if (!read_all(from, body)) return std::nullopt;
  std::vector<std::string> strings;
  for (std::size_t at = 0; at < body.size();) {
    strings.emplace_back(body.c_str() + at);
    at += strings.back().size() + 1;
  }
  if (strings.size() < 2) return std::nullopt;
  request.directory = strings[0];
  const std::size_t variables = std::strtoul(strings[1].c_str(), nullptr, 10);
  if (strings.size() < 2 + variables) return std::nullopt;
  const auto arguments = strings.begin() + 2 + static_cast<std::ptrdiff_t>(variables);
  request.environment.assign(strings.begin() + 2, arguments);
  request.arguments.assign(arguments, strings.end());
  return request;
}

void set_environment(const std::vector<std::string>& variables) {
  ::clearenv();
  for (const std::string& each : variables) {
    const std::size_t name = each.find('=');
    if (name != std::string::npos)
      ::setenv(each.substr(0, name).c_str(), each.c_str() + name + 1, 1);
  }
  ::tzset();
}

std::vector<std::string> entries_of(const char* directory) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(directory), ::closedir);
  std::vector<std::string> names;
  while (entries != nullptr) {
    const dirent* const entry = ::readdir(entries.get());
    if (entry == nullptr) break;
    names.emplace_back(entry->d_name);
  }
  std::ranges::sort(names);
  return names;
}
std::size_t threads() { return entries_of("/proc/self/task").size(); }

// What a descriptor is open on, as the system names it.
std::string open_on(const std::string& descriptor) {
  std::array<char, 256> name{};
  const ssize_t size =
      ::readlink(("/proc/self/fd/" + descriptor).c_str(), name.data(), name.size());
  return descriptor + " " + std::string(name.data(), size < 0 ? 0 : static_cast<std::size_t>(size));
}

// What a command must leave as it was.
struct State {
  std::vector<std::string> descriptors = entries_of("/proc/self/fd");
  std::size_t threads = ::threads();
  std::array<bool, 3> handled = {is_handled(SIGINT), is_handled(SIGTERM), !is_ignored(SIGPIPE)};

  static bool is_handled(int signal) {
    struct sigaction action{};
    ::sigaction(signal, nullptr, &action);
    return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
  }
  static bool is_ignored(int signal) {
    struct sigaction action{};
    ::sigaction(signal, nullptr, &action);
    return action.sa_handler == SIG_IGN;
  }
};

// A thread that was joined is listed for a moment longer.
bool threads_run(std::size_t before) {
  for (int i = 0; i < 100 && threads() > before; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return threads() > before;
}

// Says what differs from `before`. False: nothing does. `images`: how many were kept until now.
bool left_behind(const State& before, int& images) {
  const State now;
  bool any = false;
  const auto say = [&](const std::string& what) {
    std::fprintf(stderr, "many_commands: the command left %s\n", what.c_str());
    any = true;
  };
  for (const std::string& each : now.descriptors) {
    if (std::ranges::binary_search(before.descriptors, each)) continue;
    const std::string what = open_on(each);
    // The one image in memory that all dial9 readers copy is made for the first and stays.
    if (what.find("/memfd:tracedeck") != std::string::npos && images++ == 0) continue;
    say("open " + what);
  }
  for (const std::string& each : before.descriptors) {
    if (!std::ranges::binary_search(now.descriptors, each)) say("closed descriptor " + each);
  }
  if (now.threads > before.threads && threads_run(before.threads)) say("threads running");
  if (now.handled != before.handled) say("signals handled otherwise than before");
  return any;
}

// The standard descriptors between commands: nothing to read, nowhere to write but for what is said
// of this program itself.
class OwnDescriptors {
 public:
  OwnDescriptors()
      : nothing_(::open("/dev/null", O_RDWR | O_CLOEXEC)),
        errors_(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, kStandard)) {
    restore();
  }
  void restore() const {
    ::dup2(nothing_, STDIN_FILENO);
    ::dup2(nothing_, STDOUT_FILENO);
    ::dup2(errors_, STDERR_FILENO);
  }

 private:
  int nothing_;
  int errors_;
};

// As the command's own process does it.
std::int32_t run(const Request& request, int& images) {
  for (std::size_t i = 0; i < kStandard; ++i) {
    ::dup2(request.descriptors[i], static_cast<int>(i));
    ::close(request.descriptors[i]);
  }
  set_environment(request.environment);
  if (::chdir(request.directory.c_str()) != 0) {
    std::fprintf(stderr, "many_commands: no directory %s\n", request.directory.c_str());
    std::exit(kBroken);
  }
  const State before;
  const auto code = std::to_underlying(tracedeck::cli::run(request.arguments, stderr));
  std::fflush(stderr);
  if (left_behind(before, images)) std::exit(kLeft);
  return code;
}

}  // namespace

int main(int count, char** values) {
  if (count != 2) {
    std::fputs("many_commands DESCRIPTOR: runs the commands that tests ask for\n", stderr);
    return kBroken;
  }
  const int requests = static_cast<int>(std::strtol(values[1], nullptr, 10));
  ::fcntl(requests, F_SETFD, FD_CLOEXEC);
  std::signal(SIGPIPE, SIG_IGN);
  const OwnDescriptors own;
  int images = 0;
  while (const auto request = receive(requests)) {
    const std::int32_t code = run(*request, images);
    own.restore();
    if (::write(requests, &code, sizeof code) != sizeof code) return kBroken;
  }
  return 0;
}
