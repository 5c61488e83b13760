// A program's own structs may be called as those of the library are: their descriptions mean the
// program's.

#include <cstdint>
#include <tracedeck/ctf/write/producer.hpp>
#include <tracedeck/dial9/encoder.hpp>
#include <tracedeck/tracedeck.hpp>

namespace dial9 = tracedeck::dial9;
namespace ctf = tracedeck::ctf;

struct Event {
  std::uint64_t timestamp = 0;
  std::uint32_t worker = 0;
};
struct Schema {
  std::uint64_t timestamp = 0;
  std::uint32_t version = 0;
};
struct Packet {
  std::uint64_t timestamp = 0;
  std::uint32_t size = 0;
};
struct Loss {
  std::uint64_t timestamp = 0;
  std::uint32_t count = 0;
};

template <>
inline constexpr auto dial9::kDescription<Event> = dial9::describe<Event>(
    "Event", dial9::timestamp(&Event::timestamp), dial9::field("worker", &Event::worker));
template <>
inline constexpr auto dial9::kDescription<Schema> = dial9::describe<Schema>(
    "Schema", dial9::timestamp(&Schema::timestamp), dial9::field("version", &Schema::version));
template <>
inline constexpr auto dial9::kDescription<Packet> = dial9::describe<Packet>(
    "Packet", dial9::timestamp(&Packet::timestamp), dial9::field("size", &Packet::size));
template <>
inline constexpr auto dial9::kDescription<Loss> = dial9::describe<Loss>(
    "Loss", dial9::timestamp(&Loss::timestamp), dial9::field("count", &Loss::count));

template <>
inline constexpr auto ctf::kPayload<Event> =
    ctf::describe<Event>("event", ctf::field("worker", &Event::worker));
template <>
inline constexpr auto ctf::kPayload<Packet> =
    ctf::describe<Packet>("packet", ctf::field("size", &Packet::size));
template <>
inline constexpr auto ctf::kPayload<Loss> =
    ctf::describe<Loss>("loss", ctf::field("count", &Loss::count));

static_assert(dial9::Described<Event> && dial9::Described<Schema> && dial9::Described<Packet> &&
              dial9::Described<Loss>);
static_assert(ctf::DescribedPayload<Event> && ctf::DescribedPayload<Packet> &&
              ctf::DescribedPayload<Loss>);
