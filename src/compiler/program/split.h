/*
 * Summed axes that are only read in parts become those parts: a group norm sums over one axis of a group's channels, rows and
 * columns, and finds each of the three by quotients and remainders, at every step.
 *
 *     sum over k < c h w of x[k / (h w)][k / w % h][k % w]   is   sum over i < c, j < h, k < w of x[i][j][k]
 *
 * Parts come outer first, so the order of the sum stays. So do its blocks, and its bits, where they begin at parts; else they
 * become as many whole parts as fit: of 25,088 terms that are 512 x 7 x 7 of a picture a block has 392. Sums in parts along the
 * axis (layout.c) are left.
 */
#ifndef GALI_COMPILER_PROGRAM_SPLIT_H
#define GALI_COMPILER_PROGRAM_SPLIT_H

#include "compiler/program/program.h"

/* Of a fused program whose sums are decided on. GAL_NO_MEMORY. */
gal_status gali_program_split_sums(gali_program *program, gal_error *error);

#endif
