# Text files that are compiled in, read as they stand.

include_guard(GLOBAL)

# Adds a source to OUT that defines `const std::string_view NAME` in NAMESPACE for each pair of FILE NAME, declared in HEADER.
function(tracedeck_embed out header namespace)
  set(content "#include \"${header}\"\n\nnamespace ${namespace} {\n")
  set(pairs ${ARGN})
  while(pairs)
    list(POP_FRONT pairs file name)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" hex HEX)
    # Compilers bear long arrays better than long literals, and bytes need no quoting.
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
    string(REGEX REPLACE "('[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,)" "\\1\n" bytes "${bytes}")
    string(APPEND content "namespace {\nconstexpr char ${name}Bytes[] = {\n${bytes}'\\0'};\n}\n"
           "const std::string_view ${name}(${name}Bytes, sizeof ${name}Bytes - 1);\n")
  endwhile()
  string(APPEND content "}\n")
  cmake_path(GET header STEM stem)
  set(source "${PROJECT_BINARY_DIR}/generated/${stem}.cpp")
  set(before "")
  if(EXISTS "${source}")
    file(READ "${source}" before)
  endif()
  # A source that is the same keeps its time.
  if(NOT before STREQUAL content)
    file(WRITE "${source}" "${content}")
  endif()
  set(${out} ${${out}} "${source}" PARENT_SCOPE)
endfunction()
