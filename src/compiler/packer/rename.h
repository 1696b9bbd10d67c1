/*
 * Registers for results that live in one block alone. Two results in one register, one after the other, are a hard
 * dependence that no packing gets around; in two registers they are none.
 */
#ifndef GALI_COMPILER_PACKER_RENAME_H
#define GALI_COMPILER_PACKER_RENAME_H

#include "compiler/packer/instruction.h"
#include "graph/arena.h"

/*
 * The registers that a text of one function never names, and that no caller, callee or tail call can mean: r6..r15, r28,
 * v16..v31.
 */
gali_registers gali_find_unused(const char *text, size_t size);

/*
 * Gives as many results of the block's count instructions as it can registers of `unused`, where the block both makes the
 * result and overwrites it. list is changed in place: to instructions out of the arena. Returns 0 where memory ran out.
 */
int gali_rename(const gali_instruction **list, uint32_t count, gali_registers unused, gali_arena *arena);

#endif
