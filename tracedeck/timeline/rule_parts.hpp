// What the rules of tables are made of, bound to the classes of events.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/query/pattern.hpp"
#include "tracedeck/timeline/rule_values.hpp"
#include "tracedeck/timeline/rules.hpp"
#include "tracedeck/timeline/usual_marks.hpp"

namespace tracedeck::timeline {

using Words = std::array<std::uint64_t, KeyTable::kMostWords>;

// Globs of class names, made once.
class ClassMatcher {
 public:
  [[nodiscard]] static Result<ClassMatcher> from(const ClassGlobs& globs) {
    ClassMatcher matcher;
    for (const std::string& glob : globs) {
      auto made = query::glob_matcher(glob);
      if (!made) return std::unexpected(made.error());
      matcher.matchers_.push_back(*std::move(made));
    }
    return matcher;
  }
  [[nodiscard]] bool matches(std::string_view name) const {
    return std::ranges::any_of(matchers_, [&](const auto& each) { return each->matches(name); });
  }
  [[nodiscard]] bool empty() const { return matchers_.empty(); }

 private:
  std::vector<query::TextMatcherPtr> matchers_;
};

[[nodiscard]] inline std::string_view name_of(const EventClass& event_class) {
  return event_class.name ? std::string_view(*event_class.name) : std::string_view();
}

// Whether a field of the payload has an attribute of one of these keys.
[[nodiscard]] inline bool has_attribute(const EventClass& event_class,
                                        const std::vector<std::string>& keys) {
  const auto* const payload =
      event_class.payload == nullptr ? nullptr : event_class.payload->as<StructureClass>();
  return payload != nullptr && !keys.empty() &&
         std::ranges::any_of(payload->members, [&](const Member& member) {
           return std::ranges::any_of(member.attributes, [&](const Attribute& each) {
             return std::ranges::find(keys, each.key) != keys.end();
           });
         });
}

// Whether a trace has a class of a name that matches, or with an attribute; each class is looked at
// once, though the trace gets more of them.
class ClassSearch {
 public:
  [[nodiscard]] bool finds(const TraceDescription& trace, const ClassMatcher& matcher,
                           const std::vector<std::string>& attributes) {
    const StableList<EventClass>& classes = trace.event_classes();
    for (; !found_ && seen_ < classes.size(); ++seen_) {
      const EventClass& each = classes[seen_];
      found_ = matcher.matches(timeline::name_of(each)) || has_attribute(each, attributes);
    }
    return found_;
  }

 private:
  std::size_t seen_ = 0;
  bool found_ = false;
};

// What tells things of one key apart.
struct Check {
  std::uint64_t word = 0;
  bool is_known = false;

  // What is not known says nothing.
  [[nodiscard]] bool differs(const Check& other) const {
    return is_known && other.is_known && word != other.word;
  }
};

class BoundCheck {
 public:
  BoundCheck(const std::optional<RuleValue>& from, const EventClass& event_class) {
    if (from) value_ = BoundValue(*from, event_class);
  }

  // Whether the rule has one.
  [[nodiscard]] explicit operator bool() const { return value_.has_value(); }
  [[nodiscard]] Check of(const Event& event, ValueScope& scope) const {
    Check check;
    check.is_known = value_ && value_->word(event, scope, check.word);
    return check;
  }

 private:
  std::optional<BoundValue> value_;
};

// The names of numbers, each at the place of its lowest bits.
struct NamedNumber {
  std::uint64_t number = 0;
  NameId name = kNoName;
};
inline constexpr std::size_t kNamedNumbers = 64;
using NamedNumbers = std::array<NamedNumber, kNamedNumbers>;
// No number is at a place that is its own, so none is found.
inline constexpr NamedNumbers kNoNamedNumbers = [] {
  NamedNumbers none;
  for (std::size_t i = 0; i < none.size(); ++i) none[i].number = i + 1;
  return none;
}();

// The names that a template makes, found again without making the text.
class NameMaker {
 public:
  NameMaker(const RuleTemplate& from, std::string_view category, const EventClass& event_class,
            RuleContext& context, bool is_of_host = false)
      : context_(context), template_(from, event_class), category_(category) {
    if (is_of_host) {
      origin_ = context.origins.of(event_class).trace;
      host_ = context.marking.timeline().origin(origin_).shown;
    }
    if (template_.constant()) return;
    const BoundValue* const only = template_.only_value();
    const auto slot = only == nullptr ? std::nullopt : only->place();
    if (!slot) return;
    has_slot_ = true;
    slot_ = *slot;
  }

  [[nodiscard]] NameId operator()(const Event& event) {
    NameId known = kNoName;
    const bool is_known =
        has_slot_ ? find_usual<false>(event, known) : find_usual<true>(event, known);
    return is_known ? known : of_any(event);
  }
  // Whether it is the same of all events.
  [[nodiscard]] bool is_fixed() const { return template_.constant(); }
  // Whether it can be found in a few instructions.
  [[nodiscard]] bool is_direct() const { return has_slot_ || is_fixed(); }
  // False where there is more to do. Requires `is_direct()`; `kFixed`: `is_fixed()`.
  template <bool kFixed>
  [[nodiscard, gnu::always_inline]] bool find_usual(const Event& event, NameId& into) const {
    if constexpr (kFixed) {
      into = fixed_;
      return into != kNoName;
    }
    const Slot& slot = slot_.in(event);
    if (slot.kind != SlotKind::kUnsigned || (slot.flags & kSlotNamed) != 0) return false;
    const NamedNumber& known = (*numbers_)[slot.bits % kNamedNumbers];
    into = known.name;
    return known.number == slot.bits;
  }

  // Whether no part of the name is unknown.
  [[nodiscard]] bool is_known(const Event& event) const {
    return template_.is_known(event, context_.scope);
  }

 private:
  static constexpr std::size_t kLongestKept = 512;
  struct Text {
    std::string text = {};
    NameId name = kNoName;
  };

  [[gnu::noinline]] NameId of_any(const Event& event) {
    const Slot* const slot = has_slot_ ? &slot_.in(event) : nullptr;
    if (slot != nullptr && slot->kind == SlotKind::kString && slot->text().size() <= kLongestKept)
      return of_text(event, slot->text());
    const NameId name = make(event);
    if (template_.constant()) fixed_ = name;
    if (slot != nullptr && slot->kind == SlotKind::kUnsigned && slot->name() == 0) {
      // Most classes of a trace with very many have no event that needs a table.
      if (own_numbers_ == nullptr) own_numbers_ = std::make_unique<NamedNumbers>(kNoNamedNumbers);
      numbers_ = own_numbers_.get();
      (*own_numbers_)[slot->bits % kNamedNumbers] = {.number = slot->bits, .name = name};
    }
    return name;
  }

  [[nodiscard]] NameId make(const Event& event) {
    const RuleText made = template_.text(event, context_.scope);
    return context_.marking.add_name(category_, made.text, made.place, host_, origin_);
  }

  NameId of_text(const Event& event, std::string_view text) {
    // Where they end, places in programs differ.
    std::uint64_t last = 0;
    const std::size_t many = std::min(text.size(), sizeof(last));
    std::memcpy(&last, text.data() + text.size() - many, many);
    if (texts_.empty()) texts_.resize(kNamedNumbers);
    Text& place = texts_[(last * 0x9E3779B97F4A7C15U >> 32U) % kNamedNumbers];
    if (place.name != kNoName && place.text == text) [[likely]]
      return place.name;
    place.text = text;
    place.name = make(event);
    return place.name;
  }

  RuleContext& context_;
  BoundTemplate template_;
  std::string category_;
  OriginId origin_ = 0;
  std::string host_;  // that its names are told apart by: what is shown of the origin
  bool has_slot_ = false;
  query::DirectSlot slot_;  // of the only value that the name depends on
  NameId fixed_ = kNoName;
  const NamedNumbers* numbers_ = &kNoNamedNumbers;
  std::unique_ptr<NamedNumbers> own_numbers_;  // once a number is known
  std::vector<Text> texts_;                    // once a text is
};

// Who wants to know that a task ended: its word, and the trace that says so.
class TaskObserver {
 public:
  virtual ~TaskObserver() = default;
  virtual void task_ended(std::uint64_t task, std::uint64_t trace, const Moment& now) = 0;
};

// Globs of texts of names, made once, and each name is looked at once.
class NameMatcher {
 public:
  [[nodiscard]] static Result<NameMatcher> from(const std::vector<std::string>& globs) {
    auto made = ClassMatcher::from(globs);
    if (!made) return std::unexpected(made.error());
    NameMatcher matcher;
    matcher.globs_ = *std::move(made);
    return matcher;
  }
  [[nodiscard]] bool empty() const { return globs_.empty(); }
  [[nodiscard]] bool matches(NameId name, const Timeline& timeline) {
    if (globs_.empty() || name == kNoName) return false;
    if (name >= known_.size()) known_.resize(timeline.name_count() + 1);
    Known& known = known_[name];
    if (known == Known::kUnseen)
      known = globs_.matches(timeline.name(name).text) ? Known::kYes : Known::kNo;
    return known == Known::kYes;
  }

 private:
  enum class Known : std::uint8_t { kUnseen, kNo, kYes };
  ClassMatcher globs_;
  std::vector<Known> known_;  // by NameId
};

struct Processors;

// The tracks of one rule, and of all that say the same.
struct TrackSpace {
  explicit TrackSpace(const TrackRule& of) : rule(of), own(words_of(of)) {}
  TrackSpace(const TrackSpace&) = delete;
  TrackSpace& operator=(const TrackSpace&) = delete;

  // Of the table: the key, or one word where there is none, and the trace.
  [[nodiscard]] static std::size_t words_of(const TrackRule& rule) {
    return std::max<std::size_t>(rule.key.size(), 1) + 1;
  }
  // Whether what is on a track comes of the data streams of its events alone: where it is of a
  // processor, or its key of the stream.
  [[nodiscard]] bool is_of_stream() const {
    if (rule.kind == TrackKind::kCpu || (parent != nullptr && parent->is_of_stream())) return true;
    return std::ranges::any_of(rule.key, [](const std::string& each) {
      return each.starts_with("packet.") || each.starts_with("stream.");
    });
  }
  // Others take the places of tracks that are marked on no more.
  void forget(const SectionEnd& ended) {
    tracks->keep_if([&](std::uint32_t number) { return !ended.has_track(number); });
  }

  TrackRule rule;
  std::uint32_t rank = 0;
  TrackSpace* parent = nullptr;
  std::vector<RuleValue> key = {};
  RuleTemplate name = {};
  std::optional<RuleValue> pid = {};
  std::optional<RuleValue> tid = {};
  NameMatcher ends = {};
  std::vector<TaskObserver*> observers = {};
  std::vector<TrackSpace*> threads = {};  // on whose tracks slices end with its tasks
  Processors* processors = nullptr;       // on which its tasks run
  bool says_what_leaves = false;          // events say what leaves them
  KeyTable own;                           // by key and trace
  KeyTable* tracks = &own;                // or those that it is joined with
};

class BoundTrack {
 public:
  BoundTrack(TrackSpace& space, const EventClass& event_class, RuleContext& context)
      : context_(context), space_(space), tracks_(*space.tracks), name_(space.name, event_class) {
    for (const RuleValue& each : space.key) {
      key_.emplace_back(each, event_class);
      possible_ = possible_ && key_.back().possible();
    }
    joined_ = !space.rule.join.empty();
    if (!joined_ && key_.size() == 1) word_ = DirectWord(key_.front());
    if (space.pid) pid_ = BoundValue(*space.pid, event_class);
    if (space.tid) tid_ = BoundValue(*space.tid, event_class);
    const TraceOrigins::Origin origin = context.origins.of(event_class);
    origin_ = space.rule.shared ? origin.machine : origin.trace;
    trace_ = space.rule.shared ? origin.machine : trace_of(event_class);
    near_ = &tracks_.near_of(trace_);
    if (space.parent != nullptr)
      parent_ = std::make_unique<BoundTrack>(*space.parent, event_class, context);
  }

  [[nodiscard]] bool possible() const { return possible_; }
  // Whether slices on its tracks need not nest.
  [[nodiscard]] bool may_overlap() const { return space_.rule.kind == TrackKind::kLanes; }

  // Whether tracks have one key, which is a field at a fixed place: it is read with `word`.
  [[nodiscard]] bool is_direct() const { return word_.possible(); }
  [[nodiscard]] const DirectWord& word() const { return word_; }
  // The track of the word that was read, as most are found; kNoTrack where `find` has more to do.
  [[nodiscard, gnu::always_inline]] TrackId find_near(std::uint64_t word) const {
    return near_->find(word);
  }
  // kNoTrack where a part of the key is unknown.
  [[nodiscard, gnu::always_inline]] TrackId find(const Event& event) {
    std::uint64_t word = 0;
    if (!word_.possible() || !word_.read(event, word)) [[unlikely]]
      return find_by_key(event);
    const TrackId known = tracks_.find_pair(word, trace_);
    return known != kNoTrack ? known : find_by_key(event);
  }
  // Whether states may end tracks.
  [[nodiscard]] bool may_end() const { return !space_.ends.empty(); }
  // Puts a track, of which the only key is `word`, in a state, which may end it.
  void put_state(TrackId track, std::uint64_t word, NameId state, const Moment& now,
                 std::int32_t cpu, std::int64_t spent) {
    Marking& marking = context_.marking;
    if (marking.is_other(track)) [[unlikely]]
      choose_other(Words{word, trace_}.data());
    if (!space_.ends.matches(state, marking.timeline()))
      return marking.state(track, state, now, cpu, spent);
    marking.last_state(track, state, now, cpu, spent);
    const std::uint64_t trace = now.event == nullptr || now.event->event_class == nullptr
                                    ? 0
                                    : trace_of(*now.event->event_class);
    for (TaskObserver* const each : space_.observers) each->task_ended(word, trace, now);
    if (space_.rule.reused) forget_task(track, word);
  }
  // A task ended: what comes of its number, which is `word`, is of another one.
  void forget_task(TrackId track, std::uint64_t word) {
    const Words words = {word, trace_};
    if (tracks_.find(words.data()) != track) return;
    context_.ended.place(ended_key(word, TrackKind::kTask).data()) = track;
    tracks_.erase(words.data());
    for (const TrackSpace* const each : space_.threads) {
      if (each->rule.shared == space_.rule.shared) each->tracks->erase(words.data());
    }
  }
  // The only key of an event; false where it is unknown.
  [[nodiscard]] bool read_word(const Event& event, std::uint64_t& into) const {
    return key_.size() == 1 && key_.front().word(event, context_.scope, into);
  }
  // The track of one key that is that word, whatever the event calls it.
  [[nodiscard]] TrackId find_by_word(const Event& event, std::uint64_t word) {
    return find_task(event, word, name_);
  }
  // The same, but kNoTrack if there is none yet.
  [[nodiscard]] TrackId find_known(std::uint64_t word) const {
    const Words words = {word, trace_};
    return tracks_.find(words.data());
  }
  // The task of that word; `name`: what it is called if it is new.
  [[nodiscard]] TrackId find_task(const Event& event, std::uint64_t word,
                                  const BoundTemplate& name) {
    const Words words = {word, trace_};
    const std::uint32_t known = tracks_.find(words.data());
    return known != 0 ? known : make(event, words.data(), &name);
  }
  // The same of one that gets into a state: only what ended may end once more.
  [[nodiscard]] TrackId find_task(const Event& event, std::uint64_t word, const BoundTemplate& name,
                                  NameId state) {
    if (find_known(word) == kNoTrack && space_.ends.matches(state, context_.marking.timeline())) {
      const std::uint32_t ended = context_.ended.find(ended_key(word, TrackKind::kTask).data());
      if (ended != kNoTrack) return ended;
    }
    return find_task(event, word, name);
  }

 private:
  // In `RuleContext::ended`. Threads end with their tasks.
  [[nodiscard]] Words ended_key(std::uint64_t word, TrackKind kind) const {
    return {word, trace_, (space_.rule.shared ? 1U : 0U) | (kind == TrackKind::kProcess ? 2U : 0U)};
  }
  // How many of that number ended before.
  [[nodiscard]] std::uint32_t count_earlier(std::uint64_t word) const {
    const TrackKind kind = space_.rule.kind;
    if (key_.size() != 1 ||
        (kind != TrackKind::kTask && kind != TrackKind::kThread && kind != TrackKind::kProcess))
      return 0;
    const std::uint32_t ended = context_.ended.find(ended_key(word, kind).data());
    return ended == kNoTrack ? 0 : context_.marking.timeline().track(ended).earlier + 1;
  }
  // A task has that number again, so no process has it that was there before.
  void forget_process(std::uint64_t word) {
    const Words words = {word, trace_};
    for (const TrackSpace* const each : space_.threads) {
      const TrackSpace* const process = each->parent;
      if (process == nullptr || process->rule.kind != TrackKind::kProcess ||
          process->rule.shared != space_.rule.shared || process->tracks->words() != 2)
        continue;
      const std::uint32_t known = process->tracks->find(words.data());
      if (known == kNoTrack) continue;
      context_.ended.place(ended_key(word, TrackKind::kProcess).data()) = known;
      process->tracks->erase(words.data());
    }
  }
  [[nodiscard, gnu::noinline, gnu::cold]] TrackId find_by_key(const Event& event) {
    Words words = {};
    if (!read_key(key_, event, context_.scope, words.data())) return kNoTrack;
    words[std::max<std::size_t>(key_.size(), 1)] = trace_;
    const std::uint32_t known = tracks_.find(words.data());
    if (known != 0 && !(joined_ && completes(known, event))) [[likely]]
      return known;
    return make(event, words.data(), nullptr);
  }
  // Whether an event has what who made a joined track did not know: its process. Then another takes
  // its place.
  [[nodiscard]] bool completes(TrackId track, const Event& event) {
    return pid_.slot(event) != nullptr && !context_.marking.timeline().track(track).pid;
  }
  [[gnu::noinline, gnu::cold]] TrackId make(const Event& event, const std::uint64_t* words,
                                            const BoundTemplate* name) {
    const bool has_parent = parent_ != nullptr && parent_->possible();
    const TrackId parent = has_parent ? parent_->find(event) : kNoTrack;
    if (context_.marking.tracks_are_full()) {
      choose_other(words);
      return context_.marking.add_track({});
    }
    Track track;
    track.kind = space_.rule.kind;
    track.group = space_.rule.id;
    track.rank = space_.rank;
    track.unit = space_.rule.unit;
    track.origin = origin_;
    RuleText made = (name != nullptr ? *name : name_).text(event, context_.scope);
    track.place = made.place;
    track.full_name = std::move(made.text);
    track.parent = parent;
    track.pid = number(pid_, event);
    // Of states it changes.
    if (space_.rule.kind != TrackKind::kState) track.tid = number(tid_, event);
    if (!track.tid && track.kind == TrackKind::kTask)
      track.tid = static_cast<std::int64_t>(words[0]);
    track.earlier = count_earlier(words[0]);
    if (track.earlier != 0 && track.kind == TrackKind::kTask) forget_process(words[0]);
    const TrackId id = context_.marking.add_track(std::move(track), space_.is_of_stream());
    tracks_.place(words) = id;
    return id;
  }
  // A state of the track of all others is of that key until the next call.
  [[gnu::noinline, gnu::cold]] void choose_other(const std::uint64_t* words) {
    context_.marking.other_states().choose(tracks_, words, origin_, space_.is_of_stream());
  }
  [[nodiscard]] std::optional<std::int64_t> number(const BoundValue& value, const Event& event) {
    const query::Value read = value.read(event, context_.scope);
    return read.kind == query::Value::Kind::kInteger ? read.integer.to_signed() : std::nullopt;
  }

  RuleContext& context_;
  TrackSpace& space_;
  KeyTable& tracks_;  // of the space
  const NearKeys* near_ = nullptr;
  std::vector<BoundValue> key_;
  BoundTemplate name_;
  BoundValue pid_;
  BoundValue tid_;
  std::uint64_t trace_ = 0;  // or the machine, of tracks that its traces share
  OriginId origin_ = 0;
  bool possible_ = true;
  bool joined_ = false;
  DirectWord word_;  // of the key of tracks that are not joined, if it is one
  std::unique_ptr<BoundTrack> parent_;
};

// A condition of a rule; without one it always holds.
class BoundWhen {
 public:
  BoundWhen(const std::optional<RuleValue>& when, const EventClass& event_class,
            RuleContext& context)
      : context_(context), any_(when.has_value()) {
    if (when) value_ = BoundValue(*when, event_class);
  }
  // Whether there is a condition.
  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard, gnu::always_inline]] bool operator()(const Event& event) const {
    return !any_ || holds(event);
  }

 private:
  [[nodiscard, gnu::noinline]] bool holds(const Event& event) const {
    const query::Value value = value_.read(event, context_.scope);
    return value.kind == query::Value::Kind::kBoolean && value.boolean;
  }

  RuleContext& context_;
  bool any_;
  BoundValue value_;
};

[[nodiscard]] inline std::vector<BoundValue> bind_all(const std::vector<RuleValue>& values,
                                                      const EventClass& event_class) {
  std::vector<BoundValue> bound;
  for (const RuleValue& value : values) bound.emplace_back(value, event_class);
  return bound;
}

// What things are found by that rules remember: values of an event, the trace, and what its class
// is called where rules go by that.
class BoundKey {
 public:
  BoundKey(const std::vector<RuleValue>& values, const EventClass& event_class, std::uint64_t trace,
           std::optional<std::uint64_t> name = {})
      : values_(bind_all(values, event_class)), one_(values.size() == 1) {
    if (one_ && !name) pair_ = DirectWord(values_.front());
    words_[values_.size()] = trace;
    if (values_.size() + 1 < words_.size()) words_[values_.size() + 1] = name.value_or(0);
  }

  // Whether events of the class can have it.
  [[nodiscard]] bool possible() const {
    return std::ranges::all_of(values_, &BoundValue::possible);
  }
  // Whether keys have one value, a field at a fixed place: it is read with `word`.
  [[nodiscard]] bool is_direct() const { return pair_.possible(); }
  [[nodiscard]] const DirectWord& word() const { return pair_; }
  // Makes an event's key the one at hand; false where a part of it is unknown.
  [[nodiscard, gnu::always_inline]] bool read(const Event& event, ValueScope& scope) {
    return one_ ? values_.front().word(event, scope, words_.front())
                : read_long_key(values_, event, scope, words_.data());
  }
  // The words of that key.
  [[nodiscard]] const std::uint64_t* words() const { return words_.data(); }
  // What a table of such keys has for an event's key, which is made the one at hand; `kUnknown`
  // where a part of it is unknown.
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
  [[nodiscard, gnu::always_inline]] std::uint32_t find(const Event& event, ValueScope& scope,
                                                       const KeyTable& table) {
    if (pair_.possible() && pair_.read(event, words_[0])) [[likely]]
      return table.find_pair(words_[0], words_[1]);
    if (!read(event, scope)) return kUnknown;
    return table.find(words_.data());
  }
  // The same of its place there; null where a part of the key is unknown.
  [[nodiscard, gnu::always_inline]] std::uint64_t* place(const Event& event, ValueScope& scope,
                                                         KeyTable& table) {
    if (pair_.possible() && pair_.read(event, words_[0])) [[likely]]
      return &table.place_pair(words_[0], words_[1]);
    return read(event, scope) ? &table.place(words_.data()) : nullptr;
  }

 private:
  std::vector<BoundValue> values_;
  bool one_;         // value
  DirectWord pair_;  // of keys that are it and the trace
  Words words_ = {};
};

}  // namespace tracedeck::timeline
