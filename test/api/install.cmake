# `cmake --install` into an empty prefix; then a project with find_package(gallop) and a compiler line by pkg-config
# build and run.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/consume.cmake)
gallop_run("install" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
gallop_consume(${WORK}/prefix)

# Nothing that the archive shows to a linker can be taken for the host's own.
gallop_run("symbols" ${NM} -g --defined-only ${LIBRARY})
string(REGEX MATCHALL "[0-9a-f]+ [A-TV-Z] [^\n]+" symbols "${printed}")
foreach(symbol IN LISTS symbols)
    if(NOT symbol MATCHES " (gali?_|__asan|__odr_asan|__gcov|__sanitizer|__prof)")
        message(FATAL_ERROR "the library defines a name that is not its own: ${symbol}")
    endif()
endforeach()
