/*
 * The truth that a recognised network is held against: the program run as it stands, in float64, with no notion of
 * layers, experts or blends.
 *
 * A result is a view: numbers with a stride per axis. Moving axes makes another view of the same numbers; only
 * arithmetic makes new ones, which go when their last reader has run. Constants are read where the file has them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/onnx_program.h"

enum { RUN = 512 }; /* numbers that are widened at a time */

typedef struct storage {
    size_t size; /* bytes, counted against the limit */
    uint32_t views;
    double values[];
} storage;

typedef struct view {
    gali_onnx_array array;
    int64_t at, strides[GALI_ONNX_RANK_MAX];
    storage *owner; /* NULL: the numbers are another's */
    int known;
} view;

static storage *take_storage(gali_onnx *onnx, size_t count) {
    size_t size = sizeof(storage) + count * sizeof(double);
    storage *s = size <= onnx->memory_left ? malloc(size) : NULL;
    if (!s) {
        gali_onnx_fail(onnx, GAL_NO_MEMORY, "no memory to evaluate the graph: %zu bytes for one tensor", size);
        return NULL;
    }
    onnx->memory_left -= size;
    *s = (storage){.size = size, .views = 1};
    return s;
}

static void drop(gali_onnx *onnx, view *v) {
    if (v->owner && --v->owner->views == 0) {
        onnx->memory_left += v->owner->size;
        free(v->owner);
    }
    *v = (view){0};
}

static void set_dense(view *v, const gali_onnx_step *step) {
    int64_t stride = 1;
    for (uint32_t i = step->rank; i-- > 0; stride *= step->shape[i]) {
        v->strides[i] = stride;
    }
    v->at = 0;
    v->known = 1;
}

/* A new dense result; its numbers, or NULL. */
static double *new_result(gali_onnx *onnx, const gali_onnx_step *step, view *result) {
    storage *s = take_storage(onnx, step->count);
    if (!s) {
        return NULL;
    }
    *result = (view){.array = {GALI_ONNX_F64, s->values}, .owner = s};
    set_dense(result, step);
    return s->values;
}

static view numbers_view(const gali_onnx_step *step, gali_onnx_array array) {
    view v = {.array = array};
    set_dense(&v, step);
    return v;
}

/* to[i] = the i-th of count numbers from row-major place `first` on. */
static void load_flat(const gali_onnx_step *step, const view *v, size_t first, size_t count, double *to) {
    uint32_t last = step->rank ? step->rank - 1 : 0;
    size_t row = step->rank ? step->shape[last] : 1;
    int64_t stride = step->rank ? v->strides[last] : 1;
    while (count > 0) {
        size_t column = first % row, rest = first / row, run = row - column < count ? row - column : count;
        int64_t at = v->at + (int64_t)column * stride;
        for (uint32_t i = last; i-- > 0; rest /= step->shape[i]) {
            at += (int64_t)(rest % step->shape[i]) * v->strides[i];
        }
        gali_onnx_load(&v->array, at, stride, run, to);
        first += run;
        to += run;
        count -= run;
    }
}

/* ---- views of what is there ---- */

static void share(const view *source, view *result) {
    *result = *source;
    if (result->owner) {
        result->owner->views++;
    }
}

static int is_dense(const gali_onnx_step *step, const view *v) {
    int64_t stride = 1;
    for (uint32_t i = step->rank; i-- > 0; stride *= step->shape[i]) {
        if (step->shape[i] > 1 && v->strides[i] != stride) {
            return 0;
        }
    }
    return 1;
}

static int run_reshape(gali_onnx *onnx, const gali_onnx_step *step, const gali_onnx_step *from, const view *a,
                       view *result) {
    if (is_dense(from, a)) {
        share(a, result);
        set_dense(result, step);
        result->at = a->at;
        return 1;
    }
    double *to = new_result(onnx, step, result);
    if (to) {
        load_flat(from, a, 0, step->count, to);
    }
    return to != NULL;
}

static void run_moved(const gali_onnx_step *step, const gali_onnx_step *from, const view *a, view *result) {
    share(a, result);
    for (uint32_t i = 0; i < step->rank; i++) {
        if (step->kind == GALI_ONNX_PERMUTE) {
            result->strides[i] = a->strides[step->axes[i]];
        } else if (step->kind == GALI_ONNX_EXPAND && from->shape[i] == 1) {
            result->strides[i] = 0;
        } else if (step->kind == GALI_ONNX_SLICE && i == step->axis) {
            result->at += step->start * a->strides[i];
            result->strides[i] *= step->stride;
        }
    }
}

/* ---- number by number ---- */

static double apply_one(const gali_onnx_step *step, double x) {
    switch (step->function) {
    case GALI_ONNX_RECIPROCAL:
        return 1 / x;
    case GALI_ONNX_SQRT:
        return sqrt(x);
    case GALI_ONNX_EXP:
        return exp(x);
    case GALI_ONNX_LOG:
        return log(x);
    case GALI_ONNX_ABS:
        return fabs(x);
    case GALI_ONNX_FLOOR:
        return floor(x);
    case GALI_ONNX_CEIL:
        return ceil(x);
    case GALI_ONNX_TRUNCATE:
        return trunc(x);
    case GALI_ONNX_SIN:
        return sin(x);
    case GALI_ONNX_COS:
        return cos(x);
    case GALI_ONNX_TANH:
        return tanh(x);
    case GALI_ONNX_ERF:
        return erf(x);
    case GALI_ONNX_SIGMOID:
        return 1 / (1 + exp(-x));
    case GALI_ONNX_RELU:
        return x < 0 ? 0 : x;
    case GALI_ONNX_ELU:
        return x < 0 ? step->alpha * expm1(x) : x;
    case GALI_ONNX_LEAKY:
        return x < 0 ? step->alpha * x : x;
    case GALI_ONNX_GELU_TANH:
        return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
    case GALI_ONNX_NOT:
        return x == 0;
    default:
        return NAN;
    }
}

static double modulo(double x, double y) {
    double r = fmod(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

static double apply_two(gali_onnx_function function, double x, double y) {
    switch (function) {
    case GALI_ONNX_POWER:
        return pow(x, y);
    case GALI_ONNX_MODULO:
        return modulo(x, y);
    case GALI_ONNX_REMAINDER:
        return fmod(x, y);
    case GALI_ONNX_DIVIDE_WHOLE:
        return trunc(x / y);
    case GALI_ONNX_LEAST:
        return x < y ? x : y;
    case GALI_ONNX_MOST:
        return x > y ? x : y;
    case GALI_ONNX_EQUAL:
        return x == y;
    case GALI_ONNX_LESS:
        return x < y;
    case GALI_ONNX_GREATER:
        return x > y;
    case GALI_ONNX_AND:
        return x != 0 && y != 0;
    case GALI_ONNX_OR:
        return x != 0 || y != 0;
    default:
        return NAN;
    }
}

/* Sums and maps: operands have the result's shape. */
static int run_numbers(gali_onnx *onnx, const gali_onnx_step *step, const view *const *operands, view *result) {
    double runs[3][RUN], *to = new_result(onnx, step, result);
    if (!to || !gali_onnx_work(onnx, (double)step->count)) {
        return 0;
    }
    for (size_t first = 0; first < step->count; first += RUN) {
        size_t count = step->count - first < RUN ? step->count - first : RUN;
        for (uint32_t i = 0; i < step->operand_count; i++) {
            load_flat(step, operands[i], first, count, runs[i]);
        }
        for (size_t i = 0; i < count; i++) {
            to[first + i] = step->kind == GALI_ONNX_ADD        ? runs[0][i] + runs[1][i]
                            : step->function < GALI_ONNX_POWER ? apply_one(step, runs[0][i])
                            : step->function < GALI_ONNX_WHERE
                                ? apply_two(step->function, runs[0][i], runs[1][i])
                            : runs[0][i] != 0 ? runs[1][i]
                                              : runs[2][i];
        }
    }
    return 1;
}

static int run_concat(gali_onnx_program *p, const gali_onnx_step *step, const view *const *operands,
                      view *result) {
    double *to = new_result(p->onnx, step, result);
    size_t outer = 1, inner = 1;
    for (uint32_t i = 0; i < step->rank; i++) {
        outer *= i < step->axis ? step->shape[i] : 1;
        inner *= i > step->axis ? step->shape[i] : 1;
    }
    for (size_t o = 0; to && o < outer; o++) {
        for (uint32_t i = 0; i < step->operand_count; i++) {
            const gali_onnx_step *part = &p->steps[step->operands[i]];
            size_t block = part->shape[step->axis] * inner;
            load_flat(part, operands[i], o * block, block, to);
            to += block;
        }
    }
    return to != NULL;
}

/* ---- rows ---- */

static void softmax(double *row, size_t count) {
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < count; i++) {
        most = row[i] > most ? row[i] : most;
    }
    for (size_t i = 0; i < count; i++) {
        row[i] = exp(row[i] - most);
        sum += row[i];
    }
    for (size_t i = 0; i < count; i++) {
        row[i] /= sum;
    }
}

static int run_softmax(gali_onnx *onnx, const gali_onnx_step *step, const view *a, view *result) {
    double *to = new_result(onnx, step, result);
    size_t row = step->shape[step->rank - 1];
    if (!to || !gali_onnx_work(onnx, (double)step->count)) {
        return 0;
    }
    load_flat(step, a, 0, step->count, to);
    for (size_t at = 0; at < step->count; at += row) {
        softmax(to + at, row);
    }
    return 1;
}

static int run_maximum(gali_onnx *onnx, const gali_onnx_step *step, const gali_onnx_step *from, const view *a,
                       view *result) {
    double run[RUN], *to = new_result(onnx, step, result);
    size_t row = from->shape[from->rank - 1];
    if (!to || !gali_onnx_work(onnx, (double)from->count)) {
        return 0;
    }
    for (size_t r = 0; r < step->count; r++) {
        to[r] = -INFINITY;
        for (size_t first = 0; first < row; first += RUN) {
            size_t count = row - first < RUN ? row - first : RUN;
            load_flat(from, a, r * row + first, count, run);
            for (size_t i = 0; i < count; i++) {
                to[r] = run[i] > to[r] ? run[i] : to[r];
            }
        }
    }
    return 1;
}

static int run_gather(gali_onnx_program *p, const gali_onnx_step *step, const view *const *operands,
                      view *result) {
    const gali_onnx_step *table = &p->steps[step->operands[0]], *chosen = &p->steps[step->operands[1]];
    size_t row = table->shape[0] ? table->count / table->shape[0] : 0;
    double *to = new_result(p->onnx, step, result);
    for (size_t i = 0; to && i < chosen->count; i++) {
        double index;
        load_flat(chosen, operands[1], i, 1, &index);
        index = index < 0 ? index + table->shape[0] : index;
        if (!(index >= 0 && index < table->shape[0])) {
            return gali_onnx_fail(p->onnx, GAL_BAD_DATA, "%s: an index past the end",
                                  p->node_names[step->node]);
        }
        load_flat(table, operands[0], (size_t)index * row, row, to + i * row);
    }
    return to != NULL;
}

/* ---- products ---- */

/* Axes of a product by label: how far each operand and the result move along them. */
typedef struct nest {
    uint32_t count;
    int64_t size[GALI_ONNX_LABELS_MAX];
    int64_t stride[3][GALI_ONNX_LABELS_MAX]; /* of a, b, the result */
} nest;

static void set_operand(nest *n, uint32_t which, const gali_onnx_step *step, const int8_t *labels,
                        const int64_t *strides) {
    for (uint32_t i = 0; i < step->rank; i++) {
        uint32_t label = (uint32_t)labels[i];
        n->count = label >= n->count ? label + 1 : n->count;
        if (step->shape[i] != 1) {
            n->stride[which][label] = strides[i];
            n->size[label] = step->shape[i];
        } else if (n->size[label] < 0) {
            n->size[label] = 1;
        }
    }
}

static void swap_axes(nest *n, uint32_t i, uint32_t j) {
    int64_t size = n->size[i];
    n->size[i] = n->size[j];
    n->size[j] = size;
    for (uint32_t which = 0; which < 3; which++) {
        int64_t stride = n->stride[which][i];
        n->stride[which][i] = n->stride[which][j];
        n->stride[which][j] = stride;
    }
}

static int64_t distance(const nest *n, uint32_t which, uint32_t i) {
    int64_t stride = n->stride[which][i];
    return stride < 0 ? -stride : stride;
}

/* The operand `big` is read in the order in which it lies: its widest stride outermost, its narrowest innermost,
 * what it does not depend on around that. */
static void sort_axes(nest *n, uint32_t big) {
    for (uint32_t i = 0; i < n->count; i++) {
        for (uint32_t j = i + 1; j < n->count; j++) {
            if (distance(n, big, j) > distance(n, big, i)) {
                swap_axes(n, i, j);
            }
        }
    }
    uint32_t inner = n->count;
    while (inner > 0 && n->stride[big][inner - 1] == 0) {
        inner--;
    }
    for (; inner > 0 && inner < n->count; inner++) {
        swap_axes(n, inner - 1, inner);
    }
}

/* One run along the innermost axis. */
static void multiply_run(const nest *n, const view *const *operands, const int64_t *at, double *to) {
    uint32_t axis = n->count - 1;
    double a[RUN], b[RUN];
    for (int64_t first = 0; first < n->size[axis]; first += RUN) {
        int64_t count = n->size[axis] - first < RUN ? n->size[axis] - first : RUN, step = n->stride[2][axis];
        gali_onnx_load(&operands[0]->array, at[0] + first * n->stride[0][axis], n->stride[0][axis],
                       (size_t)count, a);
        if (operands[1]) {
            gali_onnx_load(&operands[1]->array, at[1] + first * n->stride[1][axis], n->stride[1][axis],
                           (size_t)count, b);
        }
        double *result = to + at[2] + first * step, sum = 0;
        for (int64_t i = 0; i < count; i++) {
            a[i] *= operands[1] ? b[i] : 1;
        }
        for (int64_t i = 0; i < count && step == 0; i++) {
            sum += a[i];
        }
        for (int64_t i = 0; i < count && step != 0; i++) {
            result[i * step] += a[i];
        }
        result[0] += sum;
    }
}

static void multiply(const nest *n, const view *const *operands, double *to) {
    int64_t index[GALI_ONNX_LABELS_MAX] = {0}, at[3] = {operands[0]->at, operands[1] ? operands[1]->at : 0, 0};
    for (;;) {
        multiply_run(n, operands, at, to);
        uint32_t axis = n->count - 1;
        for (;;) {
            if (axis-- == 0) {
                return;
            }
            int more = ++index[axis] < n->size[axis];
            for (uint32_t which = 0; which < 3; which++) {
                at[which] += more ? n->stride[which][axis] : -(n->size[axis] - 1) * n->stride[which][axis];
            }
            if (more) {
                break;
            }
            index[axis] = 0;
        }
    }
}

static int run_product(gali_onnx_program *p, const gali_onnx_step *step, const view *const *operands,
                       view *result) {
    const view *both[2] = {operands[0], step->operand_count > 1 ? operands[1] : NULL};
    nest n = {.count = 0};
    double *to = new_result(p->onnx, step, result), whole = 1;
    size_t counts[2] = {0};
    if (!to) {
        return 0;
    }
    memset(n.size, -1, sizeof n.size);
    for (uint32_t i = 0; i < step->operand_count; i++) {
        const gali_onnx_step *operand = &p->steps[step->operands[i]];
        set_operand(&n, i, operand, step->labels[i], operands[i]->strides);
        counts[i] = operand->count;
    }
    for (uint32_t i = 0; i < step->rank; i++) {
        n.stride[2][(uint32_t)step->out[i]] = result->strides[i];
    }
    memset(to, 0, step->count * sizeof *to);
    if (n.count == 0) { /* single numbers */
        n.count = 1;
        n.size[0] = 1;
    }
    for (uint32_t i = 0; i < n.count; i++) {
        whole *= (double)n.size[i];
    }
    if (!gali_onnx_work(p->onnx, whole)) {
        return 0;
    }
    if (whole > 0) {
        sort_axes(&n, counts[1] > counts[0]);
        multiply(&n, both, to);
    }
    return 1;
}

/* ---- one step, and all ---- */

static int run_step(gali_onnx_program *p, uint32_t index, const view *const *operands, view *result) {
    const gali_onnx_step *step = &p->steps[index];
    const gali_onnx_step *from = step->operand_count ? &p->steps[step->operands[0]] : NULL;
    switch (step->kind) {
    case GALI_ONNX_CONSTANT:
        *result = numbers_view(step, step->array);
        return 1;
    case GALI_ONNX_RESHAPE:
        return run_reshape(p->onnx, step, from, operands[0], result);
    case GALI_ONNX_PERMUTE:
    case GALI_ONNX_EXPAND:
    case GALI_ONNX_SLICE:
        run_moved(step, from, operands[0], result);
        return 1;
    case GALI_ONNX_CONCAT:
        return run_concat(p, step, operands, result);
    case GALI_ONNX_PRODUCT:
        return run_product(p, step, operands, result);
    case GALI_ONNX_ADD:
    case GALI_ONNX_MAP:
        return run_numbers(p->onnx, step, operands, result);
    case GALI_ONNX_SOFTMAX:
        return run_softmax(p->onnx, step, operands[0], result);
    case GALI_ONNX_MAXIMUM:
        return run_maximum(p->onnx, step, from, operands[0], result);
    case GALI_ONNX_GATHER:
        return run_gather(p, step, operands, result);
    default:
        return gali_onnx_fail(p->onnx, GAL_BAD_DATA, "an input of the graph is not given");
    }
}

typedef struct evaluation {
    view *views;    /* [steps up to the target] */
    uint32_t *uses; /* needed steps that have yet to read it */
    const view **operands;
} evaluation;

static int run_needed(gali_onnx_program *p, evaluation *e, uint32_t target) {
    for (uint32_t i = 0; i <= target; i++) {
        const gali_onnx_step *step = &p->steps[i];
        if (!e->uses[i] || e->views[i].known) {
            continue;
        }
        int computed = step->array.data != NULL;
        for (uint32_t o = 0; o < step->operand_count && !computed; o++) {
            e->operands[o] = &e->views[step->operands[o]];
        }
        if (computed) {
            e->views[i] = numbers_view(step, step->array);
        } else if (!run_step(p, i, e->operands, &e->views[i])) {
            return 0;
        }
        for (uint32_t o = 0; o < step->operand_count && !computed; o++) {
            uint32_t read = step->operands[o];
            if (--e->uses[read] == 0) {
                drop(p->onnx, &e->views[read]);
            }
        }
    }
    return 1;
}

static void count_uses(const gali_onnx_program *p, evaluation *e, uint32_t target) {
    e->uses[target] = 1;
    for (uint32_t i = target + 1; i-- > 0;) {
        const gali_onnx_step *step = &p->steps[i];
        for (uint32_t o = 0; e->uses[i] && !e->views[i].known && !step->array.data && o < step->operand_count;
             o++) {
            e->uses[step->operands[o]]++;
        }
    }
}

int gali_onnx_evaluate(gali_onnx_program *p, uint32_t given_count, const uint32_t *steps,
                       const double *const *given, uint32_t target, double *values) {
    uint32_t most = 1;
    for (uint32_t i = 0; i <= target; i++) {
        most = p->steps[i].operand_count > most ? p->steps[i].operand_count : most;
    }
    if (!gali_onnx_work(p->onnx, target)) {
        return 0;
    }
    evaluation e = {.views = calloc(target + 1, sizeof *e.views),
                    .uses = calloc(target + 1, sizeof *e.uses),
                    .operands = calloc(most, sizeof *e.operands)};
    int done = e.views && e.uses && e.operands;
    if (!done) {
        gali_onnx_fail(p->onnx, GAL_NO_MEMORY, "no memory to evaluate the graph");
    }
    for (uint32_t i = 0; done && i < given_count; i++) {
        if (steps[i] <= target) {
            e.views[steps[i]] = numbers_view(&p->steps[steps[i]], (gali_onnx_array){GALI_ONNX_F64, given[i]});
        }
    }
    if (done) {
        count_uses(p, &e, target);
        done = run_needed(p, &e, target);
    }
    if (done) {
        load_flat(&p->steps[target], &e.views[target], 0, p->steps[target].count, values);
    }
    for (uint32_t i = 0; e.views && i <= target; i++) {
        drop(p->onnx, &e.views[i]);
    }
    free(e.views);
    free(e.uses);
    free(e.operands);
    return done;
}

gali_onnx_array gali_onnx_numbers(gali_onnx_program *p, uint32_t index) {
    gali_onnx_step *step = &p->steps[index];
    if (!step->array.data) {
        double *values = gali_onnx_take(p->onnx, (step->count + 1) * sizeof *values);
        if (values && gali_onnx_evaluate(p, 0, NULL, NULL, index, values)) {
            step->array = (gali_onnx_array){GALI_ONNX_F64, values};
        }
    }
    return step->array;
}
