/*
 * Tensor expressions: what is computed, without saying in which order of loops.
 *
 * An expression has named axes, parameters and stages. A stage computes each element of its buffer from the elements of
 * others, perhaps as a sum over more axes, which is always taken in ascending order:
 *
 *     sum[c][e][n]  = 0, over k: fma(x[c][k], weights[e][k + 1][n], sum)
 *     total[c][n]   = 0, over e: fma(blend[c][e], add(sum[c][e][n], weights[e][0][n]), total)
 *     y[c][n]       = elu(total[c][n])
 *
 * Axes belong to the expression, not to a stage: every stage reads another's element at that one's own axes. So a
 * schedule is one order of the axes for all stages, and which loops two stages share is all that is left to say.
 */
#ifndef GALI_COMPILER_SCHEDULE_EXPRESSION_H
#define GALI_COMPILER_SCHEDULE_EXPRESSION_H

#include "compiler/loop/loop.h"

enum {
    GALI_EXPRESSION_AXES_MAX = 8,
    GALI_EXPRESSION_STAGES_MAX = 12,
};

typedef struct gali_axis {
    const gali_loop_variable *variable;
    gali_loop_index extent;         /* a number or a symbol */
    const gali_loop_access *lookup; /* not iterated: its value is an element of a buffer of integers */
} gali_axis;

typedef struct gali_stage {
    const gali_loop_buffer *buffer; /* a local, or an output */
    uint32_t axes, reduced; /* of the buffer, in the order of its dimensions; summed over, outer first */
    const gali_loop_variable *axis[GALI_LOOP_RANK_MAX], *reduce[GALI_LOOP_RANK_MAX];
    const gali_loop_value *start; /* of the sum; NULL unless reduced */
    const gali_loop_value *value; /* a load of the stage's own buffer is the sum so far */
} gali_stage;

typedef struct gali_expression {
    gali_loop_function *names; /* the symbols, the axes as variables, the buffers; no body */
    uint32_t axes, stages;
    gali_axis axis[GALI_EXPRESSION_AXES_MAX];
    gali_stage stage[GALI_EXPRESSION_STAGES_MAX]; /* a stage reads earlier ones */
} gali_expression;

/* Making: as loop.h's, a failure is the arena's, also where there is no room for another axis or stage: then NULL. */
gali_expression *gali_expression_make(gali_arena *arena, const char *name);
const gali_loop_variable *gali_expression_symbol(gali_expression *expression, const char *name, uint32_t least,
                                                 uint32_t most);
const gali_loop_variable *gali_expression_axis(gali_expression *expression, const char *name,
                                               gali_loop_index extent);
const gali_loop_buffer *gali_expression_buffer(gali_expression *expression, const char *name,
                                               gali_loop_role role, uint32_t rank,
                                               const gali_loop_index *extent);

/* A stage over `axes` and, if reduced > 0, the `reduced` ones after them in axis[]. Its start and value are set then. */
gali_stage *gali_expression_stage(gali_expression *expression, const char *name, gali_loop_role role,
                                  uint32_t axes, uint32_t reduced, const gali_loop_variable *const *axis);

/* A stage's element at its own axes. */
const gali_loop_value *gali_expression_element(gali_expression *expression, const gali_stage *stage);

/* An element of a parameter: index[rank]. */
const gali_loop_value *gali_expression_load(gali_expression *expression, const gali_loop_buffer *buffer,
                                            const gali_loop_index *index);

/*
 * The text form, and back. What is read has axes and stages that agree: each stage reads earlier ones, and its own sum so
 * far, at their own axes; sums run over axes in their order. Errors: GAL_BAD_DATA with the line, GAL_NO_MEMORY.
 */
void gali_expression_print(const gali_expression *expression, gali_text *text);
gal_status gali_expression_parse(gali_expression **out, const char *text, size_t size, gali_arena *arena,
                                 gal_error *error);

#endif
