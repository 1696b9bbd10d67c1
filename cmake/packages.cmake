# What cpack makes of an installation: a .deb and a tarball (packaging/pack.sh). Debian's tools find what the command's
# libraries are; the static libraries ask a host for what pkg-config says.
set(CPACK_PACKAGE_NAME gallop)
set(CPACK_PACKAGE_VENDOR "the developers of Gallop")
set(CPACK_PACKAGE_CONTACT "${CPACK_PACKAGE_VENDOR}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "neural character controllers: many characters, one call a frame")
set(CPACK_PACKAGE_DESCRIPTION "The library with its headers, the compiler of networks to plain C, the command gallop,
and two models: a person who walks and runs, and a dog. Try: gallop demo")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_FILE_NAME gallop-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gcc, cmake, pkg-config, libjansson-dev")
include(CPack)
