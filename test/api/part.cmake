# A game whose build has ours as a part, configured as Debug: its own file is not optimised, the runtime's all are, and it
# knows where the models are.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(COPY ${SOURCE}/samples/crowd.c DESTINATION ${WORK})
file(WRITE ${WORK}/CMakeLists.txt "cmake_minimum_required(VERSION 3.22)\nproject(game LANGUAGES C)\n"
    "set(CMAKE_EXPORT_COMPILE_COMMANDS ON)\nadd_subdirectory(${SOURCE} gallop)\nadd_executable(game crowd.c)\n"
    "target_link_libraries(game PRIVATE gallop::gallop)\n"
    "if(NOT EXISTS \${gallop_MODELS}/walker.gallop)\n    message(FATAL_ERROR \"no models: \${gallop_MODELS}\")\nendif()\n")
gallop_run("configure" ${CMAKE_COMMAND} -S ${WORK} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_C_COMPILER=${CC}
    -DCMAKE_BUILD_TYPE=Debug)
file(READ ${WORK}/build/compile_commands.json commands)
string(JSON count LENGTH "${commands}")
set(ours 0)
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
    string(JSON file GET "${commands}" ${i} file)
    string(JSON command GET "${commands}" ${i} command)
    string(FIND "${file}" ${SOURCE}/src/ at)
    if(at EQUAL 0)
        math(EXPR ours "${ours} + 1")
    endif()
    if(at EQUAL 0 AND NOT command MATCHES " -O2 ")
        message(FATAL_ERROR "${file} is not optimised: ${command}")
    elseif(NOT at EQUAL 0 AND command MATCHES " -O2 ")
        message(FATAL_ERROR "${file} is optimised: ${command}")
    endif()
endforeach()
if(ours LESS 50)
    message(FATAL_ERROR "${ours} files of the runtime, at least 50 expected")
endif()
