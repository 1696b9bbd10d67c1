/* Tensors of heads, of Attention and RotaryEmbedding: [batch, heads, length, size], or folded: [batch, length, heads size]. */
#ifndef GALI_GRAPH_OPS_HEADS_H
#define GALI_GRAPH_OPS_HEADS_H

#include "graph/express.h"
#include "graph/rule.h"

enum { GALI_HEADS_BATCH, GALI_HEADS_HEAD, GALI_HEADS_PLACE, GALI_HEADS_SIZE, GALI_HEADS_AXES };

typedef struct gali_heads {
    int folded;
    gali_extent shape[GALI_HEADS_AXES];
} gali_heads;

/* Of a type that was checked; count: heads of a folded tensor. */
gali_heads gali_heads_of(gali_extents *extents, const gali_type *type, gali_extent count);

/* What is wrong with a tensor of heads whose rank is known, or NULL; demands that it has whole heads. */
const char *gali_heads_check(gali_rule *rule, const gali_type *type, int64_t count);

/* Whether two extents may be the same when the graph runs; then that is demanded. */
int gali_heads_equal(gali_rule *rule, gali_extent a, gali_extent b);

/* Whether b may be a multiple of a, which is not 0; then that is demanded. */
int gali_heads_divides(gali_rule *rule, gali_extent a, gali_extent b);

/* Where element (batch, head, place, size) lies, row-major; extents are numbers. */
size_t gali_heads_offset(const gali_heads *heads, const int64_t index[GALI_HEADS_AXES]);

/* The tensor's own index of element (batch, head, place, size). */
void gali_heads_index(gali_express *x, const gali_heads *heads, const gali_scalar *const own[GALI_HEADS_AXES],
                      const gali_scalar *index[GALI_HEADS_AXES]);

/* The element (batch, head, place, size) at the axes of a stage of the tensor's shape. */
void gali_heads_axes(gali_express *x, const gali_heads *heads, const gali_scalar *own[GALI_HEADS_AXES]);

#endif
