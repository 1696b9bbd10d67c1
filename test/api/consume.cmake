# gallop_consume(prefix): two hosts of an installed library, built and run.
function(gallop_consume prefix)
    set(project ${WORK}/consumer)
    file(MAKE_DIRECTORY ${project})
    file(COPY ${SOURCE}/samples/crowd.c DESTINATION ${project})
    file(WRITE ${project}/CMakeLists.txt "cmake_minimum_required(VERSION 3.22)\nproject(consumer LANGUAGES C)\n"
        "find_package(gallop 0.1 REQUIRED)\nadd_executable(consumer crowd.c)\n"
        "target_link_libraries(consumer PRIVATE gallop::gallop)\n"
        "if(NOT EXISTS \${gallop_MODELS}/walker.gallop)\n    message(FATAL_ERROR \"no models: \${gallop_MODELS}\")\nendif()\n")
    gallop_run("find_package: configure" ${CMAKE_COMMAND} -S ${project} -B ${project}/build -G ${GENERATOR}
        -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_C_COMPILER=${CC} "-DCMAKE_C_FLAGS=${FLAGS}")
    gallop_run("find_package: build" ${CMAKE_COMMAND} --build ${project}/build)
    gallop_run("find_package: run" ${project}/build/consumer ${prefix}/share/gallop/models/walker.gallop)
    if(NOT PKG_CONFIG)
        message(STATUS "no pkg-config: not tried")
        return()
    endif()
    file(GLOB_RECURSE pc ${prefix}/gallop.pc)
    get_filename_component(folder ${pc} DIRECTORY)
    set(ENV{PKG_CONFIG_PATH} ${folder})
    gallop_run("pkg-config" ${PKG_CONFIG} --cflags --libs gallop)
    string(STRIP "${printed}" printed)
    separate_arguments(given UNIX_COMMAND "${printed}")
    gallop_run("pkg-config: build" ${CC} -std=c11 ${flags} ${project}/crowd.c ${given} -Wl,-rpath,${prefix}/lib
        -o ${project}/by_pkg_config)
    gallop_run("pkg-config: models" ${PKG_CONFIG} --variable=models gallop)
    string(STRIP "${printed}" models)
    gallop_run("pkg-config: run" ${project}/by_pkg_config ${models}/walker.gallop)
endfunction()
