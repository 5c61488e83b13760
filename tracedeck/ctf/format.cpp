#include "tracedeck/ctf/format.hpp"

#include <array>
#include <vector>

#include "tracedeck/ctf/metadata/metadata_rules.hpp"
#include "tracedeck/ctf/metadata/tsdl_rules.hpp"
#include "tracedeck/ctf/reader.hpp"
#include "tracedeck/ctf/rewrite.hpp"
#include "tracedeck/ctf/stream/stream_rules.hpp"
#include "tracedeck/ctf/trace.hpp"
#include "tracedeck/ctf/write/metadata_text.hpp"
#include "tracedeck/ctf/write/writer.hpp"

namespace tracedeck::ctf {
namespace {

std::unexpected<Error> not_a_file(std::string name) {
  return fail(ErrorCode::kUnsupported,
              "a CTF trace is a directory; name that instead of a file in it", std::move(name));
}

class CtfFormat final : public Format {
 public:
  [[nodiscard]] const FormatInfo& info() const override {
    static constexpr FormatInfo kInfo = {.name = "ctf",
                                         .title = "Common Trace Format",
                                         .versions = "CTF2-SPECRC-3.0, CTF2-SPEC-2.0, 1.8",
                                         .summary = "kernel, user space and bare metal traces",
                                         .file_name_hint = "",
                                         .directory_hint = "a file named metadata"};
    return kInfo;
  }
  [[nodiscard]] std::span<const Rule> rules() const override {
    static const std::vector<Rule> kRules = [] {
      std::vector<Rule> all;
      for (const auto part :
           {metadata_rules(Dialect::kRc3), tsdl_rules(), stream_rules(Dialect::kRc3)})
        all.insert(all.end(), part.begin(), part.end());
      return all;
    }();
    return kRules;
  }
  [[nodiscard]] std::span<const WriteTarget> targets() const override {
    static constexpr std::array<WriteTarget, 3> kTargets = {{
        {.name = "ctf2rc", .title = "CTF2-SPECRC-3.0", .directory = true},
        {.name = "ctf2", .title = "CTF2-SPEC-2.0", .directory = true},
        {.name = "ctf1", .title = "CTF 1.8", .directory = true},
    }};
    return kTargets;
  }

  [[nodiscard]] bool recognises(ByteSpan, bool) const override { return false; }
  [[nodiscard]] std::size_t recognition_size() const override { return 0; }
  [[nodiscard]] Result<std::unique_ptr<Reader>> open(std::unique_ptr<io::Input> input,
                                                     const ReadOptions&) const override {
    return not_a_file(input->name());
  }

  [[nodiscard]] bool recognises_directory(const std::string& directory) const override {
    return is_trace_directory(directory);
  }
  [[nodiscard]] std::string directory_identity(const std::string& directory) const override {
    return trace_uuid(directory);
  }
  [[nodiscard]] Result<std::unique_ptr<Reader>> open_directories(
      std::span<const std::string> directories, const ReadOptions& options,
      std::stop_token stop) const override {
    return open_reader(directories, options, std::move(stop));
  }

  [[nodiscard]] Result<std::unique_ptr<Writer>> create_directory(
      io::OutputDirectory& output, const WriteOptions& options) const override {
    return create_writer(output, options);
  }
  [[nodiscard]] Result<std::string> metadata_text(const TraceDescription& description,
                                                  std::string_view target) const override {
    for (const Dialect dialect : {Dialect::kRc3, Dialect::kFinal, Dialect::kCtf1}) {
      if (target == target_name(dialect)) return ctf::metadata_text(description, dialect);
    }
    return fail(ErrorCode::kUnsupported, "no CTF target is called " + std::string(target));
  }
  [[nodiscard]] Result<void> rewrite_directories(std::span<const std::string> directories,
                                                 io::OutputDirectory& output,
                                                 const ReadOptions& options,
                                                 const NoticeSink& notices,
                                                 std::stop_token stop) const override {
    return ctf::rewrite(directories, output, options, notices, std::move(stop));
  }

  [[nodiscard]] Result<std::unique_ptr<Writer>> create(io::Output& output,
                                                       const WriteOptions&) const override {
    return not_a_file(output.name());
  }
  [[nodiscard]] Result<void> rewrite(std::unique_ptr<io::Input> input, io::Output&,
                                     const ReadOptions&, const NoticeSink&,
                                     std::stop_token) const override {
    return not_a_file(input->name());
  }
};

}  // namespace

const Format& format() {
  static const CtfFormat kFormat;
  return kFormat;
}

}  // namespace tracedeck::ctf
