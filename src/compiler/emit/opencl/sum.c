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

#include "base/embedded.h"
#include "base/error.h"
#include "compiler/emit/opencl/plan.h"
#include "compiler/lower/lowering.h"
#include "compiler/program/guard.h"
#include "compiler/program/reads.h"

enum {
    LARGE = 64, /* sides of tiles */
    SMALL = 32,
    DEPTH = 16,
    REGISTERS = 16, /* elements of an item */
    PAD = 4,        /* of a side in local memory */
    PARTS_MOST = 8,
    CORES = 128,       /* where nobody says how many */
    SHARED_SMALL = 32, /* items that share an element's terms */
    SHARED_LARGE = 256,
    SIZE_TYPICAL = 64,
};

static const double side_least = 16, /* rows, outputs and terms that are worth a tile */
    core_items = 256,                /* that keep a core busy */
    turns_least = 2,                 /* of a tile's part */
    shared_least = 32;               /* terms that are worth sharing */

extern const gali_embedded gali_embedded_device_tile, gali_embedded_device_shared;

typedef struct axes {
    uint32_t count, axis[GALI_AXES_MAX];
} axes;

typedef struct sum {
    gali_device_plan *plan;
    uint32_t index;
    gali_program_stage stage;
    gali_scalar_op op;
    const gali_scalar *left, *right, *term; /* of a product both; term: the whole */
    axes b, m, n, k;
    double most_b, most_m, most_n, most_k; /* at typical sizes */
    int left_along, right_along;           /* what follows each other along k lies side by side */
    gali_device_function left_of, right_of, term_of, finish;
    int finishes;
} sum;

/* ---- what is one ---- */

static double typical(const gali_device_plan *plan, gali_extent extent) {
    const gali_program *p = plan->program;
    const gali_extents *x = p->graph->extents;
    int64_t sizes[GALI_LOWER_SYMBOLS_MAX] = {0};
    uint32_t count = gali_extent_symbols(x);
    if (gali_extent_is_number(extent)) {
        return (double)extent;
    }
    for (uint32_t i = 0; i < count && i < GALI_LOWER_SYMBOLS_MAX; i++) {
        int64_t size = gali_program_is_batch(p->graph, i) ? 1 : SIZE_TYPICAL;
        sizes[i] = plan->device.typical ? plan->device.typical[i]
                   : size < p->least[i] ? p->least[i]
                   : size > p->most[i]  ? p->most[i]
                                        : size;
    }
    return count > GALI_LOWER_SYMBOLS_MAX ? (double)SIZE_TYPICAL : (double)gali_extent_value(x, extent, sizes);
}

static double typical_of(const sum *s, const axes *of) {
    double product = 1;
    for (uint32_t i = 0; i < of->count; i++) {
        product *= typical(s->plan, s->stage.extent[of->axis[i]]);
    }
    return product;
}

static void add_axis(axes *to, uint32_t axis) {
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

/* Reduced axes in the order in which `by` has them, so that its elements follow each other; then those that it lacks. */
static void order_reduced(sum *s, const gali_scalar *by) {
    const gali_program *p = s->plan->program;
    const gali_scalar *load = load_of(p, by);
    uint32_t taken = 0;
    for (int round = 0; round < 2; round++) {
        for (int d = 0; d < (round == 0 ? load ? p->tensors[load->source].type.rank : 0 : 1); d++) {
            for (uint32_t axis = s->stage.rank; axis < s->stage.rank + s->stage.reduced; axis++) {
                if (!(taken >> axis & 1) && (round ? 1 : gali_lower_uses(load->index[d], axis))) {
                    taken |= 1u << axis;
                    add_axis(&s->k, axis);
                }
            }
        }
    }
}

/* left and right of self + left right; 0 where the term is no product. */
static int match_product(sum *s) {
    const gali_scalar *v = s->stage.value, *a = NULL, *b = NULL;
    if (v->op == GALI_SCALAR_fma) {
        a = v->operand[0];
        b = v->operand[1];
    } else if (v->op == GALI_SCALAR_add) {
        const gali_scalar *term = v->operand[v->operand[0]->op == GALI_SCALAR_self];
        a = term->op == GALI_SCALAR_mul ? term->operand[0] : NULL;
        b = a ? term->operand[1] : NULL;
    }
    if (!a || !b) {
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

static uint32_t cores_of(const sum *s) {
    return s->plan->device.cores ? s->plan->device.cores : CORES;
}

/* Whether items share what one element reduces: there are few elements, or what each reads is a row of memory. */
static int match_shared(sum *s) {
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

/* A scalar as a function of all axes: the only stage of a program with the tensors of this one. */
static gal_status add_term(sum *s, const gali_scalar *value, const char *prefix, gali_device_function *to,
                           gal_error *error) {
    const gali_program *p = s->plan->program;
    gali_program *own = gali_arena_take(p->arena, sizeof *own);
    gali_program_stage *stage = gali_arena_take(p->arena, sizeof *stage);
    gali_program_tensor *tensors = gali_arena_take(p->arena, (p->tensor_count + 1) * sizeof *tensors);
    if (!own || !stage || !tensors) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a plan");
    }
    memcpy(tensors, p->tensors, p->tensor_count * sizeof *tensors);
    for (uint32_t i = 0; i < p->tensor_count; i++) {
        tensors[i].stage = GALI_NONE; /* none that this program has */
    }
    tensors[p->tensor_count] = (gali_program_tensor){
        .name = "term", .type = {.element = GALI_f32}, .value = GALI_NONE, .slot = GALI_NONE};
    *stage = s->stage;
    stage->tensor = p->tensor_count;
    stage->group = 0;
    stage->reduced += stage->rank;
    stage->rank = 0;
    stage->start = stage->finish = NULL;
    stage->value = value;
    *own = *p;
    own->tensors = tensors;
    own->tensor_count++;
    own->stages = stage;
    own->stage_count = own->group_count = 1;
    to->form = GALI_DEVICE_TERM;
    to->prefix = prefix;
    return gali_device_add_function(s->plan, own, 0, to, error);
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

static gal_status add_finish(sum *s, gal_error *error) {
    gali_program *p = s->plan->program;
    gali_program_stage *stage = &p->stages[s->index];
    const gali_scalar *start = is_neutral(stage->start, s->op) ? NULL : stage->start;
    s->finishes = start || stage->finish;
    gali_device_make_finish(p, stage, s->op, start);
    s->finish.form = GALI_DEVICE_AXES;
    s->finish.prefix = "f_";
    return gali_device_add_function(s->plan, p, s->index, &s->finish, error);
}

/* ---- kernels ---- */

static void add_extent(const sum *s, gali_text *to, uint32_t axis) {
    gali_extent extent = s->stage.extent[axis];
    if (gali_extent_is_number(extent)) {
        gali_text_add(to, "%lld", (long long)extent);
    } else {
        gali_text_add(to, "e%u", axis);
    }
}

/* "(8 * e2)" of the axes from `first` on. */
static void add_count(const sum *s, gali_text *to, const axes *of, uint32_t first) {
    gali_text_add(to, "(");
    for (uint32_t i = first; i < of->count; i++) {
        gali_text_add(to, i > first ? " * " : "");
        add_extent(s, to, of->axis[i]);
    }
    gali_text_add(to, first < of->count ? ")" : "1)");
}

/* Where axis i of `of` stands when they are at number `at` together. */
static void add_place(const sum *s, gali_text *to, const axes *of, uint32_t i, const char *at) {
    gali_text_add(to, "(%s)", at);
    if (i + 1 < of->count) {
        gali_text_add(to, " / ");
        add_count(s, to, of, i + 1);
    }
    if (i > 0) {
        gali_text_add(to, " %% ");
        add_extent(s, to, of->axis[i]);
    }
}

/* The same of any axis: of batches it has a name, of others where m, n or k is; 0 of those that do not matter. */
static void add_axis_at(const sum *s, gali_text *to, uint32_t axis, const char *m, const char *n,
                        const char *k) {
    const axes *of[] = {&s->m, &s->n, &s->k};
    const char *at[] = {m, n, k};
    for (uint32_t i = 0; i < s->b.count; i++) {
        if (s->b.axis[i] == axis) {
            gali_text_add(to, "q%u", axis);
            return;
        }
    }
    for (int kind = 0; kind < 3; kind++) {
        for (uint32_t i = 0; i < of[kind]->count && at[kind]; i++) {
            if (of[kind]->axis[i] == axis) {
                add_place(s, to, of[kind], i, at[kind]);
                return;
            }
        }
    }
    gali_text_add(to, "0");
}

static void add_call(const sum *s, gali_text *to, const gali_device_function *function, uint32_t count,
                     const char *m, const char *n, const char *k) {
    gali_text_add(to, "%s(", function->name);
    for (uint32_t axis = 0; axis < count; axis++) {
        gali_text_add(to, axis ? ", " : "");
        add_axis_at(s, to, axis, m, n, k);
    }
    gali_text list = {0};
    gali_device_add_list(&list, function, 0);
    const char *rest = list.bytes ? list.bytes : "";
    gali_text_add(to, "%s)\n", count || !*rest ? rest : rest + 2);
    gali_text_end(&list, to);
}

/* The element of the result. */
static void add_result(const sum *s, gali_text *to, const char *m, const char *n) {
    gali_text_add(to, "((__global float *)(memory + %uUL * at_y))[", GALI_DEVICE_UNIT);
    for (uint32_t axis = 1; axis < s->stage.rank; axis++) {
        gali_text_add(to, "(");
    }
    for (uint32_t axis = 0; axis < s->stage.rank; axis++) {
        if (axis) {
            gali_text_add(to, " * ");
            add_extent(s, to, axis);
            gali_text_add(to, " + ");
        }
        add_axis_at(s, to, axis, m, n, NULL);
        gali_text_add(to, axis ? ")" : "");
    }
    gali_text_add(to, s->stage.rank ? "]\n" : "0]\n");
}

/* What all these kernels have: parameters, and where the batch stands. */
static void add_common(sum *s, gali_text *to, gali_launch *launch) {
    gali_device_plan *plan = s->plan;
    const gali_device_function *functions[] = {s->right ? &s->left_of : &s->term_of,
                                               s->right ? &s->right_of : NULL, s->finishes ? &s->finish : NULL};
    gali_text_add(to, "#define PARAMETERS " GALI_DEVICE_MEMORY ", uint32_t at_y");
    gali_device_add_argument(launch, GALI_ARGUMENT_COUNT, 0);
    gali_device_add_argument(launch, GALI_ARGUMENT_TENSOR, s->stage.tensor);
    for (uint32_t axis = 0; axis < s->stage.rank + s->stage.reduced; axis++) {
        if (!gali_extent_is_number(s->stage.extent[axis])) {
            gali_text_add(to, ", uint32_t e%u", axis);
            gali_device_add_argument(launch, GALI_ARGUMENT_EXTENT,
                                     gali_device_extent(plan, s->stage.extent[axis]));
        }
    }
    for (int i = 0; i < 3; i++) {
        if (functions[i]) {
            gali_device_add_list(to, functions[i], 1);
            gali_device_add_arguments(plan, launch, functions[i]);
        }
    }
    gali_text_add(to, "\n#define BATCH");
    for (uint32_t i = 0; i < s->b.count; i++) {
        gali_text_add(to, " const uint q%u = ", s->b.axis[i]);
        add_place(s, to, &s->b, i, "batch");
        gali_text_add(to, ";");
    }
    gali_text_add(to, "\n#define K_COUNT ");
    add_count(s, to, &s->k, 0);
    gali_text_add(to, "\n");
}

static uint32_t tile_bytes(uint32_t side, uint32_t parts) {
    uint32_t tiles = parts * DEPTH * 2 * (side + PAD), sums = parts > 1 ? side * side : 0;
    return (uint32_t)sizeof(float) * (tiles > sums ? tiles : sums);
}

static int tile_fits(const sum *s, uint32_t side, uint32_t parts) {
    return side * side / REGISTERS * parts <= s->plan->device.group_most &&
           tile_bytes(side, parts) <= s->plan->device.local_bytes;
}

static double groups_of(const sum *s, uint32_t side) {
    double high = (s->most_m + side - 1) / side, wide = (s->most_n + side - 1) / side;
    return s->most_b * (double)(int64_t)high * (double)(int64_t)wide;
}

/* Large tiles where they give every core one; else small ones, shared until cores are busy. Returns 0 if none fits. */
static int choose_tile(const sum *s, uint32_t *side, uint32_t *parts) {
    *side = groups_of(s, LARGE) >= cores_of(s) && tile_fits(s, LARGE, 1) ? LARGE : SMALL;
    *parts = 1;
    uint32_t items = *side * *side / REGISTERS;
    while (*parts < PARTS_MOST && tile_fits(s, *side, 2 * *parts) &&
           s->most_k >= 2 * turns_least * (double)DEPTH * *parts &&
           groups_of(s, *side) * items * *parts < 2 * core_items * cores_of(s)) {
        *parts *= 2;
    }
    return tile_fits(s, *side, *parts);
}

static gali_extent rounds(const sum *s, const axes *of, uint32_t side) {
    gali_extents *x = s->plan->program->graph->extents;
    gali_extent all = 1;
    for (uint32_t i = 0; i < of->count; i++) {
        all = gali_extent_mul(x, all, s->stage.extent[of->axis[i]]);
    }
    return side > 1 ? gali_extent_quotient(x, gali_extent_add(x, all, side - 1), side) : all;
}

static gali_launch *add_launch(sum *s, const char *stem, uint32_t side, uint32_t group) {
    gali_extents *x = s->plan->program->graph->extents;
    gali_launch *launch = gali_device_add_launch(s->plan, stem, s->index);
    launch->shape = GALI_LAUNCH_SUMS;
    launch->group = group;
    launch->count = gali_device_product_of(s->plan, s->stage.extent, s->stage.rank);
    launch->groups = gali_extent_mul(x, rounds(s, &s->b, 1),
                                     gali_extent_mul(x, rounds(s, &s->m, side), rounds(s, &s->n, side)));
    return launch;
}

static void add_tiles(sum *s, uint32_t side, uint32_t parts) {
    uint32_t all = s->stage.rank + s->stage.reduced;
    gali_launch *launch = add_launch(s, "tile", side, side * side / REGISTERS * parts);
    gali_text macros = {0}, *to = &macros;
    add_common(s, to, launch);
    gali_text_add(to, "#define M_COUNT ");
    add_count(s, to, &s->m, 0);
    gali_text_add(to, "\n#define N_COUNT ");
    add_count(s, to, &s->n, 0);
    gali_text_add(to, "\n#define LEFT(m, k) ");
    add_call(s, to, &s->left_of, all, "m", NULL, "k");
    gali_text_add(to, "#define RIGHT(k, n) ");
    add_call(s, to, &s->right_of, all, NULL, "n", "k");
    gali_text_add(to, "#define RESULT(m, n) ");
    add_result(s, to, "m", "n");
    if (s->finishes) {
        gali_text_add(to, "#define FINISH(m, n) ");
        add_call(s, to, &s->finish, s->stage.rank, "m", "n", NULL);
    }
    gali_text_add(to,
                  "#define ROWS %u\n#define OUTPUTS %u\n#define DEPTH %d\n#define PARTS %u\n"
                  "#define LEFT_ALONG_K %d\n#define RIGHT_ALONG_K %d\n",
                  side, side, DEPTH, parts, s->left_along, s->right_along);
    gali_device_add_kernel(s->plan, launch, to, &gali_embedded_device_tile);
}

static uint32_t shared_items(const sum *s) {
    uint32_t items = SHARED_SMALL;
    while (items < SHARED_LARGE && 2 * items <= s->plan->device.group_most && s->most_k >= 4.0 * items &&
           s->most_b * items < 2 * core_items * cores_of(s)) {
        items *= 2;
    }
    return items;
}

static void add_shared(sum *s) {
    static const char *const first[] = {"0.0f", "-INFINITY", "INFINITY"}, *const combine[] = {
                                                                              "((a) + (b))",
                                                                              "gali_one_most_f32(a, b)",
                                                                              "gali_one_least_f32(a, b)"};
    uint32_t items = shared_items(s), op = s->op == GALI_SCALAR_add ? 0 : s->op == GALI_SCALAR_most ? 1 : 2;
    gali_launch *launch = add_launch(s, "shared", 1, items);
    gali_text macros = {0}, *to = &macros;
    add_common(s, to, launch);
    gali_text_add(to, "#define TERM(k) ");
    add_call(s, to, &s->term_of, s->stage.rank + s->stage.reduced, NULL, NULL, "k");
    gali_text_add(to, "#define RESULT ");
    add_result(s, to, NULL, NULL);
    if (s->finishes) {
        gali_text_add(to, "#define FINISH ");
        add_call(s, to, &s->finish, s->stage.rank, NULL, NULL, NULL);
    }
    gali_text_add(to, "#define PARTS %u\n#define FIRST %s\n#define COMBINE(a, b) %s\n", items, first[op],
                  combine[op]);
    gali_device_add_kernel(s->plan, launch, to, &gali_embedded_device_shared);
}

/* self + term, of a product the product. */
static const gali_scalar *term_of(const sum *s) {
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

/* Whether its sizes and counts of groups are numbers that a plan can have. */
static int has_room(const sum *s, uint32_t side) {
    gali_extents *x = s->plan->program->graph->extents;
    gali_extent groups = gali_extent_mul(x, rounds(s, &s->b, 1),
                                         gali_extent_mul(x, rounds(s, &s->m, side), rounds(s, &s->n, side)));
    return groups != GALI_EXTENT_UNKNOWN && groups != GALI_EXTENT_BAD &&
           s->plan->extent_count + GALI_AXES_MAX <= GALI_DEVICE_EXTENTS_MAX;
}

static gal_status add_tiled(sum *s, uint32_t side, uint32_t parts, gal_error *error) {
    gal_status status = add_term(s, s->left, "l_", &s->left_of, error);
    status = status == GAL_OK ? add_term(s, s->right, "r_", &s->right_of, error) : status;
    status = status == GAL_OK ? add_finish(s, error) : status;
    if (status == GAL_OK) {
        add_tiles(s, side, parts);
    }
    return status;
}

gal_status gali_device_add_sum(gali_device_plan *plan, uint32_t index, int *found, gal_error *error) {
    const gali_program_stage *stage = &plan->program->stages[index];
    uint32_t side = 1, parts;
    *found = 0;
    if (!stage->reduced || stage->patterns || !stage->start ||
        plan->program->tensors[stage->tensor].type.element != GALI_f32) {
        return GAL_OK;
    }
    sum *s = gali_arena_take(plan->program->arena, sizeof *s);
    if (!s) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a plan");
    }
    *s = (sum){.plan = plan, .index = index, .stage = *stage, .op = gali_program_sum_op(stage)};
    if (s->op == GALI_SCALAR_COUNT) {
        return GAL_OK;
    }
    if (match_product(s) && choose_tile(s, &side, &parts) && has_room(s, side)) {
        *found = 1;
        return add_tiled(s, side, parts, error);
    }
    s->right = NULL;
    if (!match_shared(s) || !has_room(s, 1)) {
        return GAL_OK;
    }
    *found = 1;
    s->term = term_of(s);
    if (!s->term) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a plan");
    }
    gal_status status = add_term(s, s->term, "l_", &s->term_of, error);
    status = status == GAL_OK ? add_finish(s, error) : status;
    if (status == GAL_OK) {
        add_shared(s);
    }
    return status;
}
