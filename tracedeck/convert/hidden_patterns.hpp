// What a conversion hides: the patterns of --drop, --mask and --share.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/convert/report.hpp"
#include "tracedeck/flow/hiding.hpp"

namespace tracedeck {

// Reads `[KIND:]GLOB` or `[CLASS:]GLOB`, the `number`th pattern from 1 on. Errors are sentences.
[[nodiscard]] std::expected<flow::HiddenPattern, std::string> parse_hidden(std::string_view text,
                                                                           bool drops,
                                                                           std::size_t number);

// What hides by the patterns and, if it `shares`, texts and paths. Texts are masked under the key
// in the file `mask_key`; "": under a random one. Null: nothing is hidden. Errors are sentences: a
// key that cannot be read, or is too short.
[[nodiscard]] std::expected<std::shared_ptr<const flow::Hiding>, std::string> make_hiding(
    std::vector<flow::HiddenPattern> patterns, bool shares, const std::string& mask_key);

// A report without what is hidden, and with what was. `hiding` may be null.
[[nodiscard]] ConversionReport hidden_report(const ConversionReport& report,
                                             const flow::Hiding* hiding);

}  // namespace tracedeck
