# Debian packages of what is installed, one for each component: the command, which has the library inside, the shared
# library, and what building with it needs. `make deb` builds them.

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL command library development)
set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS library)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)

set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGING_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")
set(CPACK_PACKAGE_CONTACT "tracedeck developers <tracedeck@localhost>" CACHE STRING "Maintainer of the packages")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(what "binary event traces: dial9, Heph, Tonbandgerät and the Common Trace Format")
set(library libtracedeck${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME tracedeck)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_COMMAND_DESCRIPTION "command for binary event traces\n Prints, checks, summarises and converts ${what}.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "library for binary event traces\n Reads and writes ${what}.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtracedeck-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libfmt-dev, zlib1g-dev, libzstd-dev, libsimdjson-dev")
set(
  CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
  "library for binary event traces, development files\n Headers, CMake package and pkg-config file of the library that reads and writes\n ${what}."
)

# What Debian asks of every package: its licence and, compressed, its changes and its man pages.
set(share "${CMAKE_INSTALL_DATAROOTDIR}")
foreach(each command:tracedeck library:${library} development:libtracedeck-dev)
  string(REPLACE ":" ";" each ${each})
  list(POP_FRONT each component)
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${share}/doc/${each}" RENAME copyright COMPONENT ${component})
  install(
    FILES "${PROJECT_SOURCE_DIR}/CHANGELOG.md" DESTINATION "${share}/doc/${each}" RENAME changelog COMPONENT ${component}
  )
  install(
    CODE "file(GLOB pages \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${share}/man/man1/*.1\")
          set(changes \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${share}/doc/${each}/changelog\")
          execute_process(COMMAND gzip -9nf \${changes} \${pages} COMMAND_ERROR_IS_FATAL ANY)"
    COMPONENT ${component}
  )
endforeach()

include(CPack)
