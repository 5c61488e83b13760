# The installed package: headers, library, CMake package and pkg-config file. The command installs itself (cli/).

include(CMakePackageConfigHelpers)

install(
  TARGETS tracedeck
  EXPORT tracedeck-targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library NAMELINK_COMPONENT development
  FILE_SET HEADERS COMPONENT development
)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tracedeck")
install(EXPORT tracedeck-targets NAMESPACE tracedeck:: DESTINATION "${package_dir}" COMPONENT development)
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/tracedeck-config.cmake.in"
  "${PROJECT_BINARY_DIR}/tracedeck-config.cmake"
  INSTALL_DESTINATION "${package_dir}"
)
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/tracedeck-config-version.cmake"
  COMPATIBILITY SameMinorVersion
)
install(
  FILES
    "${PROJECT_BINARY_DIR}/tracedeck-config.cmake"
    "${PROJECT_BINARY_DIR}/tracedeck-config-version.cmake"
  DESTINATION "${package_dir}"
  COMPONENT development
)

# pkg-config files are found where the prefix was moved to, so paths in them are relative to their own folder.
cmake_path(
  RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR
  BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}"
  OUTPUT_VARIABLE pc_libdir
)
set(pc_prefix "\${pcfiledir}/../..")
string(REGEX MATCHALL "/" deeper "${pc_libdir}")
foreach(_ IN LISTS deeper)
  string(APPEND pc_prefix "/..")
endforeach()
# Who links the static library links what it needs too.
set(pc_requires "fmt")
set(pc_requires_private "")
if(BUILD_SHARED_LIBS)
  set(pc_requires_private "zlib libzstd re2 simdjson")
else()
  string(APPEND pc_requires " zlib libzstd re2 simdjson")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/tracedeck.pc.in" "${PROJECT_BINARY_DIR}/tracedeck.pc" @ONLY)
install(
  FILES "${PROJECT_BINARY_DIR}/tracedeck.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development
)
