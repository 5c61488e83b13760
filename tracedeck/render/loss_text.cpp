#include "tracedeck/render/loss_text.hpp"

#include <fmt/format.h>

#include "tracedeck/render/counted.hpp"
#include "tracedeck/render/sentences.hpp"

namespace tracedeck::render {
namespace {

std::string amount_text(std::uint64_t events, std::uint64_t packets) {
  if (packets == 0) return counted(events, "event");
  if (events == 0) return counted(packets, "packet");
  return fmt::format("{} and {}", counted(events, "event"), counted(packets, "packet"));
}

}  // namespace

std::string losses_text(const flow::LossTotals& losses) {
  if (losses.places == 0) return {};
  const Plain places(losses.places);
  if (losses.places_of_unknown_size == losses.places) return say<"losses/uncounted">(places);
  const std::string amount = amount_text(losses.events, losses.packets);
  return losses.places_of_unknown_size == 0
             ? say<"losses/counted">(amount, places)
             : say<"losses/some-counted">(amount, places, Plain(losses.places_of_unknown_size));
}

}  // namespace tracedeck::render
