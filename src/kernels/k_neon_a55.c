/* The kernel table for NEON on Cortex-A55 and other cores that load 128 bits in two cycles: k_neon.c with 64-bit
 * loads of the weights. Same bits; chosen by name alone (GALLOP_ISA=neon-a55 or the desc), since which core a
 * thread runs on is the host's to know. */
#define GALI_NEON_HALVES
#define GALI_NEON_TABLE gali_kernels_neon_a55
#define GALI_NEON_ISA GAL_ISA_NEON_A55
#include "kernels/k_neon.c"
