# cmake -DCLANG=... -DSOURCE=... -P check.cmake: what Microsoft's cl would refuse in the runtime, as far as can be told
# without it. clang reads the one-file build in cl's place: for its targets, without being clang (-U__clang__), with
# headers that declare what Microsoft's C library has (include/), GNU's extensions being errors. In what is then left
# of our own lines none of GNU's words may stand. Not checked: what cl alone says.
set(options -std=c11 -U__clang__ -ffreestanding -nostdlibinc -I${CMAKE_CURRENT_LIST_DIR}/include
    -I${SOURCE}/include -I${SOURCE}/src)
set(warnings -Werror -Wall -Wextra -Wpedantic -Wgnu -Wmicrosoft -Wlanguage-extension-token)
set(avx512 -mavx512f -mavx512vl -mavx512dq -mavx512bw) # with those below: what /arch:AVX512 and /arch:AVX2 allow

function(run what)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE said)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${what}: cl would refuse\n${said}")
    endif()
    set(printed "${printed}" PARENT_SCOPE)
endfunction()

# Lines of ours in preprocessed text: those after a marker of a file in src/ or include/.
function(check_words what)
    string(REPLACE ";" "," printed "${printed}")
    string(REGEX REPLACE "[][]" "|" printed "${printed}")
    string(REPLACE "\n" ";" lines "${printed}")
    set(ours OFF)
    foreach(line IN LISTS lines)
        if(line MATCHES "^# [0-9]+ \"([^\"]*)\"")
            string(FIND "${CMAKE_MATCH_1}" "${SOURCE}/" at)
            string(FIND "${CMAKE_MATCH_1}" "${CMAKE_CURRENT_FUNCTION_LIST_DIR}" stub)
            set(ours OFF)
            if(at EQUAL 0 AND stub EQUAL -1)
                set(ours ON)
            endif()
        elseif(ours AND line MATCHES "__asm|__attribute__|#pragma|__builtin_(prefetch|expect|cpu|clz|ctz|popcount)")
            message(FATAL_ERROR "${what}: a word that cl does not know: ${line}")
        endif()
    endforeach()
endfunction()

foreach(build IN ITEMS x86_64 x86_64_avx2 x86_64_avx512 x86_64_dll aarch64)
    string(REGEX MATCH "^(x86_64|aarch64)" machine ${build})
    set(flags --target=${machine}-pc-windows-msvc)
    if(build MATCHES "avx2")
        list(APPEND flags -mavx2)
    elseif(build MATCHES "avx512")
        list(APPEND flags ${avx512})
    elseif(build MATCHES "dll")
        list(APPEND flags -DGALLOP_SHARED)
    endif()
    run(${build} ${CLANG} ${flags} ${options} ${warnings} -fsyntax-only ${SOURCE}/src/gallop_all.c)
    run(${build} ${CLANG} ${flags} ${options} -E ${SOURCE}/src/gallop_all.c)
    check_words(${build})
endforeach()

file(GLOB headers RELATIVE ${SOURCE}/include ${SOURCE}/include/gallop/*.h)
foreach(header IN LISTS headers)
    foreach(language IN ITEMS c c++)
        set(standard -std=c11)
        if(language STREQUAL "c++")
            set(standard -std=c++17)
        endif()
        run("${header} as ${language}" ${CLANG} --target=x86_64-pc-windows-msvc ${options} ${standard} ${warnings}
            -DGALLOP_SHARED -fsyntax-only -x ${language} ${SOURCE}/include/${header})
    endforeach()
endforeach()
