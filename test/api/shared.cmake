# The runtime as a shared library: it builds without tests and command, shows the public names alone, and works
# when installed.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/consume.cmake)
gallop_run("configure" ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_C_COMPILER=${CC}
    "-DCMAKE_C_FLAGS=${FLAGS}" -DCMAKE_BUILD_TYPE=Debug -DBUILD_SHARED_LIBS=ON -DGALLOP_CLI=OFF
    -DCMAKE_INSTALL_PREFIX=${WORK}/prefix)
gallop_run("build" ${CMAKE_COMMAND} --build ${WORK}/build)
gallop_run("install" ${CMAKE_COMMAND} --install ${WORK}/build)
gallop_consume(${WORK}/prefix)

file(GLOB_RECURSE library ${WORK}/prefix/libgallop.so)
gallop_run("symbols" ${NM} -D --defined-only ${library})
string(REGEX MATCHALL "[0-9a-f]+ [A-Z] [^\n]+" symbols "${printed}")
foreach(symbol IN LISTS symbols)
    if(NOT symbol MATCHES " (gal_|__asan|__odr_asan|__gcov|__sanitizer|__prof|_init|_fini)")
        message(FATAL_ERROR "the shared library shows an internal name: ${symbol}")
    endif()
endforeach()
file(GLOB headers ${SOURCE}/include/gallop/*.h)
list(FILTER headers EXCLUDE REGEX "/compiler.h$") # a library of its own
foreach(header IN LISTS headers)
    file(READ ${header} text)
    string(REGEX MATCHALL "\n[A-Za-z][^\n;(]*[ *]gal_[a-z0-9_]+\\(" declarations "${text}")
    foreach(declaration IN LISTS declarations)
        string(REGEX MATCH "(gal_[a-z0-9_]+)\\($" name "${declaration}")
        if(NOT printed MATCHES " T ${CMAKE_MATCH_1}\n")
            message(FATAL_ERROR "the shared library lacks ${CMAKE_MATCH_1}")
        endif()
    endforeach()
endforeach()
