# Text files that are compiled in, read as they stand.

include_guard(GLOBAL)

# C++ in OUT that defines the bytes of FILE as the array NAMEBytes, with a zero behind them.
function(tracedeck_bytes out file name)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" hex HEX)
  # Compilers bear long arrays better than long literals, and bytes need no quoting.
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  string(REGEX REPLACE "('[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,)" "\\1\n" bytes "${bytes}")
  set(${out} "namespace {\nconstexpr char ${name}Bytes[] = {\n${bytes}'\\0'};\n}\n" PARENT_SCOPE)
endfunction()

# The generated source STEM.cpp in OUT, which keeps its time when CONTENT is the same.
function(tracedeck_generated_source out stem content)
  set(source "${PROJECT_BINARY_DIR}/generated/${stem}.cpp")
  set(before "")
  if(EXISTS "${source}")
    file(READ "${source}" before)
  endif()
  if(NOT before STREQUAL content)
    file(WRITE "${source}" "${content}")
  endif()
  set(${out} "${source}" PARENT_SCOPE)
endfunction()

# Adds a source to OUT that defines `const std::string_view NAME` in NAMESPACE for each pair of FILE NAME, declared in HEADER.
function(tracedeck_embed out header namespace)
  set(content "#include \"${header}\"\n\nnamespace ${namespace} {\n")
  set(pairs ${ARGN})
  while(pairs)
    list(POP_FRONT pairs file name)
    tracedeck_bytes(bytes "${file}" ${name})
    string(APPEND content "${bytes}const std::string_view ${name}(${name}Bytes, sizeof ${name}Bytes - 1);\n")
  endwhile()
  string(APPEND content "}\n")
  cmake_path(GET header STEM stem)
  tracedeck_generated_source(source ${stem} "${content}")
  set(${out} ${${out}} "${source}" PARENT_SCOPE)
endfunction()

# Adds a source to OUT that defines `std::vector<std::string_view> NAME()` in NAMESPACE, all FILES, declared in HEADER.
function(tracedeck_embed_all out header namespace name)
  set(content "#include \"${header}\"\n\nnamespace ${namespace} {\n")
  set(elements "")
  set(index 0)
  foreach(file IN LISTS ARGN)
    set(variable "kText${index}")
    math(EXPR index "${index} + 1")
    tracedeck_bytes(bytes "${file}" ${variable})
    string(APPEND content "${bytes}")
    string(APPEND elements "{${variable}Bytes, sizeof ${variable}Bytes - 1}, ")
  endforeach()
  string(APPEND content "std::vector<std::string_view> ${name}() { return {${elements}}; }\n}\n")
  cmake_path(GET header STEM stem)
  tracedeck_generated_source(source ${stem} "${content}")
  set(${out} ${${out}} "${source}" PARENT_SCOPE)
endfunction()
