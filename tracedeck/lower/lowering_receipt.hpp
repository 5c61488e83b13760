// The receipt of a lowering: what was done to each class, and to how many events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/format/writer.hpp"
#include "tracedeck/lower/receipt_words.hpp"
#include "tracedeck/model/field_class.hpp"

namespace tracedeck::lower {

// How events of a class were lowered.
struct Account {
  std::string class_name = {};
  std::vector<Kept> kept = {};
  std::string input = {};
  std::uint64_t offset = 0;  // of the first event
  std::uint64_t events = 0;
};

class LoweringReceipt {
 public:
  // Stays where it is.
  [[nodiscard]] Account& add(Account account) {
    return account.kept.empty() ? unchanged_ : accounts_.emplace_back(std::move(account));
  }
  // What is of no class.
  void count(Convention convention) { ++counts_.at(static_cast<std::size_t>(convention)); }

  // Members of a packet header or context that are no bookkeeping, but have some inside: they are
  // left out with it. `structure`: may be null; `input`: of its trace.
  void note_heads(const FieldClassPtr& structure, const std::string& input);

  // Classes without events do not count. `marks`: as `TargetProfile` says it.
  [[nodiscard]] Receipt entries(std::string_view marks) const;

 private:
  std::deque<Account> accounts_;
  Account unchanged_ = {};  // of all that is as it was, which has no entry
  std::vector<std::uint64_t> counts_ =
      std::vector<std::uint64_t>(static_cast<std::size_t>(Convention::kCount));
};

}  // namespace tracedeck::lower
