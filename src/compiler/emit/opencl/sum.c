/*
 * Stages that reduce much, other than the products of product.c:
 *
 *     y[b][m][n] = finish(start + sum over k of left[b][m][k] right[b][k][n])     in tiles (tile.cl)
 *     y[b] = finish(op(start, over k of term[b][k]))                              shared by items (shared.cl)
 *
 * b, m, n and k are any axes of the stage, each a number that runs over all of them, the last one fastest: m those of the
 * result that left alone depends on, n those of right, b all others, k those that are reduced. What an element of left, right
 * or a term is, and what finishes a sum, is printed as for any stage; so convolutions, products of batches and transposed ones
 * are the same kernel.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "compiler/emit/opencl/sum.h"
#include "compiler/lower/lowering.h"
#include "compiler/program/guard.h"
#include "compiler/program/reads.h"

enum {
    SIDE_LARGE = 128, /* of tiles, by rules */
    SIDE_SMALL = 32,
    SIDE_MOST = 1024,
    PAD = 4, /* of a side in local memory */
    PARTS_MOST = 8,
    CORES = 128,       /* where nobody says how many */
    SHARED_SMALL = 32, /* items that share an element's terms */
    SHARED_LARGE = 256,
};

static const double side_least = 16, /* rows, outputs and terms that are worth a tile */
    core_items = 256,                /* that keep a core busy */
    turns_least = 2,                 /* of a tile's part */
    shared_least = 32;               /* terms that are worth sharing */

/* ---- what is one ---- */

static double typical_of(const gali_device_sum *s, const gali_sum_axes *of) {
    double product = 1;
    for (uint32_t i = 0; i < of->count; i++) {
        product *= gali_device_typical(s->plan, s->stage.extent[of->axis[i]]);
    }
    return product;
}

static void add_axis(gali_sum_axes *to, uint32_t axis) {
    to->axis[to->count++] = axis;
}

/* The load in a scalar that is one, with zeros around it or without; NULL. */
static const gali_scalar *load_of(const gali_program *p, const gali_scalar *a) {
    const gali_scalar *guarded = gali_program_guarded(p, a);
    return guarded ? guarded : a->op == GALI_SCALAR_load ? a : NULL;
}

/* Whether elements that follow each other along an axis lie side by side. */
static int is_along(const gali_program *p, const gali_scalar *a, uint32_t axis) {
    const gali_scalar *load = load_of(p, a);
    int rank = load ? p->tensors[load->source].type.rank : 0;
    int64_t step = 0;
    return rank > 0 && gali_lower_steps(load->index[rank - 1], axis, &step) && step == 1;
}

/* Reduced axes that an index has (NULL: all), of those that are not taken. */
static void take_reduced(gali_device_sum *s, const gali_scalar *index, uint32_t *taken) {
    for (uint32_t axis = s->stage.rank; axis < s->stage.rank + s->stage.reduced; axis++) {
        if (!(*taken >> axis & 1) && (!index || gali_lower_uses(index, axis))) {
            *taken |= 1u << axis;
            add_axis(&s->k, axis);
        }
    }
}

/* Reduced axes in the order in which `by` has them, so that its elements follow each other; then those that it lacks. */
static void order_reduced(gali_device_sum *s, const gali_scalar *by) {
    const gali_scalar *load = load_of(s->plan->program, by);
    const int rank = load ? s->plan->program->tensors[load->source].type.rank : 0;
    uint32_t taken = 0;
    for (int d = 0; d < rank; d++) {
        take_reduced(s, load->index[d], &taken);
    }
    take_reduced(s, NULL, &taken);
}

/* The factors of self + a b; 0 where the term is no product. */
static int find_factors(const gali_scalar *v, const gali_scalar **a, const gali_scalar **b) {
    const gali_scalar *product = v;
    if (v->op == GALI_SCALAR_add) {
        product = v->operand[v->operand[0]->op == GALI_SCALAR_self];
    }
    if (product->op != (v->op == GALI_SCALAR_add ? GALI_SCALAR_mul : GALI_SCALAR_fma)) {
        return 0;
    }
    *a = product->operand[0];
    *b = product->operand[1];
    return 1;
}

/* left and right of self + left right, and which axes are whose; 0 where the term is no product or one that is too small. */
static int match_product(gali_device_sum *s) {
    const gali_scalar *a, *b;
    if (!find_factors(s->stage.value, &a, &b)) {
        return 0;
    }
    s->left = a;
    s->right = b;
    for (uint32_t axis = s->stage.rank; axis-- > 0;) { /* right has the last axis that only one of them has */
        int left = gali_lower_uses(a, axis), right = gali_lower_uses(b, axis);
        if (left != right) {
            s->left = left ? b : a;
            s->right = left ? a : b;
            break;
        }
    }
    for (uint32_t axis = 0; axis < s->stage.rank; axis++) {
        int left = gali_lower_uses(s->left, axis), right = gali_lower_uses(s->right, axis);
        add_axis(left == right ? &s->b : left ? &s->m : &s->n, axis);
    }
    order_reduced(s, s->left);
    s->most_b = typical_of(s, &s->b);
    s->most_m = typical_of(s, &s->m);
    s->most_n = typical_of(s, &s->n);
    s->most_k = typical_of(s, &s->k);
    if (s->most_m < side_least || s->most_n < side_least || s->most_k < side_least) {
        return 0;
    }
    uint32_t fast = s->k.axis[s->k.count - 1];
    s->left_along = is_along(s->plan->program, s->left, fast);
    s->right_along = is_along(s->plan->program, s->right, fast);
    return 1;
}

static uint32_t cores_of(const gali_device_sum *s) {
    return s->plan->device.cores ? s->plan->device.cores : CORES;
}

/* Whether items share what one element reduces: there are few elements, or what each reads is a row of memory. */
static int match_shared(gali_device_sum *s) {
    s->b.count = s->m.count = s->n.count = s->k.count = 0;
    for (uint32_t axis = 0; axis < s->stage.rank + s->stage.reduced; axis++) {
        add_axis(axis < s->stage.rank ? &s->b : &s->k, axis);
    }
    s->most_b = typical_of(s, &s->b);
    s->most_k = typical_of(s, &s->k);
    int along = 0;
    for (int i = 0; i < 3; i++) {
        const gali_scalar *term = s->stage.value->operand[i];
        along |= term && term->op != GALI_SCALAR_self &&
                 is_along(s->plan->program, term, s->stage.rank + s->stage.reduced - 1);
    }
    return s->most_k >= shared_least &&
           (s->most_b <= core_items * cores_of(s) / 4 || (along && s->most_k >= 2 * shared_least));
}

/* ---- functions ---- */

/* A scalar as a function of all axes: the only stage of a program with the tensors of this one. NULL: no memory. */
static gali_program *make_term(const gali_device_sum *s, const gali_scalar *value) {
    const gali_program *p = s->plan->program;
    gali_program *own = gali_arena_take(&s->plan->lowered, sizeof *own);
    gali_program_stage *stage = gali_arena_take(&s->plan->lowered, sizeof *stage);
    if (!own || !stage) {
        return NULL;
    }
    *stage = s->stage;
    stage->tensor = p->tensor_count;
    stage->group = 0;
    stage->reduced += stage->rank;
    stage->rank = 0;
    stage->start = stage->finish = NULL;
    stage->value = value;
    *own = *p;
    own->tensors = s->plan->bare;
    own->tensor_count++;
    own->stages = stage;
    own->stage_count = own->group_count = 1;
    return own;
}

static gal_status add_term(gali_device_sum *s, gali_program *term, const char *prefix, int image,
                           gali_device_function *to, gal_error *error) {
    to->form = GALI_DEVICE_TERM;
    to->prefix = prefix;
    to->wants_images = image;
    return term ? gali_device_add_function(s->plan, term, 0, to, error)
                : gali_fail(error, GAL_NO_MEMORY, "no memory for a plan");
}

/* The scalar with `by` in place of the sum. */
static const gali_scalar *with_self(gali_arena *arena, const gali_scalar *a, const gali_scalar *by) {
    if (a->op == GALI_SCALAR_self) {
        return by;
    }
    gali_scalar *copy = gali_arena_take(arena, sizeof *copy);
    if (!copy) {
        return by;
    }
    *copy = *a;
    for (int i = 0; i < 3; i++) {
        copy->operand[i] = a->operand[i] ? with_self(arena, a->operand[i], by) : NULL;
    }
    return copy;
}

void gali_device_make_finish(gali_program *p, gali_program_stage *stage, gali_scalar_op op,
                             const gali_scalar *start) {
    gali_scalar *scalars = gali_arena_take(p->arena, (stage->rank + 2) * sizeof *scalars);
    if (!scalars) {
        return;
    }
    gali_scalar *own = &scalars[stage->rank], *both = own + 1;
    *own = (gali_scalar){.op = GALI_SCALAR_load, .element = GALI_f32, .source = stage->tensor};
    for (uint32_t i = 0; i < stage->rank; i++) {
        scalars[i] = (gali_scalar){.op = GALI_SCALAR_axis, .element = GALI_i64, .source = i};
        own->index[i] = &scalars[i];
    }
    *both = (gali_scalar){.op = op, .element = GALI_f32, .operand = {start, own}};
    const gali_scalar *whole = start ? both : own;
    stage->value = stage->finish ? with_self(p->arena, stage->finish, whole) : whole;
    stage->finish = stage->start = NULL;
    stage->reduced = 0;
}

/* Whether a reduction that starts so is the same without. */
static int is_neutral(const gali_scalar *start, gali_scalar_op op) {
    double number = start->real;
    return start->op == GALI_SCALAR_number && (op == GALI_SCALAR_add    ? !(number < 0) && !(number > 0)
                                               : op == GALI_SCALAR_most ? number < -3.5e38
                                                                        : number > 3.5e38);
}

static gal_status add_finish(gali_device_sum *s, gal_error *error) {
    gali_program *p = s->plan->program;
    gali_program_stage *stage = &p->stages[s->index];
    const gali_scalar *start = is_neutral(stage->start, s->op) ? NULL : stage->start;
    s->finishes = start || stage->finish;
    gali_device_make_finish(p, stage, s->op, start);
    s->finish.form = GALI_DEVICE_AXES;
    s->finish.prefix = "f_";
    return gali_device_add_function(s->plan, p, s->index, &s->finish, error);
}

/* self + term, of a product the product. */
static const gali_scalar *term_of(const gali_device_sum *s) {
    const gali_scalar *v = s->stage.value;
    if (v->op != GALI_SCALAR_fma) {
        return v->operand[v->operand[0]->op == GALI_SCALAR_self];
    }
    gali_scalar *product = gali_arena_take(s->plan->program->arena, sizeof *product);
    if (product) {
        *product = (gali_scalar){
            .op = GALI_SCALAR_mul, .element = GALI_f32, .operand = {v->operand[0], v->operand[1]}};
    }
    return product;
}

/* ---- choices ---- */

int gali_tiling_fits_sum(const gali_tiling *t, const gali_device_limits *device) {
    if (t->rows > SIDE_MOST || t->outputs > SIDE_MOST) {
        return 0;
    }
    uint32_t items = t->rows / t->row_registers * (t->outputs / t->output_registers);
    uint32_t tiles = t->parts * 2 * t->depth * (t->rows + t->outputs + 2 * PAD);
    uint32_t sums = t->parts > 1 ? t->rows * t->outputs : 0;
    return items % t->depth == 0 && t->rows * t->depth % items == 0 && t->outputs * t->depth % items == 0 &&
           (items % t->rows == 0 || t->rows % items == 0) &&
           (items % t->outputs == 0 || t->outputs % items == 0) &&
           sizeof(float) * (tiles > sums ? tiles : sums) <= device->local_bytes;
}

static double groups_of(const gali_device_sum *s, const gali_tiling *t) {
    double high = (s->most_m + t->rows - 1) / t->rows, wide = (s->most_n + t->outputs - 1) / t->outputs;
    return s->most_b * (double)(int64_t)high * (double)(int64_t)wide;
}

static uint32_t side_of(double most) {
    uint32_t side = SIDE_LARGE;
    while (side > SIDE_SMALL && most < 0.75 * side) {
        side /= 2;
    }
    return side;
}

/* The registers and the depth of a tile's sides. */
static void fill_tile(gali_tiling *t) {
    t->row_registers = t->rows >= 64 ? 8 : 4;
    t->output_registers = t->outputs >= 128 ? 8 : 4;
    t->depth = t->row_registers + t->output_registers > 12 ? 8 : 16;
}

/* The largest tile of which every core has one; else the smallest, its inputs shared until cores are busy. */
static gali_tiling choose_by_rules(const gali_device_sum *s, const gali_device_task *task) {
    const gali_device_limits *device = &s->plan->device;
    gali_tiling t = {.rows = side_of(s->most_m), .outputs = side_of(s->most_n), .parts = 1};
    t.images = device->prefers_images ? task->images : 0;
    fill_tile(&t);
    while ((groups_of(s, &t) < cores_of(s) || !gali_tiling_fits(&t, task, device)) &&
           (t.rows > SIDE_SMALL || t.outputs > SIDE_SMALL)) {
        *(t.rows > t.outputs ? &t.rows : &t.outputs) /= 2;
        fill_tile(&t);
    }
    for (gali_tiling more = t; t.parts < PARTS_MOST; t = more) {
        uint32_t items = t.rows / t.row_registers * (t.outputs / t.output_registers) * t.parts;
        more.parts = 2 * t.parts;
        more.depth = gali_tiling_fits(&more, task, device) ? t.depth : t.depth / 2;
        if (s->most_k < 2 * turns_least * (double)t.depth * t.parts ||
            groups_of(s, &t) * items >= 2 * core_items * cores_of(s) ||
            !gali_tiling_fits(&more, task, device)) {
            break;
        }
    }
    return t;
}

/* Whether an operand is a tensor that an image may hold. */
static int may_be_image(const gali_device_sum *s, const gali_scalar *operand) {
    const gali_scalar *load = load_of(s->plan->program, operand);
    return load && load->element == GALI_f32 && gali_device_image_fits(s->plan, load->source);
}

/* Whether its sizes and counts of groups are numbers that a plan can have. */
static int has_room(const gali_device_sum *s, uint32_t rows, uint32_t outputs) {
    gali_extents *x = s->plan->program->graph->extents;
    gali_extent groups = gali_extent_mul(
        x, gali_sum_rounds(s, &s->b, 1),
        gali_extent_mul(x, gali_sum_rounds(s, &s->m, rows), gali_sum_rounds(s, &s->n, outputs)));
    return groups != GALI_EXTENT_UNKNOWN && groups != GALI_EXTENT_BAD &&
           s->plan->extent_count + GALI_AXES_MAX <= GALI_DEVICE_EXTENTS_MAX;
}

/* What is chosen of a sum that computes this text, or the rules' tiling. Where that is none its task keeps none: returns 0. */
static int choose_tiling(gali_device_sum *s, const char *text) {
    gali_device_task task = {.batches = (uint32_t)s->most_b,
                             .rows = (uint32_t)s->most_m,
                             .experts = 1,
                             .inputs = (uint32_t)s->most_k,
                             .outputs = (uint32_t)s->most_n,
                             .images = (may_be_image(s, s->left) ? GALI_IMAGE_LEFT : 0) |
                                       (may_be_image(s, s->right) ? GALI_IMAGE_RIGHT : 0)};
    gali_device_chosen chosen[GALI_DEVICE_CHOSEN_MAX];
    char what[GALI_LOG_WORD * 2];
    snprintf(what, sizeof what, "%.40s: %u x %u x %u, sums of %u",
             gali_program_place_of(s->plan->program, s->stage.node), task.batches, task.rows, task.outputs,
             task.inputs);
    uint32_t count = gali_device_choose(s->plan, &task, text, what, chosen);
    s->task = s->plan->task_count;
    s->tiling = count ? chosen[count - 1].tiling : choose_by_rules(s, &task);
    s->tiling.images &= task.images;
    if (!gali_tiling_fits(&s->tiling, &task,
                          &s->plan->device)) { /* of another device, or a log that was edited */
        s->tiling = choose_by_rules(s, &task);
    }
    if (!gali_tiling_fits(&s->tiling, &task, &s->plan->device) ||
        !has_room(s, s->tiling.rows, s->tiling.outputs)) {
        return 0;
    }
    s->plan->tasks[s->task - 1].tiling = s->tiling;
    return 1;
}

/* The sum as tiles; *found stays 0 where no tiling fits. */
static gal_status add_tiled(gali_device_sum *s, int *found, gal_error *error) {
    gali_program *left = make_term(s, s->left), *right = make_term(s, s->right);
    gali_text text = {0};
    if (!left || !right) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a plan");
    }
    gali_text_add(&text, "sum %g %g %g of %g\n", s->most_b, s->most_m, s->most_n, s->most_k);
    gal_status status = gali_device_describe(s->plan, left, 0, &text, error);
    status = status == GAL_OK ? gali_device_describe(s->plan, right, 0, &text, error) : status;
    *found = status == GAL_OK && !text.failed && choose_tiling(s, text.bytes);
    gali_text_end(&text, &s->plan->source);
    if (!*found) {
        return status;
    }
    status = add_term(s, left, "l_", (s->tiling.images & GALI_IMAGE_LEFT) != 0, &s->left_of, error);
    status = status == GAL_OK
                 ? add_term(s, right, "r_", (s->tiling.images & GALI_IMAGE_RIGHT) != 0, &s->right_of, error)
                 : status;
    status = status == GAL_OK ? add_finish(s, error) : status;
    if (status == GAL_OK) {
        gali_sum_add_tiles(s);
    }
    return status;
}

/* Items that share an element: the more, the longer its sum and the fewer elements there are. */
static uint32_t shared_items(const gali_device_sum *s) {
    uint32_t items = SHARED_SMALL;
    while (items < SHARED_LARGE && 2 * items <= s->plan->device.group_most && s->most_k >= 4.0 * items &&
           s->most_b * items < 2 * core_items * cores_of(s)) {
        items *= 2;
    }
    return items;
}

static gal_status add_shared(gali_device_sum *s, gal_error *error) {
    s->term = term_of(s);
    gal_status status = add_term(s, s->term ? make_term(s, s->term) : NULL, "l_", 0, &s->term_of, error);
    status = status == GAL_OK ? add_finish(s, error) : status;
    if (status == GAL_OK) {
        gali_sum_add_shared(s, shared_items(s));
    }
    return status;
}

/*
 * Whether places of several summed axes may be asked for where one of them is empty: they are divided by its extent. Tensors
 * that are stored have elements at all sizes, but a part of one that is summed where it lies may have none.
 */
static int may_be_empty(const gali_program *p, const gali_program_stage *stage) {
    int empty = 0;
    for (uint32_t axis = stage->rank; axis < stage->rank + stage->reduced && stage->reduced > 1; axis++) {
        int64_t least, most;
        gali_extent_range(p->graph->extents, stage->extent[axis], &least, &most);
        empty |= least < 1;
    }
    return empty;
}

gal_status gali_device_add_sum(gali_device_plan *plan, uint32_t index, int *found, gal_error *error) {
    const gali_program_stage *stage = &plan->program->stages[index];
    *found = 0;
    if (!stage->reduced || stage->patterns || !stage->start || may_be_empty(plan->program, stage) ||
        plan->program->tensors[stage->tensor].type.element != GALI_f32) {
        return GAL_OK;
    }
    gali_device_sum *s = gali_arena_take(plan->program->arena, sizeof *s);
    if (!s) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a plan");
    }
    *s = (gali_device_sum){.plan = plan, .index = index, .stage = *stage, .op = gali_program_sum_op(stage)};
    if (s->op == GALI_SCALAR_COUNT) {
        return GAL_OK;
    }
    gal_status status = match_product(s) ? add_tiled(s, found, error) : GAL_OK;
    if (*found || status != GAL_OK) {
        return status;
    }
    s->right = NULL;
    s->task = 0;
    *found = match_shared(s) && has_room(s, 1, 1);
    return *found ? add_shared(s, error) : GAL_OK;
}
