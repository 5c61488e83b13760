// Metadata in TSDL (CTF 1.8.3, 7.1), plain or in packets.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
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
// In place of a byte order mark.
constexpr std::size_t kMostSpaces = 3;

class TsdlMetadataReader final : public MetadataReader {
 public:
  explicit TsdlMetadataReader(Metadata& metadata)
      : metadata_(metadata), packets_(findings_), blocks_(metadata, findings_) {}

  std::vector<Finding> read(ByteSpan bytes, bool last) override {
    if (form_ == Form::kUnknown) {
      head_.insert(head_.end(), bytes.begin(), bytes.end());
      if (head_.size() < kMostSpaces + kSignature.size() && !last) return {};
      metadata_.set_dialect(Dialect::kCtf1);
      form_ = tsdl::MetadataPackets::are_packets(head_) ? Form::kPackets : Form::kPlain;
      std::string_view head = as_text(head_);
      head.remove_prefix(std::min(head.find_first_not_of(' '), head.size()));
      if (form_ == Form::kPlain && !head.starts_with(kSignature)) {
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
    if (const auto at = cut_at()) {
      has_syntax_faults_ = true;
      findings_.report(
          TsdlRule::kCut, {.offset = pending_offset_ + *at},
          "the declaration that begins here is cut; what is declared before it counts");
    } else if (tsdl::Parser parser(pending_, pending_offset_, findings_); !parser.is_blank()) {
      has_syntax_faults_ = true;
      static_cast<void>(parser.parse());
    }
    // What is missing may stand where nothing could be read.
    if (!packets_.is_lost()) blocks_.settle(has_syntax_faults_);
  }

  // Where the declaration at hand begins, if nothing is wrong with it but that the text ends in it.
  [[nodiscard]] std::optional<std::uint64_t> cut_at() const {
    tsdl::TextFindings findings;
    findings.append(pending_, 0);
    tsdl::Parser parser(pending_, 0, findings);
    if (parser.is_blank() || parser.parse()) return std::nullopt;
    const std::vector<Finding> faults = findings.take();
    if (faults.size() != 1) return std::nullopt;
    constexpr std::string_view kSpace = " \t\r\n";
    const std::string_view text = pending_;
    std::string_view rest = text.substr(std::min<std::size_t>(faults[0].offset, text.size()));
    rest = rest.substr(0, rest.find_last_not_of(kSpace) + 1);
    // The last token may be a part of one.
    const bool is_last_token =
        rest.size() <= 2 || std::ranges::all_of(rest, [](char each) {
          return (std::isalnum(static_cast<unsigned char>(each)) != 0) || each == '_';
        });
    const bool is_in_comment = rest.starts_with("/*");
    const bool is_in_string =
        (rest.starts_with('"') || rest.starts_with('\\')) && !rest.contains('\n');
    if (!is_last_token && !is_in_comment && !is_in_string) return std::nullopt;
    return text.find_first_not_of(kSpace);
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
