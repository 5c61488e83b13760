#include "tracedeck/flow/symbols.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/flow/hiding.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/model/class_table.hpp"

namespace tracedeck::flow {
namespace {

// Bytes of a stored trace that are read in a moment, also when they are compressed.
constexpr std::uint64_t kCheapSize = std::uint64_t{64} << 20;

const SymbolEvent* symbol_event(const TraceDescription& description) {
  const Format* const format = find_format(description.format());
  if (format == nullptr || !format->info().symbols) return nullptr;
  return &*format->info().symbols;
}

bool is_symbol(const EventClass& event_class, const SymbolEvent& symbols) {
  return event_class.name == symbols.event && !event_class.self_described &&
         event_class.payload != nullptr;
}

struct ClassVerdict {
  explicit ClassVerdict(const EventClass&) {}
  std::optional<bool> is_symbol = {};  // once it was looked at
};

class Reading {
 public:
  // `hiding`: what is hidden of the events that name symbols; null: nothing.
  Reading(const SymbolEvent& symbols, const Hiding* hiding, SymbolTable& table)
      : symbols_(symbols), hiding_(hiding), table_(table) {
    if (hiding_ == nullptr) return;
    name_ = verdict_on(symbols.name);
    file_ = verdict_on(symbols.file);
    name_.drops = name_.drops || hiding_->of(HiddenKind::kClass, symbols.event).drops;
  }

  void add(const Event& event) {
    ClassVerdict& verdict = classes_[*event.event_class];
    if (!verdict.is_symbol) verdict.is_symbol = is_symbol(*event.event_class, symbols_);
    if (*verdict.is_symbol) take(event);
  }

 private:
  void take(const Event& event) {
    std::optional<std::uint64_t> address;
    Function function;
    std::uint64_t size = 0;
    std::uint64_t depth = 0;
    const auto& members = event.event_class->payload->as<StructureClass>()->members;
    const std::span<const Slot> slots = event.payload();
    const Slot* slot = slots.data();
    const Slot* const end = slot + slots.size();
    for (const Member& member : members) {
      if (slot == end) break;
      const Slot& value = slot->kind == SlotKind::kOptional && slot->bits != 0 ? slot[1] : *slot;
      if (value.kind == SlotKind::kUnsigned) {
        if (member.name == symbols_.address) address = value.bits;
        if (member.name == symbols_.size) size = value.bits;
        if (member.name == symbols_.depth) depth = value.bits;
        if (member.name == symbols_.line) function.line = value.bits;
      } else if (value.kind == SlotKind::kString) {
        if (member.name == symbols_.name) function.name = value.text();
        if (member.name == symbols_.file) function.file = value.text();
      }
      slot = slot->next();
    }
    if (!address || function.name.empty() || name_.drops) return;
    const std::string name = name_ ? hiding_->mask(function.name) : std::string();
    const std::string file = file_ && !file_.drops ? hiding_->mask(function.file) : std::string();
    if (name_) function.name = name;
    if (file_) function.file = file;
    table_.add(*address, size, depth, function);
  }

  [[nodiscard]] Verdict verdict_on(std::string_view field) const {
    return hiding_->of(
        {.event_class = symbols_.event, .scope = "fields", .path = field, .name = field});
  }

  const SymbolEvent& symbols_;
  const Hiding* hiding_;
  Verdict name_ = {};
  Verdict file_ = {};
  SymbolTable& table_;
  ClassCache<ClassVerdict> classes_;
};

// Whether a trace may have events of that name: names stand in its file as they are. What is
// compressed or in several files is not looked through.
bool may_have(const TracePlace& place, std::string_view event, const PipelineContext& context) {
  const auto found = find_place(place, context.options.format, context.stop);
  if (!found || found->input == nullptr || !found->input->size()) return true;
  return mentions(*found->input, event).value_or(true);
}

SymbolTable read_symbols(const TracePlace& place, const PipelineContext& context) {
  ReadOptions reading = context.read_options(false, 1);
  reading.values = true;
  reading.headers = false;
  reading.findings = false;
  SymbolTable table;
  const auto reader = open_place(place, context.options.format, reading, context.stop);
  // Why not is reported when it is read.
  if (!reader) return table;
  // What is restored shows with the first records.
  auto batch = (*reader)->next();
  const std::shared_ptr<const TraceDescription> description = (*reader)->description();
  const SymbolEvent* const symbols = symbol_event(*description);
  if (symbols == nullptr) return table;
  const bool only_cheap = (context.options.needs | needs_of(context.options.selection)).symbols ==
                          Needs::Symbols::kCheap;
  if (only_cheap && (*reader)->stored_size().value_or(0) > kCheapSize) {
    context.observer.note(
        fmt::format("{}: addresses are shown without names, for which all of it would be read "
                    "first; symbol(x) in an expression does that",
                    description->input()));
    return table;
  }
  const bool is_restored = !description->stored_as().empty();
  if (!is_restored && !may_have(place, symbols->event, context)) return table;
  Reading names(*symbols, context.options.selection.hiding.get(), table);
  for (; batch && *batch != nullptr; batch = (*reader)->next()) {
    for (const Record& record : (*batch)->records()) {
      // Others that were restored beside it have addresses of their own.
      if (record.kind == RecordKind::kEvent &&
          record.event.event_class->entity.trace == description->number())
        names.add(record.event);
    }
  }
  table.finish();
  if (table.left_out() != 0) {
    context.observer.note(fmt::format("{}: {} names of addresses do not fit into memory",
                                      description->input(), table.left_out()));
  }
  return table;
}

}  // namespace

std::shared_ptr<const Symbols> symbols_of(const TracePlace& place,
                                          const std::shared_ptr<const PipelineContext>& context) {
  const Needs needs = context->options.needs | needs_of(context->options.selection);
  if (needs.symbols == Needs::Symbols::kNone || place.failure || !place.reopens()) return nullptr;
  return std::make_shared<const Symbols>(
      [place, context] { return read_symbols(place, *context); });
}

Result<bool> mentions(io::Input& input, std::string_view text) {
  std::vector<std::uint8_t> bytes((std::size_t{256} << 10) + text.size());
  for (std::size_t kept = 0;;) {
    const auto count = input.read(bytes.data() + kept, bytes.size() - kept);
    if (!count) return std::unexpected(count.error());
    if (*count == 0) return false;
    const ByteSpan all(bytes.data(), kept + *count);
    if (as_text(all).find(text) != std::string_view::npos) return true;
    // The text may begin at the end of this.
    kept = std::min(all.size(), text.size() - 1);
    std::ranges::copy(all.last(kept), bytes.begin());
  }
}

bool names_addresses(const TraceDescription& description) {
  const SymbolEvent* const symbols = symbol_event(description);
  return symbols != nullptr &&
         std::ranges::any_of(description.event_classes(), [&](const EventClass& event_class) {
           return is_symbol(event_class, *symbols);
         });
}

}  // namespace tracedeck::flow
