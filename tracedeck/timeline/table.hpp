// What the events of an instrumentation mean, as rules: a table. docs/timeline.md describes each
// key; tables are TOML files, the built-in ones too (`tables/`).
//
// Rules name event classes by globs ("sched_*"), values by expressions of the query language
// ("worker_id", "packet.cpu_id"), and texts by templates ("worker {worker_id}").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/timeline/timeline.hpp"

namespace tracedeck::timeline {

// Globs of class names; one of them is enough.
using ClassGlobs = std::vector<std::string>;

// Tracks of one kind, one for each value of the key.
struct TrackRule {
  std::string id = {};  // what rules call it
  TrackKind kind = TrackKind::kPlain;
  std::string name = {};              // a template
  std::vector<std::string> key = {};  // none: there is one such track
  std::string parent = {};            // the id of another track, whose key this event has too
  bool shared = false;                // by all traces: the key says who it is on the machine
  // Tracks of all rules with this word and an equal key are one, whatever table they are of.
  std::string join = {};
  std::string pid = {};  // expressions; of processes and threads
  std::string tid = {};
  std::string unit = {};  // of counters: "ns", "bytes", "count", or another word
  // Globs of states, of kind task: with one of them its states end, and so do the slices of
  // `SliceRule::ends_with`.
  std::vector<std::string> ends = {};
  bool reused = false;  // keys come again: after a task has ended, its key means another task
};

// What an event of one class and another have in common.
struct KeyPair {
  std::string a = {};
  std::string b = {};

  friend bool operator==(const KeyPair&, const KeyPair&) = default;
};

// A slice from one event to another, or of events that have a duration.
struct SliceRule {
  enum class Again : std::uint8_t {
    kReplace,  // one that is open ends where the same begins again
    kIgnore,   // one that is open goes on
    kNest,     // the last one that began ends first
    kOwn,      // as kNest; an end is of the last one with its `check`, and those with another one
               // that began before that were over by then
    kDoubt,    // one that is open goes on, and when it began or ended is not known
    kMix,      // as kNest, but which of them ends is not known, nor how long any of them lasted
  };
  // What an end is that no begin is known of.
  enum class Unmatched : std::uint8_t {
    kBefore,   // the first of its key ends a slice that began before the trace; others are instants
    kNamed,    // the same, but an instant if its name is not known
    kInstant,  // always an instant
    kIgnore,   // nothing: the event ends it only if it is open
  };
  std::string id = {};  // for `WaitRule::during`; may be empty
  ClassGlobs begin = {};
  // None: the events have a duration, or say with `start` or `duration` that they are the end.
  ClassGlobs end = {};
  std::string when = {};      // a condition on the event that begins it
  std::string end_when = {};  // and on the one that ends it
  std::string track = {};
  std::vector<KeyPair> match = {};
  // Of kNest: what the end has in common with its own begin. Others in between were left open.
  std::vector<KeyPair> check = {};
  Again again = Again::kReplace;
  Unmatched unmatched = Unmatched::kBefore;
  // Of kMix: each data stream is of one thread, so that an end is of what began in its data stream;
  // else of what began in one that ended before.
  bool by_stream = false;
  // Of kMix: of several of one key that are open an end is of what began on its track. Where one
  // ends on another track than it began on, they are of several tracks, and nothing tells them
  // apart.
  bool by_track = false;
  // The id of a state track, and the state that it is in where it begins and no state is known.
  std::string state = {};
  std::string begun = {};
  // What the `*` of `begin` and `end` stands for is the same in both, and part of the key.
  bool by_name = false;
  std::string category = {};
  std::string name = {};
  std::vector<std::string> args = {};      // of the event that begins it
  std::vector<std::string> end_args = {};  // and of the one that ends it
  bool marked = false;                     // its arguments are always kept
  // The id of a track of kind task whose key is the first of `match`: when a task of it ends, so
  // does the slice, without a known duration.
  std::string ends_with = {};
  // Events that make what `born_key` says, which is as `match`: of it no slice began before.
  ClassGlobs born = {};
  std::vector<std::string> born_key = {};
  // A condition on an end without a begin: it is of what another began.
  std::string inherited = {};
  // Expressions, without `end`: when what the event ends began, on the trace's clock, or how long
  // it took. A class that has both, or none, is not one of the rule's.
  std::string start = {};
  std::string duration = {};
  // Only of classes that no rule of the same category before it is for.
  bool otherwise = false;
  // Where events have no key of `track`: the id of slices that a [[wait]] is served by, and an
  // expression, the key of who waits: on the track of the one that goes on of that.
  std::string during = {};
  std::string who = {};
  // Else an expression, a thread: on the track of which states say that it is of that thread, or on
  // one of its own. Else on the track of this id.
  std::string thread = {};
  std::string elsewhere = {};
};

struct InstantRule {
  ClassGlobs event = {};
  std::string when = {};
  std::string track = {};
  std::string category = {};
  std::string name = {};
  std::vector<std::string> args = {};
  bool otherwise = false;  // only of classes that no other rule is about
};

struct CounterRule {
  ClassGlobs event = {};
  std::string when = {};
  std::string track = {};  // of kind counter
  std::string value = {};  // an expression
  bool sum = false;        // the values are what is added to it
  // What is added is taken off again by an event of these, of equal key.
  ClassGlobs until = {};
  std::vector<KeyPair> match = {};
};

// Each field with an attribute is a counter.
struct FieldsRule {
  ClassGlobs event = {};
  std::string attribute = {};  // its key
};

struct StateRule {
  ClassGlobs event = {};
  std::string when = {};
  std::string track = {};
  std::string name = {};    // a template; empty: from then on it is unknown
  std::string unless = {};  // the state in which the event says nothing new
  std::string within = {};  // the only state in which it says something
  // Events right behind which, or right before, it says nothing new of the same track.
  ClassGlobs not_behind = {};
  ClassGlobs not_before = {};
  bool made = false;       // the event is of a task that was just made
  std::string cpu = {};    // an expression: the processor that it is about
  std::string spent = {};  // an expression that grows: how much of it each state took
};

// From the event that asks for something to the one that serves it.
struct WaitRule {
  std::string name = {};  // a template on `from`: "wake -> poll"
  std::string category = {};
  ClassGlobs from = {};
  ClassGlobs prefer = {};  // of `from`: where the trace has them, others do not count
  ClassGlobs beside = {};  // but these do
  ClassGlobs to = {};
  std::string when = {};     // a condition on `from`
  std::string to_when = {};  // and on `to`
  // A condition on `from`: without it what is not served at the trace's end is no wait.
  std::string awaited = {};
  std::vector<KeyPair> match = {};
  // What tells those of one key apart, where both events have it.
  std::vector<KeyPair> check = {};
  std::string track = {};  // of the event that serves it
  // Of several that ask before it is served the last counts, else the first.
  bool last = false;
  // The slices that it is served by: who asks within one waits from its end.
  std::string during = {};
  // Events that have the key of `to`: who waits is gone, and waits for nothing until it is served
  // again.
  ClassGlobs cancel = {};
  // Events that make who waits, with the key of `to`. Where one comes that none made, the trace
  // began later than what it is of, and slices that it is served by may be open since before.
  ClassGlobs born = {};
  // The track of who waits, of one key, and the states that it is put in: `asked` when it is asked
  // for, `served` (a template) when it is served, `over` (one too, of the event that serves it)
  // after that if nothing was asked meanwhile.
  std::string state = {};
  std::vector<std::string> unless = {};  // states of it: what is asked for then does not wait
  std::string asked = {};
  std::string served = {};
  std::string over = {};
  std::string unasked = {};  // the same if nothing was asked of who waits at all; empty: `over`
  std::vector<std::string> args = {};
  // A flow from the track of who asked: the id of a track of one key, and an expression on `from`
  // that is its key; only of waits that took so long: "1ms".
  std::string flow_track = {};
  std::string flow_key = {};
  std::string flow_minimum = {};
};

// From one event to what it led to.
struct FlowRule {
  ClassGlobs from = {};
  ClassGlobs to = {};
  std::string when = {};  // a condition on `from`
  std::vector<KeyPair> match = {};
  std::vector<KeyPair> check = {};  // what is no other's, where both events have it
  std::string from_track = {};
  std::string to_track = {};
  std::string minimum = {};  // only those that took so long: "1ms"
};

// A scheduler puts something else on a processor.
struct ScheduleRule {
  ClassGlobs event = {};
  std::string when = {};
  std::vector<std::string> cpu = {};  // the key of the processor
  std::string next = {};              // what runs from now on: the key of `track`
  std::string previous = {};          // what ran; empty: what was put there before
  std::string next_name = {};         // templates
  std::string previous_name = {};
  std::string previous_state = {};  // of what ran, unless an event said why it is about to stop
  // Globs of states that do not say all: only in place of them does a [[pending]] rule count. None:
  // it counts in place of any.
  std::vector<std::string> unclear = {};
  std::string idle = {};   // a condition: nothing runs from now on
  std::string track = {};  // of kind task
};

// What runs on a processor is about to stop, and why.
struct PendingRule {
  ClassGlobs event = {};
  std::string when = {};
  std::vector<std::string> cpu = {};
  std::string task = {};   // an expression: only if this is what runs, on any processor
  std::string state = {};  // a template; empty: it is not about to stop after all
  bool lasting = false;    // of a task: until it ends, even if it stops for another reason before
};

// What later events mean by `current.NAME`, until another event sets it.
struct CurrentRule {
  struct Value {
    std::string name = {};
    std::string value = {};  // an expression; empty: from then on it is unknown
  };
  ClassGlobs event = {};
  std::string when = {};
  std::string id = {};               // several may be apart
  std::vector<std::string> of = {};  // for each of these
  std::vector<Value> set = {};
  bool lasting = false;  // it holds even if events were lost since
};

// Names of values, for templates: {ID[KEY, ...]}.
struct LookupRule {
  std::string id = {};
  ClassGlobs event = {};
  std::string when = {};
  std::vector<std::string> key = {};
  std::string value = {};  // a template
  bool first = false;      // what was said first holds, else what was said last
  // Expressions, where something begins and how large it is: {ID[KEY, ..., PLACE]} is the name of
  // what PLACE is in, and how far: "libc.so+0x1f".
  std::vector<std::string> range = {};
};

// What an event calls the machine that its trace is of, where the trace's environment does not.
struct HostRule {
  ClassGlobs event = {};
  std::string value = {};
  std::string process = {};  // what no other process of that machine is called
};

struct Table {
  std::string name = {};
  std::string title = {};
  std::string format = {};     // of the traces that it is for; empty: all
  ClassGlobs applies_to = {};  // traces with such a class; none: all
  // Or with a class that has a field with an attribute of these keys.
  std::vector<std::string> applies_to_attributes = {};
  // What is lost of one stream may be of any, and came behind the last event of all.
  bool wide_losses = false;
  // An expression: the processor that an event is of, which rules call `processor`. Where events do
  // not say it there is one processor, until [[schedule]] rules show that two tasks run at once;
  // from then on it is unknown.
  std::string processor = {};
  // All data streams end when tracing does: one that ends long before has lost the rest.
  bool streams_end_together = false;
  // Data streams that are parts of one input, one behind the other, overlap in time: what is
  // damaged may be of any time from there on.
  bool streams_overlap = false;
  bool optional = false;  // of a built-in one: it is used only where it is asked for
  bool built_in = false;
  std::string text = {};  // as it was written
  // The file that it is of, and the lines before it there.
  std::string file = {};
  std::size_t lines_before = 0;
  std::vector<HostRule> hosts = {};
  std::vector<TrackRule> tracks = {};
  std::vector<SliceRule> slices = {};
  std::vector<InstantRule> instants = {};
  std::vector<CounterRule> counters = {};
  std::vector<FieldsRule> fields = {};
  std::vector<StateRule> states = {};
  std::vector<WaitRule> waits = {};
  std::vector<FlowRule> flows = {};
  std::vector<ScheduleRule> schedules = {};
  std::vector<PendingRule> pendings = {};
  std::vector<CurrentRule> currents = {};
  std::vector<LookupRule> lookups = {};
};

// A file of tables has at most so many bytes, and a key in it so many parts ("a.b.c" has three).
inline constexpr std::size_t kMostTableBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMostKeyParts = 16;

// Reads a table. Errors: kInvalidArgument with the line and column, or the rule, and what to do.
// `where` is the name of the file, for messages.
[[nodiscard]] Result<Table> parse_table(std::string_view text, std::string_view where);

// The same of a file that may hold several, one behind the other: each begins with the line that
// says its name.
[[nodiscard]] Result<std::vector<Table>> parse_tables(std::string_view text,
                                                      std::string_view where);

// Where a rule says something: "FILE:LINE:COLUMN", of the `index`th rule of a list the value that
// is or holds `text`, or the rule itself. Empty where the table is of no file.
[[nodiscard]] std::string place_in_table(const Table& table, std::string_view list,
                                         std::size_t index, std::string_view text);

// Whether rules can be made of a table. Errors: kInvalidArgument, the place, which rule and why.
[[nodiscard]] Result<void> check_table(const Table& table);

// Those that come with the library, by name.
[[nodiscard]] const std::vector<Table>& built_in_tables();

// What the command's --table names: the built-in table of that name, or those in the file of that
// name. Errors: those of `parse_tables` and `check_table`; kLimitExceeded; those of reading a file.
[[nodiscard]] Result<std::vector<Table>> find_tables(const std::string& name);

// For `why`, which alone asks how urgent threads are: `tables` and the built-in one that says it,
// unless one of that name is among them.
[[nodiscard]] std::vector<Table> with_priorities(std::vector<Table> tables);

}  // namespace tracedeck::timeline
