#pragma once

#include "tracedeck/dial9/encoder.hpp"

namespace tracedeck::dial9 {

inline const EncoderOptions kVersion04{.version = Version::k0_4};

}  // namespace tracedeck::dial9
