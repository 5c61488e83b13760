// The sentences that answers contain about a trace. Answers say them by `say` and in no other way,
// and docs/timeline.md shows the table.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "tracedeck/render/sentence.hpp"

namespace tracedeck::render {

// clang-format off
inline constexpr auto kSentences = std::to_array<Sentence>({
    // ---- The first line of `latency` and `diff`
    {"trace/no-losses", "no losses",
     "no data stream says or shows that events were lost, and all bytes of them can be read",
     "counts.gaps = 0, counts.ended_early = 0, counts.missing_switches = 0"},
    {"trace/no-losses-in-range", "no events lost in this range", "the same, and events that were read lie before the range",
     "events_in_range, counts.gaps = 0, counts.ended_early = 0, counts.missing_switches = 0"},
    {"trace/losses", "{count} event{/s} lost at least, in {places} place{/s} with losses or unreadable bytes",
     "a data stream says how many events it lost", "counts.lost_events, counts.gaps"},
    {"trace/losses-of-unknown-size",
     "events were lost, or bytes could not be read, in {places} place{/s}: nothing says how many",
     "there are losses or damage, and no data stream says how many events were lost",
     "counts.gaps, counts.lost_events = 0"},
    {"trace/ended-early", "{count} data stream{/s} began long after the trace or ended long before it",
     "the first packet that is there of a data stream is not the first that it had, and others begin long before; or a table says that data streams end when tracing does, and one ends long before others: what it had then is not known",
     "counts.ended_early"},
    {"trace/missing-switches", "at least {count} switch{/es} of a processor {is/are} not recorded",
     "a switch takes a thread off a processor on which another one was put last, as of threads that are not traced: what ran there since is not known",
     "counts.missing_switches"},
    {"trace/tables", "{count#}table{/s} {names}", "these tables are about events of the trace", "tables"},
    {"trace/pairs-by-names", "no table is about these events: pairs by their names",
     "no table is about an event of the trace, and names of classes come in pairs", "tables = inferred"},
    {"trace/no-table", "no table is about these events",
     "no table is about an event of the trace, and no names of classes come in pairs", "tables is empty"},

    // ---- `latency`
    {"latency/outliers", "outliers: {count} of {all} {name} took more than ten times the median, up to {longest}",
     "there are 20 durations or more, and some are more than ten times the median; near that bound durations are known "
     "within 0.8 %, so their number may be a range",
     "rows[].outliers, rows[].outliers_at_most"},
    {"latency/slices-left-out", "{count} slice{/s} in no figure above, as no duration is known: {reasons}",
     "there are slices for one of the next seven reasons; for several of them, some", "counts.left_out"},
    {"latency/open", "{count} had not ended", "slices go on where the trace ends", "counts.open_at_end"},
    {"latency/began-before", "{count} had begun before the trace",
     "slices end in the trace and did not begin in it, nor with their thread", "counts.began_before"},
    {"latency/across-loss", "{count} {lies/lie} across a loss",
     "events were lost in which a slice could have ended, or begun again", "counts.across_loss"},
    {"latency/across-clock-step", "{count} {lies/lie} across a step of the clock",
     "the clock of a track steps back before a slice on it ends", "counts.across_clock_step"},
    {"latency/inferred-ends", "{count} {has/have} an end that may be another's",
     "slices ended because another of their key began, or by an end that may be another's", "counts.inferred_ends"},
    {"latency/ended-with-task", "{count} ended with {its/their} task",
     "the thread or task of a slice ended, and the slice had not", "counts.ended_with_task"},
    {"latency/negative", "{count} ended before {it/they} began", "the time of an end lies before that of its begin",
     "counts.negative"},
    {"latency/waits-left-out", "{count} wait{/s} in no figure above, as events were or may have been lost meanwhile",
     "events were lost in which a wait could have ended, or may have been, as before the first packet that is there", "rows[].across_loss where kind is wait"},
    {"latency/waits-across-clock-step",
     "{count} wait{/s} in no figure above, as the clock stepped back meanwhile",
     "the clock of what a wait began with steps back before it ends",
     "rows[].across_clock_step where kind is wait"},
    {"latency/waits-unclear",
     "{count} wait{/s} in no figure above, as {its/their} begin or end may be another's",
     "an event serves one of several that wait and does not say which, or the end of what went on before the wait may be another's",
     "rows[].unclear where kind is wait"},
    {"latency/besides", "besides: {facts}", "one of the next ten holds", "counts"},
    {"latency/unmatched-ends", "{count} end{/s} whose begin is not known",
     "an end is of no slice that is open, nor of one that may have begun before the trace", "counts.unmatched_ends"},
    {"latency/inferred-states",
     "{count} state{/s} before the first switch of a processor, of what that took off",
     "a task is taken to have run since its data stream began, as the first switch takes it off", "counts.inferred_states"},
    {"latency/overlaps", "{count} slice{/s} overlapping others on one track",
     "a slice goes on when one ends that began before it, on the same track", "counts.overlaps"},
    {"latency/without-lane", "{count} slice{/s} in no picture, beyond 256 at a time on one track",
     "more slices overlap than a track has lanes", "counts.without_lane"},
    {"latency/unrelated-clocks", "{count} clock{/s} unrelated to the first",
     "events have times of a clock that nothing relates to the first one", "counts.unrelated_clocks"},
    {"latency/clock-steps", "{count} time{/s} earlier than the last on one track",
     "an event has an earlier time than one before it on its track", "counts.clock_steps"},
    {"latency/sections", "{count} clock{/s} stepping back, from where on all begins anew",
     "the clock of a data stream steps back", "counts.sections"},
    {"latency/too-far", "{count} event{/s} left out, 292 years or more from the first",
     "an event begins or ends 2^63 ns or more from where the times of a trace begin", "counts.too_far"},
    {"latency/without-rule", "{count} event{/s} that no rule is about",
     "no rule of any table is about a class of events", "counts.without_rule"},
    {"latency/without-field", "{count} event{/s} without a field of {its/their} rule",
     "a rule needs a field that an event does not have", "counts.without_field"},
    {"latency/begins-left-out", "{count} begin{/s} left out, too many at a time",
     "more slices or waits are open than are held", "counts.not_held"},
    {"latency/still-open", "still open at the end: {count} of `{name}`, the oldest for {age}, from {begin}",
     "slices or waits of that name go on where the trace ends",
     "rows[].open, rows[].oldest_open, rows[].oldest_open_begin"},
    {"latency/open-unclear", "still open at the end: {count} of `{name}`, but which of them is not known",
     "slices of that name were open at the same time without a field that says which of them an end is of, and fewer "
     "ended than began",
     "rows[].open without rows[].oldest_open"},
    {"latency/just-begun", "still open at the end: {count} of `{name}`, begun with the last event",
     "slices or waits of that name begin with the last event, and have no end", "rows[].open, rows[].oldest_open = 0"},
    {"latency/rows-left-out", "and rows with smaller totals: {counts}; --top 0 shows all",
     "a category has more rows than `--top`", ""},
    {"latency/tracks-left-out", "and {count} more of {group}; --top 0 shows all",
     "there are more tracks than `--top`", ""},
    {"latency/usual-tracks-left-out", "and {count} more of {group}, most of the time `{state}`; --top 0 shows all",
     "there are more tracks than `--top`, and the shown ones were longest in other states than that", ""},
    {"latency/counters-left-out", "and {count} counters more; --top 0 shows all",
     "there are more counters of a kind than `--top`", ""},
    {"latency/empty-range",
     "no event lies in the range: it begins at {begin}, and the last event before its end is at {last}",
     "`--begin` is behind the last event", "end"},
    {"latency/nothing-meets", "none of {count} slices and waits meets --where {condition}",
     "slices and waits have ended, and none meets the condition", "filtered, rows is empty"},
    {"latency/nothing-ended",
     "no slice has ended, and nothing was waited for; --explain prints the tables that were applied, and "
     "--table FILE adds one that says what events mean",
     "no slice has ended, and no wait", "rows is empty"},

    // ---- The first line of `why`
    {"why/lasted", "{name} lasted {duration} on {track} from {begin}", "a slice or a state was found",
     "name, duration, track, begin"},
    {"why/took", "{name} took {duration} on {track} from {begin}", "a wait was found", "name, duration, track, begin"},
    {"why/open", ", and had not ended when the trace did", "it goes on where the trace ends", "open_at_end"},
    {"why/none-ended", "; none such has ended", "nothing of its name has a known duration", "of = 0"},
    {"why/only-one", "; there is no other such", "it is the only one of its name with a known duration", "of = 1"},
    {"why/median", "; the median of {count} such is {median}", "several of its name have a known duration", "of, median"},
    {"why/median-of-ended", "; the median of {count} such that ended is {median}",
     "it has not ended, and others of its name have", "of, median, open_at_end"},

    // ---- The evidence of `why`
    {"why/alike", "{name} is called so too", "another name ends with what is asked for", "alike"},
    {"why/more", "and {count} more",
     "more names are called so, or more slices go on then, or more waits went on for half of it, than are shown",
     "alike, at_that_time, hurt, more_hurt"},
    {"why/longest-ended", "of those that ended the longest is {slice}",
     "it has not ended, and others of its name have", "longest_ended"},
    {"why/more-open-slices", "{count} more had not ended when the trace did, the oldest from {begin}",
     "slices of its name go on where the trace ends, and as so many do none of them is meant", "left_out, oldest_left_out"},
    {"why/more-open-waits",
     "{count} more {was/were} still waiting when the trace ended, the oldest from {begin}",
     "waits of its name go on where the trace ends, and as so many do none of them is meant", "left_out, oldest_left_out"},
    {"why/first", "of its name; the longest of all later ones took {duration}",
     "it is the first of its name, and all later ones took half as long at most", "longest_later"},
    {"why/ran", "{processor}: {tasks}", "tasks ran on its processor while it was ready to run", "ran"},
    {"why/idle", "{processors}: idle for nine tenths of it or more", "processors had nothing to do for so long", "idle"},
    {"why/at-most", "{counter}: {values}, its most until then",
     "the greatest value of a counter meanwhile is the greatest until then", "counted"},
    {"why/below-most", "{counter}: {values}; its most is {most}",
     "a counter was greater than it was meanwhile", "counted"},
    {"why/woken", "{track}, at {time}", "a flow arrives where it begins, or where the wait ends", "from"},
    {"why/woken-in", "{track}, in {slice}, at {time}", "the same, and a slice was going on where the flow began", "from"},
    {"why/more-inside", "and {count} shorter {one/ones}", "more than three slices are inside it", "more_inside, inside"},
    {"why/busy", "{track}: {count} in {time}, the longest {slice}",
     "several slices of another track filled a tenth of it, and the longest alone nine tenths of that at most", "meanwhile"},
    {"why/busy-with-one", "{track}: {slice}", "one slice of another track filled a tenth of it", "meanwhile"},
    {"why/inside-it", "inside it {slice}", "that was busy with another slice for most of the time", "meanwhile[].inner"},
    {"why/more-meanwhile", "and {count} that took less of it", "more tracks were busy meanwhile than are shown", "more_meanwhile"},
    {"why/sample", "{name}: {stack}   ({count} sample{/s})", "stacks of its track were sampled meanwhile", "samples"},
    {"why/still-waiting", "{count} {was/were} still waiting when the trace ended",
     "waits went on for half of it and had not ended with the trace, and no other one is shown", "unended_hurt"},
    {"why/more-still-waiting", "{count} more {was/were} still waiting when the trace ended",
     "the same, and others are shown", "unended_hurt"},

    // ---- What `why` concludes; all need a duration of more than twice the median, that it ended in
    // the trace, and that nothing was lost meanwhile
    {"so/rcu", "the kernel enlarged the process's table of file descriptors and waited for an RCU grace period",
     "all samples of the slice, from its first half on, are in synchronize_rcu below expand_fdtable, and CPU time "
     "shows that it was off the processor for half of the time",
     "so, samples, off_processor"},
    {"so/sleep", "the thread was switched out in nanosleep: a sleep in a poll keeps its worker from everything else",
     "the same of a poll and hrtimer_nanosleep", "so, samples, off_processor"},
    {"so/futex",
     "the thread was switched out in futex_wait, for a lock or a condition variable: that keeps its worker from "
     "everything else",
     "the same of a poll and futex_wait", "so, samples, off_processor"},
    {"so/preempted-thread", "the kernel took the processor from the thread, which wanted to go on",
     "the same of functions in which the kernel takes the processor from who wants to run", "so, samples, off_processor"},
    {"so/inversion",
     "{holder} held {lock}, and could not run for {time} of it because {runner} did: a priority inversion",
     "who held what was waited for was ready to run for half of the wait, one other task ran there for nine tenths "
     "of that, and by recorded priorities that one is less urgent than who waits",
     "so, held, holder, ran"},
    {"so/inversion-unless",
     "{holder} held {lock}, and could not run for {time} of it because {runner} did: a priority inversion, unless "
     "{runner again} is the most urgent of the three",
     "the same, and no priorities are recorded", "so, held, holder, ran"},
    {"so/held", "{holder} held {lock} for {time} of it",
     "one task held what was waited for, for half of the wait, and no longer than that", "so, held"},
    {"so/full", "{queue} was full, with {count} in it, for {time} of it",
     "a task was blocked sending, and the only queue of that name was at its most for nine tenths of that", "so, counted"},
    {"so/timeout", "it ended by its timeout (ret=-110): nobody woke the thread",
     "a futex call returned -ETIMEDOUT", "so, arguments"},
    {"so/preempted", "{task} ran on the same processor for {time} of it",
     "one other task ran on the processor for nine tenths of the time that it was ready, and nothing says that it "
     "was on another one's queue",
     "so, ran"},
    {"why/lost-meanwhile", "nothing is concluded: events were lost meanwhile",
     "a loss or damage lies in it", "not_concluded, not_known"},
    {"why/not-ended", "nothing is concluded: it had not ended when the trace did", "it goes on where the trace ends",
     "not_concluded, open_at_end"},
    {"why/usual", "nothing is concluded: it took no more than twice the median",
     "its duration is twice the median at most", "not_concluded, duration, median"},
    {"why/no-pattern", "no known pattern: the lines above are what was seen, and no reason is guessed",
     "nothing else holds", "not_concluded"},

    // ---- Where `why` finds nothing
    {"why/no-track", "no track is called '{name}'{meant}", "no track has the name of `--track`", "found, reason"},
    {"why/no-name", "nothing is called '{name}'{meant}; 'tracedeck latency --top 0' lists all names",
     "no slice, wait or state has that name", "found, reason"},
    {"why/nothing-lasts", "nothing {of that name} lasted is known at that time{on that track}",
     "nothing begins or goes on at the time of `--at`", "found, reason"},
    {"why/not-in-trace", "{time} is not in the trace, which lasts from {begin} to {end} (+TIME counts from its begin)",
     "the time of `--at` is before the first event, or behind the last", "found, reason"},
    {"why/none-known", "nothing called '{name}'{on that track} has a known duration",
     "all of that name began before the trace, or have no end in it, or lie across a loss", "found, reason"},
    {"why/few-known", "only {count} of what is called '{name}'{on that track} {has/have} a known duration",
     "`--rank` is greater than there are", "found, reason"},

    // ---- `diff`
    {"diff/verdict",
     "beyond chance (*), with 99 % for all together: {names} of {all names} names, {classes} of {all classes} kinds "
     "of events",
     "always", "rows[].rate, rows[].p50, rows[].p99, events[].rate: beyond_chance"},
    {"diff/too-little", "too little is known (?) of {names}",
     "of a name or a class in both traces there are too few values, or events were lost",
     "rows and events without chance"},
    {"diff/dependent",
     "too dependent to compare (~), as what comes together lasts too long in these traces: {names}",
     "values depend on those before them for so long that blocks of time do not show how much they vary",
     "rows[], events[]: dependent"},
    {"diff/other-tables",
     "A and B were read by different tables ({tables of A}; {tables of B}): what has one name may be two things",
     "the tables that are about events of A are not those of B", "a.tables, b.tables, doubts"},
    {"diff/moved", "{name} is compared with {place} of A: only the line differs",
     "a place is in another line in B, and which one can be told by the order of all places of its file or function",
     "rows[].moved_from, events[].moved_from; doubts"},
    {"diff/more-moved", "and {count} more in other lines", "more places are in another line than are shown",
     "rows[].moved_from, events[].moved_from; doubts"},
    {"diff/nothing", "no slice has ended in A or B, and nothing was waited for", "there are no rows", "rows is empty, doubts"},
    {"diff/nothing-in-both", "no name is in both A and B", "each row is of A alone or of B alone", "rows, doubts"},
    {"diff/lost",
     "events of {trace} were lost or could not be read: its counts are too low, so no rate is called beyond chance",
     "A, or B, has losses or damage", "a.counts, b.counts: gaps, ended_early; doubts"},
    {"diff/one-time", "the events of {trace} are all of one time: it has no rates",
     "the first event of A, or B, has the time of the last", "a, b: begin, end; doubts"},
    {"diff/left-out", "in no figure, their durations are not known: {counts}",
     "A or B has slices or waits without a known duration", "rows[].a, rows[].b: left_out, across_loss, open; doubts"},

    {"diff/across-losses", "{count} across losses", "of these some lie across a loss", "rows[].a, rows[].b: across_loss"},
    {"diff/not-ended", "{count} had not ended", "of these some go on where the trace ends", "rows[].a, rows[].b: open"},
    {"diff/rows-left-out", "and {count} more; --top 0 shows all", "there are more rows than `--top`", ""},

    // ---- What a recording lacks, in `info --quality` and below the first line of `latency`, the worst first
    {"quality/lost", "events were lost, or bytes could not be read: figures around them are not known",
     "the trace has losses or damage", "quality.findings[] of info"},
    {"quality/lost-remedy", "give the recorder larger buffers, or let it record less",
     "behind that", "quality.findings[].remedy"},
    {"quality/no-wakes", "no wake is recorded of {count} task{/s} that {was/were} polled: how long tasks waited is not known",
     "10 tasks or more were polled, and there is no wake", "quality.findings[]; quality[] of latency"},
    {"quality/no-wakes-remedy", "spawn tasks through the recorder's handle, which records the wakes of those alone",
     "behind that", "quality.findings[].remedy"},
    {"quality/not-instrumented", "{count} of {all} tasks that were spawned {is/are} not instrumented: {its/their} wakes are not recorded",
     "tasks were spawned so that their wakes are not recorded, and other wakes are", "quality.findings[]; quality[] of latency"},
    {"quality/not-instrumented-remedy", "spawn these through the recorder's handle too", "behind that",
     "quality.findings[].remedy"},
    {"quality/shallow", "{count} of {all} stacks of samples are 1 or 2 addresses deep, as where frame pointers are missing",
     "this is so of half of 10 stacks or more, and no function is said to be inlined",
     "quality.findings[]; quality[] of latency"},
    {"quality/shallow-remedy", "build the program, and what it links, with frame pointers: RUSTFLAGS='-C force-frame-pointers=yes'",
     "behind that", "quality.findings[].remedy"},
    {"quality/no-symbols", "none of the addresses in {count} stack{/s} has a name",
     "there are 10 stacks or more, and no names of addresses", "quality.findings[]; quality[] of latency"},
    {"quality/few-symbols", "{count} of {all} addresses in stacks have no name",
     "this is so of a tenth of them or more, in 10 stacks or more", "quality.findings[]"},
    {"quality/symbols-remedy",
     "keep the symbols of the program (strip = false, debug = 1), and let the recorder end in order, as it writes the names last",
     "behind each of both", "quality.findings[].remedy"},
    {"quality/no-sample-rate", "{count} allocation{/s} {was/were} sampled, and the rate is not recorded: how many bytes they stand for is not known",
     "there are sampled allocations, and nothing says how many of all they are", "quality.findings[]; quality[] of latency"},
    {"quality/no-sample-rate-remedy", "record with a version that writes memory.sample_rate_bytes", "behind that",
     "quality.findings[].remedy"},
    {"quality/no-frees", "frees of {count} of {all} sampled allocations are not tracked: what they took may be live or free",
     "allocations are recorded without their address", "quality.findings[]; quality[] of latency"},
    {"quality/no-frees-remedy", "turn on the recorder's tracking of frees", "behind that", "quality.findings[].remedy"},
    {"quality/no-clock-anchor", "nothing relates the clock to UTC: when this was is not known, nor how it relates to other hosts",
     "the format has clock anchors, and the trace has none", "quality.findings[]"},
    {"quality/no-clock-anchor-remedy", "keep the first file that the recorder wrote, or say it by --clock-offset TRACE=OFFSET",
     "behind that", "quality.findings[].remedy"},
    {"quality/clock-steps", "UTC and the clock moved against each other in {places} place{/s}: times in UTC are uncertain there",
     "UTC and the trace's clock differ by more than 1 ms from one clock anchor to the next", "quality.findings[]; utc.steps"},
    {"quality/clock-steps-remedy", "give bounds in the trace's own time, as --begin +1s", "behind that",
     "quality.findings[].remedy"},
    {"quality/good", "nothing is missing of what is looked for", "none of these holds", "quality.findings is empty"},
    {"quality/losses-alone", "of this format losses and damage alone are looked for", "the recorder is none of dial9",
     ""},
    {"quality/worst", "quality: {finding}", "a finding about what `latency` measures holds: the first of them", "quality[] of latency"},
    {"quality/worst-of-several", "quality: {finding} (and {count} more: 'tracedeck info --quality')",
     "several of them hold", "quality[] of latency"},

    // ---- Tasks that seem to be stuck, in `latency` and `info --quality`
    {"stuck/never-polled", "never polled: {count} task{/s}, spawned and not polled or ended until the trace's end: {tasks}",
     "a tenth of the trace, and 1 ms, passed since; it was not woken; nothing was lost", "stuck.never_polled"},
    {"stuck/woken", "woken and not polled: {count} task{/s}, until the trace's end: {tasks}",
     "a tenth of the trace, and 1 ms, passed since it was woken; nothing was lost", "stuck.woken"},
    {"stuck/never-woken", "pending, and no wake is recorded: {count} task{/s}, polled once and not ended until the trace's end: {tasks}",
     "a tenth of the trace, and 1 ms, passed since that poll ended; wakes are recorded, of it none, and it is not known to be not instrumented; nothing was lost",
     "stuck.never_woken"},
    {"stuck/self-woken", "woke itself: {tasks}",
     "10 times or more, and in half of its polls or more", "stuck.self_woken"},
    {"stuck/task", "task {id}", "of each of these", "stuck.*.tasks[].task"},
    {"stuck/task-of", "task {id} of {place}", "the same, and it is recorded where it was spawned", "stuck.*.tasks[].spawned_at"},
    {"stuck/for", "{task} for {time}", "it was waiting for so long when the trace ended", "stuck.*.tasks[].age"},
    {"stuck/times", "{task} {count} times in {polls} polls", "it woke itself so often", "stuck.*.tasks[].count"},
    {"stuck/more", "and {count} more", "more tasks than are shown", "stuck.*.count"},

    // ---- The last line of `query`
    {"query/read", "{count} event{/s} read, {selected} selected", "always", "read, selected"},
    {"query/pairs",
     "{count} pair{/s}, {open} without an end, {unmatched} without a begin, {again} begun again before the end",
     "pairs are asked for", "pairs.complete, pairs.without_end, pairs.without_begin, pairs.replaced"},
    {"query/void-by-loss", "{count} void by losses", "events were lost, or bytes could not be read, in which a pair could have ended", "pairs.void"},
    {"query/pairs-across-step", "{count} across a step back of the clock", "the clock of the data stream of one of its events stepped back before a pair ended", "pairs.across_clock_step"},
    {"query/too-long", "{count} longer than allowed", "pairs took longer than `within`", "pairs.too_long"},
    {"query/not-held", "{count} not held: too many waited for their end", "more begins wait than are held", "pairs.not_held"},
    {"query/without-key", "{count} event{/s} without a key", "begins or ends lack a field of the key", "pairs.without_key"},
    {"query/without-time", "{count} event{/s} without a time", "begins or ends have no time", "pairs.without_time"},
    {"query/spans", "{count} span{/s}", "spans are asked for", "spans.whole"},
    {"query/left-out", "{count} of unknown duration", "spans have no known duration", "spans.left_out"},
    {"query/open", "{count} open at the end", "of these some go on where the trace ends", "spans.open"},
    {"query/began-before", "{count} from before the trace", "of these some began before the trace", "spans.began_before"},
    {"query/across-loss", "{count} across losses", "of these some lie across a loss", "spans.across_loss"},
    {"query/unmatched-ends", "{count} end{/s} without a begin", "as latency/unmatched-ends", "spans.unmatched_ends"},
    {"query/begins-left-out", "{count} begin{/s} not held: too many were open", "as latency/begins-left-out", "spans.not_held"},
    {"query/allocations", "{count} sampled allocation{/s}", "allocations are asked for, and there are any", "allocations.sampled"},
    {"query/live-allocations", "{count} live at the end", "of these some were not freed by the end", "allocations.live"},
    {"query/untracked-allocations", "{count} of which nothing says whether they were freed", "frees of allocations are not tracked", "allocations.untracked"},
    {"query/allocations-not-held", "{count} not held: too many were live", "more sampled allocations are live than are held", "allocations.not_held"},
    {"query/unmatched-frees", "{count} free{/s} of what was not sampled here", "frees are of no allocation that is known to be live", "allocations.unmatched_frees"},
    {"query/samples", "{count} sample{/s}", "samples are asked for, and there are any", "samples.sampled"},
    {"query/doubtful-samples", "{count} behind losses, so that what they are inside of is unknown", "of these some lie between a loss and the next begin or end of a slice on their track", "samples.doubtful"},
    {"query/none-lost", "none lost", "no data stream says that it lost events, or may have, and all bytes could be read",
     "lost = 0, losses_of_unknown_size = 0, damaged_bytes = 0, spans.ended_early = 0"},
    {"query/lost", "{count} event{/s} lost", "data streams say how many events they lost", "lost"},
    {"query/lost-of-unknown-size", "{places} loss{/es} of unknown size",
     "data streams lost events, or may have, or traces could not be read to their end, and nothing says how many",
     "losses_of_unknown_size"},
    {"query/damaged", "{count} byte{/s} damaged", "bytes could not be read", "damaged_bytes"},
    {"query/ended-early", "{count} data stream{/s} began long after the trace or ended long before it", "as trace/ended-early, of spans",
     "spans.ended_early"},
    {"query/late", "{count} event{/s} late", "events of a live trace came behind later ones that had been counted", "late"},
    {"query/merged", "of {count} partial answer{/s}", "partial answers were merged", "partial_answers"},
    {"query/estimates", "estimates, about 2 % off: {columns}",
     "`distinct` counts more values than are counted one by one", "estimates"},

    // ---- Why `--require` does not hold
    {"require/is", "it is {value}", "the requirement is not met", ""},
    {"require/is-and-was", "it is {value}, and {value of A} in A", "the same, of a multiple of A", ""},
    {"require/exists", "something is called \"{name}\"", "`absent` is asked for, and a slice or wait has that name", ""},
    {"require/nothing", "nothing is called \"{name}\"{meant}", "no slice or wait has that name", ""},
    {"require/none-known", "no duration of \"{name}\" is known", "all of that name are left out", ""},
    {"require/lost-within", "it is not known: events were lost within {count} of \"{name}\"",
     "slices or waits of that name lie across a loss", ""},
    {"require/unclear", "it is not known: {count} of \"{name}\" {has/have} a begin or an end that may be another's",
     "a count, total, minimum or maximum is asked for, and slices or waits of that name are counted as `unclear`", ""},
    {"require/lost", "it is not known: events were lost",
     "a count, total, minimum or maximum is asked for, or `slower` of a name that B lacks, and the trace has losses or damage", ""},
    {"require/one-time", "it is not known: the events are all of one time", "a rate is asked for, and time does not pass", ""},

    // ---- Beside answers
    {"notice/lacks", "table {table}: events `{classes}` lack {fields}, which their {rule} needs, and are left out of it",
     "classes that a rule is about do not have a field of the rule", "counts.without_field"},
    {"notice/lacks-thread",
     "table {table}: no thread is recorded (the context `{field}`) of events `{classes}`, which their {rule} needs: they are "
     "left out of it",
     "the same, and the field is that of threads", "counts.without_field"},
    {"notice/mixed",
     "events `{begins}` begin what others of them have not ended, and {no field says} which of them `{ends}` ends: how "
     "long those lasted is not known. A table whose [[slice]] has such a field as `match` pairs them",
     "pairs by names are open at the same time, and no field that is called as an id tells them apart, or they end in "
     "another data stream than they began in", "counts.inferred_ends"},
    {"notice/not-told-apart",
     "table {table}: of several `{category}` that are open at once neither a field nor the data stream says which of "
     "them `{ends}` ends: how long those lasted is not known",
     "slices that are told apart by their data streams may have ended with an end of another one", "counts.inferred_ends"},
    {"notice/perhaps-older",
     "table {table}: what began before the trace may still be open, so that a `{category}` may not be what `{ends}` ends in "
     "another data stream: how long those lasted is not known",
     "slices end in another data stream than they began in, and the trace began later than the program", "counts.inferred_ends"},
    {"notice/no-processor",
     "table {table}: tasks run at once, and some events do not say on which processor: from there on slices "
     "`{categories}` of these events cannot be told apart and are left out, as is what a processor that is not known does",
     "tasks of an RTOS run on several processors, and events do not say theirs", ""},
    {"notice/many-tracks",
     "there are more than {most} tracks: `latency` adds up the states of {count} other{/s} as `(others)`, and no "
     "picture shows them",
     "there are more tracks with states than are held", "tracks[] of that name"},
    {"notice/more-tracks", "{count} event{/s} {says/say} states of tracks beyond {most} others, which are in no figure",
     "there are more of these at a time than are held", ""},
    {"notice/no-spans",
     "no table says which of these events begin and end spans, and no names of theirs come in pairs; --table FILE "
     "says it: docs/timeline.md",
     "spans are asked for, and no table is about an event", ""},
    {"notice/no-span-ends", "none of these events ends a span by the {count#}table{/s} {names}",
     "spans are asked for, and none has ended", ""},
    {"notice/no-allocations", "no sampled allocation is in what was asked for; recorders of dial9 write AllocEvent where they profile memory",
     "allocations are asked for, and there are none", "allocations.sampled = 0"},
    {"notice/no-samples", "no sampled stack is in what was asked for; tables say of events with a field `callchain` that they are samples",
     "samples are asked for, and there are none", "samples.sampled = 0"},
    {"notice/samples-before",
     "{count} sample{/s} {was/were} taken before the end of what had begun before the trace, which `inside` does not know of them",
     "samples are asked for, and on their track a slice from before the trace ends behind some", "samples.perhaps_inside"},
    {"notice/unscaled-allocations",
     "{count} allocation{/s} {was/were} sampled at a rate that is not recorded: each counts once, with its own size",
     "allocations are asked for, and nothing says how many bytes those that were sampled stand for", "allocations.unscaled"},
    {"notice/untracked-allocations",
     "frees of {count} allocation{/s} are not tracked: `live` is unknown, and they are in no figure of what is live",
     "the same, of allocations that were recorded without their address", "allocations.untracked"},
    {"notice/frees-lost", "events were lost, perhaps frees too: what those freed counts as live",
     "the same, with losses, where allocations are live at the end", "allocations.live; lost, losses_of_unknown_size"},
    {"notice/stacks-not-held", "{count} allocation{/s} {has/have} an unknown `symbol` and `stack`: more different stacks than are held",
     "the same, and stacks take more than 16 MiB", ""},
    {"notice/unrelated-clocks",
     "nothing relates the clocks of {trace} and {others}: times and durations from one to the other mean nothing; "
     "--clock-offset TRACE=0 says that TRACE has the clock of the others",
     "slices and waits are of several traces whose clocks have neither a common origin nor an identity, or count from "
     "the boot of their hosts",
     "counts.unrelated_clocks"},
    {"notice/unrelated-order",
     "nothing relates the clocks of {trace} and {others}: the order of their events to each other says nothing; "
     "--clock-offset TRACE=0 says that TRACE has the clock of the others, TRACE=OFFSET that it needs OFFSET added; "
     "--clock wall uses UTC where the traces give it",
     "events of such traces are merged by their times", ""},
    {"notice/other-hosts",
     "{trace} and {others} have clocks of their own, of UTC: which of their events came first is known as well as those "
     "clocks agree; --clock-offset TRACE=OFFSET corrects them",
     "the clocks have different UUIDs, count from the Unix epoch, and one of them at least is of CTF 1.8 and not absolute", ""},
    {"notice/clock-step",
     "{trace}: between its clock anchors at {begin} and {end} UTC goes on by {time} s {more or less} than its own "
     "clock, as by a suspend or where the wall clock was set: times in UTC between them are uncertain by that",
     "UTC and the trace's clock differ by more than 1 ms from one anchor to the next", ""},
    {"notice/more-clock-steps", "{trace}: the same between {count} more pairs of anchors",
     "there are more than three such pairs", ""},
    {"notice/utc-again",
     "{trace}: its wall clock was set back, and times between the bounds may come again: what lies behind {time} is left out, as "
     "no duration goes beyond a step; --begin +T selects it",
     "durations are measured, a bound is a date, and times between the bounds are several parts of those of the trace's clock", ""},
    {"notice/utc-before",
     "{trace}: its wall clock was set back, and times before its first clock anchor may be between the bounds, too: what lies before {time} "
     "is left out, as no duration goes beyond a step; --begin +T selects it",
     "the same, and the part that is measured does not begin before the first anchor", ""},
    {"notice/clock-drift",
     "{trace}: durations, and all times but those of rows of spans, are of its own clock, moved by its first anchor: "
     "up to {time} s from UTC",
     "times are shown in UTC, durations are measured, and the offset of the clock varies", ""},
    {"notice/common-time", "{trace}: its data streams have {begin} to {end} in common", "`--stream-intersection` is given", ""},
    {"notice/no-common-time", "{trace}: its data streams have no time in common: nothing of it is selected",
     "the same, and a data stream ends before another one begins", ""},
    {"notice/steps-back", "printed out of the order of time: {count} step{/s} back; --order time sorts",
     "events are printed as they were recorded, and times go back", ""},
    {"notice/live-steps-back",
     "what comes live is interpreted in the order of arrival, and went back in time {count} time{/s}: durations around "
     "there are not to be trusted; 'convert -o FILE' records it, and of FILE the order is that of time",
     "slices and waits are of a live TRACE, and times of its events go back", ""},
    {"notice/lost", "lost: {losses}", "events or packets were lost: how many, says one of the last three sentences", ""},

    // ---- How much was lost, in a notice and in `info`
    {"losses/counted", "{events and packets}, in {places} place{/s}",
     "data streams lost events or packets, and all say how many", "losses of info"},
    {"losses/some-counted", "{events and packets}, in {places} place{/s}; in {unknown} of them nothing says how many",
     "data streams lost events or packets, and some do not say how many", "losses of info"},
    {"losses/uncounted", "events, in {places} place{/s}; nothing says how many",
     "data streams lost events, or may have, and none says how many", "losses of info"},
});
// clang-format on

// An id as an argument of a template.
template <std::size_t kSize>
struct SentenceId {
  char text[kSize] = {};  // NOLINT(modernize-avoid-c-arrays)
  // NOLINTNEXTLINE(google-explicit-constructor, modernize-avoid-c-arrays)
  consteval SentenceId(const char (&id)[kSize]) { std::copy_n(id, kSize, text); }
  [[nodiscard]] constexpr std::string_view view() const { return {text, kSize - 1}; }
};

// The sentence of that id, with a value for each of its places.
template <SentenceId kId, class... Values>
[[nodiscard]] std::string say(const Values&... values) {
  constexpr const auto* kSentence = std::ranges::find(kSentences, kId.view(), &Sentence::id);
  static_assert(kSentence != kSentences.end(), "no sentence has this id");
  static_assert(places_of(kSentence->text) == sizeof...(Values), "a value for each place");
  return filled(kSentence->text, {SentenceValue(values)...});
}

// Sentences about what there is any of, with commas between them.
class Facts {
 public:
  // `count`: as it is said, a number or `Plain`.
  template <SentenceId kId, class Count>
  Facts& add(const Count& count) {
    if (SentenceValue(count).number() != 0) text_ += (text_.empty() ? "" : ", ") + say<kId>(count);
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace tracedeck::render
