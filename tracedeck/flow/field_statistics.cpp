#include "tracedeck/flow/field_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tracedeck::flow {
namespace {

// Classes may share members so that their fields multiply beyond any use; what follows this
// many steps has no statistics.
constexpr std::size_t kMaxSteps = 4096;

// A new number: `member` is the slot's union member that holds it.
template <class T>
void narrow_and_widen(FieldStatistics& statistics, const Slot& slot, T Slot::* member) {
  if (statistics.count++ == 0) {
    statistics.minimum = slot;
    statistics.maximum = slot;
    return;
  }
  if (slot.*member < statistics.minimum.*member) statistics.minimum.*member = slot.*member;
  if (slot.*member > statistics.maximum.*member) statistics.maximum.*member = slot.*member;
}

// Neumaier's sum: what an addition rounds away is kept beside it.
void add_compensated(long double& sum, long double& compensation, long double value) {
  const long double next = sum + value;
  compensation += std::fabs(sum) >= std::fabs(value) ? (sum - next) + value : (value - next) + sum;
  sum = next;
}

template <class Sum>
double divide(Sum sum, std::uint64_t count) {
  const auto divisor = static_cast<Sum>(count);
  const Sum whole = sum / divisor;
  const Sum rest = sum % divisor;
  return static_cast<double>(static_cast<long double>(whole) +
                             static_cast<long double>(rest) / static_cast<long double>(count));
}

}  // namespace

std::optional<double> FieldStatistics::mean() const {
  if (count == 0) return std::nullopt;
  switch (kind) {
    case Kind::kUnsigned:
      return divide(unsigned_sum, count);
    case Kind::kSigned:
      return divide(signed_sum, count);
    case Kind::kReal:
      break;
  }
  return static_cast<double>(real_sum / static_cast<long double>(count));
}

FieldCollector::FieldCollector(const EventClass& event_class) {
  using Part = FieldStatistics::Part;
  if (event_class.stream_class != nullptr) {
    compile_members(Part::kCommonContext, "", event_class.stream_class->common_context.get());
  }
  compile_members(Part::kSpecificContext, "", event_class.specific_context.get());
  compile_members(Part::kPayload, "", event_class.payload.get());
}

void FieldCollector::compile_members(FieldStatistics::Part part, const std::string& path,
                                     const FieldClass* structure) {
  if (structure == nullptr) return;
  for (const Member& member : structure->as<StructureClass>()->members) {
    compile(part, path.empty() ? member.name.str() : path + '.' + member.name.str(),
            *member.field_class);
  }
}

void FieldCollector::compile(FieldStatistics::Part part, const std::string& path,
                             const FieldClass& field_class) {
  using Kind = FieldStatistics::Kind;
  if (steps_.size() >= kMaxSteps) {
    steps_.push_back({});
    return;
  }
  if (const auto* integer = field_class.as<IntegerClass>()) {
    compile_number(part, path, field_class, integer->is_signed ? Kind::kSigned : Kind::kUnsigned);
  } else if (field_class.as<RealClass>() != nullptr) {
    compile_number(part, path, field_class, Kind::kReal);
  } else if (field_class.as<StructureClass>() != nullptr) {
    steps_.push_back({.action = Action::kEnter});
    compile_members(part, path, &field_class);
  } else if (const auto* optional = field_class.as<OptionalClass>()) {
    const std::size_t head = steps_.size();
    steps_.push_back({.action = Action::kOptional});
    compile(part, path, *optional->value);
    steps_[head].jump = static_cast<std::uint32_t>(steps_.size() - head - 1);
  } else {
    steps_.push_back({});
  }
}

void FieldCollector::compile_number(FieldStatistics::Part part, const std::string& path,
                                    const FieldClass& field_class, FieldStatistics::Kind kind) {
  static constexpr Action kActions[] = {Action::kUnsigned, Action::kSigned, Action::kReal};
  steps_.push_back({.action = kActions[std::to_underlying(kind)],
                    .field = static_cast<std::uint32_t>(fields_.size())});
  Field& field = fields_.emplace_back();
  field.statistics.part = part;
  field.statistics.path = path;
  field.statistics.field_class = &field_class;
  field.statistics.kind = kind;
}

void FieldCollector::add(const Event& event) {
  const Slot* slot = event.slots;
  const Slot* const end = slot + event.slot_count;
  const Step* const last = steps_.data() + steps_.size();
  for (const Step* step = steps_.data(); step != last && slot < end; ++step) {
    if (step->action == Action::kEnter) {
      ++slot;
      continue;
    }
    if (step->action == Action::kOptional) {
      if (slot->bits == 0) step += step->jump;
      ++slot;
      continue;
    }
    add_number(*step, *slot);
    slot = slot->next();
  }
}

void FieldCollector::add_number(const Step& step, const Slot& slot) {
  if (step.action == Action::kSkip) return;
  Field& field = fields_[step.field];
  FieldStatistics& statistics = field.statistics;
  if (step.action == Action::kUnsigned && slot.kind == SlotKind::kUnsigned) {
    narrow_and_widen(statistics, slot, &Slot::bits);
    statistics.unsigned_sum += slot.bits;
  } else if (step.action == Action::kSigned && slot.kind == SlotKind::kSigned) {
    narrow_and_widen(statistics, slot, &Slot::integer);
    statistics.signed_sum += slot.integer;
  } else if (step.action == Action::kReal && slot.kind == SlotKind::kReal &&
             !std::isnan(slot.real)) {
    narrow_and_widen(statistics, slot, &Slot::real);
    add_compensated(statistics.real_sum, field.compensation, slot.real);
  } else {
    ++statistics.left_out;
  }
}

std::vector<FieldStatistics> FieldCollector::finish() const {
  std::vector<FieldStatistics> result;
  result.reserve(fields_.size());
  for (const Field& field : fields_) {
    FieldStatistics& statistics = result.emplace_back(field.statistics);
    // With an infinity among the values the compensation is not a number.
    if (std::isfinite(statistics.real_sum)) statistics.real_sum += field.compensation;
  }
  return result;
}

void combine(FieldStatistics& into, const FieldStatistics& from) {
  into.left_out += from.left_out;
  if (from.count == 0) return;
  const auto extend = [&](auto member) {
    if (into.count == 0 || from.minimum.*member < into.minimum.*member) into.minimum = from.minimum;
    if (into.count == 0 || from.maximum.*member > into.maximum.*member) into.maximum = from.maximum;
  };
  switch (into.kind) {
    case FieldStatistics::Kind::kUnsigned:
      extend(&Slot::bits);
      break;
    case FieldStatistics::Kind::kSigned:
      extend(&Slot::integer);
      break;
    case FieldStatistics::Kind::kReal:
      extend(&Slot::real);
      break;
  }
  into.count += from.count;
  into.unsigned_sum += from.unsigned_sum;
  into.signed_sum += from.signed_sum;
  into.real_sum += from.real_sum;
}

}  // namespace tracedeck::flow
