// The names that a trace gives to addresses, read beside what else is read of it.
#pragma once

#include <memory>
#include <string_view>

#include "tracedeck/base/error.hpp"
#include "tracedeck/flow/pipeline_options.hpp"
#include "tracedeck/flow/trace_place.hpp"
#include "tracedeck/io/input.hpp"

namespace tracedeck::flow {

// Those of one trace, for who reads with these options; it is read when the first is asked for.
// Null: nobody needs them, or it can be read only once. Where `Needs::Symbols::kCheap` is all that
// is wanted, a trace that takes too long has none, which is reported. The observer must outlive
// them. They keep the context, which traces may share.
[[nodiscard]] std::shared_ptr<const Symbols> symbols_of(
    const TracePlace& place, const std::shared_ptr<const PipelineContext>& context);

// Whether what is left of an input has the text, which is not empty, somewhere. Errors: those of
// `Input::read`.
[[nodiscard]] Result<bool> mentions(io::Input& input, std::string_view text);

// Whether the trace has events that name addresses, as far as it was read.
[[nodiscard]] bool names_addresses(const TraceDescription& description);

}  // namespace tracedeck::flow
