// The metadata of the reference traces of CTF 1.8.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tracedeck/ctf/metadata/tsdl_reading_test.hpp"
#include "tracedeck/io/reference_traces_test.hpp"

namespace tracedeck::ctf {
namespace {

// What is broken in these is their metadata.
std::string_view expected_fault(const std::string& name) {
  if (name == "fail_fail1" || name == "fail_smalltrace") return "ctf/tsdl-version";
  if (name == "fail_fail2") return "ctf/tsdl-lexical";
  if (name == "fail_lttng-modules-2.0-pre1") return "ctf/tsdl-packet-header";
  // Locations, which lead to structures.
  if (name == "fail_invalid-sequence-length-field-class" ||
      name == "fail_invalid-variant-selector-field-class")
    return "ctf/location-target";
  return {};
}

TEST(TsdlTraces, ReferenceTraces) {
  const std::filesystem::path folder = reference_traces("ctf/ctf1");
  if (const std::string why = missing(folder); !why.empty()) GTEST_SKIP() << why;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().filename() != "metadata") continue;
    const std::string name = entry.path().lexically_relative(folder).begin()->string();
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    TsdlReading reading;
    reading.read(bytes, true);
    const std::string_view expected = expected_fault(name);
    EXPECT_EQ(reading.has_errors(), !expected.empty()) << name;
    if (reading.has_errors()) {
      EXPECT_EQ(reading.findings.front().rule->id, expected) << name;
      continue;
    }
    EXPECT_FALSE(reading.trace().event_classes().empty()) << name;
    // In pieces it says the same.
    TsdlReading pieces;
    for (std::size_t at = 0; at < bytes.size(); at += 1000)
      pieces.read(std::string_view(bytes).substr(at, 1000), at + 1000 >= bytes.size());
    EXPECT_EQ(pieces.faults(), reading.faults()) << name;
    EXPECT_EQ(pieces.trace().event_classes().size(), reading.trace().event_classes().size())
        << name;
  }
}

}  // namespace
}  // namespace tracedeck::ctf
