# `cmake --install`: headers, the library, models, find_package(gallop) and pkg-config. For a wheel (pyproject.toml) the
# library, without a version in its name, and the models alone, beside the package's modules.
# A card has the licence; bars and aims are what a training chooses by.
file(GLOB gallop_models CONFIGURE_DEPENDS models/*.gallop models/*.contract models/*.md models/*.bars models/*.aims)
if(SKBUILD)
    set_property(TARGET gallop PROPERTY VERSION)
    set_property(TARGET gallop PROPERTY SOVERSION)
    set_property(TARGET gallop PROPERTY PREFIX lib) # with Microsoft's compiler, too
    install(TARGETS gallop LIBRARY DESTINATION gallop COMPONENT python RUNTIME DESTINATION gallop COMPONENT python)
    install(FILES ${gallop_models} DESTINATION gallop/models COMPONENT python)
    return()
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
install(TARGETS gallop EXPORT gallop-targets)
install(DIRECTORY include/gallop DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} PATTERN compiler.h EXCLUDE
    PATTERN gpu.h EXCLUDE) # each with its library, below
install(FILES ${gallop_models} DESTINATION ${CMAKE_INSTALL_DATADIR}/gallop/models)
file(GLOB gallop_samples CONFIGURE_DEPENDS samples/*.c samples/*.py samples/*.csv)
if(NOT TARGET gallop_gpu OR BUILD_SHARED_LIBS)
    list(FILTER gallop_samples EXCLUDE REGEX "/gpu[.]c$")
endif()
install(FILES ${gallop_samples} DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(EXPORT gallop-targets NAMESPACE gallop:: FILE gallop-targets.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gallop)
configure_package_config_file(cmake/gallop-config.cmake.in gallop-config.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gallop PATH_VARS CMAKE_INSTALL_DATADIR)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gallop-config.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gallop)
write_basic_package_version_file(gallop-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gallop-config-version.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gallop)
# Relative to the file itself, so that `cmake --install --prefix` may move it.
file(RELATIVE_PATH GALLOP_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" GALLOP_PC_PREFIX "${GALLOP_PC_PREFIX}")
configure_file(cmake/gallop.pc.in gallop.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gallop.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The compiler, and networks on GPUs over it, use names that a shared runtime does not show.
list(TRANSFORM CMAKE_DL_LIBS PREPEND -l OUTPUT_VARIABLE GALLOP_DL)
function(gallop_install_part part)
    install(FILES include/gallop/${part}.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gallop)
    install(TARGETS ${ARGN} gallop_${part} EXPORT gallop-${part}-targets)
    install(EXPORT gallop-${part}-targets NAMESPACE gallop:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gallop)
    configure_file(cmake/gallop-${part}.pc.in gallop-${part}.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gallop-${part}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
if(TARGET gallop_gpu AND NOT BUILD_SHARED_LIBS)
    gallop_install_part(compiler gallop_graph)
    gallop_install_part(gpu gallop_opencl)
endif()
