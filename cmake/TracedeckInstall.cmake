# The installed package: headers, library, command, CMake package and pkg-config file.

include(CMakePackageConfigHelpers)

target_include_directories(tracedeck PUBLIC "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")

install(
  TARGETS tracedeck
  EXPORT tracedeck-targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
)
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/tracedeck"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING
  PATTERN "*.hpp"
)
if(TARGET tracedeck-command)
  install(TARGETS tracedeck-command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tracedeck")
install(EXPORT tracedeck-targets NAMESPACE tracedeck:: DESTINATION "${package_dir}")
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
)

configure_file("${PROJECT_SOURCE_DIR}/cmake/tracedeck.pc.in" "${PROJECT_BINARY_DIR}/tracedeck.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tracedeck.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
