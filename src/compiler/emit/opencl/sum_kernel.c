/* Kernels of sums (sum.h): the macros that body/tile.cl and body/shared.cl want. */
#include <string.h>

#include "base/embedded.h"
#include "compiler/emit/opencl/sum.h"

extern const gali_embedded gali_embedded_device_tile, gali_embedded_device_shared;

/* ---- kernels ---- */

static void add_extent(const gali_device_sum *s, gali_text *to, uint32_t axis) {
    gali_extent extent = s->stage.extent[axis];
    if (gali_extent_is_number(extent)) {
        gali_text_add(to, "%lld", (long long)extent);
    } else {
        gali_text_add(to, "e%u", axis);
    }
}

/* "(8 * e2)" of the axes from `first` on. */
static void add_count(const gali_device_sum *s, gali_text *to, const gali_sum_axes *of, uint32_t first) {
    gali_text_add(to, "(");
    for (uint32_t i = first; i < of->count; i++) {
        gali_text_add(to, i > first ? " * " : "");
        add_extent(s, to, of->axis[i]);
    }
    gali_text_add(to, first < of->count ? ")" : "1)");
}

/* Where axis i of `of` stands when they are at number `at` together. */
static void add_place(const gali_device_sum *s, gali_text *to, const gali_sum_axes *of, uint32_t i,
                      const char *at) {
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

/* The same of any axis: of batches it has a name, of others it is a number of an array; 0 of those that do not matter. */
static void add_axis_at(const gali_device_sum *s, gali_text *to, uint32_t axis, const char *m, const char *n,
                        const char *k) {
    const gali_sum_axes *of[] = {&s->m, &s->n, &s->k};
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
                gali_text_add(to, "(%s)[%u]", at[kind], i);
                return;
            }
        }
    }
    gali_text_add(to, "0");
}

static void add_call(const gali_device_sum *s, gali_text *to, const gali_device_function *function,
                     uint32_t count, const char *m, const char *n, const char *k) {
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
static void add_result(const gali_device_sum *s, gali_text *to, const char *m, const char *n) {
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
static void add_common(gali_device_sum *s, gali_text *to, gali_launch *launch) {
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

gali_extent gali_sum_rounds(const gali_device_sum *s, const gali_sum_axes *of, uint32_t side) {
    gali_extents *x = s->plan->program->graph->extents;
    gali_extent all = 1;
    for (uint32_t i = 0; i < of->count; i++) {
        all = gali_extent_mul(x, all, s->stage.extent[of->axis[i]]);
    }
    return side > 1 ? gali_extent_quotient(x, gali_extent_add(x, all, side - 1), side) : all;
}

static gali_launch *add_launch(gali_device_sum *s, const char *stem, uint32_t rows, uint32_t outputs,
                               uint32_t group) {
    gali_extents *x = s->plan->program->graph->extents;
    gali_launch *launch = gali_device_add_launch(s->plan, stem, s->index);
    launch->shape = GALI_LAUNCH_SUMS;
    launch->group = group;
    launch->task = s->task;
    launch->count = gali_device_product_of(s->plan, s->stage.extent, s->stage.rank);
    launch->groups = gali_extent_mul(
        x, gali_sum_rounds(s, &s->b, 1),
        gali_extent_mul(x, gali_sum_rounds(s, &s->m, rows), gali_sum_rounds(s, &s->n, outputs)));
    return launch;
}

/* "M_PLACE(to, m)": where the axes stand. "K_AXES" of none is 1, which nobody reads. */
static void add_places(const gali_device_sum *s, gali_text *to, const gali_sum_axes *of, const char *letter) {
    gali_text_add(to, "#define %s_AXES %u\n#define %s_PLACE(to, at)", letter, of->count ? of->count : 1,
                  letter);
    for (uint32_t i = 0; i < of->count; i++) {
        gali_text_add(to, "%s(to)[%u] = ", i ? ", " : " ", i);
        add_place(s, to, of, i, "at");
    }
    gali_text_add(to, "%s\n", of->count ? "" : " (to)[0] = 0");
}

/* Whether a place is divided by a size that is no number, for which devices have no instruction. */
static int divides_by_sizes(const gali_device_sum *s, const gali_sum_axes *of) {
    int by_sizes = 0;
    for (uint32_t i = 1; i < of->count; i++) {
        by_sizes |= !gali_extent_is_number(s->stage.extent[of->axis[i]]);
    }
    return by_sizes;
}

/*
 * How k goes on. By sizes that are open its axes are digits, to which those of the step are added, with a carry; a place past
 * the end is told by the first. By numbers they are divided out of k each time: that is a product and a shift, and takes no
 * registers from turn to turn (a tenth of a convolution's time on an H200).
 */
static void add_next(const gali_device_sum *s, gali_text *to) {
    const gali_sum_axes *k = &s->k;
    if (s->plan->device.divided_addresses || !divides_by_sizes(s, k)) {
        gali_text_add(to, "#define K_STEP\n#define K_NEXT(at, k) K_PLACE(at, k)\n"
                          "#define K_INSIDE(at, k) ((k) < K_COUNT)\n");
        return;
    }
    gali_text_add(to, "#define K_STEP uint k_step[K_AXES], k_over; K_PLACE(k_step, (PARTS * DEPTH));\n"
                      "#define K_NEXT(at, k)");
    for (uint32_t i = k->count; i-- > 1;) {
        gali_text_add(to, " (at)[%u] += k_step[%u]%s, k_over = (at)[%u] >= ", i, i,
                      i + 1 < k->count ? " + k_over" : "", i);
        add_extent(s, to, k->axis[i]);
        gali_text_add(to, ", (at)[%u] -= k_over ? ", i);
        add_extent(s, to, k->axis[i]);
        gali_text_add(to, " : 0,");
    }
    gali_text_add(to, " (at)[0] += k_step[0]%s\n#define K_INSIDE(at, k) ((at)[0] < ",
                  k->count > 1 ? " + k_over" : "");
    add_extent(s, to, k->axis[0]);
    gali_text_add(to, ")\n");
}

void gali_sum_add_tiles(gali_device_sum *s) {
    const gali_tiling *t = &s->tiling;
    uint32_t all = s->stage.rank + s->stage.reduced;
    uint32_t items = t->rows / t->row_registers * (t->outputs / t->output_registers) * t->parts;
    gali_launch *launch = add_launch(s, "tile", t->rows, t->outputs, items);
    gali_text macros = {0}, *to = &macros;
    add_common(s, to, launch);
    gali_text_add(to, "#define M_COUNT ");
    add_count(s, to, &s->m, 0);
    gali_text_add(to, "\n#define N_COUNT ");
    add_count(s, to, &s->n, 0);
    gali_text_add(to, "\n");
    add_places(s, to, &s->m, "M");
    add_places(s, to, &s->n, "N");
    add_places(s, to, &s->k, "K");
    add_next(s, to);
    gali_text_add(to, "#define LEFT(m, k) ");
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
                  "#define ROWS %u\n#define OUTPUTS %u\n#define DEPTH %u\n#define PARTS %u\n"
                  "#define ROW_REGISTERS %u\n#define OUTPUT_REGISTERS %u\n"
                  "#define LEFT_ALONG_K %d\n#define RIGHT_ALONG_K %d\n",
                  t->rows, t->outputs, t->depth, t->parts, t->row_registers, t->output_registers, s->left_along,
                  s->right_along);
    gali_device_add_kernel(s->plan, launch, to, &gali_embedded_device_tile);
}

void gali_sum_add_shared(gali_device_sum *s, uint32_t items) {
    static const char *const first[] = {"0.0f", "-INFINITY", "INFINITY"}, *const combine[] = {
                                                                              "((a) + (b))",
                                                                              "gali_one_most_f32(a, b)",
                                                                              "gali_one_least_f32(a, b)"};
    uint32_t op = s->op == GALI_SCALAR_add ? 0 : s->op == GALI_SCALAR_most ? 1 : 2;
    gali_launch *launch = add_launch(s, "shared", 1, 1, items);
    gali_text macros = {0}, *to = &macros;
    add_common(s, to, launch);
    add_places(s, to, &s->k, "K");
    add_next(s, to);
    gali_text_add(to, "#define TERM(k) ");
    add_call(s, to, &s->term_of, s->stage.rank + s->stage.reduced, NULL, NULL, "k");
    gali_text_add(to, "#define RESULT ");
    add_result(s, to, NULL, NULL);
    if (s->finishes) {
        gali_text_add(to, "#define FINISH ");
        add_call(s, to, &s->finish, s->stage.rank, NULL, NULL, NULL);
    }
    gali_text_add(to, "#define PARTS %u\n#define DEPTH 1\n#define FIRST %s\n#define COMBINE(a, b) %s\n", items,
                  first[op], combine[op]);
    gali_device_add_kernel(s->plan, launch, to, &gali_embedded_device_shared);
}
