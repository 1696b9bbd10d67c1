# Kernel tables are compiled with the flags of their instruction set, all other files with the base one's; the
# choice between them is made at run time (src/cpu). GALI_HAVE_<ISA> says which tables this build has.
# A build with a sanitizer has the scalar tables and AVX2's, which compile in minutes where it looks at them: the
# address sanitizer at the scalar ones alone, without stack redzones, so that the tiles' arrays still become registers
# (the bodies are the same, and the tests of kernels have guard pages), the thread sanitizer at the float32 ones. AVX2's
# float32 table is optimised even at -Og, which saves a quarter of the time of characters' tests.
# Debug information, where a build has any, is lines alone: variables of unrolled tiles have none worth half of the time
# of compiling them.
set(gallop_lines_alone "")
foreach(config DEBUG RELWITHDEBINFO)
    if(CMAKE_C_FLAGS_${config} MATCHES "-g")
        list(APPEND gallop_lines_alone $<$<CONFIG:${config}>:-g1>)
    endif()
endforeach()
set(gallop_table_options ${gallop_lines_alone})
set(gallop_float_table_options "")
set(gallop_narrow_table_options "")
set(scalar_options ${gallop_table_options})
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
if(CMAKE_C_FLAGS MATCHES "fsanitize=address")
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        list(APPEND scalar_options --param=asan-stack=0)
    else()
        list(APPEND scalar_options -mllvm -asan-stack=0)
    endif()
    list(APPEND gallop_table_options -fno-sanitize=all)
    if(CMAKE_C_FLAGS_${build_type} MATCHES "-Og")
        set(gallop_float_table_options -O1)
    endif()
endif()
set_source_files_properties(src/kernels/k_scalar.c src/kernels/k_scalar_narrow.c
    PROPERTIES COMPILE_OPTIONS "${scalar_options}")
set_source_files_properties(src/motion/phases_scalar.c PROPERTIES COMPILE_OPTIONS "${gallop_lines_alone}")
if(CMAKE_C_FLAGS MATCHES "fsanitize")
    set(gallop_narrow_table_options -fno-sanitize=all)
endif()

function(gallop_add_isa name file)
    target_sources(gallop PRIVATE src/kernels/${file})
    set(options ${ARGN} ${gallop_table_options})
    if(file MATCHES "^k_(avx2|avx512|neon|neon_a55).c$")
        list(APPEND options ${gallop_float_table_options})
    else()
        list(APPEND options ${gallop_narrow_table_options})
    endif()
    set_source_files_properties(src/kernels/${file} PROPERTIES COMPILE_OPTIONS "${options}")
    target_compile_definitions(gallop PRIVATE GALI_HAVE_${name})
endfunction()

# The phases of a step for an instruction set (src/motion/body) beside its kernels. gcc's vectorizers fuse products in
# files with FMA in spite of -ffp-contract=off; what is to be a vector there is written as one.
function(gallop_add_phases file)
    target_sources(gallop PRIVATE src/motion/${file})
    set_source_files_properties(src/motion/${file} PROPERTIES
        COMPILE_OPTIONS "${ARGN};$<$<NOT:$<BOOL:${MSVC}>>:-fno-tree-vectorize>;${gallop_lines_alone}")
endfunction()

# The same where the compiler knows the flag that the table is about.
include(CheckCCompilerFlag)
function(gallop_add_isa_if flag name file)
    check_c_compiler_flag(${flag} GALLOP_HAS_${name})
    if(GALLOP_HAS_${name})
        gallop_add_isa(${name} ${file} ${flag} ${ARGN})
    endif()
endfunction()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    if(MSVC AND NOT CMAKE_C_COMPILER_ID STREQUAL "Clang") # knows no narrower sets: the others' tables are left out
        gallop_add_isa(AVX2 k_avx2.c /arch:AVX2)
        gallop_add_isa(AVX2 k_avx2_narrow.c /arch:AVX2)
        gallop_add_phases(phases_avx2.c /arch:AVX2)
        gallop_add_isa(AVX512 k_avx512.c /arch:AVX512)
        gallop_add_isa(AVX512 k_avx512_narrow.c /arch:AVX512)
        gallop_add_phases(phases_avx512.c /arch:AVX512)
        return()
    endif()
    gallop_add_isa(AVX2 k_avx2.c -mavx2 -mfma)
    gallop_add_isa(AVX2 k_avx2_narrow.c -mavx2 -mfma -mf16c)
    gallop_add_phases(phases_avx2.c -mavx2 -mfma)
    if(CMAKE_C_FLAGS MATCHES "fsanitize")
        return()
    endif()
    set(avx512_flags -mavx512f -mavx512vl -mavx512dq -mavx512bw -mfma)
    gallop_add_isa(AVX512 k_avx512.c ${avx512_flags})
    gallop_add_isa(AVX512 k_avx512_narrow.c ${avx512_flags})
    gallop_add_phases(phases_avx512.c ${avx512_flags})
    gallop_add_isa_if(-mavxvnni AVX2_VNNI k_avx2_vnni.c -mavx2 -mfma -mf16c)
    gallop_add_isa_if(-mavx512vnni AVX512_VNNI k_avx512_vnni.c ${avx512_flags})
    gallop_add_isa_if(-mavx512bf16 AVX512_BF16 k_avx512_bf16.c ${avx512_flags} -mavx512vnni)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    # gcc: scheduling before register allocation spills accumulators, and the masked tails' loops become calls of
    # memcpy, across which all of them are spilled.
    set(no_calls $<$<C_COMPILER_ID:GNU>:-fno-tree-loop-distribute-patterns>)
    set(neon_flags $<$<C_COMPILER_ID:GNU>:-fno-schedule-insns> ${no_calls})
    gallop_add_isa(NEON k_neon.c ${neon_flags})
    # In order, a core has the schedule that the compiler gives it, which pays with two accumulators in memory.
    gallop_add_isa(NEON_A55 k_neon_a55.c -mtune=cortex-a55 ${no_calls})
    gallop_add_isa(NEON k_neon_narrow.c ${neon_flags})
    gallop_add_phases(phases_neon.c)
    gallop_add_isa_if(-march=armv8.2-a+dotprod NEON_DOT k_neon_dot.c ${neon_flags})
    gallop_add_isa_if(-march=armv8.2-a+dotprod+bf16 NEON_BF16 k_neon_bf16.c ${neon_flags})
    gallop_add_isa_if(-march=armv8.2-a+dotprod+bf16+i8mm NEON_I8MM k_neon_i8mm.c ${neon_flags})
endif()
