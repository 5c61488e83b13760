# What every target of the project is built with.

include_guard(GLOBAL)

# Linked privately, so that neither the installed package nor an embedding project sees these flags.
add_library(tracedeck-flags INTERFACE)
target_compile_options(
  tracedeck-flags
  INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wold-style-cast
            # GCC 12 sees overlapping copies where strings are concatenated (its bug 105651).
            $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
            # Below a GiB, collecting garbage costs GCC up to a tenth of its time and saves little memory.
            $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>
            $<$<CXX_COMPILER_ID:Clang>:-Wreserved-identifier>
            # Clang blames us for what std::stable_sort of libstdc++ 12 calls.
            $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations> $<$<BOOL:${TRACEDECK_WERROR}>:-Werror>
)

if(TRACEDECK_C_LIBRARY)
  # Not by CMake's property, with which executables get -fPIE, and could not use the library's precompiled headers.
  # Without interposition calls of what is exported are inlined: the objects are as fast as others.
  target_compile_options(tracedeck-flags INTERFACE -fPIC -fno-semantic-interposition)
endif()

# Release builds check where calls and jumps lead and that no stack grows past its guard page, which takes up to 1 % of the
# instructions of decoding and printing, and are linked so that addresses are random and what the loader writes is read-only
# behind it. What does nothing for each event also checks frames, which takes 2 to 3 % of the instructions of decoding and
# printing, copies of known size, which take 6 % of decoding dial9, and what it asks of containers. With sanitizers it would
# check twice.
add_library(tracedeck-hardening INTERFACE)
set(TRACEDECK_HARDENED OFF)
if(NOT TRACEDECK_SANITIZE AND NOT TRACEDECK_FUZZ AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
  set(TRACEDECK_HARDENED ON)
  include(CheckCXXCompilerFlag)
  include(CheckCXXSourceCompiles)
  set(hardening "")
  foreach(flag IN ITEMS -fstack-clash-protection -fcf-protection -fstack-protector-strong)
    string(MAKE_C_IDENTIFIER "TRACEDECK_HAS${flag}" known)
    # Some compilers only warn of what the processor lacks.
    set(CMAKE_REQUIRED_FLAGS -Werror)
    check_cxx_compiler_flag(${flag} ${known})
    unset(CMAKE_REQUIRED_FLAGS)
    if(${known})
      list(APPEND hardening ${flag})
    endif()
  endforeach()
  set(everywhere ${hardening})
  list(REMOVE_ITEM everywhere -fstack-protector-strong)
  target_compile_options(tracedeck-flags INTERFACE "$<$<NOT:$<CONFIG:Debug>>:${everywhere}>")
  # A C library that does not know level 3 takes it for a mistake, with a warning.
  set(CMAKE_REQUIRED_FLAGS "-O1 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
  check_cxx_source_compiles("#include <cstring>\n int main() {}" TRACEDECK_HAS_FORTIFY_3)
  unset(CMAKE_REQUIRED_FLAGS)
  set(level $<IF:$<BOOL:${TRACEDECK_HAS_FORTIFY_3}>,3,2>)
  list(APPEND hardening -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level})
  list(APPEND hardening -D_GLIBCXX_ASSERTIONS)
  target_compile_options(tracedeck-hardening INTERFACE "$<$<NOT:$<CONFIG:Debug>>:${hardening}>")
  if(NOT TRACEDECK_EXPORTS)
    target_compile_options(tracedeck-flags INTERFACE $<$<NOT:$<CONFIG:Debug>>:-fPIE>)
  endif()
endif()

# What of the hardening is done by the linker, for an executable or a shared library. Not by `tracedeck-flags`, since who
# links the static library would inherit it.
function(tracedeck_harden_link target)
  if(TRACEDECK_HARDENED)
    target_link_options(${target} PRIVATE "$<$<NOT:$<CONFIG:Debug>>:LINKER:-z,relro,-z,now,-z,noexecstack>")
  endif()
endfunction()

if(TRACEDECK_SANITIZE)
  set(flags -fsanitize=${TRACEDECK_SANITIZE} -fno-omit-frame-pointer)
  # At a fixed address, what the sanitizers know of each global needs no relocation: the command starts in half the time.
  if(NOT TRACEDECK_C_LIBRARY)
    target_compile_options(tracedeck-flags INTERFACE -fno-pie)
  endif()
  target_link_options(tracedeck-flags INTERFACE -no-pie)
  # ThreadSanitizer has no such switch; it ends the program with a status of its own.
  if(NOT TRACEDECK_SANITIZE STREQUAL "thread")
    list(APPEND flags -fno-sanitize-recover=all)
  endif()
  target_compile_options(tracedeck-flags INTERFACE ${flags})
  target_link_options(tracedeck-flags INTERFACE ${flags})
  target_compile_definitions(tracedeck-flags INTERFACE _GLIBCXX_ASSERTIONS)
  # Of what runs seldom: optimising what sanitizers add takes Clang two thirds of the time.
  if(NOT TRACEDECK_FUZZ)
    set(tracedeck_unoptimised_checks $<$<CXX_COMPILER_ID:Clang>:-O0>)
  endif()
endif()

if(TRACEDECK_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "TRACEDECK_FUZZ needs clang; use the preset: cmake --preset fuzz")
  endif()
  target_compile_options(tracedeck-flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Language level and flags of one of the project's own targets.
function(tracedeck_configure target)
  target_compile_features(${target} PUBLIC cxx_std_23)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:tracedeck-flags>)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    tracedeck_harden_link(${target})
    if(TRACEDECK_HARDENED)
      target_link_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-pie>)
    endif()
  elseif(type STREQUAL SHARED_LIBRARY)
    tracedeck_harden_link(${target})
  endif()
endfunction()

# TARGET runs seldom: optimised little, and with sanitizers not at all, for which there are no precompiled headers.
function(tracedeck_optimise_little target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1> ${tracedeck_unoptimised_checks})
  if(tracedeck_unoptimised_checks)
    set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# Headers that nearly every source includes are precompiled once, for all that is compiled alike: headers of the
# standard library and of others, never the project's own, so that no edit here makes them stale. A source still
# includes what it uses: scripts/check-includes.py looks for that.
set(
  tracedeck_common_headers
  <algorithm> <array> <atomic> <bit> <cerrno> <charconv> <chrono> <cmath> <cstddef> <cstdint> <cstdio> <cstring> <deque>
  <expected> <filesystem> <functional> <iterator> <limits> <map> <memory> <mutex> <optional> <set> <span> <stop_token>
  <string> <string_view> <system_error> <tuple> <type_traits> <unordered_map> <unordered_set> <utility> <variant> <vector>
  <fmt/format.h>
)

# A target that holds HEADERS precompiled; what is linked with it and compiled like it can use them.
function(tracedeck_add_headers name)
  set(source "${PROJECT_BINARY_DIR}/generated/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "// What counts is the headers precompiled for it.\n")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL "${source}")
  tracedeck_configure(${name})
  target_link_libraries(${name} PRIVATE fmt::fmt)
  # Clang notes when a header was changed last; without that note the same headers give the same file.
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()

# TARGET uses the headers precompiled for HEADERS.
function(tracedeck_precompile target headers)
  if(TRACEDECK_PCH)
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
endfunction()

# TARGET does nothing for each event: it is compiled with checks, and uses headers that were precompiled so.
function(tracedeck_harden target)
  if(TRACEDECK_HARDENED)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:tracedeck-hardening>)
    tracedeck_precompile(${target} tracedeck-hardened-headers)
  else()
    tracedeck_precompile(${target} tracedeck-headers)
  endif()
endfunction()

# The sources in FOLDER that are not tests, in OUT.
function(tracedeck_sources out folder)
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# One executable NAME_test of the tests in FOLDER, with further libraries as arguments; its cases are ctest's
# NAME.Suite.Case, labelled NAME.
function(tracedeck_add_unit_tests name folder)
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/*_test.cpp")
  if(NOT TRACEDECK_TESTS OR NOT sources)
    return()
  endif()
  add_executable(${name}_test ${sources})
  # Few templates are instantiated again then, and an edit does not compile all of them.
  set_target_properties(${name}_test PROPERTIES UNITY_BUILD_BATCH_SIZE 12)
  tracedeck_configure(${name}_test)
  target_link_libraries(${name}_test PRIVATE tracedeck::internal ${ARGN} tracedeck-test-libraries GTest::gtest_main)
  tracedeck_precompile(${name}_test tracedeck-test-headers)
  # Tests find documents and reference traces (unless TRACEDECK_TRACES says otherwise) from the working directory.
  gtest_discover_tests(
    ${name}_test
    TEST_PREFIX ${name}.
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${name} TIMEOUT 600
  )
endfunction()

if(TRACEDECK_PCH)
  find_package(fmt REQUIRED)
  tracedeck_add_headers(tracedeck-headers ${tracedeck_common_headers})
  if(TRACEDECK_HARDENED)
    tracedeck_add_headers(tracedeck-hardened-headers ${tracedeck_common_headers})
    target_link_libraries(tracedeck-hardened-headers PRIVATE tracedeck-hardening)
  endif()
endif()

if(TRACEDECK_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  include(GoogleTest)
  add_library(tracedeck-test-libraries INTERFACE)
  target_compile_options(
    tracedeck-test-libraries
    # They run once or twice: what optimising their templates costs never comes back. Not at all, they take longer to run.
    INTERFACE $<$<CONFIG:Release>:-Og>
              # So optimised, GCC 12 blames std::string for what a short one holds, and a std::stop_token for nothing.
              $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds -Wno-maybe-uninitialized>
  )
  target_compile_options(tracedeck-test-libraries INTERFACE ${tracedeck_unoptimised_checks})
  target_link_libraries(tracedeck-test-libraries INTERFACE GTest::gmock rapidcheck rapidcheck_gtest)
  if(TRACEDECK_PCH)
    tracedeck_add_headers(
      tracedeck-test-headers ${tracedeck_common_headers} <fstream> <thread> <gmock/gmock.h> <gtest/gtest.h>
      <rapidcheck/gtest.h>
    )
    target_link_libraries(tracedeck-test-headers PRIVATE tracedeck-test-libraries)
  endif()
endif()
