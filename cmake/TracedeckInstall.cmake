# The installed library: headers, CMake package and pkg-config file. The command installs itself (cli/).

include(CMakePackageConfigHelpers)

# Installs TARGET, which was built as KIND (STATIC or SHARED), below LIBDIR: what runs with it as component COMPONENT,
# what builds with it as COMPONENT_DEVELOPMENT. With EXCLUDE_FROM_ALL only who names these components gets them.
function(tracedeck_install target kind libdir component)
  set(options ${ARGN})
  set(generated "${PROJECT_BINARY_DIR}/install/${target}")
  set(package "${libdir}/cmake/tracedeck")
  set(development COMPONENT ${component}_development ${options})

  # Headers without the library are of no use to anybody.
  foreach(each IN ITEMS ${component} ${component}_development)
    install(
      CODE "if(NOT EXISTS \"$<TARGET_FILE:${target}>\")
              message(FATAL_ERROR
                \"The library is not built, so nothing is installed. Build it first: cmake --build '${PROJECT_BINARY_DIR}'. \"
                \"Or install the command alone: cmake --install '${PROJECT_BINARY_DIR}' --component command\"
              )
            endif()"
      COMPONENT ${each} ${options}
    )
  endforeach()
  install(
    TARGETS ${target}
    EXPORT ${target}-targets
    ARCHIVE DESTINATION "${libdir}" ${development}
    LIBRARY DESTINATION "${libdir}" COMPONENT ${component} NAMELINK_COMPONENT ${component}_development ${options}
    FILE_SET HEADERS ${development}
  )
  install(
    EXPORT ${target}-targets
    NAMESPACE tracedeck::
    DESTINATION "${package}"
    FILE tracedeck-targets.cmake
    ${development}
  )
  set(config "${generated}/tracedeck-config.cmake")
  set(versions "${generated}/tracedeck-config-version.cmake")
  set(pc "${generated}/tracedeck.pc")
  configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/tracedeck-config.cmake.in" "${config}" INSTALL_DESTINATION "${package}"
  )
  write_basic_package_version_file("${versions}" COMPATIBILITY SameMinorVersion)
  install(FILES "${config}" "${versions}" DESTINATION "${package}" ${development})

  # pkg-config files are found where the prefix was moved to, so paths in them are relative to their own folder.
  string(REGEX MATCHALL "[^/]+" folders "${libdir}")
  list(TRANSFORM folders REPLACE ".+" "/..")
  string(CONCAT pc_prefix "\${pcfiledir}/.." ${folders})
  # Who links the static library links what it needs too.
  set(pc_requires "fmt")
  set(pc_requires_private "")
  if(kind STREQUAL SHARED)
    set(pc_requires_private "zlib libzstd re2 simdjson sqlite3 nettle")
  else()
    string(APPEND pc_requires " zlib libzstd re2 simdjson sqlite3 nettle")
  endif()
  configure_file("${PROJECT_SOURCE_DIR}/cmake/tracedeck.pc.in" "${pc}" @ONLY)
  install(FILES "${pc}" DESTINATION "${libdir}/pkgconfig" ${development})
endfunction()

if(BUILD_SHARED_LIBS)
  tracedeck_install(tracedeck SHARED "${CMAKE_INSTALL_LIBDIR}" library)
else()
  tracedeck_install(tracedeck STATIC "${CMAKE_INSTALL_LIBDIR}" library)
endif()

# The library for C, if it was built.
if(TARGET tracedeck-c)
  install(TARGETS tracedeck-c LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library OPTIONAL)
endif()
