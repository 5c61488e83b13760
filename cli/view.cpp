// `view`: time lines, made and served to a browser of this machine.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <random>
#include <utility>

#include "cli/commands.hpp"
#include "cli/places.hpp"
#include "cli/session_host.hpp"
#include "cli/time_lines.hpp"
#include "cli/traces.hpp"
#include "tracedeck/convert/drawing.hpp"
#include "tracedeck/export/page/page.hpp"
#include "tracedeck/io/descriptor_output.hpp"
#include "tracedeck/io/http_server.hpp"
#include "tracedeck/io/live_address.hpp"
#include "tracedeck/io/temporary_file.hpp"

namespace tracedeck::cli {
namespace {

// The one address that Perfetto's page may fetch a trace from, by its own content security policy.
constexpr std::uint16_t kPerfettoPort = 9001;
constexpr std::string_view kPerfettoOrigin = "https://ui.perfetto.dev";

// A path that cannot be guessed: whoever else is on this machine can connect to it.
std::string secret_path() {
  std::random_device random;
  std::string path = "/";
  for (int word = 0; word < 3; ++word) path += fmt::format("{:08x}", random());
  return path;
}

std::unique_ptr<io::HttpServer> listen(const Options& options, Session& session) {
  auto server = io::HttpServer::listen(options.perfetto ? kPerfettoPort : options.port);
  if (server) return *std::move(server);
  if (options.perfetto) {
    session.diagnostics.error(
        fmt::format("127.0.0.1:{} cannot be listened on, and Perfetto's page fetches from no other "
                    "address; another program has it, maybe another 'view --perfetto'",
                    kPerfettoPort));
  } else {
    session.diagnostics.error(server.error());
  }
  session.outcome.note(ExitCode::kUsage);
  return nullptr;
}

// What is served, and where a browser finds it.
struct Served {
  io::HttpResource resource = {};
  std::string address = {};
};

Served served(const Options& options, const io::HttpServer& server, int descriptor) {
  struct stat status{};
  ::fstat(descriptor, &status);
  Served made{
      .resource = {.descriptor = descriptor, .size = static_cast<std::uint64_t>(status.st_size)}};
  if (options.perfetto) {
    // The page shows the last part of the path as the name of the trace.
    made.resource.path = secret_path() + "/trace";
    made.resource.type = "application/octet-stream";
    made.resource.origin = kPerfettoOrigin;
    made.address = fmt::format("{}/#!/?url=http://{}{}", kPerfettoOrigin, server.address(),
                               made.resource.path);
    return made;
  }
  made.resource.path = secret_path();
  made.resource.type = "text/html; charset=utf-8";
  made.resource.fields = {fmt::format("Content-Security-Policy: {}; frame-ancestors 'none'",
                                      page::content_security_policy()),
                          "Referrer-Policy: no-referrer"};
  made.address = fmt::format("http://{}{}", server.address(), made.resource.path);
  return made;
}

void serve(const Options& options, Session& session, const io::HttpServer& server,
           const Served& what) {
  if (!print(session, what.address + "\n") || !session.delivered(session.out.flush())) return;
  session.diagnostics.note(
      options.perfetto
          ? "that address loads Perfetto's page from the network; the trace goes no further than "
            "the browser. This ends when it was fetched"
          : "open that address in a browser on this machine; Ctrl+C ends it");
  using Until = io::HttpServer::Until;
  const auto done = server.serve(
      {&what.resource, 1}, options.perfetto ? Until::kFetchedOnce : Until::kStopped, session.stop,
      [&](const std::string& sentence) { session.diagnostics.note(sentence); });
  if (!done) session.report(done.error());
}

}  // namespace

std::string check_view(Options& options) {
  options.to = options.perfetto ? "perfetto" : "html";
  options.out = options.perfetto ? "the trace for Perfetto" : "the page";
  const auto is_given = [&](std::string_view id) {
    return std::ranges::find(options.given, id) != options.given.end();
  };
  if (options.perfetto && is_given("port"))
    return "option '--port' is of the page: Perfetto fetches from port 9001 only";
  if (options.perfetto && is_given("args"))
    return "option '--args' is of the page, not of --perfetto";
  if (!options.perfetto && is_given("perfetto-level"))
    return "option '--perfetto-level' goes with --perfetto";
  if (std::ranges::any_of(options.operands, io::is_live_address))
    return "shows what is complete: record what comes live with 'convert -o' first";
  return options.max_size ? check_read_again(options, "--max-size") : std::string();
}

void run_view(const Options& options, Session& session) {
  if (options.explain) return explain(options, session);
  // What is wrong with the port shows before anything is read.
  const auto server = listen(options, session);
  if (server == nullptr) return;
  io::FileDescriptor file;
  std::unique_ptr<io::Output> output;
  const std::string place = io::directory_for_temporary_files();
  SessionHost host(options, session);
  const auto report = draw(conversion_task(options), host, [&]() -> io::Output* {
    auto made = io::open_temporary(place);
    if (!made) {
      session.report(made.error());
      return nullptr;
    }
    file = *std::move(made);
    output = std::make_unique<io::DescriptorOutput>(
        "a temporary file in " + place, io::FileDescriptor(file.get(), /*borrowed=*/true));
    return output.get();
  });
  if (!report || !session.delivered(output->finish())) {
    if (session.stop.stop_requested()) session.diagnostics.error("interrupted before it was made");
    return;
  }
  host.conclude(*report);
  serve(options, session, *server, served(options, *server, file.get()));
}

}  // namespace tracedeck::cli
