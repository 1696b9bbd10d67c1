/*
 * The whole runtime as one file, for hosts that build without CMake:
 *
 *     cc -std=c11 -O2 -ffp-contract=off -I include -I src -c src/gallop_all.c
 *
 * It has one table of kernels: that of the best instruction set that the compiler's flags allow (-march=...), plain C
 * where they allow none; the program then runs where those flags do. To choose at run time instead, as the CMake
 * build does, compile the tables of src/kernels/k_*.c and src/motion/phases_*.c with their own flags (cmake/isa.cmake) beside this file, and
 * this one with their -DGALI_HAVE_... and without -march. Every choice gives the same bits, but WebAssembly's simd128
 * where it does not fuse (GAL_ISA_WASM_UNFUSED).
 *
 * Keep -ffp-contract=off: with contraction a compiler fuses where no FMA is written. gcc's vectorisers do so all the same,
 * where products are added and subtracted in turn, as in quaternions (vfmaddsub): they are off here. What is to be a
 * vector is written as one.
 */
#if defined(__GNUC__) && !defined(__clang__) && defined(__FMA__)
#pragma GCC optimize("no-tree-slp-vectorize", "no-tree-loop-vectorize")
#endif
#define GALLOP_BUILD
#define __USE_MINGW_ANSI_STDIO 1 /* C99's printf */
#define _DEFAULT_SOURCE          /* for cpu/machine.c and base/system_posix.c: before the first system header */
#include "kernels/kernels.h"
#include "kernels/narrow.h"

#if defined(GALI_HAVE_AVX2) || defined(GALI_HAVE_AVX512) || defined(GALI_HAVE_NEON) ||                         \
    defined(GALI_HAVE_NEON_A55)
#include "kernels/k_scalar.c"
#include "kernels/k_scalar_narrow.c"
#include "motion/phases_scalar.c"
#elif defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__) && defined(__AVX512BW__)
#define GALI_HAVE_AVX512
#include "kernels/k_avx512.c"
#include "kernels/k_avx512_narrow.c"
#include "motion/phases_avx512.c"
#define gali_phases_scalar gali_phases_avx512
#define gali_kernels_scalar gali_kernels_avx512 /* one table: who asks for another gets its bits all the same */
static const gali_narrow *const gali_narrow_only =
    &GALI_NARROW_TABLE; /* with VNNI and BF16 as the flags have them */
#define gali_narrow_scalar (*gali_narrow_only)
#define gali_narrow_avx512 (*gali_narrow_only)
#elif defined(__AVX2__) && ((defined(__FMA__) && defined(__F16C__)) || defined(_MSC_VER))
#define GALI_HAVE_AVX2
#include "kernels/k_avx2.c"
#include "kernels/k_avx2_narrow.c"
#include "motion/phases_avx2.c"
#define gali_phases_scalar gali_phases_avx2
#define gali_kernels_scalar gali_kernels_avx2
static const gali_narrow *const gali_narrow_only = &GALI_NARROW_TABLE;
#define gali_narrow_scalar (*gali_narrow_only)
#define gali_narrow_avx2 (*gali_narrow_only)
#elif defined(GALI_AARCH64)
#define GALI_HAVE_NEON
#include "kernels/k_neon.c"
#include "kernels/k_neon_narrow.c"
#include "motion/phases_neon.c"
#define gali_phases_scalar gali_phases_neon
#define gali_kernels_scalar gali_kernels_neon
static const gali_narrow *const gali_narrow_only = &GALI_NARROW_TABLE;
#define gali_narrow_scalar (*gali_narrow_only)
#define gali_narrow_neon (*gali_narrow_only)
#elif defined(__wasm_simd128__)
#define GALI_HAVE_WASM
#include "kernels/k_wasm.c"
#include "kernels/k_wasm_narrow.c"
#include "motion/phases_wasm.c"
#define gali_phases_scalar gali_phases_wasm
#define gali_kernels_scalar gali_kernels_wasm
static const gali_narrow *const gali_narrow_only = &GALI_NARROW_TABLE;
#define gali_narrow_scalar (*gali_narrow_only)
#define gali_narrow_wasm (*gali_narrow_only)
#else
#include "kernels/k_scalar.c"
#include "kernels/k_scalar_narrow.c"
#include "motion/phases_scalar.c"
#endif

#include "kernels/elementary.c"
#include "kernels/gemm.c"
#include "kernels/kernels.c"
#include "kernels/narrow.c"
#include "kernels/ref/activate.c"

#include "base/crc32.c"
#include "base/error.c"
#include "base/file.c"
#include "base/memory.c"
#include "base/number.c"
#include "base/utf8.c"

#include "cpu/cpu.c"
#include "cpu/machine.c"

#include "gemm/gemm.c"

#include "network/blend.c"
#include "network/feed.c"
#include "network/gate.c"
#include "network/layer.c"
#include "network/layer_check.c"
#include "network/model_read.c"
#include "network/model_read_layers.c"
#include "network/model_read_sparse.c"
#include "network/model_write.c"
#include "network/network.c"
#include "network/pack.c"
#include "network/pack_narrow.c"
#include "network/pack_sparse.c"
#include "network/plan.c"
#include "network/plan_measure.c"
#include "network/precision.c"
#include "network/quantise.c"
#include "network/quantise_model.c"
#include "network/reference.c"
#include "network/run.c"
#include "network/run_layer.c"
#include "network/run_narrow.c"
#include "network/sparse.c"
#include "network/wiring.c"
#include "network/workspace.c"

#include "network/layers/add.c"
#include "network/layers/concat.c"
#include "network/layers/dense.c"
#include "network/layers/film.c"
#include "network/layers/gru.c"
#include "network/layers/layer_norm.c"
#include "network/layers/mul.c"
#include "network/layers/sparse.c"

#include "contract/contract.c"
#include "contract/contract_blocks.c"
#include "contract/contract_names.c"
#include "contract/contract_text.c"

#include "motion/bank.c"
#include "motion/bridge.c"
#include "motion/controller.c"
#include "motion/ground.c"
#include "motion/phases.c"
#include "motion/skeleton.c"
#include "motion/state.c"
#include "motion/step.c"
#include "motion/teleport.c"
#include "motion/vec.c"

#include "crowd/budget.c"
#include "crowd/crowd.c"
#include "crowd/crowd_budget.c"
#include "crowd/crowd_characters.c"
#include "crowd/crowd_step.c"
#include "crowd/record.c"
#include "crowd/replay.c"
#include "crowd/runner.c"
#include "crowd/snapshot.c"

/* The last: <windows.h> makes macros of many words. */
#if defined(_WIN32)
#include "base/system_windows.c"
#else
#include "base/system_posix.c"
#endif
