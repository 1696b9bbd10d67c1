# `cmake --install`: headers, the library, find_package(gallop) and pkg-config. For a wheel (pyproject.toml) the
# library alone, without a version in its name, beside the package's modules.
if(SKBUILD)
    set_property(TARGET gallop PROPERTY VERSION)
    set_property(TARGET gallop PROPERTY SOVERSION)
    install(TARGETS gallop LIBRARY DESTINATION gallop COMPONENT python)
    return()
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
install(TARGETS gallop EXPORT gallop-targets)
install(DIRECTORY include/gallop DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT gallop-targets NAMESPACE gallop:: FILE gallop-config.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gallop)
write_basic_package_version_file(gallop-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gallop-config-version.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gallop)
# Relative to the file itself, so that `cmake --install --prefix` may move it.
file(RELATIVE_PATH GALLOP_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" GALLOP_PC_PREFIX "${GALLOP_PC_PREFIX}")
configure_file(cmake/gallop.pc.in gallop.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gallop.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
