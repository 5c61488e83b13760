// Field classes as JSON objects.
#pragma once

#include "tracedeck/model/field_class.hpp"
#include "tracedeck/text/json_object.hpp"

namespace tracedeck::render {

// {"type":"unsigned-integer", ...}: all that the class says, but for what is as usual: an alignment
// of one bit, decimal display, UTF-8, no roles, no attributes.
void append_field_class(TextBuffer& out, const FieldClass& field_class);

// [{"key":"unit","value":"ns"}]; "json" says that the value is JSON text. A value that is no UTF-8
// is given as "base64".
void append_attribute_list(TextBuffer& out, const Attributes& attributes);
// The same as the member "attributes", when there are any.
void append_attributes(JsonObject& object, const Attributes& attributes);

}  // namespace tracedeck::render
