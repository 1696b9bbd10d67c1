#include "graph/rewrite.h"

#include <string.h>

#include "base/error.h"
#include "graph/rewriting.h"

enum {
    PARTITION_MOST = 96, /* nodes: every rule is tried at each after each use of one */
    ROUNDS_MOST = 4,
    CONSTANT_MOST = 64, /* bytes of constants that are compared */
};

const gali_rewrite_facts gali_rewrite_list[GALI_REWRITE_COUNT] = {
#define RULE(name, property, rounds, fast, holds, where, before, after)                                        \
    [GALI_REWRITE_##                                                                                           \
        name] = {#name, GALI_##property, rounds, fast, holds, where, before, after, before " -> " after},
#define CODED(name, property, rounds, fast, holds, meaning)                                                    \
    [GALI_REWRITE_##name] = {#name, GALI_##property, rounds, fast, holds, "", NULL, NULL, meaning},
#include "graph/rules.def"
#undef RULE
#undef CODED
};

/* ---- what is there twice ---- */

typedef struct table {
    uint32_t mask;
    uint32_t *slot; /* [mask + 1] nodes or values; GALI_NONE: free */
} table;

static int take_table(table *t, gali_arena *arena, uint32_t count) {
    t->mask = 1;
    while (t->mask <= 2 * count) {
        t->mask *= 2;
    }
    t->slot = gali_arena_take(arena, t->mask * sizeof *t->slot);
    if (t->slot) {
        memset(t->slot, 0xff, t->mask * sizeof *t->slot);
    }
    t->mask--;
    return t->slot != NULL;
}

/* FNV-1a */
static uint32_t hash(uint32_t seed, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        seed = (seed ^ at[i]) * 16777619u;
    }
    return seed;
}

static size_t constant_bytes(const gali_value *value) {
    size_t bytes = value->data ? gali_element_list[value->type.element].bytes : 0;
    for (int d = 0; d < value->type.rank && bytes <= CONSTANT_MOST; d++) {
        bytes *= (size_t)value->type.shape[d];
    }
    return bytes;
}

/* Small constants that are the same are one. */
static void unite_constants(gali_rewriting *r, table *t) {
    gali_graph *graph = r->graph;
    for (uint32_t i = 0; i < graph->value_count; i++) {
        const gali_value *value = &graph->values[i];
        size_t bytes = constant_bytes(value);
        if (bytes == 0 || bytes > CONSTANT_MOST || r->stands[i] != i || r->output[i]) {
            continue;
        }
        uint32_t at = hash(2166136261u, value->data, bytes) & t->mask;
        for (; t->slot[at] != GALI_NONE; at = (at + 1) & t->mask) {
            const gali_value *other = &graph->values[t->slot[at]];
            if (gali_type_equal(&other->type, &value->type) && memcmp(other->data, value->data, bytes) == 0) {
                gali_rewriting_replace(r, i, t->slot[at]);
                break;
            }
        }
        t->slot[at] = t->slot[at] == GALI_NONE ? i : t->slot[at];
    }
}

static int is_same(const gali_graph *graph, const gali_node *a, const gali_node *b) {
    return a->op == b->op && a->operand_count == b->operand_count &&
           memcmp(a->operands, b->operands, a->operand_count * sizeof *a->operands) == 0 &&
           gali_type_equal(&graph->values[a->results[0]].type, &graph->values[b->results[0]].type) &&
           gali_node_has_same_attributes(a, b);
}

/* Nodes that are the same are one. */
static void unite_nodes(gali_rewriting *r, table *t) {
    gali_graph *graph = r->graph;
    for (uint32_t i = r->next[r->node_room]; i != r->node_room; i = r->next[i]) {
        gali_node *node = &graph->nodes[i];
        int one =
            !r->gone[i] && node->result_count == 1 && node->body_count == 0 && node->results[0] != GALI_NONE;
        if (!one || r->output[node->results[0]] || graph->values[node->results[0]].told) {
            continue;
        }
        gali_rewriting_renew(r, node);
        uint32_t at = hash(hash(2166136261u, &node->op, sizeof node->op), node->operands,
                           node->operand_count * sizeof *node->operands) &
                      t->mask;
        while (t->slot[at] != GALI_NONE && !is_same(graph, &graph->nodes[t->slot[at]], node)) {
            at = (at + 1) & t->mask;
        }
        if (t->slot[at] == GALI_NONE) {
            t->slot[at] = i;
        } else {
            gali_rewriting_replace(r, node->results[0], graph->nodes[t->slot[at]].results[0]);
            gali_rewriting_drop(r, i);
        }
    }
}

static void unite(gali_rewriting *r) {
    gali_arena arena = {0};
    table constants, nodes;
    if (take_table(&constants, &arena, r->graph->value_count) &&
        take_table(&nodes, &arena, r->graph->node_count)) {
        unite_constants(r, &constants);
        unite_nodes(r, &nodes);
    }
    r->graph->arena->failed |= arena.failed;
    gali_arena_release(&arena);
}

/* ---- partitions ---- */

static int is_spoken_of(const gali_patterns *patterns, gali_op op) {
    return patterns->known[op] || op == GALI_OP_BatchNormalization || op == GALI_OP_Conv ||
           op == GALI_OP_ConvTranspose || op == GALI_OP_Gemm;
}

static uint32_t find_part(const uint32_t *in, uint32_t part) {
    while (in[part] != part) {
        part = in[part];
    }
    return part;
}

/* A node joins the partitions that it reads of, while they stay small. in[]: the partition that one went into. */
static void join(gali_rewriting *r, uint32_t number, uint32_t *in, uint32_t *size) {
    gali_node *node = &r->graph->nodes[number];
    uint32_t own = r->part_count++;
    in[own] = own;
    size[own] = 1;
    gali_rewriting_renew(r, node);
    for (uint32_t k = 0; k < node->operand_count; k++) {
        uint32_t value = node->operands[k],
                 maker = value == GALI_NONE ? GALI_NONE : r->graph->values[value].node;
        uint32_t part =
            maker == GALI_NONE || r->part[maker] == GALI_NONE ? GALI_NONE : find_part(in, r->part[maker]);
        if (part != GALI_NONE && part != own && size[part] + size[own] <= PARTITION_MOST) {
            in[own] = part;
            size[part] += size[own];
            own = part;
        }
    }
    r->part[number] = own;
}

static void partition(gali_rewriting *r, const gali_patterns *patterns) {
    gali_arena arena = {0};
    uint32_t *in = gali_arena_take(&arena, (r->node_room + 1u) * sizeof *in);
    uint32_t *size = gali_arena_take(&arena, (r->node_room + 1u) * sizeof *size);
    r->part_count = 0;
    memset(r->part, 0xff, r->node_room * sizeof *r->part);
    for (uint32_t i = r->next[r->node_room]; in && size && i != r->node_room; i = r->next[i]) {
        if (!r->gone[i] && is_spoken_of(patterns, r->graph->nodes[i].op)) {
            join(r, i, in, size);
        }
    }
    memset(r->head, 0xff, r->node_room * sizeof *r->head);
    for (uint32_t i = r->previous[r->node_room]; in && size && i != r->node_room; i = r->previous[i]) {
        if (r->part[i] != GALI_NONE) {
            uint32_t part = r->part[i] = find_part(in, r->part[i]);
            r->other[i] = r->head[part];
            r->head[part] = i;
        }
    }
    r->graph->arena->failed |= arena.failed;
    gali_arena_release(&arena);
}

/* ---- the choice ---- */

/* What saves the most in a partition. */
static gali_fitting find_best(gali_rewriting *r, const gali_patterns *patterns, uint32_t part) {
    gali_fitting best = {.node = GALI_NONE};
    for (uint32_t i = r->head[part]; i != GALI_NONE; i = r->other[i]) {
        if (r->gone[i]) {
            continue;
        }
        gali_rewrite_fit_fold(r, i, &best);
        for (int rule = 0; rule < GALI_REWRITE_COUNT; rule++) {
            if (gali_rewrite_list[rule].before && (r->fast || !gali_rewrite_list[rule].fast)) {
                gali_rewrite_fit(r, patterns, (gali_rewrite)rule, i, &best);
            }
        }
    }
    return best;
}

/* Rewrites a partition; returns how many rules were used. */
static uint32_t rewrite_part(gali_rewriting *r, const gali_patterns *patterns, uint32_t part,
                             uint32_t *counts) {
    uint32_t used = 0;
    while (!r->graph->arena->failed && gali_rewriting_has_room(r, GALI_PATTERN_NODES_MAX)) {
        gali_fitting best = find_best(r, patterns, part);
        if (best.node == GALI_NONE) {
            break;
        }
        if (gali_rewrite_list[best.rule].before) {
            gali_rewrite_apply(r, patterns, &best);
        } else {
            gali_rewrite_apply_fold(r, &best);
        }
        counts[best.rule]++;
        used++;
    }
    return used;
}

/* ---- graphs and their bodies ---- */

typedef struct rewriter {
    const gali_patterns *patterns;
    const int64_t *sizes;
    int fast;
    uint32_t *counts;
} rewriter;

static void rewrite_graph(const rewriter *w, gali_graph *graph);

/* Whether something is known of all that a body computes: one that nothing fits in is never run, and left as it is. */
static int is_inferred(const gali_graph *body) {
    int inferred = 1;
    for (uint32_t i = 0; inferred && i < body->value_count; i++) {
        inferred = body->values[i].type.rank >= 0;
    }
    return inferred;
}

/* The first operand that a body captures. What stands before is another value in each trip. */
static uint32_t first_captured(const gali_node *node) {
    int trips = node->op == GALI_OP_Loop || node->op == GALI_OP_Scan;
    uint32_t carried = trips ? (uint32_t)gali_node_int(node, "carried") : 0;
    return node->op == GALI_OP_If     ? 1
           : !trips                   ? 0
           : node->op == GALI_OP_Loop ? 2 + carried
                                      : carried + (uint32_t)gali_node_int(node, "num_scan_inputs");
}

/* Nodes that read from[k] read to[k] instead, for `count` values; GALI_NONE is none. */
static void exchange(gali_graph *graph, const uint32_t *from, const uint32_t *to, uint32_t count) {
    gali_arena arena = {0};
    uint32_t *by = gali_arena_take(&arena, (graph->value_count + 1u) * sizeof *by);
    for (uint32_t i = 0; by && i < graph->value_count; i++) {
        by[i] = i;
    }
    for (uint32_t k = 0; by && k < count; k++) {
        if (from[k] != GALI_NONE && to[k] != GALI_NONE) {
            by[from[k]] = to[k];
        }
    }
    for (uint32_t i = 0; by && i < graph->node_count; i++) {
        for (uint32_t k = 0; k < graph->nodes[i].operand_count; k++) {
            uint32_t *operand = &graph->nodes[i].operands[k];
            *operand = *operand == GALI_NONE ? GALI_NONE : by[*operand];
        }
    }
    graph->arena->failed |= arena.failed;
    gali_arena_release(&arena);
}

/*
 * Constants that a body captures are constants in it while it is rewritten, so that rules see them. Then it reads its inputs
 * again: a constant is stored once, wherever it is read.
 */
static void rewrite_body(const rewriter *w, const gali_graph *graph, const gali_node *node, gali_graph *body) {
    uint32_t first = first_captured(node), count = node->operand_count - first;
    uint32_t *made = gali_arena_take(graph->arena, (count + 1u) * sizeof *made);
    const uint32_t *inputs = body->inputs + body->input_count - count;
    for (uint32_t k = 0; made && k < count; k++) {
        uint32_t captured = node->operands[first + k];
        const gali_value *outer = captured == GALI_NONE ? NULL : &graph->values[captured];
        made[k] = outer && outer->data ? gali_graph_constant(body, outer->name, &outer->type, outer->data)
                                       : GALI_NONE;
    }
    if (made) {
        exchange(body, inputs, made, count);
        rewrite_graph(w, body);
        exchange(body, made, inputs, count);
    }
}

static void rewrite_bodies(const rewriter *w, gali_graph *graph) {
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const gali_node *node = &graph->nodes[i];
        for (uint32_t k = 0; k < node->body_count; k++) {
            if (is_inferred(node->bodies[k])) {
                rewrite_body(w, graph, node, node->bodies[k]);
            }
        }
    }
}

static void rewrite_graph(const rewriter *w, gali_graph *graph) {
    gali_rewriting r;
    int good = gali_rewriting_begin(&r, graph, w->fast, w->sizes);
    for (uint32_t round = 0, used = 1; good && used && round < ROUNDS_MOST; round++) {
        used = 0;
        unite(&r);
        partition(&r, w->patterns);
        for (uint32_t part = 0; part < r.part_count && !graph->arena->failed; part++) {
            used += rewrite_part(&r, w->patterns, part, w->counts);
        }
    }
    if (good && !graph->arena->failed) {
        gali_rewriting_end(&r);
        rewrite_bodies(w, graph);
    }
}

gal_status gali_graph_rewrite(gali_graph *graph, int fast, uint32_t counts[GALI_REWRITE_COUNT],
                              gal_error *error) {
    const rewriter w = {.patterns = gali_patterns_make(graph->arena),
                        .sizes = gali_work_sizes(graph->extents, graph->arena),
                        .fast = fast,
                        .counts = counts};
    if (w.patterns && w.sizes) {
        rewrite_graph(&w, graph);
    }
    return graph->arena->failed ? gali_fail(error, GAL_NO_MEMORY, "no memory to rewrite the graph")
           : w.patterns         ? GAL_OK
                                : gali_fail(error, GAL_UNSUPPORTED, "a rule is no pattern");
}
