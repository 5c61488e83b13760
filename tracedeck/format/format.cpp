#include "tracedeck/format/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tracedeck {

std::unexpected<Error> Format::lacks(std::string_view what, std::string input) const {
  return fail(ErrorCode::kUnsupported, fmt::format("{} traces {}", info().name, what),
              std::move(input));
}

Result<std::unique_ptr<Reader>> Format::open(std::unique_ptr<io::Input> input,
                                             const ReadOptions& options) const {
  if (!parts_.files)
    return lacks("are directories; name that instead of a file in it", input->name());
  return parts_.files->open(std::move(input), options);
}

Result<std::unique_ptr<Reader>> Format::open_cores(std::vector<CoreInput> files,
                                                   const ReadOptions& options) const {
  if (!has_core_files()) return lacks("have no file for each core");
  return parts_.files->open_cores(std::move(files), options);
}

Result<std::unique_ptr<Writer>> Format::create(io::Output& output,
                                               const WriteOptions& options) const {
  if (!parts_.files || parts_.files->create == nullptr)
    return lacks("are not written as files", output.name());
  return lowered(parts_.files->create(output, options), options);
}

Result<std::unique_ptr<Writer>> Format::lowered(Result<std::unique_ptr<Writer>> native,
                                                const WriteOptions& options) const {
  if (!native || lowering_ == nullptr) return native;
  const auto target = options.target.empty()
                          ? targets().begin()
                          : std::ranges::find(targets(), options.target, &WriteTarget::name);
  return target == targets().end() ? std::move(native)
                                   : lowering_(*target, *std::move(native), options);
}

Result<void> Format::rewrite(std::unique_ptr<io::Input> input, io::Output& output,
                             const ReadOptions& options, const NoticeSink& notices,
                             const std::stop_token& stop) const {
  if (!parts_.files || parts_.files->rewrite == nullptr)
    return lacks("that are files are not rewritten", input->name());
  return parts_.files->rewrite(std::move(input), output, options, notices, stop);
}

std::string Format::directory_identity(const std::string& directory) const {
  if (!parts_.directories || parts_.directories->identity == nullptr) return {};
  return parts_.directories->identity(directory);
}

Result<std::unique_ptr<Reader>> Format::open_directories(std::span<const std::string> directories,
                                                         const ReadOptions& options,
                                                         std::stop_token stop) const {
  if (!parts_.directories) return lacks("are files");
  return parts_.directories->open(directories, options, std::move(stop));
}

Result<std::unique_ptr<Writer>> Format::create_directory(io::OutputDirectory& output,
                                                         const WriteOptions& options) const {
  if (!parts_.directories || parts_.directories->create == nullptr)
    return lacks("are not written as directories");
  return lowered(parts_.directories->create(output, options), options);
}

Result<void> Format::rewrite_directories(std::span<const std::string> directories,
                                         io::OutputDirectory& output, const ReadOptions& options,
                                         const NoticeSink& notices, std::stop_token stop) const {
  if (!parts_.directories || parts_.directories->rewrite == nullptr)
    return lacks("that are directories are not rewritten");
  return parts_.directories->rewrite(directories, output, options, notices, std::move(stop));
}

Result<void> Format::write_metadata_text(const TraceDescription& description,
                                         const EachEventClass& event_classes,
                                         std::string_view target, io::Output& output) const {
  if (parts_.metadata_text == nullptr) return lacks("have no metadata text", description.input());
  return parts_.metadata_text(description, event_classes, target, output);
}

}  // namespace tracedeck
