// Continuing a trace that exists.
#pragma once

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/error.hpp"
#include "tracedeck/dial9/encoder.hpp"
#include "tracedeck/dial9/encoder_state.hpp"

namespace tracedeck::dial9 {

// What the last segment of a trace has established. Errors: kMustReject when it is no dial9 trace,
// kInvalidArgument when its end is damaged, for what is written behind could not be read.
[[nodiscard]] Result<EncoderState> read_encoder_state(PaddedView trace);

// An encoder whose bytes belong behind `trace`: it continues the last segment, with its schemas,
// pools and timestamp base. Errors as above.
[[nodiscard]] Result<Encoder> append_to(PaddedView trace, EncoderOptions options = {},
                                        Sink sink = {});

}  // namespace tracedeck::dial9
