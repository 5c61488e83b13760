#include "tracedeck/dial9/frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "tracedeck/base/leb128.hpp"

namespace tracedeck::dial9 {
namespace {

constexpr std::size_t kMaxU32 = std::numeric_limits<std::uint32_t>::max();

// Names in errors are cut: one may be megabytes long.
std::string_view shortened(std::string_view name) { return name.substr(0, 64); }

std::uint8_t* put_name(std::uint8_t* to, std::string_view name) {
  store_le(to, static_cast<std::uint16_t>(name.size()));
  return std::ranges::copy(name, to + 2).out;
}

Result<void> check_field(const FieldDefinition& field, Version version) {
  if (field.name.size() > kMaxNameLength) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("a field name has {} bytes, at most 65535 fit", field.name.size()));
  }
  const FieldTypeFacts* const known = field_type_facts(std::to_underlying(field.type));
  if (known == nullptr) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} is no field type", std::to_underlying(field.type)));
  }
  if (known->since_0_4 && version == Version::k0_3) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("{} fields need dial9 version 0.4", known->name));
  }
  return {};
}

}  // namespace

Result<void> check_schema(const Schema& schema, Version version) {
  if (schema.name.size() > kMaxNameLength) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("a class name has {} bytes, at most 65535 fit", schema.name.size()));
  }
  const auto in_schema = [&](Result<void> result) {
    if (!result) result.error().path = std::string(shortened(schema.name)) + result.error().path;
    return result;
  };
  if (schema.fields.size() > kMaxFieldCount) {
    return in_schema(
        fail(ErrorCode::kInvalidArgument,
             fmt::format("a class has {} fields, at most 65535 fit", schema.fields.size())));
  }
  for (const FieldDefinition& field : schema.fields) {
    Result<void> checked = check_field(field, version);
    if (checked) continue;
    checked.error().path = fmt::format(".{}", shortened(field.name));
    return in_schema(std::move(checked));
  }
  return in_schema(check_annotations(schema.annotations, schema.fields.size(), version));
}

Result<void> check_annotations(std::span<const Annotation> annotations, std::size_t field_count,
                               Version version) {
  if (annotations.empty()) return {};
  if (version == Version::k0_3)
    return fail(ErrorCode::kUnsupported, "annotations need dial9 version 0.4");
  if (annotations.size() > std::numeric_limits<std::uint16_t>::max()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("a class has {} annotations, at most 65535 fit", annotations.size()));
  }
  for (const Annotation& annotation : annotations) {
    if (annotation.field_index >= field_count) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("an annotation names field {} of {}",
                                                           annotation.field_index, field_count));
    }
    if (annotation.key.size() > kMaxNameLength || annotation.value.size() > kMaxU32) {
      return fail(ErrorCode::kInvalidArgument, "the key or value of an annotation is too long");
    }
  }
  return {};
}

std::uint8_t* put_header(std::uint8_t* to) {
  to = std::ranges::copy(kMagic, to).out;
  *to++ = kWireVersion;
  return to;
}

std::size_t schema_frame_size(const Schema& schema) {
  std::size_t size = 1 + 2 + 2 + schema.name.size() + 1 + 2;
  for (const FieldDefinition& field : schema.fields) size += 2 + field.name.size() + 1;
  return size;
}

std::uint8_t* put_schema_frame(std::uint8_t* to, std::uint16_t type_id, const Schema& schema) {
  *to++ = std::to_underlying(FrameTag::kSchema);
  store_le(to, type_id);
  to = put_name(to + 2, schema.name);
  *to++ = schema.has_timestamp ? 1 : 0;
  store_le(to, static_cast<std::uint16_t>(schema.fields.size()));
  to += 2;
  for (const FieldDefinition& field : schema.fields) {
    to = put_name(to, field.name);
    *to++ = static_cast<std::uint8_t>(std::to_underlying(field.type) |
                                      (field.optional ? kOptionalBit : 0));
  }
  return to;
}

std::size_t annotations_frame_size(std::uint16_t type_id, std::span<const Annotation> annotations) {
  if (annotations.empty()) return 0;
  std::size_t size = 1 + leb128_size(type_id) + 2;
  for (const Annotation& annotation : annotations)
    size += 2 + 2 + annotation.key.size() + 4 + annotation.value.size();
  return size;
}

std::uint8_t* put_annotations_frame(std::uint8_t* to, std::uint16_t type_id,
                                    std::span<const Annotation> annotations) {
  *to++ = std::to_underlying(FrameTag::kSchemaAnnotations);
  // A type_id takes at most 3 bytes, but `encode_leb128` may overwrite more; all of it lies in this
  // frame.
  to = encode_leb128(to, type_id);
  store_le(to, static_cast<std::uint16_t>(annotations.size()));
  to += 2;
  for (const Annotation& annotation : annotations) {
    store_le(to, annotation.field_index);
    to = put_name(to + 2, annotation.key);
    store_le(to, static_cast<std::uint32_t>(annotation.value.size()));
    to = std::ranges::copy(annotation.value, to + 4).out;
  }
  return to;
}

std::uint8_t* put_pool_frame(std::uint8_t* to, FrameTag pool, std::uint32_t id, ByteSpan content) {
  const std::size_t element_size = pool == FrameTag::kStackPool ? 8 : 1;
  *to++ = std::to_underlying(pool);
  store_le(to, std::uint32_t{1});
  store_le(to + 4, id);
  store_le(to + 8, static_cast<std::uint32_t>(content.size() / element_size));
  return std::ranges::copy(content, to + 12).out;
}

}  // namespace tracedeck::dial9
