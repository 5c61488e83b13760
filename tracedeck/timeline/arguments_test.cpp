#include "tracedeck/timeline/arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tracedeck/render/sample_trace_test.hpp"

namespace tracedeck::timeline {
namespace {

using testing::ElementsAre;

TEST(ArgumentsTest, AddressesAreHexadecimal) {
  render::SampleTrace trace;
  const auto narrow = make_field_class(IntegerClass{.layout = FixedLayout{.width = 16}});
  const auto varint = make_field_class(IntegerClass{.layout = Leb128Layout{}});
  const EventClass& of =
      trace.add(trace.event_class(1, "Call",
                                  render::structure_class({{"where", render::address_class()},
                                                           {"count", render::unsigned_class()},
                                                           {"callback", render::unsigned_class()},
                                                           {"skbaddr", render::unsigned_class()},
                                                           {"function", narrow},
                                                           {"ptr", varint}})));
  render::Slots slots;
  for (int i = 0; i < 6; ++i) slots.push_back(unsigned_slot(255));
  const Event event = trace.event(of, 0, std::move(slots));
  Arguments arguments;
  arguments.add_all(of);
  std::vector<std::string> texts;
  arguments.visit(event, [&](std::string_view name, const query::Value& value) {
    texts.push_back(std::string(name) + "=" + argument_text(value));
  });
  EXPECT_THAT(texts, ElementsAre("where=0xff", "count=255", "callback=0xff", "skbaddr=0xff",
                                 "function=255", "ptr=255"));
}

}  // namespace
}  // namespace tracedeck::timeline
