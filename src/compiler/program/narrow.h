/*
 * A program for fewer sizes: the same groups in the same order and the same memory, where sizes have a narrower range and those
 * of one value are that number. Sums are taken as the program takes them, so results have its bits.
 */
#ifndef GALI_COMPILER_PROGRAM_NARROW_H
#define GALI_COMPILER_PROGRAM_NARROW_H

#include "compiler/program/program.h"

/*
 * The program where sizes are in these ranges. It is for lowering groups alone, lives in the program's arena and has its target,
 * but none of its schedules. GAL_NO_MEMORY.
 */
gal_status gali_program_narrow(const gali_program *program, const gali_size_range *ranges, uint32_t count,
                               gali_program **narrow, gal_error *error);

#endif
