#include "tracedeck/render/stream_texts.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tracedeck/render/sample_trace_test.hpp"

namespace tracedeck::render {
namespace {

Packet packet_of(Slots context) { return {.context = std::move(context)}; }

TEST(KnownContext, NumbersAreKnownAgain) {
  Packet packet = packet_of({unsigned_slot(1), head_slot(SlotKind::kOptional, 1, 1), real_slot(2)});
  KnownContext known;
  EXPECT_FALSE(known.is_of(packet));
  EXPECT_TRUE(known.remember(packet));
  EXPECT_TRUE(known.is_of(packet));
  const Packet same = packet;
  EXPECT_TRUE(known.is_of(same)) << "by its values, not its address";
  packet.context[0] = unsigned_slot(3);
  EXPECT_FALSE(known.is_of(packet)) << "another one at the address";
  packet.context = {unsigned_slot(1)};
  EXPECT_FALSE(known.is_of(packet));
  known.forget();
  EXPECT_FALSE(known.is_of(same));
}

TEST(KnownContext, WhatPointsToMemoryIsNot) {
  const std::string text = "a";
  KnownContext known;
  for (const Slot& slot : {text_slot(text), named_slot(1, 2)}) {
    const Packet packet = packet_of({unsigned_slot(1), slot});
    EXPECT_FALSE(known.remember(packet));
    EXPECT_FALSE(known.is_of(packet));
  }
}

TEST(StreamTexts, AreOfAStreamAndNotOfItsAddress) {
  StreamTexts<std::string> texts;
  DataStream stream{.entity = {.trace = 1, .ordinal = 2}};
  texts[stream] = "first";
  EXPECT_EQ(texts[stream], "first");
  stream.entity.trace = 2;
  EXPECT_EQ(texts[stream], "");
  for (std::uint64_t i = 0; i < 1000; ++i) {
    stream.entity.ordinal = i;
    EXPECT_EQ(texts[stream], "") << i;
    texts[stream] = std::to_string(i);
    EXPECT_EQ(texts[stream], std::to_string(i));
  }
}

TEST(StreamTexts, WhatBelongsToNoDescriptionIsNotKept) {
  StreamTexts<std::string> texts;
  const DataStream stream;
  texts[stream] = "first";
  EXPECT_EQ(texts[stream], "");
}

}  // namespace
}  // namespace tracedeck::render
