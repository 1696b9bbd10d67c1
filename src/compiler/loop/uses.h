/* What a part of a function looks at: every access and every index of a statement, walked in one place. */
#ifndef GALI_COMPILER_LOOP_USES_H
#define GALI_COMPILER_LOOP_USES_H

#include "compiler/loop/loop.h"

/* Called for an access; `written` for the target of a store, else for a load, a lookup or a call's operand. */
typedef void gali_loop_see_access(void *context, const gali_loop_access *access, int written);

/* Called for an index that is no part of an access: an extent, a let's operand, a call's size. */
typedef void gali_loop_see_index(void *context, const gali_loop_index *index);

/* Goes through a block and all blocks in it. Either function may be NULL. */
void gali_loop_walk(const gali_loop_statement *block, gali_loop_see_access *access, gali_loop_see_index *index,
                    void *context);

/* Whether the statements from here to the end of the block, and those in them, need it. */
int gali_loop_uses_variable(const gali_loop_statement *block, const gali_loop_variable *variable);

#endif
