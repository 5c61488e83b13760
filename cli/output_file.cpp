#include "cli/output_file.hpp"

#include <utility>

#include "tracedeck/io/compressing_output.hpp"

namespace tracedeck::cli {

std::unique_ptr<io::Output> create_output_file(const std::string& path, Session& session) {
  auto made = io::create_file(path, session.stop);
  if (!made) {
    session.diagnostics.error(made.error());
    session.outcome.note(ExitCode::kUsage);
    return nullptr;
  }
  return io::compress(*std::move(made), io::compression_named(path));
}

}  // namespace tracedeck::cli
