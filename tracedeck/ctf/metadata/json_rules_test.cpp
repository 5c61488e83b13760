// For every rule of JSON metadata, streams that keep it and streams that break just it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "tracedeck/ctf/metadata/json_auxiliary.hpp"
#include "tracedeck/ctf/metadata/json_metadata_test.hpp"
#include "tracedeck/ctf/metadata/metadata_rules.hpp"

namespace tracedeck::ctf {
namespace {

using R = MetadataRule;

constexpr Dialect kRc3 = Dialect::kRc3;
constexpr Dialect kFinal = Dialect::kFinal;

// What the texts of a case are.
enum class Of : std::uint8_t {
  kStream,     // all bytes of it
  kLines,      // all texts of it, one a line
  kFragments,  // what lies between a preamble and a data stream class
  kMore,       // what lies behind a preamble and a data stream class
  kClass,      // a field class behind members `n` (unsigned), `s` (signed) and `b` of a payload
  kHeader,     // members of a packet header
  kContext,    // members of a packet context
  kEventHeader,
  kAuxiliary,  // texts of an auxiliary stream
};

struct RuleCase {
  R rule;
  Dialect dialect;
  Of of;
  std::string_view kept;
  std::string_view broken;
  std::string_view place;  // how the finding's text begins
};

constexpr std::string_view kInClass =
    "fragment 3, /payload-field-class/member-classes/3/field-class";

const RuleCase kCases[] = {
    {R::kSequence, kRc3, Of::kStream,
     "\x1E{\"type\":\"preamble\",\"version\":2}\n\x1E\x1E"
     "{\"type\":\"data-stream-class\"}",
     "{\"type\":\"preamble\",\"version\":2}\n", "fragment 1: "},
    {R::kText, kRc3, Of::kLines, R"({"type":"preamble","version":2}
{"type":"data-stream-class"})",
     R"({"type":"preamble","version":2}
{"type":"data-stream-class",})",
     "fragment 2: "},
    {R::kText, kRc3, Of::kLines, R"({"type":"preamble","version":2}

{"type":"data-stream-class"})",
     R"({"type":"preamble","version":2}{"type":"data-stream-class"})",
     "fragment 1: found more after the end"},
    {R::kTruncated, kRc3, Of::kStream,
     "\x1E{\"type\":\"preamble\",\"version\":2}"
     "\x1E{\"type\":\"data-stream-class\"}",
     "\x1E{\"type\":\"preamble\",\"version\":2}\n"
     "\x1E{\"type\":\"data-stream-cl",
     "fragment 2: "},
    {R::kPadding, kRc3, Of::kStream,
     "\x1E{\"type\":\"preamble\",\"version\":2}\n\x1E{\"type\":\"data-stream-class\"}\n",
     std::string_view("\x1E{\"type\":\"preamble\",\"version\":2}\n"
                      "\x1E{\"type\":\"data-stream-class\"}\n\0\0",
                      65),
     "2 zeros follow"},
    {R::kRepeatedKey, kRc3, Of::kMore, R"({"type":"event-record-class","name":"a"})",
     R"({"type":"event-record-class","name":"a","name":"b"})", "fragment 3, /name: "},
    {R::kRepeatedKey, kRc3, Of::kClass,
     R"({"type":"null-terminated-string","user-attributes":{"a":{"b":1}}})",
     R"({"type":"null-terminated-string","user-attributes":{"a":{"b":1,"b":1}}})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/user-attributes/a/b: "},
    {R::kDialect, kFinal, Of::kMore, R"({"type":"event-record-class","attributes":{}})",
     R"({"type":"event-record-class","attributes":{},"user-attributes":{}})",
     "fragment 3, /user-attributes: "},
    {R::kDialect, kFinal, Of::kLines,
     R"({"type":"preamble","version":2,"uuid":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]}
{"type":"data-stream-class"})",
     R"({"type":"preamble","version":2}
{"type":"clock-class","id":"c","frequency":1,"offset":{},"offset-from-origin":{}}
{"type":"data-stream-class"})",
     "fragment 2, /offset: "},
    {R::kOtherDocument, kFinal, Of::kMore, R"({"type":"event-record-class"})",
     R"({"type":"event-record-class","user-attributes":{}})", "fragment 3, /user-attributes: "},
    {R::kOtherDocument, kFinal, Of::kClass, R"({"type":"variable-length-unsigned-integer"})",
     R"({"type":"variable-length-bit-array"})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/type: "},
    {R::kOtherDocument, kRc3, Of::kFragments,
     R"({"type":"clock-class","name":"c","frequency":1,"origin-is-unix-epoch":true})",
     R"({"type":"clock-class","name":"c","frequency":1,"origin-is-unix-epoch":true}
{"type":"field-class-alias","name":"a","field-class":{"type":"structure"}})",
     "fragment 3, /type: "},
    {R::kOtherDocument, kFinal, Of::kContext,
     R"({"name":"x","field-class":{"type":"variable-length-unsigned-integer","roles":["packet-total-length"]}})",
     R"({"name":"x","field-class":{"type":"variable-length-unsigned-integer","roles":["packet-total-size"]}})",
     "fragment 2, /packet-context-field-class/member-classes/0/field-class/roles/0: "},
    {R::kOtherDocument, kFinal, Of::kFragments, R"({"type":"clock-class","id":"c","frequency":1})",
     R"({"type":"clock-class","name":"c","frequency":1})", "fragment 2, /name: "},
    {R::kMappingRange, kFinal, Of::kClass,
     R"({"type":"fixed-length-unsigned-integer","length":8,"byte-order":"big-endian","mappings":{"a":[[0,255]]}})",
     R"({"type":"fixed-length-unsigned-integer","length":8,"byte-order":"big-endian","mappings":{"a":[[0,255]],"b":[[256,256]]}})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/mappings/b: "},
    {R::kPreambleFirst, kRc3, Of::kLines, R"({"type":"preamble","version":2}
{"type":"data-stream-class"})",
     R"({"type":"data-stream-class"})", "fragment 1, /type: "},
    {R::kPreambleFirst, kRc3, Of::kStream,
     "\x1E{\"type\":\"preamble\",\"version\":2}\n"
     "\x1E{\"type\":\"data-stream-class\"}\n",
     "", "it is empty"},
    {R::kPreambleOnce, kRc3, Of::kMore, "", R"({"type":"preamble","version":2})",
     "fragment 3, /type: "},
    {R::kTraceClassOnce, kRc3, Of::kFragments, R"({"type":"trace-class"})",
     "{\"type\":\"trace-class\"}\n{\"type\":\"trace-class\"}", "fragment 3, /type: "},
    {R::kTraceClassOrder, kRc3, Of::kMore, "", R"({"type":"trace-class"})", "fragment 3, /type: "},
    {R::kNoStreamClass, kRc3, Of::kLines, R"({"type":"preamble","version":2}
{"type":"data-stream-class"})",
     R"({"type":"preamble","version":2})", "found no data stream class"},
    {R::kFragment, kRc3, Of::kMore, "", R"({"type":"ramen"})", "fragment 3, /type: "},
    {R::kFragment, kRc3, Of::kMore, "", R"({"id":0})", "fragment 3: "},
    {R::kFragment, kRc3, Of::kMore, "", "[]", "fragment 3: "},
    {R::kUnknownProperty, kRc3, Of::kMore, "", R"({"type":"event-record-class","ramen":0})",
     "fragment 3, /ramen: "},
    {R::kUnknownClassProperty, kFinal, Of::kClass, R"({"type":"null-terminated-string"})",
     R"({"type":"null-terminated-string","length":3})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/length: "},
    {R::kVersion, kRc3, Of::kLines, R"({"type":"preamble","version":2}
{"type":"data-stream-class"})",
     R"({"type":"preamble","version":2.0}
{"type":"data-stream-class"})",
     "fragment 1, /version: found 2.0, expected an integer"},
    {R::kVersion, kRc3, Of::kLines, R"({"type":"preamble","version":2}
{"type":"data-stream-class"})",
     R"({"type":"preamble","version":36893488147419103234}
{"type":"data-stream-class"})",
     "fragment 1, /version: "},
    {R::kUuid, kRc3, Of::kFragments,
     R"({"type":"trace-class","uuid":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,255]})",
     R"({"type":"trace-class","uuid":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,256]})",
     "fragment 2, /uuid/15: found 256"},
    {R::kUuid, kFinal, Of::kLines,
     R"({"type":"preamble","version":2,"uuid":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]}
{"type":"data-stream-class"})",
     R"({"type":"preamble","version":2,"uuid":[]}
{"type":"data-stream-class"})",
     "fragment 1, /uuid: "},
    {R::kExtensions, kRc3, Of::kLines,
     R"({"type":"preamble","version":2,"extensions":{"a":{"b":null}}}
{"type":"data-stream-class","extensions":{"a":{"b":1}}})",
     R"({"type":"preamble","version":2,"extensions":{"a":{"b":null}}}
{"type":"data-stream-class","extensions":{"a/b":{"":1}}})",
     "fragment 2, /extensions/a~1b/: "},
    {R::kAttributes, kRc3, Of::kMore, R"({"type":"event-record-class","user-attributes":{"a":1}})",
     R"({"type":"event-record-class","user-attributes":[]})", "fragment 3, /user-attributes: "},
    {R::kAttributes, kFinal, Of::kMore, R"({"type":"event-record-class","attributes":{"a":1}})",
     R"({"type":"event-record-class","attributes":3})", "fragment 3, /attributes: "},
    {R::kFieldClass, kRc3, Of::kClass, R"({"type":"null-terminated-string"})",
     R"({"type":"null-terminated-strings"})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/type: "},
    {R::kRootClass, kRc3, Of::kMore,
     R"({"type":"event-record-class","payload-field-class":{"type":"structure"}})",
     R"({"type":"event-record-class","payload-field-class":{"type":"null-terminated-string"}})",
     "fragment 3, /payload-field-class/type: "},
    {R::kRootClass, kFinal, Of::kMore,
     R"({"type":"field-class-alias","name":"s","field-class":{"type":"structure"}}
{"type":"event-record-class","payload-field-class":"s"})",
     R"({"type":"field-class-alias","name":"s","field-class":{"type":"null-terminated-string"}}
{"type":"event-record-class","payload-field-class":"s"})",
     "fragment 4, /payload-field-class: "},
    {R::kFieldLocation, kRc3, Of::kClass,
     R"({"type":"dynamic-length-string","length-field-location":["event-record-payload","n"]})",
     R"({"type":"dynamic-length-string","length-field-location":["event-record-payload"]})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/length-field-location: "},
    {R::kFieldLocation, kFinal, Of::kClass,
     R"({"type":"dynamic-length-string","length-field-location":{"path":["n"]}})",
     R"({"type":"dynamic-length-string","length-field-location":{"path":["n",null]}})",
     "fragment 3, "
     "/payload-field-class/member-classes/3/field-class/length-field-location/path/1: "},
    {R::kFieldLocation, kFinal, Of::kClass,
     R"({"type":"dynamic-length-string","length-field-location":{"origin":"event-record-payload","path":["n"]}})",
     R"({"type":"dynamic-length-string","length-field-location":{"origin":"payload","path":["n"]}})",
     "fragment 3, "
     "/payload-field-class/member-classes/3/field-class/length-field-location/origin: "},
    {R::kRangeSet, kRc3, Of::kClass,
     R"({"type":"optional","selector-field-location":["event-record-payload","n"],"selector-field-ranges":[[1,1]],"field-class":{"type":"null-terminated-string"}})",
     R"({"type":"optional","selector-field-location":["event-record-payload","n"],"selector-field-ranges":[[2,1]],"field-class":{"type":"null-terminated-string"}})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/selector-field-ranges/0: "},
    {R::kRangeSet, kRc3, Of::kClass,
     R"({"type":"variable-length-unsigned-enumeration","mappings":{"a":[[1,2]]}})",
     R"({"type":"variable-length-unsigned-enumeration","mappings":{"a":[]}})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/mappings/a: "},
    {R::kRangeSet, kRc3, Of::kClass,
     R"({"type":"variable-length-unsigned-enumeration","mappings":{"a":[[1,20]]}})",
     R"({"type":"variable-length-unsigned-enumeration","mappings":{"a":[[1,2e1]]}})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/mappings/a/0/1: "},
    {R::kRoles, kRc3, Of::kClass, R"({"type":"null-terminated-string","roles":[]})",
     R"({"type":"null-terminated-string","roles":[1]})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/roles/0: "},
    {R::kRoles, kFinal, Of::kClass, R"({"type":"variable-length-unsigned-integer","roles":[]})",
     R"({"type":"variable-length-signed-integer","roles":[]})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/roles: "},
    {R::kUnknownRole, kRc3, Of::kClass, R"({"type":"null-terminated-string","roles":[]})",
     R"({"type":"null-terminated-string","roles":["ramen"]})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/roles/0: "},
    {R::kMisplacedRole, kRc3, Of::kClass, R"({"type":"variable-length-unsigned-integer"})",
     R"({"type":"variable-length-unsigned-integer","roles":["event-record-class-id"]})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/roles/0: "},
    {R::kPacketHeaderRole, kRc3, Of::kHeader,
     R"({"name":"x","field-class":{"type":"variable-length-unsigned-integer","roles":["data-stream-id"]}})",
     R"({"name":"x","field-class":{"type":"variable-length-signed-integer","roles":["data-stream-id"]}})",
     "fragment 2, /packet-header-field-class/member-classes/0/field-class/roles/0: "},
    {R::kPacketHeaderRole, kFinal, Of::kHeader,
     R"({"name":"m","field-class":{"type":"fixed-length-unsigned-integer","length":32,"byte-order":"big-endian","roles":["packet-magic-number"]}})",
     R"({"name":"i","field-class":{"type":"variable-length-unsigned-integer","roles":["data-stream-id"]}},{"name":"m","field-class":{"type":"fixed-length-unsigned-integer","length":32,"byte-order":"big-endian","roles":["packet-magic-number"]}})",
     "fragment 2, /packet-header-field-class/member-classes/1/field-class: "},
    {R::kPacketContextRole, kFinal, Of::kContext,
     R"({"name":"x","field-class":{"type":"variable-length-unsigned-integer","roles":["packet-total-length"]}})",
     R"({"name":"x","field-class":{"type":"variable-length-unsigned-integer","roles":["default-clock-timestamp"]}})",
     "fragment 2, /packet-context-field-class/member-classes/0/field-class/roles/0: "},
    {R::kEventHeaderRole, kRc3, Of::kEventHeader,
     R"({"name":"x","field-class":{"type":"variable-length-unsigned-enumeration","mappings":{"a":[[0,1]]},"roles":["event-record-class-id"]}})",
     R"({"name":"x","field-class":{"type":"variable-length-bit-array","roles":["event-record-class-id"]}})",
     "fragment 2, /event-record-header-field-class/member-classes/0/field-class/roles/0: "},
    {R::kPacketHeaderMember, kRc3, Of::kHeader,
     R"({"name":"n","field-class":{"type":"variable-length-unsigned-integer"}},{"name":"o","field-class":{"type":"optional","selector-field-location":["packet-header","n"],"selector-field-ranges":[[1,1]],"field-class":{"type":"structure"}}})",
     R"({"name":"n","field-class":{"type":"variable-length-unsigned-integer"}})",
     "fragment 2, /packet-header-field-class/member-classes/0/field-class: "},
    {R::kEventHeaderMember, kRc3, Of::kEventHeader,
     R"({"name":"n","field-class":{"type":"structure"}})",
     R"({"name":"n","field-class":{"type":"structure","member-classes":[{"name":"a","field-class":{"type":"null-terminated-string"}}]}})",
     "fragment 2, "
     "/event-record-header-field-class/member-classes/0/field-class/member-classes/0/"
     "field-class: "},
    {R::kEventHeaderFill, kRc3, Of::kEventHeader,
     R"({"name":"n","field-class":{"type":"structure"}})",
     R"({"name":"n","field-class":{"type":"fixed-length-unsigned-integer","length":5,"byte-order":"big-endian"}})",
     "fragment 2, /event-record-header-field-class/member-classes/0/field-class: "},
    {R::kFixedLength, kRc3, Of::kClass,
     R"({"type":"fixed-length-bit-array","length":1,"byte-order":"big-endian"})",
     R"({"type":"fixed-length-bit-array","length":"1","byte-order":"big-endian"})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/length: "},
    {R::kByteOrder, kFinal, Of::kClass,
     R"({"type":"fixed-length-boolean","length":1,"byte-order":"big-endian"})",
     R"({"type":"fixed-length-boolean","length":1,"byte-order":"network"})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/byte-order: "},
    {R::kBitOrder, kFinal, Of::kClass,
     R"({"type":"fixed-length-boolean","length":1,"byte-order":"big-endian","bit-order":"first-to-last"})",
     R"({"type":"fixed-length-boolean","length":1,"byte-order":"big-endian","bit-order":"first"})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/bit-order: "},
    {R::kAlignment, kRc3, Of::kClass,
     R"({"type":"fixed-length-boolean","length":1,"byte-order":"big-endian","alignment":64})",
     R"({"type":"fixed-length-boolean","length":1,"byte-order":"big-endian","alignment":0})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/alignment: "},
    {R::kRealLength, kRc3, Of::kClass,
     R"({"type":"fixed-length-floating-point-number","length":160,"byte-order":"big-endian"})",
     R"({"type":"fixed-length-floating-point-number","length":8,"byte-order":"big-endian"})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/length: "},
    {R::kDisplayBase, kRc3, Of::kClass,
     R"({"type":"variable-length-signed-integer","preferred-display-base":8})",
     R"({"type":"variable-length-signed-integer","preferred-display-base":7})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/preferred-display-base: "},
    {R::kMappings, kRc3, Of::kClass,
     R"({"type":"variable-length-signed-enumeration","mappings":{"a":[[-3,-3]]}})",
     R"({"type":"variable-length-signed-enumeration","mappings":{}})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/mappings: "},
    {R::kMappings, kFinal, Of::kClass, R"({"type":"variable-length-signed-integer","mappings":{}})",
     R"({"type":"variable-length-signed-integer","mappings":[]})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/mappings: "},
    {R::kFlags, kFinal, Of::kClass,
     R"({"type":"fixed-length-bit-map","length":8,"byte-order":"big-endian","flags":{"a":[[0,1]]}})",
     R"({"type":"fixed-length-bit-map","length":8,"byte-order":"big-endian","flags":{}})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/flags: "},
    {R::kEncoding, kFinal, Of::kClass, R"({"type":"null-terminated-string","encoding":"utf-8"})",
     R"({"type":"null-terminated-string","encoding":"UTF-8"})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/encoding: "},
    {R::kStringLength, kRc3, Of::kClass, R"({"type":"static-length-string","length":0})",
     R"({"type":"static-length-string","length":-1})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/length: "},
    {R::kStringLengthField, kFinal, Of::kClass,
     R"({"type":"dynamic-length-string","length-field-location":{"path":["n"]}})",
     R"({"type":"dynamic-length-string"})", kInClass},
    {R::kMediaType, kRc3, Of::kClass,
     R"({"type":"static-length-blob","length":0,"media-type":"image/png"})",
     R"({"type":"static-length-blob","length":0,"media-type":null})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/media-type: "},
    {R::kBlobLength, kRc3, Of::kClass,
     R"({"type":"static-length-blob","length":18446744073709551615})",
     R"({"type":"static-length-blob","length":-18446744073709551615})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/length: "},
    {R::kBlobLengthField, kRc3, Of::kClass,
     R"({"type":"dynamic-length-blob","length-field-location":["event-record-payload","n"]})",
     R"({"type":"dynamic-length-blob"})", kInClass},
    {R::kMembers, kRc3, Of::kClass,
     R"({"type":"structure","member-classes":[{"name":"a","field-class":{"type":"structure"}},{"name":"b","field-class":{"type":"structure"}}]})",
     R"({"type":"structure","member-classes":[{"name":"a","field-class":{"type":"structure"}},{"name":"a","field-class":{"type":"structure"}}]})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/member-classes/1/name: "},
    {R::kStructureAlignment, kRc3, Of::kClass, R"({"type":"structure","minimum-alignment":2})",
     R"({"type":"structure","minimum-alignment":-2})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/minimum-alignment: "},
    {R::kMember, kRc3, Of::kClass,
     R"({"type":"structure","member-classes":[{"name":"","field-class":{"type":"structure"}}]})",
     R"({"type":"structure","member-classes":[{"field-class":{"type":"structure"}}]})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/member-classes/0: "},
    {R::kElement, kRc3, Of::kClass,
     R"({"type":"static-length-array","length":1,"element-field-class":{"type":"structure"}})",
     R"({"type":"static-length-array","length":1})", kInClass},
    {R::kArrayAlignment, kRc3, Of::kClass,
     R"({"type":"static-length-array","length":1,"minimum-alignment":8,"element-field-class":{"type":"structure"}})",
     R"({"type":"static-length-array","length":1,"minimum-alignment":7,"element-field-class":{"type":"structure"}})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/minimum-alignment: "},
    {R::kArrayLength, kRc3, Of::kClass,
     R"({"type":"static-length-array","length":0,"element-field-class":{"type":"structure"}})",
     R"({"type":"static-length-array","length":0.0,"element-field-class":{"type":"structure"}})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/length: "},
    {R::kArrayLengthField, kFinal, Of::kClass,
     R"({"type":"dynamic-length-array","length-field-location":{"path":["n"]},"element-field-class":{"type":"structure"}})",
     R"({"type":"dynamic-length-array","element-field-class":{"type":"structure"}})", kInClass},
    {R::kOptional, kRc3, Of::kClass,
     R"({"type":"optional","selector-field-location":["event-record-payload","b"],"field-class":{"type":"structure"}})",
     R"({"type":"optional","field-class":{"type":"structure"}})", kInClass},
    {R::kVariant, kRc3, Of::kClass,
     R"({"type":"variant","selector-field-location":["event-record-payload","s"],"options":[{"selector-field-ranges":[[5,9],[0,1]],"field-class":{"type":"structure"}},{"selector-field-ranges":[[2,4],[10,11]],"field-class":{"type":"structure"}}]})",
     R"({"type":"variant","selector-field-location":["event-record-payload","s"],"options":[{"selector-field-ranges":[[5,9],[0,1]],"field-class":{"type":"structure"}},{"selector-field-ranges":[[2,4],[9,11]],"field-class":{"type":"structure"}}]})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/options/1: "},
    {R::kVariantOption, kRc3, Of::kClass,
     R"({"type":"variant","selector-field-location":["event-record-payload","s"],"options":[{"selector-field-ranges":[[5,9]],"field-class":{"type":"structure"}}]})",
     R"({"type":"variant","selector-field-location":["event-record-payload","s"],"options":[{"field-class":{"type":"structure"}}]})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/options/0: "},
    {R::kAlias, kFinal, Of::kFragments,
     R"({"type":"field-class-alias","name":"a","field-class":{"type":"structure"}}
{"type":"field-class-alias","name":"b","field-class":"a"})",
     R"({"type":"field-class-alias","name":"a","field-class":{"type":"structure"}}
{"type":"field-class-alias","name":"b","field-class":"b"})",
     "fragment 3, /field-class: "},
    {R::kAlias, kFinal, Of::kFragments,
     R"({"type":"field-class-alias","name":"a","field-class":{"type":"structure"}}
{"type":"field-class-alias","name":"b","field-class":"a"})",
     R"({"type":"field-class-alias","name":"a","field-class":{"type":"structure"}}
{"type":"field-class-alias","name":"a","field-class":"a"})",
     "fragment 3, /name: "},
    {R::kTraceClass, kFinal, Of::kFragments,
     R"({"type":"trace-class","namespace":"a","name":"b","uid":"c"})",
     R"({"type":"trace-class","namespace":"a","name":"b","uid":3})", "fragment 2, /uid: "},
    {R::kEnvironment, kFinal, Of::kFragments,
     R"({"type":"trace-class","environment":{"a":-1,"b":"c"}})",
     R"({"type":"trace-class","environment":{"a":-1.5}})", "fragment 2, /environment/a: "},
    {R::kClock, kRc3, Of::kFragments, R"({"type":"clock-class","name":"c","frequency":1})",
     R"({"type":"clock-class","name":"c","frequency":0})", "fragment 2, /frequency: "},
    {R::kClock, kFinal, Of::kFragments, R"({"type":"clock-class","id":"c","frequency":1})",
     R"({"type":"clock-class","frequency":1})", "fragment 2: "},
    {R::kClockUuid, kRc3, Of::kFragments,
     R"({"type":"clock-class","name":"c","frequency":1,"uuid":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]})",
     R"({"type":"clock-class","name":"c","frequency":1,"uuid":[0]})", "fragment 2, /uuid: "},
    {R::kClockDuplicate, kRc3, Of::kFragments,
     R"({"type":"clock-class","name":"c","frequency":1}
{"type":"clock-class","name":"d","frequency":1})",
     R"({"type":"clock-class","name":"c","frequency":1}
{"type":"clock-class","name":"c","frequency":1})",
     "fragment 3, /name: "},
    {R::kClockDuplicate, kRc3, Of::kFragments,
     R"({"type":"clock-class","name":"c","frequency":1,"uuid":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]}
{"type":"clock-class","name":"d","frequency":1,"uuid":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,16]})",
     R"({"type":"clock-class","name":"c","frequency":1,"uuid":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]}
{"type":"clock-class","name":"d","frequency":1,"uuid":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]})",
     "fragment 3, /uuid: "},
    {R::kClockIdentity, kFinal, Of::kFragments,
     R"({"type":"clock-class","id":"c","frequency":1,"name":"n","uid":"u"}
{"type":"clock-class","id":"d","frequency":2,"name":"n","uid":"u","namespace":""})",
     R"({"type":"clock-class","id":"c","frequency":1,"name":"n","uid":"u"}
{"type":"clock-class","id":"d","frequency":2,"name":"n","uid":"u"})",
     "fragment 3: "},
    {R::kClockOrigin, kFinal, Of::kFragments,
     R"({"type":"clock-class","id":"c","frequency":1,"origin":{"name":"a","uid":"b"}})",
     R"({"type":"clock-class","id":"c","frequency":1,"origin":{"name":"a"}})",
     "fragment 2, /origin: "},
    {R::kClockOffset, kRc3, Of::kFragments,
     R"({"type":"clock-class","name":"c","frequency":2,"offset":{"seconds":-9223372036854775808,"cycles":1}})",
     R"({"type":"clock-class","name":"c","frequency":2,"offset":{"seconds":-9223372036854775808,"cycles":2}})",
     "fragment 2, /offset/cycles: "},
    {R::kStreamClass, kRc3, Of::kFragments,
     R"({"type":"data-stream-class","id":18446744073709551615,"name":"a","namespace":"b"})",
     R"({"type":"data-stream-class","id":-1})", "fragment 2, /id: "},
    {R::kStreamClassDuplicate, kRc3, Of::kMore, R"({"type":"data-stream-class","id":1})",
     R"({"type":"data-stream-class","id":0})", "fragment 3, /id: "},
    {R::kDefaultClock, kFinal, Of::kFragments, R"({"type":"clock-class","id":"c","frequency":1}
{"type":"data-stream-class","id":1,"default-clock-class-id":"c"})",
     R"({"type":"data-stream-class","id":1,"default-clock-class-id":"c"})",
     "fragment 2, /default-clock-class-id: "},
    {R::kEventClass, kRc3, Of::kMore, R"({"type":"event-record-class","id":1})",
     R"({"type":"event-record-class","id":true})", "fragment 3, /id: "},
    {R::kEventClassDuplicate, kRc3, Of::kMore, R"({"type":"event-record-class","id":1}
{"type":"event-record-class"})",
     R"({"type":"event-record-class","id":0}
{"type":"event-record-class"})",
     "fragment 4: "},
    {R::kParent, kRc3, Of::kMore, R"({"type":"event-record-class","data-stream-class-id":0})",
     R"({"type":"event-record-class","data-stream-class-id":1})",
     "fragment 3, /data-stream-class-id: "},
    {R::kAuxiliary, kRc3, Of::kAuxiliary, R"({"a":1})", R"({"a":1,"b":2})", "element 1: "},
    {R::kAuxiliaryEnvironment, kRc3, Of::kAuxiliary, R"({"std":{"environment":{}}})",
     R"({"std":{"environment":[]}})", "element 1, /std/environment: "},
    {R::kLimit, kRc3, Of::kClass,
     R"({"type":"fixed-length-bit-array","length":65536,"byte-order":"big-endian"})",
     R"({"type":"fixed-length-bit-array","length":65537,"byte-order":"big-endian"})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/length: "},
    {R::kLimit, kRc3, Of::kClass,
     R"({"type":"variable-length-signed-enumeration","mappings":{"a":[[-170141183460469231731687303715884105728,340282366920938463463374607431768211455]]}})",
     R"({"type":"variable-length-signed-enumeration","mappings":{"a":[[-170141183460469231731687303715884105728,340282366920938463463374607431768211456]]}})",
     "fragment 3, /payload-field-class/member-classes/3/field-class/mappings/a/0/1: "},
};

ReadStream read_case(const RuleCase& test, std::string_view json) {
  const std::string_view start = test.dialect == kFinal ? kFinalStart : kRc3Start;
  constexpr std::string_view kStream = "{\"type\":\"data-stream-class\"}\n";
  switch (test.of) {
    case Of::kStream:
      return read_stream(json);
    case Of::kLines:
      return read_lines(json);
    case Of::kFragments:
      return read_lines(fmt::format("{}{}\n{}", start, json, kStream));
    case Of::kMore:
      return read_lines(fmt::format("{}{}{}", start, kStream, json));
    case Of::kClass:
      return read_lines(fmt::format(
          R"({}{}{{"type":"event-record-class","payload-field-class":{{"type":"structure","member-classes":[)"
          R"({{"name":"n","field-class":{{"type":"variable-length-unsigned-integer"}}}},)"
          R"({{"name":"s","field-class":{{"type":"variable-length-signed-integer"}}}},)"
          R"({{"name":"b","field-class":{{"type":"fixed-length-boolean","length":8,"byte-order":"big-endian"}}}},)"
          R"({{"name":"x","field-class":{}}}]}}}})",
          start, kStream, json));
    case Of::kHeader:
      return read_lines(fmt::format(
          R"({}{{"type":"trace-class","packet-header-field-class":{{"type":"structure","member-classes":[{}]}}}})"
          "\n{}",
          start, json, kStream));
    case Of::kContext:
    case Of::kEventHeader:
      return read_lines(fmt::format(
          R"({}{{"type":"data-stream-class","{}-field-class":{{"type":"structure","member-classes":[{}]}}}})",
          start, test.of == Of::kContext ? "packet-context" : "event-record-header", json));
    case Of::kAuxiliary: {
      ReadStream read{.metadata = std::make_unique<Metadata>("trace", 0), .findings = {}};
      read.findings = read_auxiliary_stream(as_bytes(as_sequence(json)), *read.metadata);
      return read;
    }
  }
  return {};
}

TEST(JsonRules, AreKept) {
  for (const RuleCase& test : kCases)
    EXPECT_EQ(read_case(test, test.kept).listing(), "") << test.kept;
}

TEST(JsonRules, AreBroken) {
  for (const RuleCase& test : kCases) {
    const ReadStream read = read_case(test, test.broken);
    ASSERT_EQ(read.findings.size(), 1U) << test.broken << "\n" << read.listing();
    const Finding& finding = read.findings[0];
    EXPECT_EQ(finding.rule, &metadata_rule(test.rule, test.dialect)) << read.listing();
    EXPECT_TRUE(finding.text.starts_with(test.place)) << finding.text;
  }
}

TEST(JsonRules, AllHaveCases) {
  std::set<R> covered;
  for (const RuleCase& test : kCases) covered.insert(test.rule);
  EXPECT_EQ(covered.size(), kMetadataRuleCount);
}

TEST(JsonRules, HaveIdsOfTheirOwn) {
  std::set<std::string_view> ids;
  for (const Rule& rule : metadata_rules(Dialect::kRc3)) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_FALSE(rule.summary.empty()) << rule.id;
  }
}

}  // namespace
}  // namespace tracedeck::ctf
