#include "tracedeck/convert/hidden_patterns.hpp"

#include <fmt/format.h>
#include <nettle/hmac.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <random>
#include <span>
#include <utility>

#include "tracedeck/io/read_file.hpp"
#include "tracedeck/query/pattern.hpp"

namespace tracedeck {
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

std::expected<flow::HiddenPattern, std::string> parse_pattern(std::string_view text) {
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

}  // namespace

std::expected<flow::HiddenPattern, std::string> parse_hidden(std::string_view text, bool drops,
                                                             std::size_t number) {
  auto pattern = parse_pattern(text);
  if (!pattern) return pattern;
  pattern->drops = drops;
  if (pattern->said.empty()) pattern->said = fmt::format("pattern {}", number);
  const std::string_view option = drops ? "--drop" : "--mask";
  pattern->given = fmt::format("{} {}", option, text);
  pattern->said = fmt::format("{} {}", option, pattern->said);
  return pattern;
}

std::expected<std::shared_ptr<const flow::Hiding>, std::string> make_hiding(
    std::vector<flow::HiddenPattern> patterns, bool shares, const std::string& mask_key) {
  if (shares) std::ranges::move(shared_patterns(), std::back_inserter(patterns));
  if (patterns.empty()) return nullptr;
  if (mask_key.empty())
    return std::make_shared<const flow::Hiding>(std::move(patterns), Masker(random_key()));
  const auto key = read_key(mask_key);
  if (!key) return std::unexpected(key.error());
  return std::make_shared<const flow::Hiding>(std::move(patterns), Masker(*key));
}

ConversionReport hidden_report(const ConversionReport& report, const flow::Hiding* hiding) {
  ConversionReport shown = report;
  if (hiding == nullptr) return shown;
  for (std::string& input : shown.inputs) input = hiding->path(input);
  shown.output = hiding->path(shown.output);
  for (std::string& part : shown.parts) part = hiding->path(part);
  shown.hidden = hiding->receipt();
  return shown;
}

}  // namespace tracedeck
