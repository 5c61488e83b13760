#include "tracedeck/flow/field_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tracedeck/model/units.hpp"

namespace tracedeck::flow {
namespace {

// Classes may share members so that their fields multiply beyond any use; what follows this
// many steps has no statistics.
constexpr std::size_t kMaxSteps = 4096;

// A new number: `member` is the slot's union member that holds it.
template <class Statistics, class T>
void narrow_and_widen(Statistics& statistics, const Slot& slot, T Slot::* member) {
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

const FieldClass& FieldStatistics::field_class() const {
  const FieldClass* own = member->field_class.get();
  while (const auto* const optional = own->as<OptionalClass>()) own = optional->value.get();
  return *own;
}

std::string_view FieldStatistics::unit() const { return unit_of(member->attributes); }

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

// Goes through the fields of a class in the order of their slots: `steps` has one for each value,
// `numbers` one for each number. Without `named` these have no path.
class FieldCollector::Walk {
 public:
  using Part = FieldStatistics::Part;
  using Kind = FieldStatistics::Kind;

  explicit Walk(bool named) : named_(named) {}

  void operator()(const EventClass& event_class) {
    if (event_class.stream_class != nullptr)
      members(Part::kCommonContext, "", event_class.stream_class->common_context.get());
    members(Part::kSpecificContext, "", event_class.specific_context.get());
    members(Part::kPayload, "", event_class.payload.get());
  }

  std::vector<Step> steps = {};
  std::vector<FieldStatistics> numbers = {};

 private:
  void members(Part part, const std::string& path, const FieldClass* structure) {
    if (structure == nullptr) return;
    for (const Member& member : structure->as<StructureClass>()->members) {
      const std::string name = named_ ? member.name.str() : std::string();
      member_ = &member;
      value(part, path.empty() ? name : fmt::format("{}.{}", path, name), *member.field_class);
    }
  }

  void value(Part part, const std::string& path, const FieldClass& field_class) {
    if (steps.size() >= kMaxSteps) {
      steps.push_back({});
      return;
    }
    if (const auto* integer = field_class.as<IntegerClass>()) {
      number(part, path, integer->is_signed ? Kind::kSigned : Kind::kUnsigned);
    } else if (field_class.as<RealClass>() != nullptr) {
      number(part, path, Kind::kReal);
    } else if (field_class.as<StructureClass>() != nullptr) {
      steps.push_back({.action = Action::kEnter});
      members(part, path, &field_class);
    } else if (const auto* optional = field_class.as<OptionalClass>()) {
      const std::size_t head = steps.size();
      steps.push_back({.action = Action::kOptional});
      value(part, path, *optional->value);
      steps[head].jump = static_cast<std::uint32_t>(steps.size() - head - 1);
    } else {
      steps.push_back({});
    }
  }

  void number(Part part, const std::string& path, Kind kind) {
    static constexpr Action kActions[] = {Action::kUnsigned, Action::kSigned, Action::kReal};
    steps.push_back({.action = kActions[std::to_underlying(kind)],
                     .field = static_cast<std::uint32_t>(numbers.size())});
    numbers.push_back(
        {.part = part, .path = path, .member = member_, .kind = kind, .unsigned_sum = 0});
  }

  bool named_;
  const Member* member_ = nullptr;  // at hand
};

FieldCollector::FieldCollector(const EventClass& event_class) : event_class_(&event_class) {
  Walk walk(false);
  walk(event_class);
  steps_.assign(walk.steps.begin(), walk.steps.end());
  fields_.resize(walk.numbers.size());
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (walk.numbers[i].kind != FieldStatistics::Kind::kReal) continue;
    fields_[i].real_sum = 0;
    compensations_.resize(i + 1);
  }
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
  if (step.action == Action::kUnsigned && slot.kind == SlotKind::kUnsigned) {
    narrow_and_widen(field, slot, &Slot::bits);
    field.unsigned_sum += slot.bits;
  } else if (step.action == Action::kSigned && slot.kind == SlotKind::kSigned) {
    narrow_and_widen(field, slot, &Slot::integer);
    field.signed_sum += slot.integer;
  } else if (step.action == Action::kReal && slot.kind == SlotKind::kReal &&
             !std::isnan(slot.real)) {
    narrow_and_widen(field, slot, &Slot::real);
    add_compensated(field.real_sum, compensations_[step.field], slot.real);
  } else {
    ++field.left_out;
  }
}

std::vector<FieldStatistics> FieldCollector::finish() const {
  Walk walk(true);
  walk(*event_class_);
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const Field& field = fields_[i];
    FieldStatistics& statistics = walk.numbers[i];
    statistics.count = field.count;
    statistics.minimum = field.minimum;
    statistics.maximum = field.maximum;
    statistics.left_out = field.left_out;
    switch (statistics.kind) {
      case FieldStatistics::Kind::kUnsigned:
        statistics.unsigned_sum = field.unsigned_sum;
        break;
      case FieldStatistics::Kind::kSigned:
        statistics.signed_sum = field.signed_sum;
        break;
      case FieldStatistics::Kind::kReal:
        statistics.real_sum = field.real_sum;
        // With an infinity among the values the compensation is not a number.
        if (std::isfinite(statistics.real_sum)) statistics.real_sum += compensations_[i];
        break;
    }
  }
  walk.numbers.shrink_to_fit();
  return std::move(walk.numbers);
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
      into.unsigned_sum += from.unsigned_sum;
      break;
    case FieldStatistics::Kind::kSigned:
      extend(&Slot::integer);
      into.signed_sum += from.signed_sum;
      break;
    case FieldStatistics::Kind::kReal:
      extend(&Slot::real);
      into.real_sum += from.real_sum;
      break;
  }
  into.count += from.count;
}

}  // namespace tracedeck::flow
