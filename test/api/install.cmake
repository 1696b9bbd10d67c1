# `cmake --install` into an empty prefix; then a project with find_package(gallop) and a compiler line by pkg-config
# build and run.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/consume.cmake)
gallop_run("install" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
gallop_consume(${WORK}/prefix)

# The compiler's library, which only builds with the command and static libraries have, and no header without it.
set(parts OFF)
if(EXISTS ${BUILD}/cli AND LIBRARY MATCHES "[.]a$")
    set(parts ON)
endif()
file(GLOB library ${WORK}/prefix/*/libgallop_compiler.* ${WORK}/prefix/*/*/libgallop_compiler.*)
if(NOT library AND EXISTS ${WORK}/prefix/include/gallop/compiler.h)
    message(FATAL_ERROR "gallop/compiler.h is installed without its library")
endif()
if(parts)
    set(project ${WORK}/compiler)
    file(MAKE_DIRECTORY ${project})
    file(WRITE ${project}/compile.c "#include <gallop/compiler.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
        "int main(int argc, char **argv) {\n    static char model[1 << 24];\n    gal_compiled *compiled;\n    size_t size;\n"
        "    FILE *file = fopen(argv[argc - 1], \"rb\");\n    size = file ? fread(model, 1, sizeof model, file) : 0;\n"
        "    if (gal_compile(&compiled, model, size, NULL, NULL) != GAL_OK) {\n        return 1;\n    }\n"
        "    gal_compiled_bytes(compiled, GAL_COMPILED_SOURCE, &size);\n    printf(\"%zu\\n\", size);\n"
        "    return size > 100000 ? 0 : 1;\n}\n")
    file(WRITE ${project}/CMakeLists.txt "cmake_minimum_required(VERSION 3.22)\nproject(compile LANGUAGES C)\n"
        "find_package(gallop 0.1 REQUIRED COMPONENTS compiler)\nadd_executable(compile compile.c)\n"
        "target_link_libraries(compile PRIVATE gallop::compiler)\n")
    gallop_run("compiler: configure" ${CMAKE_COMMAND} -S ${project} -B ${project}/build -G ${GENERATOR}
        -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_C_COMPILER=${CC} "-DCMAKE_C_FLAGS=${FLAGS}")
    gallop_run("compiler: build" ${CMAKE_COMMAND} --build ${project}/build)
    gallop_run("compiler: run" ${project}/build/compile ${SOURCE}/models/walker.gallop)
    if(PKG_CONFIG)
        gallop_run("pkg-config gallop-compiler" ${PKG_CONFIG} --cflags --libs gallop-compiler)
        string(STRIP "${printed}" printed)
        separate_arguments(given UNIX_COMMAND "${printed}")
        gallop_run("pkg-config: build" ${CC} -std=c11 ${flags} ${project}/compile.c ${given} -o ${project}/compile)
        gallop_run("pkg-config: run" ${project}/compile ${SOURCE}/models/walker.gallop)
    endif()
endif()

# Networks on GPUs, which stand on it: the installed sample, on a device where there is one.
if(parts)
    set(project ${WORK}/gpu)
    file(MAKE_DIRECTORY ${project})
    file(GLOB_RECURSE sample ${WORK}/prefix/share/doc/gpu.c)
    file(COPY ${sample} DESTINATION ${project})
    file(WRITE ${project}/CMakeLists.txt "cmake_minimum_required(VERSION 3.22)\nproject(walkers LANGUAGES C)\n"
        "find_package(gallop 0.1 REQUIRED COMPONENTS gpu)\nadd_executable(walkers gpu.c)\n"
        "target_link_libraries(walkers PRIVATE gallop::gpu)\n")
    gallop_run("gpu: configure" ${CMAKE_COMMAND} -S ${project} -B ${project}/build -G ${GENERATOR}
        -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_C_COMPILER=${CC} "-DCMAKE_C_FLAGS=${FLAGS}")
    gallop_run("gpu: build" ${CMAKE_COMMAND} --build ${project}/build)
    gallop_run("gpu: run" ${project}/build/walkers ${SOURCE}/models/walker-small.gallop 4 2)
    if(PKG_CONFIG)
        gallop_run("pkg-config gallop-gpu" ${PKG_CONFIG} --cflags --libs gallop-gpu)
        string(STRIP "${printed}" printed)
        separate_arguments(given UNIX_COMMAND "${printed}")
        gallop_run("pkg-config: build" ${CC} -std=c11 ${flags} ${project}/gpu.c ${given} -o ${project}/walkers)
    endif()
endif()

# An archive shows a linker no name that can be taken for the host's own, a shared library the public names alone.
if(LIBRARY MATCHES "[.]a$")
    gallop_run("symbols" ${NM} -g --defined-only ${LIBRARY})
    set(ours "gali?_")
else()
    gallop_run("symbols" ${NM} -D --defined-only ${LIBRARY})
    set(ours "gal_|_init|_fini")
endif()
string(REGEX MATCHALL "[0-9a-f]+ [A-TV-Z] [^\n]+" symbols "${printed}")
foreach(symbol IN LISTS symbols)
    if(NOT symbol MATCHES " (${ours})")
        message(FATAL_ERROR "the library shows a name that it must not: ${symbol}")
    endif()
endforeach()

# Every public function is there.
file(GLOB headers ${SOURCE}/include/gallop/*.h)
list(FILTER headers EXCLUDE REGEX "/(compiler|gpu).h$") # libraries of their own
foreach(header IN LISTS headers)
    file(READ ${header} text)
    string(REGEX MATCHALL "\n[A-Za-z][^\n;(]*[ *]gal_[a-z0-9_]+\\(" declarations "${text}")
    foreach(declaration IN LISTS declarations)
        string(REGEX MATCH "(gal_[a-z0-9_]+)\\($" name "${declaration}")
        if(NOT printed MATCHES " T ${CMAKE_MATCH_1}\n")
            message(FATAL_ERROR "the library lacks ${CMAKE_MATCH_1}")
        endif()
    endforeach()
endforeach()
