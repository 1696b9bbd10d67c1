# src/gallop_all.c is the whole runtime: a program of it and one sample prints what the usual build's prints, and it has the
# golden bits and poses, by the compiler CC with FLAGS. Shadowing means nothing between files, so -Wshadow is off.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
set(build ${CC} -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror -ffp-contract=off ${flags}
    -I${SOURCE}/include -I${SOURCE}/src -I${SOURCE}/test)
gallop_run("gallop_all.c" ${LAUNCHER} ${build} -c ${SOURCE}/src/gallop_all.c -o ${WORK}/gallop_all.o)
function(gallop_run_with source)
    gallop_run("${source}: link" ${build} ${SOURCE}/${source} ${WORK}/gallop_all.o -lm -o ${WORK}/program)
    gallop_run("${source}: run" ${WORK}/program ${ARGN})
    set(printed "${printed}" PARENT_SCOPE)
endfunction()
function(gallop_expect what expected)
    string(FIND "${printed}" "${expected}" at)
    if(at EQUAL -1)
        message(FATAL_ERROR "${what}: printed\n${printed}\nexpected\n${expected}")
    endif()
endfunction()

gallop_run("the usual sample" ${SAMPLE} ${SOURCE}/models/walker.gallop)
set(expected "${printed}")
gallop_run_with(samples/crowd.c ${SOURCE}/models/walker.gallop)
gallop_expect("sample" "${expected}")
file(READ ${SOURCE}/test/bits/golden.txt expected)
gallop_run_with(test/bits/bits.c)
gallop_expect("bits" "${expected}")
file(STRINGS ${SOURCE}/test/bits/golden_poses.txt expected REGEX "^ 10 s")
gallop_run_with(test/bits/poses.c ${SOURCE}/models 10)
gallop_expect("poses" "${expected}\n")

# The list is complete: every source of the runtime that is not a table of kernels is in it.
file(READ ${SOURCE}/src/gallop_all.c list)
file(GLOB sources RELATIVE ${SOURCE}/src ${SOURCE}/src/base/*.c ${SOURCE}/src/cpu/*.c ${SOURCE}/src/kernels/*.c
    ${SOURCE}/src/kernels/ref/*.c ${SOURCE}/src/gemm/*.c ${SOURCE}/src/network/*.c ${SOURCE}/src/network/layers/*.c
    ${SOURCE}/src/contract/*.c ${SOURCE}/src/motion/*.c ${SOURCE}/src/crowd/*.c)
list(FILTER sources EXCLUDE REGEX "kernels/k_")
foreach(source IN LISTS sources)
    if(NOT list MATCHES "#include \"${source}\"")
        message(FATAL_ERROR "src/gallop_all.c does not include ${source}")
    endif()
endforeach()
