// How functions of the C interface say that they failed, whatever happens in them.
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>
#include <type_traits>

#include "tracedeck/base/error.hpp"
#include "tracedeck/tracedeck.h"

namespace tracedeck::capi {

[[nodiscard]] td_status status_of(ErrorCode code);

// Fills what there is room for in `error`, which may be null, and returns `status`.
td_status report(td_status status, std::string_view message, td_error* error);
inline td_status report(const Error& what, td_error* error) {
  return report(status_of(what.code), what.to_string(), error);
}

// What `work` returns, a status. No exception leaves.
template <class Work>
td_status guarded(td_error* error, Work&& work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return report(TD_ERROR_LIMIT, "there is not enough memory", error);
  } catch (const std::exception& exception) {
    return report(TD_ERROR_INTERNAL, exception.what(), error);
  } catch (...) {
    return report(TD_ERROR_INTERNAL, "an exception of an unknown kind", error);
  }
}

// A copy of a structure of the caller's, whose size may be that of an older or of a newer header:
// what it lacks is 0. Returns whether the size can be that of one, and what it has beyond ours is
// 0.
template <class Structure>
bool copy_sized(const Structure* from, Structure& to) {
  static_assert(std::is_trivially_copyable_v<Structure>);
  std::memset(&to, 0, sizeof to);
  if (from == nullptr) return true;
  std::uint32_t size = 0;
  std::memcpy(&size, from, sizeof size);
  constexpr std::uint32_t kMost = 4096;
  if (size < sizeof size || size > kMost) return false;
  std::memcpy(&to, from, std::min<std::size_t>(size, sizeof to));
  const auto* const bytes = reinterpret_cast<const unsigned char*>(from);
  return size <= sizeof to ||
         std::all_of(bytes + sizeof to, bytes + size, [](unsigned char each) { return each == 0; });
}

// Fills a structure of the caller's as far as it has members. Returns whether it has a size.
template <class Structure>
bool fill_sized(Structure& from, Structure* to) {
  static_assert(std::is_trivially_copyable_v<Structure>);
  if (to == nullptr) return false;
  std::uint32_t size = 0;
  std::memcpy(&size, to, sizeof size);
  if (size < sizeof size) return false;
  from.struct_size = size;
  std::memcpy(to, &from, std::min<std::size_t>(size, sizeof from));
  return true;
}

}  // namespace tracedeck::capi
