// Reads what a conversion made from another trace as that trace.
#pragma once

#include <cstdint>
#include <memory>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/format/reader.hpp"
#include "tracedeck/format/target_profile.hpp"

namespace tracedeck::lower {

// Whether a trace that begins with `head` may hold marks: then it is to be read with its values and
// through `restore`. The marks of a conversion come before its first event.
[[nodiscard]] bool may_have_marks(ByteSpan head);
// How many first bytes `may_have_marks` wants to see; of an input that comes live, where nothing
// but a conversion wrote to it, so few are enough.
inline constexpr std::size_t kMarksWithin = std::size_t{64} << 10;
inline constexpr std::size_t kFirstMarkWithin = 32;

// A reader of the traces that the marks of `stored` describe. Events that no mark is about come as
// they are stored; a mark that does not fit what is stored is a finding, and left out of account.
// `options`: those that `stored` reads by. Reads the first batch. `profile` must outlive it.
[[nodiscard]] std::unique_ptr<Reader> restore(std::unique_ptr<Reader> stored,
                                              const TargetProfile& profile,
                                              const ReadOptions& options);

}  // namespace tracedeck::lower
