/* The loop IR's meaning, statement by statement: slow, plain, and what everything else is compared with. */
#ifndef GALI_COMPILER_LOOP_INTERPRET_H
#define GALI_COMPILER_LOOP_INTERPRET_H

#include "compiler/loop/loop.h"

/*
 * Runs a verified function. symbols[function->symbols] are in their ranges; buffers[function->parameters] are the
 * parameters as dense arrays (constants as they are laid out): float, or uint32_t for integers, whose values must be
 * in their lookup's range, else GAL_BAD_ARGUMENT. GAL_NO_MEMORY.
 */
gal_status gali_loop_interpret(const gali_loop_function *function, const uint32_t *symbols,
                               void *const *buffers, gal_error *error);

#endif
