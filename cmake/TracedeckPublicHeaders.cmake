# The headers that a program which uses the library includes, and what those include in turn: they are installed, and
# what they declare is all that a shared library exports.

set(
  tracedeck_entrances
  # Reading: any format, the model, what formats offer.
  tracedeck.hpp
  chrono.hpp
  tracedeck.h
  marks.hpp
  convert.hpp
  answers.hpp
  formats.hpp
  outputs.hpp
  format/format.hpp
  format/reader.hpp
  format/writer.hpp
  model/batch.hpp
  model/class_tree.hpp
  model/record.hpp
  model/tape.hpp
  model/trace_description.hpp
  # The codecs of formats by themselves.
  dial9/append.hpp
  dial9/decoder.hpp
  dial9/encoder.hpp
  dial9/typed.hpp
  heph/decoder.hpp
  heph/encoder.hpp
  tband/decoder.hpp
  tband/encoder.hpp
  # Recording.
  ctf/write/producer.hpp
  heph/recorder.hpp
  tband/device.h
  tband/device.hpp
  # What these are called with.
  base/error.hpp
  base/padded_bytes.hpp
  base/version.hpp
  io/input.hpp
  io/output.hpp
  io/output_directory.hpp
)

# The headers of the project among FILES and what they include, as paths below ROOT, in OUT.
function(tracedeck_with_included out root)
  set(waiting ${ARGN})
  set(known "")
  while(waiting)
    list(POP_FRONT waiting file)
    if(file IN_LIST known)
      continue()
    endif()
    list(APPEND known "${file}")
    file(STRINGS "${root}/${file}" includes REGEX "^#include \"tracedeck/")
    foreach(include IN LISTS includes)
      string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" include "${include}")
      list(APPEND waiting "${include}")
    endforeach()
  endwhile()
  list(SORT known)
  set(${out} ${known} PARENT_SCOPE)
endfunction()

# Sets up which headers of TARGET are public. `make lint` compiles each header, public or not, on its own.
function(tracedeck_public_headers target)
  list(TRANSFORM tracedeck_entrances PREPEND "tracedeck/")
  tracedeck_with_included(public "${PROJECT_SOURCE_DIR}" ${tracedeck_entrances})
  set(files ${public})
  list(TRANSFORM files PREPEND "${PROJECT_SOURCE_DIR}/")
  target_sources(
    ${target} PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${files}
  )

  if(TRACEDECK_EXPORTS)
    tracedeck_export_only(${target} ${public})
  endif()
  set(tracedeck_public_headers ${files} PARENT_SCOPE)
endfunction()

# A shared library of TARGET's objects exports what HEADERS declare; all else is hidden. The sources include these headers
# by way of others of the same names, which say that what stands in them is visible.
function(tracedeck_export_only target)
  set(visible "${PROJECT_BINARY_DIR}/visible")
  foreach(header IN LISTS ARGN)
    string(CONCAT content "#pragma once\n" "#pragma GCC visibility push(default)\n"
                  "#include \"${PROJECT_SOURCE_DIR}/${header}\"\n" "#pragma GCC visibility pop\n")
    file(CONFIGURE OUTPUT "${visible}/${header}" CONTENT "${content}" @ONLY)
  endforeach()
  target_include_directories(${target} BEFORE PRIVATE "${visible}")
endfunction()
