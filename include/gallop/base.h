/*
 * Status, errors, memory and instruction sets: what every part of Gallop shares.
 *
 * Three kinds of failure, never mixed: bad data is a gal_status with a message that names the place in the
 * input; no memory is GAL_NO_MEMORY; what a declaration does not allow (a NULL that it does not speak of, a crowd
 * that was destroyed) is the host's mistake: GAL_BAD_ARGUMENT where it is seen at no cost, else undefined. The
 * library never aborts, exits, prints, or keeps global state.
 */
#ifndef GALLOP_BASE_H
#define GALLOP_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* GALLOP_SHARED says that the library is a shared one (find_package does), GALLOP_BUILD that it is being
 * built. */
#if defined(GALLOP_SHARED) && defined(_WIN32) && defined(GALLOP_BUILD)
#define GAL_API __declspec(dllexport)
#elif defined(GALLOP_SHARED) && defined(_WIN32)
#define GAL_API __declspec(dllimport)
#elif defined(GALLOP_SHARED) && defined(__GNUC__)
#define GAL_API __attribute__((visibility("default")))
#else
#define GAL_API
#endif

#define GAL_VERSION_MAJOR 0
#define GAL_VERSION_MINOR 1
#define GAL_VERSION_PATCH 0

typedef enum gal_status {
    GAL_OK = 0,
    GAL_BAD_DATA,     /* a file or an input is malformed; the message names the place */
    GAL_BAD_ARGUMENT, /* an argument is outside its stated range */
    GAL_IO,           /* a file could not be opened, read or written */
    GAL_NO_MEMORY,    /* the allocator, or the memory handed in, was too small */
    GAL_FULL,         /* the crowd has no free place */
    GAL_NOT_FOUND,    /* no such character, joint, or section */
    GAL_UNSUPPORTED,  /* this build or this CPU cannot do it */
    GAL_STATUS_COUNT
} gal_status;

/* What went wrong. Filled only when a call fails; zero-initialise it once. */
typedef struct gal_error {
    gal_status status;
    /* UTF-8 without control characters, always terminated; what a file brought in is cut to that */
    char message[256];
} gal_error;

/* A constant English word for the status ("bad data"); never NULL, also for values out of range. */
GAL_API const char *gal_status_text(gal_status status);

/* "MAJOR.MINOR.PATCH" of the library that is linked. */
GAL_API const char *gal_version(void);

/*
 * Memory. alignment is a power of two, at least 64 where the library asks. allocate returns NULL on
 * failure; release gets the pointer, size and alignment of the allocation. NULL in a desc means the C
 * library's. Called only while something is opened, created, closed or destroyed, never in a step. What is
 * made with an allocator keeps a copy of it; its context must live until that is closed or destroyed.
 */
typedef struct gal_allocator {
    void *(*allocate)(void *context, size_t size, size_t alignment);
    void (*release)(void *context, void *memory, size_t size, size_t alignment);
    void *context;
} gal_allocator;

/*
 * Splits work over the host's threads: calls task(argument, i) once for each i in [0, count), in any
 * order, on any threads, and returns when all are done. Results do not depend on how it is split.
 */
typedef struct gal_parallel {
    void (*parallel_for)(void *context, void (*task)(void *argument, uint32_t index), void *argument,
                         uint32_t count);
    void *context;
    uint32_t threads; /* how many tasks may run at once, the caller's thread included; >= 1 */
} gal_parallel;

/* Instruction sets with kernels of their own. */
typedef enum gal_isa {
    /* The best that this machine has; GALLOP_ISA=NAME of gal_isa_name in the environment overrides it. */
    GAL_ISA_BEST = 0,
    GAL_ISA_SCALAR,
    GAL_ISA_AVX2,   /* AVX2 and FMA */
    GAL_ISA_AVX512, /* AVX-512 F, VL, DQ, BW */
    GAL_ISA_NEON,
    GAL_ISA_NEON_A55, /* NEON with 64-bit loads, for Cortex-A55 and the like; only by name */
    /* The same float32 kernels, with instructions for reduced precision: */
    GAL_ISA_AVX2_VNNI,   /* AVX2 and AVX-VNNI */
    GAL_ISA_AVX512_VNNI, /* AVX512 and AVX-512 VNNI */
    GAL_ISA_AVX512_BF16, /* AVX512_VNNI and AVX-512 BF16 */
    GAL_ISA_NEON_DOT,    /* NEON and FEAT_DotProd: sdot */
    GAL_ISA_NEON_BF16,   /* NEON_DOT and FEAT_BF16: bfmlalt, bfmlalb */
    GAL_ISA_NEON_I8MM,   /* NEON_BF16 and FEAT_I8MM: smmla */
    GAL_ISA_WASM, /* WebAssembly's simd128 and relaxed SIMD, where the engine's multiply-add rounds once */
    /* simd128 where products are rounded before they are added: the one set whose results differ, in the last bits */
    GAL_ISA_WASM_UNFUSED,
    GAL_ISA_COUNT
} gal_isa;

/* "scalar", "avx2", "avx512-vnni", ...; never NULL. */
GAL_API const char *gal_isa_name(gal_isa isa);

/* Whether this build has kernels for isa and this machine (CPU and operating system) can run them. */
GAL_API int gal_isa_available(gal_isa isa);

#ifdef __cplusplus
}
#endif
#endif
