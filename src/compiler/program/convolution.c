#include "compiler/program/convolution.h"

#include <string.h>

#include "base/error.h"

/* ---- what is there ---- */

static const gali_scalar *load_in(const gali_scalar *a) {
    a = a && a->op == GALI_SCALAR_select ? a->operand[1] : a;
    return a && a->op == GALI_SCALAR_load ? a : NULL;
}

int gali_program_conv(const gali_program *p, const gali_program_stage *stage, gali_conv *c) {
    const gali_node *node = stage->node == GALI_NONE ? NULL : p->nodes[stage->node].node;
    if (!node || node->op != GALI_OP_Conv || gali_node_int(node, "group") != 1 || !stage->reduced ||
        stage->value->op != GALI_SCALAR_fma || stage->value->element != GALI_f32) {
        return 0;
    }
    const gali_scalar *x = load_in(stage->value->operand[0]), *w = load_in(stage->value->operand[1]);
    if (!x || !w || !p->tensors[w->source].data || stage->rank < 4 || stage->rank > 5) {
        return 0;
    }
    const gali_type *type = &p->tensors[w->source].type;
    *c = (gali_conv){.stage = stage, .x = x->source, .w = w->source, .plain = stage->rank - 4};
    int good =
        !gali_window_make(&c->window, p->graph->extents, node, &p->tensors[x->source].type, type->shape + 2);
    for (uint32_t i = c->plain; good && i < c->window.rank; i++) {
        good =
            c->window.kernel[i] == GALI_CONV_WINDOW && c->window.stride[i] == 1 && c->window.dilation[i] == 1;
    }
    return good;
}

int gali_replacing_has_convs(gali_program *p) {
    gal_error ignored = {0};
    gali_conv c;
    for (uint32_t i = 0; i < p->stage_count; i++) {
        if (gali_program_conv(p, &p->stages[i], &c)) {
            return gali_program_range(p, &ignored) == GAL_OK;
        }
    }
    return 0;
}

/* ---- making ---- */

uint32_t gali_replacing_tensor(gali_replacing *r, const gali_program_tensor *tensor) {
    gali_program *p = r->p;
    if (p->tensor_count == r->tensor_capacity) {
        r->tensor_capacity = 2 * p->tensor_count + 16;
        gali_program_tensor *more = gali_arena_take(p->arena, r->tensor_capacity * sizeof *more);
        if (!more) {
            return 0;
        }
        memcpy(more, p->tensors, p->tensor_count * sizeof *more);
        p->tensors = more;
    }
    gali_program_tensor *made = &p->tensors[p->tensor_count];
    *made = *tensor;
    made->value = made->stage = made->home = GALI_NONE;
    for (uint8_t d = 0; d < GALI_RANK_MAX; d++) {
        made->order[d] = d;
    }
    return p->tensor_count++;
}

uint32_t gali_replacing_constant(gali_replacing *r, const char *name, const gali_type *type, const void *data) {
    return gali_replacing_tensor(
        r, &(gali_program_tensor){.name = name, .type = *type, .role = GALI_TENSOR_CONSTANT, .data = data});
}

const gali_scalar *gali_replacing_load(gali_replacing *r, uint32_t tensor, const gali_scalar *const *index) {
    const gali_type *type = &r->p->tensors[tensor].type;
    r->x.operand = &type;
    const gali_scalar *made = gali_x_load(&r->x, 0, index);
    gali_scalar *own = made ? gali_arena_take(r->p->arena, sizeof *own) : NULL;
    if (own) {
        *own = *made;
        own->source = tensor;
    }
    return own;
}

gali_program_stage *gali_replacing_stage(gali_replacing *r, const gali_conv *c, const char *name,
                                         uint32_t stretch, uint32_t rank, const gali_extent *shape) {
    gali_program_tensor t = {.name = name,
                             .role = GALI_TENSOR_MADE,
                             .block = c->stage->block,
                             .type = {.element = GALI_f32, .rank = (int)rank}};
    memcpy(t.type.shape, shape, rank * sizeof *shape);
    gali_program_stage *stage = &r->stages[r->stage_count++];
    *stage = (gali_program_stage){.tensor = gali_replacing_tensor(r, &t),
                                  .node = c->stage->node,
                                  .group = c->stage->group,
                                  .block = c->stage->block,
                                  .rank = rank,
                                  .stretch = (uint8_t)stretch,
                                  .start = gali_x_number(&r->x, GALI_f32, 0)};
    memcpy(stage->extent, shape, rank * sizeof *shape);
    return stage;
}

const gali_scalar *gali_replacing_reduce(gali_replacing *r, gali_program_stage *stage, gali_extent extent) {
    uint32_t axis = stage->rank + stage->reduced++;
    stage->extent[axis] = extent;
    return gali_x_axis(&r->x, axis);
}

/* ---- all ---- */

static gal_status no_memory(const char *what, gal_error *error) {
    return gali_fail(error, GAL_NO_MEMORY, "no memory for %s", what);
}

gal_status gali_replacing_begin(gali_replacing *r, gali_program *p, uint32_t most, const char *what,
                                gal_error *error) {
    *r = (gali_replacing){.p = p, .tensor_capacity = p->tensor_count};
    r->x = (gali_express){.arena = p->arena, .extents = p->graph->extents};
    r->stages = gali_arena_take(p->arena, ((size_t)most * p->stage_count + 1) * sizeof *r->stages);
    r->place = gali_arena_take(p->arena, (p->stage_count + 1) * sizeof *r->place);
    return p->arena->failed ? no_memory(what, error) : GAL_OK;
}

gal_status gali_replacing_end(gali_replacing *r, const char *what, gal_error *error) {
    gali_program *p = r->p;
    if (p->arena->failed) {
        return no_memory(what, error);
    }
    r->place[p->stage_count] = r->stage_count;
    p->stages = r->stages;
    p->stage_count = r->stage_count;
    p->least = p->most = NULL; /* of the program that it was */
    for (uint32_t i = 0; i < p->step_count; i++) {
        p->steps[i].before = r->place[p->steps[i].before];
    }
    for (uint32_t i = 0; i < p->block_count; i++) {
        p->blocks[i].end = r->place[p->blocks[i].end];
    }
    for (uint32_t i = 0; i < p->stage_count; i++) {
        p->tensors[p->stages[i].tensor].stage = i;
    }
    return GAL_OK;
}
