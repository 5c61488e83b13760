# Debian packages, from the objects of a plain build: the command, which has the library inside, the shared library, that for
# C, the package for Python, which calls it, and what building with the libraries needs. `make deb` builds them, tests/package/debian.sh tries them.

set(libdir lib)
if(CMAKE_LIBRARY_ARCHITECTURE)
  string(APPEND libdir "/${CMAKE_LIBRARY_ARCHITECTURE}")
endif()
tracedeck_install(tracedeck-shared SHARED "${libdir}" shared EXCLUDE_FROM_ALL)
install(
  TARGETS tracedeck-c
  LIBRARY DESTINATION "${libdir}" COMPONENT c NAMELINK_COMPONENT shared_development EXCLUDE_FROM_ALL
)
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/python/tracedeck"
  DESTINATION lib/python3/dist-packages
  COMPONENT python
  EXCLUDE_FROM_ALL
  FILES_MATCHING PATTERN "*.py" PATTERN py.typed PATTERN __pycache__ EXCLUDE
)

set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL command shared c python shared_development)
set(CPACK_COMPONENT_SHARED_DEVELOPMENT_DEPENDS shared c)
set(CPACK_COMPONENT_PYTHON_DEPENDS c)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)

set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_CONTACT "The tracedeck authors <tracedeck@localhost>" CACHE STRING "Maintainer of the packages")
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What is compatible changes with the minor version, and with it the name of the library and of its package.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# The first line of each description is that of the project.
set(traces "traces of dial9, Heph, Tonbandgerät and the Common Trace Format")
set(library libtracedeck${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME tracedeck)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_COMMAND_DESCRIPTION "The command: prints, checks, summarises and converts ${traces}.")
set(CPACK_DEBIAN_SHARED_PACKAGE_NAME ${library})
set(CPACK_DEBIAN_SHARED_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_SHARED_DESCRIPTION "The library for C++: reads and writes ${traces}.")
# What is compatible changes with the interface that programs in C see.
set(CPACK_DEBIAN_C_PACKAGE_NAME libtracedeck-c1)
set(CPACK_DEBIAN_C_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_C_DESCRIPTION "The library for C: reads and converts ${traces}.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-tracedeck)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.9)")
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "The package for Python: reads and converts ${traces}.")
set(CPACK_DEBIAN_SHARED_DEVELOPMENT_PACKAGE_NAME libtracedeck-dev)
set(CPACK_DEBIAN_SHARED_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_SHARED_DEVELOPMENT_PACKAGE_DEPENDS "libfmt-dev, zlib1g-dev, libzstd-dev, libre2-dev, libsimdjson-dev, libsqlite3-dev, nettle-dev")
set(
  CPACK_DEBIAN_SHARED_DEVELOPMENT_DESCRIPTION
  "Headers, CMake package and pkg-config file of the libraries for C++ and C, which reads and writes ${traces}."
)

# What Debian asks of every package: its licence and, compressed, its changes and its man pages.
set(share "${CMAKE_INSTALL_DATAROOTDIR}")
foreach(each IN ITEMS command:tracedeck shared:${library} c:libtracedeck-c1 python:python3-tracedeck shared_development:libtracedeck-dev)
  string(REPLACE ":" ";" each ${each})
  list(POP_FRONT each component)
  set(only COMPONENT ${component} EXCLUDE_FROM_ALL)
  set(doc "${share}/doc/${each}")
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${doc}" RENAME copyright ${only})
  install(FILES "${PROJECT_SOURCE_DIR}/CHANGELOG.md" DESTINATION "${doc}" RENAME changelog ${only})
  install(
    CODE "set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
          file(GLOB pages \"\${prefix}/${share}/man/man1/*.1\")
          execute_process(
            COMMAND gzip -9nf \"\${prefix}/${doc}/changelog\" \${pages} COMMAND_ERROR_IS_FATAL ANY
          )"
    ${only}
  )
endforeach()

include(CPack)
