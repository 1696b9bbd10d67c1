/*
 * The order of a model's groups against all orders of its sub-graphs, and its workspace against what lives at once:
 *
 *     onnx_orders MODEL.onnx [NAME=SIZE]...
 *
 * A sub-graph is up to GROUPS groups that stand one after another between two steps: every such window of the program as it is
 * compiled. Of each the least that all orders allow is found by going through all sets of groups that can have run, with what
 * lives across the window counted in; no plan of memory can do with less, however it places tensors. Sizes that are not said
 * are the middling ones that the order was chosen by. Prints
 *
 *     how far the program's order is above the least: of the worst window, in the mean, and of the one that most lives in;
 *     and the workspace over what lives at once at middling sizes
 *
 * Ends with 1 where the worst window's and the workspace's make more than LIMIT.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "compiler/program/look.h"
#include "compiler/program/program.h"
#include "graph/rewrite.h"
#include "import/onnx/file.h"

#define LIMIT 1.05

enum { GROUPS = 16 };

typedef struct item {
    uint32_t maker, readers; /* bits of groups of the window; no maker: it is there before */
    int64_t bytes;
    int stays;
} item;

typedef struct window {
    const gali_program *p;
    const int64_t *sizes;
    uint32_t first, count, item_count;
    uint32_t before[GROUPS]; /* groups of the window that run before each */
    item *items;
} window;

typedef struct found {
    uint32_t windows;
    double worst, sum;
    int64_t peak, least; /* of the windows that live at most: as they stand, and at best */
} found;

/* ---- a window ---- */

static uint32_t root_of(const gali_program *p, uint32_t tensor) {
    while (p->tensors[tensor].home != GALI_NONE) {
        tensor = p->tensors[tensor].home;
    }
    return tensor;
}

static int64_t bytes_of(const window *w, uint32_t tensor) {
    gali_extents *x = w->p->graph->extents;
    const gali_type *type = &w->p->tensors[tensor].type;
    gali_extent bytes = gali_extent_mul(x, gali_type_count(x, type), gali_element_list[type->element].bytes);
    int64_t value = gali_extent_value(x, gali_program_bound(w->p, bytes, 1), w->sizes);
    return gali_extent_is_number(value) && value > 0 ? (value + 63) / 64 * 64 : 0;
}

/* The group's bit in the window; 0: it is outside. */
static uint32_t bit_of(const window *w, uint32_t group) {
    return group != GALI_NONE && group >= w->first && group < w->first + w->count ? 1u << (group - w->first)
                                                                                  : 0;
}

static uint32_t group_of(const gali_program *p, uint32_t stage) {
    return stage == GALI_NONE || p->stages[stage].gone ? GALI_NONE : p->stages[stage].group;
}

/* `by` touches the tensor's memory: used[root] are those that did before, of memory with several names. */
static void touch(window *w, uint32_t *used, uint32_t tensor, uint32_t by, int reads) {
    const gali_program *p = w->p;
    uint32_t root = root_of(p, tensor), maker = bit_of(w, group_of(p, p->tensors[tensor].stage));
    uint32_t own = bit_of(w, by);
    w->before[by - w->first] |= reads && maker < own ? maker : 0;
    w->items[tensor].readers |= reads ? own : 0;
    if (root != tensor || used[root] & 1u << GROUPS) {
        w->before[by - w->first] |= used[root] & ((1u << GROUPS) - 1) & ~own;
        used[root] |= own | 1u << GROUPS;
    }
}

static int fill(window *w) {
    const gali_program *p = w->p;
    uint32_t *used = calloc(p->tensor_count + 1, sizeof *used);
    gali_look look;
    int good = used != NULL;
    memset(w->items, 0, p->tensor_count * sizeof *w->items);
    memset(w->before, 0, sizeof w->before);
    for (uint32_t t = 0; good && t < p->tensor_count; t++) {
        used[root_of(p, t)] |= root_of(p, t) != t ? 1u << GROUPS : 0;
    }
    for (uint32_t s = 0; good && s < p->stage_count; s++) {
        const gali_program_stage *stage = &p->stages[s];
        if (stage->gone || !bit_of(w, stage->group)) {
            continue;
        }
        good = gali_program_look(stage, &look) && look.load_count <= GALI_LOOK_LOADS_MAX;
        for (uint32_t i = 0; good && i < look.load_count; i++) {
            touch(w, used, look.load[i]->source, stage->group, 1);
        }
        touch(w, used, stage->tensor, stage->group, 0);
    }
    for (uint32_t t = 0; good && t < p->tensor_count; t++) {
        const gali_program_tensor *tensor = &p->tensors[t];
        item *i = &w->items[t];
        uint32_t last = group_of(p, tensor->last);
        int stored = tensor->role == GALI_TENSOR_MADE && tensor->home == GALI_NONE && !(used[t] >> GROUPS & 1);
        i->maker = bit_of(w, group_of(p, tensor->stage));
        i->bytes = stored ? bytes_of(w, t) : 0;
        i->stays = last == GALI_NONE || last >= w->first + w->count;
    }
    free(used);
    return good;
}

/* Items that live there at no time of the window are left out. */
static void keep_those_that_live(window *w) {
    const gali_program *p = w->p;
    w->item_count = 0;
    for (uint32_t t = 0; t < p->tensor_count; t++) {
        uint32_t maker = group_of(p, p->tensors[t].stage), last = group_of(p, p->tensors[t].last);
        int across = maker != GALI_NONE && maker < w->first && last != GALI_NONE && last >= w->first;
        if (w->items[t].bytes && (w->items[t].maker || across)) {
            w->items[w->item_count++] = w->items[t];
        }
    }
}

/* Bytes that live while `running` runs as the last of the set. */
static int64_t alive(const window *w, uint32_t set, uint32_t running) {
    int64_t bytes = 0;
    for (uint32_t i = 0; i < w->item_count; i++) {
        const item *t = &w->items[i];
        int there = !t->maker || (t->maker & set);
        int needed = t->stays || (t->readers & ~(set & ~running)) || (t->maker & running);
        bytes += there && needed ? t->bytes : 0;
    }
    return bytes;
}

/* The least peak of all orders. best: room for all sets */
static int64_t least_of(const window *w, int64_t *best) {
    uint32_t sets = 1u << w->count;
    for (uint32_t set = 1; set < sets; set++) {
        best[set] = INT64_MAX;
    }
    best[0] = 0;
    for (uint32_t set = 0; set < sets; set++) {
        for (uint32_t g = 0; best[set] != INT64_MAX && g < w->count; g++) {
            uint32_t own = 1u << g;
            if (!(set & own) && !(w->before[g] & ~set)) {
                int64_t peak = alive(w, set | own, own);
                peak = peak > best[set] ? peak : best[set];
                best[set | own] = peak < best[set | own] ? peak : best[set | own];
            }
        }
    }
    return best[sets - 1];
}

static int64_t peak_of(const window *w) {
    int64_t peak = 0;
    for (uint32_t g = 0; g < w->count; g++) {
        int64_t bytes = alive(w, (2u << g) - 1, 1u << g);
        peak = bytes > peak ? bytes : peak;
    }
    return peak;
}

static int look_at(window *w, int64_t *best, found *f) {
    if (!fill(w)) {
        return 0;
    }
    keep_those_that_live(w);
    int64_t peak = peak_of(w), least = least_of(w, best);
    double ratio = least > 0 ? (double)peak / (double)least : 1;
    f->windows++;
    f->sum += ratio;
    f->worst = ratio > f->worst ? ratio : f->worst;
    if (peak > f->peak || (peak == f->peak && least > f->least)) {
        f->peak = peak;
        f->least = least;
    }
    return 1;
}

/* ---- a program ---- */

/* The group behind the last that may be moved with this one: a step is between, or the program ends. */
static uint32_t end_of(const gali_program *p, uint32_t first) {
    uint32_t stage = 0, end = p->stage_count, last = first;
    while (stage < p->stage_count && (p->stages[stage].gone || p->stages[stage].group != first)) {
        stage++;
    }
    for (uint32_t i = 0; i < p->step_count; i++) {
        end = p->steps[i].before > stage && p->steps[i].before < end ? p->steps[i].before : end;
    }
    for (uint32_t s = stage; s < end; s++) {
        last = p->stages[s].gone ? last : p->stages[s].group;
    }
    return last + 1;
}

static int look_at_all(const gali_program *p, const int64_t *sizes, found *f) {
    window w = {.p = p, .sizes = sizes};
    int64_t *best = malloc(((size_t)1 << GROUPS) * sizeof *best);
    w.items = calloc(p->tensor_count + 1, sizeof *w.items);
    int good = best && w.items;
    for (uint32_t first = 0, end; good && first < p->group_count; first = end) {
        end = end_of(p, first);
        uint32_t most = end - first < GROUPS ? end - first : GROUPS;
        for (w.first = first, w.count = most; good && w.first + most <= end; w.first++) {
            good = look_at(&w, best, f);
        }
    }
    free(best);
    free(w.items);
    return good;
}

/* Sizes that are said in place of middling ones. */
static int read_sizes(const gali_program *p, char **texts, int count, int64_t *sizes) {
    gali_extents *x = p->graph->extents;
    for (uint32_t s = 0; s < gali_extent_symbols(x); s++) {
        sizes[s] = p->typical[s];
    }
    for (int i = 0; i < count; i++) {
        size_t size = strcspn(texts[i], "=");
        uint32_t s = 0;
        while (s < gali_extent_symbols(x) && (strlen(gali_extent_symbol_name(x, s)) != size ||
                                              memcmp(gali_extent_symbol_name(x, s), texts[i], size) != 0)) {
            s++;
        }
        if (s == gali_extent_symbols(x) || !texts[i][size]) {
            fprintf(stderr, "%s: NAME=SIZE of a size of the model expected\n", texts[i]);
            return 0;
        }
        sizes[s] = atoll(texts[i] + size + 1);
    }
    return 1;
}

static int report(const gali_program *p, int argc, char **argv) {
    int64_t *sizes = calloc(gali_extent_symbols(p->graph->extents) + 1, sizeof *sizes);
    found f = {.worst = 1};
    int code = 2;
    if (sizes && read_sizes(p, argv, argc, sizes) && look_at_all(p, sizes, &f)) {
        double most = f.least > 0 ? (double)f.peak / (double)f.least : 1;
        double placed = p->alive > 0 ? (double)p->planned / (double)p->alive : 1;
        printf("%u groups, %u windows of up to %d, of the least: worst %.3f, mean %.3f, largest %.3f; "
               "workspace %.3f of what lives at once\n",
               p->group_count, f.windows, GROUPS, f.worst, f.windows ? f.sum / f.windows : 1, most, placed);
        code = f.worst * placed > LIMIT;
    }
    free(sizes);
    return code;
}

int main(int argc, char **argv) {
    gal_error error = {0};
    gali_onnx_bytes bytes = {0};
    void *data = NULL;
    gali_onnx_file *file = NULL;
    gali_arena arena = {0};
    gali_graph *graph = NULL;
    gali_program *p = NULL;
    uint32_t rewritten[GALI_REWRITE_COUNT] = {0};
    if (argc < 2) {
        return 77; /* as a test without a model: skipped */
    }
    gal_status status = gali_file_read(argv[1], INT64_MAX / 4, NULL, &data, &bytes.size, &error);
    bytes.data = data;
    status = status == GAL_OK ? gali_onnx_open(&file, &bytes, &error) : status;
    status = status == GAL_OK ? gali_onnx_graph(&graph, file, NULL, &arena, &error) : status;
    status = status == GAL_OK ? gali_graph_rewrite(graph, 0, rewritten, &error) : status;
    status = status == GAL_OK ? gali_program_make(&p, graph, &arena, &error) : status;
    if (status == GAL_OK) {
        p->target = gali_target_find("x86-64-v4", &error);
        status = gali_program_for_cpu(p, 0, &error);
    }
    int code = status == GAL_OK ? report(p, argc - 2, argv + 2) : 2;
    if (status != GAL_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], error.message);
    }
    gali_onnx_close(file);
    gali_arena_release(&arena);
    free(data);
    return code;
}
