# `cmake --install`: headers, the library, find_package(gallop) and pkg-config.
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
