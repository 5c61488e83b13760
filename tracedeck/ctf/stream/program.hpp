// Decode programs.
#pragma once
namespace tracedeck::ctf {
struct Program {};
}  // namespace tracedeck::ctf
