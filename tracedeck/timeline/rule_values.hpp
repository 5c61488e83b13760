// The expressions and templates of rules: parsed once, bound to each event class.
//
// An expression is one of the query language, or `current.NAME` (what a [[current]] rule set), or
// `env.NAME` (of the trace's environment), or `@KEY=VALUE` (the only field of the payload with that
// attribute), or `stream.file` (what the file of the event's data
// stream is called, where the trace has several), or `processor` (`Table::processor`). A template
// is text with `{...}` in it: expressions, or
// `{ID[KEY, ...]}` of a [[lookup]] rule, or several with `??` between them, of which the first
// counts that is known; `{x|filter}` shortens it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/model/record.hpp"
#include "tracedeck/query/bound.hpp"
#include "tracedeck/query/expression.hpp"
#include "tracedeck/query/unit_watch.hpp"
#include "tracedeck/timeline/key_table.hpp"
#include "tracedeck/timeline/linux_states.hpp"
#include "tracedeck/timeline/place_names.hpp"
#include "tracedeck/timeline/text_filters.hpp"

namespace tracedeck::timeline {

// Values that are no 64-bit integers, by number: what keys are made of is words.
class OddValues {
 public:
  // The words of odd values; integers whose two's complement lies there are odd themselves.
  static constexpr std::uint64_t kFirst = ~std::uint64_t{0} << 32U;
  static constexpr std::size_t kMost = std::size_t{1} << 20;

  // Nothing when there are too many, or the value is equal to nothing.
  [[nodiscard]] std::optional<std::uint64_t> word_of(const query::Value& value);
  // The text of a word; empty if it was none.
  [[nodiscard]] std::optional<std::uint64_t> word_of_text(std::string_view text);

 private:
  [[nodiscard]] std::optional<std::uint64_t> find_or_add(std::string key);
  TextMap<std::uint64_t> words_;
};

class Marking;
struct StreamState;

// The number of the trace that a class is of, whichever reading it comes from.
[[nodiscard]] std::uint64_t trace_of(const EventClass& event_class);

// What was set by earlier events and later ones of the same trace refer to.
class RuleMemory {
 public:
  struct Kept {
    query::Value value = {};
    std::string text = {};  // what `value` points into
  };
  // [[current]] rules of one `of`, by key and trace.
  struct CurrentValues {
    std::vector<Kept> values = {};
    std::uint64_t number = 0;  // of the event that set them
    const StreamState* stream = nullptr;
  };
  struct Current {
    explicit Current(std::size_t words) : keys(words) {}
    KeyTable keys;
    std::deque<CurrentValues> values;
    bool lasting = false;
  };
  // By key and trace.
  struct Lookup {
    explicit Lookup(std::size_t words) : keys(words) {}
    // Of a rule with a range: what was said last counts.
    struct Range {
      std::uint64_t begin = 0;
      std::uint64_t size = 0;
      std::string text = {};
    };
    static constexpr std::size_t kMostRanges = 1024;

    KeyTable keys;
    std::deque<std::string> texts;
    std::size_t bytes = 0;  // of texts, also of those that others took the place of
    bool has_ranges = false;
    std::deque<std::deque<Range>> ranges = {};

    void forget() {
      keys.clear();
      texts.clear();
      ranges.clear();
      bytes = 0;
    }
    // What stands for the key; nothing if it is unknown. Of ranges the last word is the place.
    [[nodiscard]] std::optional<std::string> find(const std::uint64_t* key) const;
  };
  static constexpr std::size_t kMostKeys = std::size_t{1} << 15;
  static constexpr std::size_t kMostBytes = std::size_t{2} << 20;  // of the texts of a lookup

  // What `Table::processor` stands for in one trace.
  struct Processor {
    std::uint64_t trace = 0;
    std::uint64_t number = 0;  // of the only one, as far as events have said it
    bool is_said = false;
    bool is_assumed = false;   // of some events that did not say theirs
    bool are_several = false;  // tasks run at once
    bool is_unknown = false;   // some events do not say which of several they are of
  };
  [[nodiscard]] Processor& processor(std::uint64_t trace) {
    for (Processor& each : processors) {
      if (each.trace == trace) return each;
    }
    return processors.emplace_back(Processor{.trace = trace});
  }

  OddValues odd;
  std::deque<Current> currents;
  std::deque<Lookup> lookups;
  std::deque<Processor> processors;
};

// What evaluation needs beside the event. One for an interpreter.
struct ValueScope {
  RuleMemory* memory = nullptr;
  const Marking* marking = nullptr;
  std::deque<std::string> texts = {};  // that evaluation makes; emptied now and then
};

class BoundValue;

// Where `current.NAME` is found: which [[current]] rule, and its member.
struct CurrentPlace {
  std::size_t current = 0;
  std::size_t member = 0;
  const std::vector<std::string>* of = nullptr;  // expressions
};

// What is known of a table while its rules are parsed.
struct RuleNames {
  TextMap<CurrentPlace> currents = {};
  struct LookupPlace {
    std::size_t lookup = 0;
    std::size_t keys = 0;  // that uses give
  };
  TextMap<LookupPlace> lookups = {};
  std::string processor = {};  // `Table::processor`
};

// An expression of a rule.
class RuleValue {
 public:
  // Errors: kInvalidArgument, what is wrong with it.
  [[nodiscard]] static Result<RuleValue> parse(const std::string& text, const RuleNames& names);

  // A field of the payload, whatever it is called; nothing where that cannot be said.
  [[nodiscard]] static std::optional<RuleValue> of_field(std::string_view name);

  [[nodiscard]] const std::string& text() const { return text_; }
  // Adds the comparisons in it to what is watched.
  void add_to(query::UnitWatch& units) const {
    if (expression_ != nullptr) units.add(*expression_);
    for (const RuleValue& each : of_) each.add_to(units);
  }
  // The field of the payload that it is; null where it is none, or events of that class have none.
  [[nodiscard]] const Member* field_in(const EventClass& event_class) const;
  // Whether it is `processor`, or depends on that.
  [[nodiscard]] bool is_of_processor() const {
    return kind_ == Kind::kProcessor || std::ranges::any_of(of_, &RuleValue::is_of_processor);
  }
  // Whether it depends on what runs on `processor`.
  [[nodiscard]] bool is_of_task() const { return kind_ != Kind::kProcessor && is_of_processor(); }
  // Of alternatives all but the last.
  [[nodiscard]] std::string text_before_last() const;
  // Whether it is what is current on a processor, `cpu`, or where that is not known the processor.
  [[nodiscard]] bool is_current_on(std::string_view cpu) const {
    return kind_ == Kind::kFirstKnown && of_.back().text_ == cpu &&
           std::ranges::any_of(of_, [&](const RuleValue& each) {
             return each.kind_ == Kind::kCurrent && each.current_.of->size() == 1 &&
                    each.current_.of->front() == cpu;
           });
  }

 private:
  friend class BoundValue;

  enum class Kind : std::uint8_t {
    kExpression,
    kCurrent,
    kEnvironment,
    kStreamFile,
    kFirstKnown,
    kProcessor,
    kAnnotated
  };
  Kind kind_ = Kind::kExpression;
  std::string text_;
  std::shared_ptr<const query::Expression> expression_;
  std::shared_ptr<const query::Matchers> matchers_;
  CurrentPlace current_ = {};
  // Of kCurrent its keys, of kFirstKnown the alternatives, of kProcessor what events say.
  std::vector<RuleValue> of_;
  // Of kFirstKnown: a bit for each of them that is called as the first one, as in
  // "common.tid ?? current.tid"; beyond the 64th none is.
  std::uint64_t like_first_ = 0;
  std::string environment_;
  Attribute annotation_;  // of kAnnotated: that the field has
};

// The same for the events of one class.
class BoundValue {
 public:
  BoundValue() = default;
  BoundValue(const RuleValue& value, const EventClass& event_class);
  BoundValue(BoundValue&&) noexcept = default;
  BoundValue& operator=(BoundValue&&) noexcept = default;

  // Whether events of that class can have it.
  [[nodiscard]] bool possible() const { return kind_ != Kind::kNever; }

  // What it is for all events of the class.
  [[nodiscard]] std::optional<query::Value> constant() const;

  // The slot that holds it, where it is one at a fixed place; else null.
  [[nodiscard]] const Slot* slot(const Event& event) const {
    return kind_ == Kind::kSlot ? &slot_.in(event) : nullptr;
  }

  // Where that is; nothing if it is at none.
  [[nodiscard]] std::optional<query::DirectSlot> place() const {
    return kind_ == Kind::kSlot ? std::optional(slot_) : std::nullopt;
  }

  // An integer at a fixed place that 64 bits with a sign hold; false for all that is not so simple,
  // and has to be read.
  [[nodiscard, gnu::always_inline]] bool plain_integer(const Event& event,
                                                       std::int64_t& into) const {
    if (kind_ != Kind::kSlot) return false;
    const Slot& slot = slot_.in(event);
    into = static_cast<std::int64_t>(slot.bits);
    return slot.kind == SlotKind::kSigned || (slot.kind == SlotKind::kUnsigned && into >= 0);
  }

  // Valid until the scope's texts are emptied or the event ends.
  [[nodiscard]] query::Value read(const Event& event, ValueScope& scope) const;

  // The value as a word of a key; false where it is unknown.
  [[nodiscard, gnu::always_inline]] bool word(const Event& event, ValueScope& scope,
                                              std::uint64_t& into) const {
    if (kind_ == Kind::kSlot) [[likely]] {
      const Slot& slot = slot_.in(event);
      if ((slot.kind == SlotKind::kUnsigned || slot.kind == SlotKind::kSigned) &&
          slot.bits < OddValues::kFirst) [[likely]] {
        into = slot.bits;
        return true;
      }
    }
    return odd_word(event, scope, into);
  }

 private:
  enum class Kind : std::uint8_t {
    kNever,
    kSlot,
    kNode,
    kCurrent,
    kStreamFile,
    kFirstKnown,
    kProcessor,
    kConstant
  };
  [[nodiscard, gnu::cold]] bool odd_word(const Event& event, ValueScope& scope,
                                         std::uint64_t& into) const;
  [[nodiscard]] const RuleMemory::Kept* kept(const Event& event, ValueScope& scope) const;

  Kind kind_ = Kind::kNever;
  query::DirectSlot slot_ = {};
  const FieldClass* field_class_ = nullptr;  // of kSlot
  const ValueNames* names_ = nullptr;
  query::BoundNode node_ = {};
  std::unique_ptr<std::deque<std::string>> constants_;   // texts of `node_`
  std::shared_ptr<const query::Expression> expression_;  // what `node_` refers to
  std::shared_ptr<const query::Matchers> matchers_;
  CurrentPlace current_ = {};
  std::vector<BoundValue> of_;
  std::uint64_t like_first_ = 0;
  std::uint64_t trace_ = 0;  // of kProcessor and kCurrent
  std::string constant_;
};

// A value that is a word of a key, where it is an integer at a fixed place: in a few instructions.
class DirectWord {
 public:
  DirectWord() = default;
  explicit DirectWord(const BoundValue& value)
      : slot_(value.place().value_or(query::DirectSlot())), possible_(value.place().has_value()) {}

  // Whether values may be at a fixed place.
  [[nodiscard]] bool possible() const { return possible_; }
  // Whether two are at the same place.
  friend bool operator==(const DirectWord& a, const DirectWord& b) { return a.slot_ == b.slot_; }
  // The same as `read`, but false too where the kind of integers has changed, and true of words
  // that are `OddValues::kFirst` or beyond.
  [[nodiscard, gnu::always_inline]] bool read_usual(const Event& event, std::uint64_t& into) const {
    const Slot& slot = slot_.in(event);
    into = slot.bits;
    return slot.kind == usual_;
  }
  // False where the value has to be read otherwise. Requires `possible()`.
  [[nodiscard, gnu::always_inline]] bool read(const Event& event, std::uint64_t& into) {
    const Slot& slot = slot_.in(event);
    if (slot.kind != usual_) [[unlikely]] {
      if (!becomes_usual(slot.kind)) return false;
    }
    into = slot.bits;
    return slot.bits < OddValues::kFirst;
  }

 private:
  // Values of a class are signed or not.
  [[nodiscard, gnu::noinline, gnu::cold]] bool becomes_usual(SlotKind kind) {
    const bool is_integer = kind == SlotKind::kUnsigned || kind == SlotKind::kSigned;
    if (is_integer) usual_ = kind;
    return is_integer;
  }

  query::DirectSlot slot_ = {};
  bool possible_ = false;
  SlotKind usual_ = SlotKind::kUnsigned;
};

// What became of the uses of a [[lookup]] at one place of a template.
struct LookupUse {
  bool was_asked = false;
  bool has_found = false;
};

// A text that a template makes.
struct RuleText {
  std::string text = {};
  PlaceRange place = {};  // the first one in it
};

// A text of a rule.
class RuleTemplate {
 public:
  // Errors: kInvalidArgument.
  [[nodiscard]] static Result<RuleTemplate> parse(const std::string& text, const RuleNames& names);

  // One way to make a part of it: what it is written as, and the values that have to be known.
  struct Need {
    std::string text = {};
    std::vector<RuleValue> values = {};
    std::shared_ptr<const LookupUse> lookup = {};  // null: it is the value itself
  };
  // Of each of its parts the ways, of which one has to do.
  [[nodiscard]] std::vector<std::vector<Need>> needs() const;

 private:
  friend class BoundTemplate;

  struct Filter {
    const TextFilter* text = nullptr;
    bool is_linux_state = false;
  };
  struct Alternative {
    std::optional<RuleValue> value = {};     // or
    std::optional<std::size_t> lookup = {};  // with
    std::vector<RuleValue> keys = {};
    std::shared_ptr<LookupUse> use = {};
    Filter filter = {};
    std::string text = {};  // as it is written, without the filter
  };
  struct Part {
    std::string text = {};  // literal, then
    std::vector<Alternative> alternatives = {};
  };
  [[nodiscard]] static Result<std::string_view> take_filter(std::string_view text, Filter& filter);
  [[nodiscard]] static Result<Alternative> parse_alternative(std::string_view text,
                                                             const RuleNames& names);
  std::vector<Part> parts_;
};

class BoundTemplate {
 public:
  BoundTemplate() = default;
  BoundTemplate(const RuleTemplate& from, const EventClass& event_class);

  // The text of an event. What is unknown is "?".
  [[nodiscard]] RuleText text(const Event& event, ValueScope& scope) const;
  // Whether no part of it is unknown.
  [[nodiscard]] bool is_known(const Event& event, ValueScope& scope) const;
  // Whether it is the same for all events of the class.
  [[nodiscard]] bool constant() const { return parts_.size() == 1 && parts_[0].fixed; }
  // The only value that the text depends on, a field of the event; null: there is none such.
  [[nodiscard]] const BoundValue* only_value() const;

 private:
  struct Alternative {
    BoundValue value = {};
    std::optional<std::size_t> lookup = {};
    std::vector<BoundValue> keys = {};
    std::shared_ptr<LookupUse> use = {};
    const TextFilter* filter = nullptr;
    std::unique_ptr<LinuxStates> states = {};  // instead of a filter
  };
  struct Part {
    std::string text = {};
    std::vector<Alternative> alternatives = {};
    bool fixed = true;      // no alternatives
    PlaceRange place = {};  // in `text`
  };
  [[nodiscard]] static std::optional<std::string> constant_of(const Alternative& alternative);
  [[nodiscard]] std::optional<RuleText> text_of(const Alternative& alternative, const Event& event,
                                                ValueScope& scope) const;
  std::vector<Part> parts_;
  std::uint64_t trace_ = 0;
  bool lacks_ = false;  // a part that no event of the class has
};

// A value as it stands in a text: of enumerations the first label, of named numbers the name.
[[nodiscard]] std::string to_text(const query::Value& value);

// The words of several values; false where one is unknown. `words`: room for all.
[[nodiscard]] bool read_long_key(const std::vector<BoundValue>& values, const Event& event,
                                 ValueScope& scope, std::uint64_t* words);
[[nodiscard, gnu::always_inline]] inline bool read_key(const std::vector<BoundValue>& values,
                                                       const Event& event, ValueScope& scope,
                                                       std::uint64_t* words) {
  if (values.size() == 1) [[likely]]
    return values.front().word(event, scope, *words);
  return read_long_key(values, event, scope, words);
}

}  // namespace tracedeck::timeline
