#include "tracedeck/lower/lowering_receipt.hpp"

#include <utility>

#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::lower {

Receipt LoweringReceipt::entries(std::string_view marks) const {
  Receipt receipt;
  for (const Account& account : accounts_) {
    if (account.events == 0) continue;
    for (const Kept& kept : account.kept) {
      const ConventionFacts& facts = facts_of(kept.convention);
      receipt.push_back({.what = std::string(facts.what),
                         .done = std::string(facts.done),
                         .count = account.events,
                         .lossy = facts.lossy,
                         .event_class = account.class_name,
                         .path = kept.path,
                         .input = account.input,
                         .offset = account.offset});
    }
  }
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    const auto convention = static_cast<Convention>(i);
    const ConventionFacts& facts = facts_of(convention);
    std::string done(facts.done);
    const bool is_described =
        convention == Convention::kDescription || convention == Convention::kEnvironment;
    if (convention == Convention::kDescription) done.append(": ").append(marks);
    receipt.push_back(
        {.what = std::string(facts.what),
         .done = std::move(done),
         .count = counts_[i],
         .lossy = facts.lossy,
         .of = is_described ? ReceiptEntry::Of::kDescription : ReceiptEntry::Of::kRecords});
  }
  return receipt;
}

void LoweringReceipt::note_heads(const FieldClassPtr& structure, const std::string& input) {
  if (structure == nullptr) return;
  for (const Member& member : structure->as<StructureClass>()->members) {
    if (!member.field_class->roles.empty() || !has_role_inside(*member.field_class)) continue;
    std::string path = "packet.";
    path += member.name.str();
    ++add({.kept = {{.convention = Convention::kHeadInside, .path = std::move(path)}},
           .input = input})
          .events;
  }
}

}  // namespace tracedeck::lower
