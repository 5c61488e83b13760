// Metadata in TSDL (CTF 1.8.3, 7.1), plain or in packets.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tracedeck/ctf/metadata/metadata_reader.hpp"
#include "tracedeck/ctf/metadata/tsdl_blocks.hpp"
#include "tracedeck/ctf/metadata/tsdl_packets.hpp"
#include "tracedeck/ctf/metadata/tsdl_parser.hpp"

namespace tracedeck::ctf {
namespace {

constexpr std::string_view kSignature = "/* CTF 1.8";

class TsdlMetadataReader final : public MetadataReader {
 public:
  explicit TsdlMetadataReader(Metadata& metadata)
      : metadata_(metadata), packets_(findings_), blocks_(metadata, findings_) {}

  std::vector<Finding> read(ByteSpan bytes, bool last) override {
    if (form_ == Form::kUnknown) {
      head_.insert(head_.end(), bytes.begin(), bytes.end());
      if (head_.size() < kSignature.size() && !last) return {};
      metadata_.set_dialect(Dialect::kCtf1);
      form_ = tsdl::MetadataPackets::are_packets(head_) ? Form::kPackets : Form::kPlain;
      if (form_ == Form::kPlain && !as_text(head_).starts_with(kSignature)) {
        findings_.report_outside(
            TsdlRule::kSignature, 0,
            fmt::format("line 1, column 1: the text does not begin with `{}`", kSignature));
      }
      take(head_);
      head_ = {};
    } else {
      take(bytes);
    }
    if (last) judge_end();
    return findings_.take();
  }

 private:
  enum class Form : std::uint8_t { kUnknown, kPlain, kPackets };

  void take(ByteSpan bytes) {
    if (form_ == Form::kPlain) {
      add_text(as_text(bytes), position_);
    } else {
      for (const auto& [text, offset] : packets_.read(bytes)) add_text(text, offset);
    }
    position_ += bytes.size();
    read_declarations();
  }

  void add_text(std::string_view text, std::uint64_t stream_offset) {
    findings_.append(text, stream_offset);
    pending_ += text;
  }

  void read_declarations() {
    constexpr std::size_t kLarge = std::size_t{1} << 20U;
    std::size_t begin = 0;
    const auto rest = [&] { return std::string_view(pending_).substr(begin); };
    const auto drop = [&] {
      pending_.erase(0, std::exchange(begin, 0));
      pending_.shrink_to_fit();
    };
    while (const auto length = splitter_.find_end(rest())) {
      auto declaration = parse(rest().substr(0, *length), pending_offset_);
      begin += *length;
      pending_offset_ += *length;
      // What is made of it takes memory enough.
      if (begin >= kLarge) drop();
      if (declaration) add(std::move(*declaration));
    }
    if (begin != 0) drop();
  }

  // Nothing: there is none, or a finding says what is wrong.
  std::optional<tsdl::TopLevel> parse(std::string_view text, std::uint64_t offset) {
    tsdl::Parser parser(text, offset, findings_);
    if (parser.is_blank()) return std::nullopt;
    auto declaration = parser.parse();
    has_syntax_faults_ = has_syntax_faults_ || !declaration;
    return declaration;
  }

  void add(tsdl::TopLevel declaration) {
    blocks_.add(std::move(declaration));
    if (const auto& uuid = metadata_.uuid()) packets_.check_uuid(*uuid);
  }

  // What is left then is no declaration; more text may complete it all the same.
  void judge_end() {
    if (form_ == Form::kPackets) packets_.judge_end();
    tsdl::Parser parser(pending_, pending_offset_, findings_);
    if (!parser.is_blank()) {
      has_syntax_faults_ = true;
      static_cast<void>(parser.parse());
    }
    // What is missing may stand where nothing could be read.
    if (!packets_.is_lost()) blocks_.settle(has_syntax_faults_);
  }

  Metadata& metadata_;
  tsdl::TextFindings findings_;
  tsdl::MetadataPackets packets_;
  tsdl::BlockReader blocks_;
  tsdl::DeclarationSplitter splitter_;
  Form form_ = Form::kUnknown;
  bool has_syntax_faults_ = false;
  std::vector<std::uint8_t> head_;    // while the form is unknown
  std::uint64_t position_ = 0;        // in the stream
  std::string pending_;               // text of the declaration at hand
  std::uint64_t pending_offset_ = 0;  // in the text
};

}  // namespace

std::unique_ptr<MetadataReader> tsdl_metadata_reader(Metadata& metadata) {
  return std::make_unique<TsdlMetadataReader>(metadata);
}

}  // namespace tracedeck::ctf
