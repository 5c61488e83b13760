#include "tracedeck/format/format.hpp"

namespace tracedeck {
namespace {

std::unexpected<Error> no_directories(const FormatInfo& info) {
  return fail(ErrorCode::kUnsupported, std::string(info.name) + " traces are files");
}

}  // namespace

// Who overrides it takes the files over.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
Result<std::unique_ptr<Reader>> Format::open_cores(std::vector<CoreInput>,
                                                   const ReadOptions&) const {
  return fail(ErrorCode::kUnsupported,
              std::string(info().name) + " traces have no file for each core");
}

Result<std::unique_ptr<Reader>> Format::open_directories(std::span<const std::string>,
                                                         const ReadOptions&,
                                                         std::stop_token) const {
  return no_directories(info());
}

Result<std::unique_ptr<Writer>> Format::create_directory(io::OutputDirectory&,
                                                         const WriteOptions&) const {
  return no_directories(info());
}

Result<void> Format::rewrite_directories(std::span<const std::string>, io::OutputDirectory&,
                                         const ReadOptions&, const NoticeSink&,
                                         std::stop_token) const {
  return no_directories(info());
}

Result<std::string> Format::metadata_text(const TraceDescription& description,
                                          std::string_view) const {
  return fail(ErrorCode::kUnsupported, std::string(info().name) + " traces have no metadata text",
              description.input());
}

}  // namespace tracedeck
