// What a conversion wrote and could not carry over, for people and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tracedeck/format/writer.hpp"

namespace tracedeck {

// How a conversion went.
struct ConversionReport {
  std::vector<std::string> inputs = {};
  std::string output = {};
  std::string to = {};                  // the name of the target
  std::vector<std::string> parts = {};  // of a divided result, their names
  bool rewritten = false;               // frame by frame, as it was
  std::uint64_t events = 0;             // written; not known of what is rewritten
  Receipt receipt = {};
  Receipt hidden = {};  // what was dropped and masked, as asked
};

[[nodiscard]] bool is_lossy(const Receipt& receipt);

// One sentence about an entry.
[[nodiscard]] std::string receipt_sentence(const ReceiptEntry& entry);

// Entries that differ only in where they are as one, without a place.
[[nodiscard]] Receipt by_kind(const Receipt& receipt);

// The object of docs/json/receipt.schema.json, with a newline.
[[nodiscard]] std::string report_json(const ConversionReport& report);

}  // namespace tracedeck
