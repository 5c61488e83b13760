#include "cli/hidden.hpp"

#include <fmt/format.h>
#include <nettle/hmac.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "tracedeck/io/read_file.hpp"
#include "tracedeck/query/pattern.hpp"

namespace tracedeck::cli {
namespace {

struct KindWord {
  std::string_view word;
  flow::HiddenKind kind;
  bool names_texts;  // patterns are of what is hidden itself
};

constexpr auto kHiddenKinds = std::to_array<KindWord>({
    {"field", flow::HiddenKind::kField, false},
    {"class", flow::HiddenKind::kClass, true},
    {"env", flow::HiddenKind::kEnvironment, false},
    {"meta", flow::HiddenKind::kMetadata, false},
    {"thread", flow::HiddenKind::kThread, true},
    {"file", flow::HiddenKind::kFile, true},
});

constexpr std::size_t kLeastKey = 16;
constexpr std::size_t kMostKey = 65'536;
constexpr std::size_t kMaskDigest = 8;

std::expected<flow::HiddenPattern::Test, std::string> glob_test(std::string_view glob) {
  auto matcher = query::glob_matcher(glob);
  if (!matcher) return std::unexpected(matcher.error().message);
  return [matcher = *std::move(matcher)](std::string_view text) { return matcher->matches(text); };
}

bool matches_all(std::string_view) { return true; }

// What --share hides.
std::vector<flow::HiddenPattern> shared_patterns() {
  const auto pattern = [](flow::HiddenKind kind, bool drops) {
    return flow::HiddenPattern{.kind = kind,
                               .drops = drops,
                               .only_texts = true,
                               .is_preset = true,
                               .said = "--share",
                               .matches = matches_all};
  };
  using flow::HiddenKind;
  return {pattern(HiddenKind::kField, false), pattern(HiddenKind::kEnvironment, false),
          pattern(HiddenKind::kMetadata, true), pattern(HiddenKind::kThread, false),
          pattern(HiddenKind::kFile, false)};
}

// The texts that stand for others: HMAC-SHA256, 8 bytes of it.
class Masker {
 public:
  explicit Masker(std::span<const std::uint8_t> key) {
    hmac_sha256_set_key(&keyed_, key.size(), key.data());
  }

  std::string operator()(std::string_view text) const {
    hmac_sha256_ctx hash = keyed_;
    hmac_sha256_update(&hash, text.size(), reinterpret_cast<const std::uint8_t*>(text.data()));
    std::array<std::uint8_t, kMaskDigest> digest{};
    hmac_sha256_digest(&hash, digest.size(), digest.data());
    return fmt::format("m_{:02x}", fmt::join(digest, ""));
  }

 private:
  hmac_sha256_ctx keyed_ = {};
};

std::vector<std::uint8_t> random_key() {
  std::random_device source;
  std::vector<std::uint8_t> key(2 * kLeastKey);
  std::ranges::generate(key, [&] { return static_cast<std::uint8_t>(source()); });
  return key;
}

std::expected<std::vector<std::uint8_t>, std::string> read_key(const std::string& path) {
  auto key = io::read_file(path, kMostKey, {});
  if (!key) return std::unexpected(key.error().to_string());
  if (!key->empty() && key->back() == '\n') key->pop_back();
  if (!key->empty() && key->back() == '\r') key->pop_back();
  if (key->size() >= kLeastKey) return *std::move(key);
  return std::unexpected(fmt::format("{}: a key has {} bytes at least, and this one has {}", path,
                                     kLeastKey, key->size()));
}

}  // namespace

std::expected<flow::HiddenPattern, std::string> parse_hidden(std::string_view text) {
  flow::HiddenPattern pattern;
  std::string_view glob = text;
  const KindWord* kind = kHiddenKinds.data();
  const std::size_t first = text.find(':');
  const auto named = std::ranges::find(kHiddenKinds, text.substr(0, first), &KindWord::word);
  const bool says_kind = first != std::string_view::npos && named != kHiddenKinds.end();
  if (says_kind) {
    kind = &*named;
    glob = text.substr(first + 1);
  }
  pattern.kind = kind->kind;
  if (const std::size_t last = glob.rfind(':');
      pattern.kind == flow::HiddenKind::kField && last != std::string_view::npos) {
    auto of_class = glob_test(glob.substr(0, last));
    if (!of_class) return std::unexpected(of_class.error());
    pattern.of_class = *std::move(of_class);
    glob = glob.substr(last + 1);
  }
  if (glob.empty()) return std::unexpected("a pattern is wanted, such as user, env:* or file:*");
  pattern.by_path = glob.find('.') != std::string_view::npos;
  auto matches = glob_test(glob);
  if (!matches) return std::unexpected(matches.error());
  pattern.matches = *std::move(matches);
  // What names a text is not said where that is hidden.
  if (!kind->names_texts) {
    pattern.said = says_kind && pattern.kind != flow::HiddenKind::kField
                       ? fmt::format("{}:{}", kind->word, glob)
                       : std::string(glob);
    if (pattern.of_class) pattern.said += " of some classes";
  }
  return pattern;
}

std::string add_hidden(Options& options, const std::string& text, bool drops) {
  auto pattern = parse_hidden(text);
  if (!pattern) return std::move(pattern).error();
  pattern->drops = drops;
  if (pattern->said.empty()) pattern->said = fmt::format("pattern {}", options.hidden.size() + 1);
  const std::string_view option = drops ? "--drop" : "--mask";
  pattern->given = fmt::format("{} {}", option, text);
  pattern->said = fmt::format("{} {}", option, pattern->said);
  options.hidden.push_back(*std::move(pattern));
  return {};
}

std::string check_hidden(Options& options) {
  const auto masks = [](const flow::HiddenPattern& pattern) { return !pattern.drops; };
  std::vector<flow::HiddenPattern> patterns = options.hidden;
  if (options.shares) std::ranges::move(shared_patterns(), std::back_inserter(patterns));
  const bool is_masked = std::ranges::any_of(patterns, masks);
  if (!options.mask_key.empty() && !is_masked)
    return "option '--mask-key' goes with '--mask' or '--share' only";
  if (patterns.empty()) return {};
  if (options.as_stored) {
    return "option '--as-stored' does not go with '--drop', '--mask' or '--share': what a "
           "conversion keeps of another trace would be handed on with it";
  }
  if (options.mask_key.empty()) {
    if (is_masked)
      options.notes.emplace_back(
          "texts are masked by a random key, and differ from those of any other run; --mask-key "
          "FILE makes equal texts equal everywhere");
    options.selection.hiding =
        std::make_shared<const flow::Hiding>(std::move(patterns), Masker(random_key()));
    return {};
  }
  const auto key = read_key(options.mask_key);
  if (!key) return fmt::format("option '--mask-key': {}", key.error());
  options.selection.hiding =
      std::make_shared<const flow::Hiding>(std::move(patterns), Masker(*key));
  return {};
}

std::vector<std::string> shown_operands(const Options& options) {
  std::vector<std::string> operands = options.operands;
  if (const auto& hiding = options.selection.hiding; hiding != nullptr)
    for (std::string& operand : operands) operand = hiding->path(operand);
  return operands;
}

ConversionReport hidden_report(const Options& options, const ConversionReport& report) {
  ConversionReport shown = report;
  const auto& hiding = options.selection.hiding;
  if (hiding == nullptr) return shown;
  shown.inputs = shown_operands(options);
  shown.output = hiding->path(shown.output);
  for (std::string& part : shown.parts) part = hiding->path(part);
  shown.hidden = hiding->receipt();
  return shown;
}

void report_hidden(const Options& options, Session& session, const ConversionReport& report) {
  for (const ReceiptEntry& entry : report.hidden)
    session.diagnostics.note(
        fmt::format("{}: {} {}: {}", options.out, entry.done, entry.count, entry.what));
  if (options.selection.hiding == nullptr) return;
  for (const std::string& pattern : options.selection.hiding->unmatched()) {
    const std::string sentence =
        fmt::format("{}: '{}' matched nothing, and nothing is hidden by it", options.out, pattern);
    if (!options.strict) {
      session.diagnostics.note(sentence);
      continue;
    }
    session.diagnostics.error(sentence);
    session.outcome.note(ExitCode::kDamage);
  }
}

}  // namespace tracedeck::cli
