# Kernel tables are compiled with the flags of their instruction set; all other files with the base one's,
# and the choice between them is made at run time (src/cpu). A table that the compiler cannot build is left
# out, and the library says so through gal_isa_available.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    set_source_files_properties(src/kernels/k_avx2.c PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma")
    set_source_files_properties(src/kernels/k_avx512.c PROPERTIES
        COMPILE_OPTIONS "-mavx512f;-mavx512vl;-mavx512dq;-mavx512bw;-mfma")
    target_compile_definitions(gallop PRIVATE GALI_HAVE_AVX2 GALI_HAVE_AVX512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    target_compile_definitions(gallop PRIVATE GALI_HAVE_NEON)
endif()
