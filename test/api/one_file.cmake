# src/gallop_all.c is the whole runtime: a program of it and one sample prints what the usual build's prints, with
# the scalar kernels and with those of this machine, and has the golden poses. Shadowing means nothing between files, so -Wshadow is off.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
set(options -std=c11 -O1 -Wall -Wextra -Wpedantic -Wconversion -Werror -ffp-contract=off ${flags}
    -I${SOURCE}/include -I${SOURCE}/src)
gallop_run("the usual sample" ${SAMPLE} ${SOURCE}/models/walker.gallop)
set(expected "${printed}")
foreach(kind scalar native)
    set(march)
    if(kind STREQUAL "native")
        set(march -march=native -O2) # as README builds it: gcc's vectorisers are on, which must not fuse
    endif()
    gallop_run("${kind}: gallop_all.c" ${LAUNCHER} ${CC} ${options} ${march} -c ${SOURCE}/src/gallop_all.c -o ${WORK}/${kind}.o)
    gallop_run("${kind}: link" ${CC} ${options} ${march} ${SOURCE}/samples/crowd.c ${WORK}/${kind}.o -lm
        -o ${WORK}/${kind})
    gallop_run("${kind}: run" ${WORK}/${kind} ${SOURCE}/models/walker.gallop)
    if(NOT printed STREQUAL expected)
        message(FATAL_ERROR "${kind}: printed\n${printed}\nexpected\n${expected}")
    endif()
endforeach()
gallop_run("poses: link" ${CC} ${options} ${SOURCE}/test/bits/poses.c ${WORK}/native.o -lm -o ${WORK}/poses)
gallop_run("poses: run" ${WORK}/poses ${SOURCE}/models 10)
file(STRINGS ${SOURCE}/test/bits/golden_poses.txt golden REGEX "^ 10 s")
if(NOT printed MATCHES "${golden}\n")
    message(FATAL_ERROR "native: poses\n${printed}\nexpected\n${golden}")
endif()

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
