/*
 * Which units run together. A value's level is how often its way from the inputs leaves units: units of one level are a region, and
 * no way leads out of a region and back into it. Where a level's units are too much for a region they stay as they are, all of them,
 * and the levels of what is left are found again.
 */
#include "compiler/emit/hvx/region.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "compiler/emit/vocabulary.h"

enum { NAME_MOST = 24, REGIONS_MOST = 256 /* what is behind so many stays as it is */ };

typedef struct cut {
    const gali_graph *graph;
    gali_hvx_unit **units; /* [nodes] NULL: the node is none's end */
    uint32_t *level;       /* [nodes] */
    uint8_t *used;         /* [nodes] whether something reads its results: of a unit, of its end's */
    uint8_t *outside;      /* [values] whether something reads it that is in no unit of its maker's level */
    uint8_t *noted;        /* [values] it is in the list of what the region reads */
    uint32_t levels;       /* one more than the largest */
} cut;

static uint32_t maker(const cut *c, uint32_t value) {
    return value == GALI_NONE ? GALI_NONE : c->graph->values[value].node;
}

/* Calls visit for all that node i reads: of a unit its bytes. */
static void each_read(cut *c, uint32_t i, void (*visit)(cut *c, uint32_t reader, uint32_t value)) {
    const gali_node *node = &c->graph->nodes[i];
    for (uint32_t k = 0; c->units[i] && k < c->units[i]->from_count; k++) {
        visit(c, i, c->units[i]->from[k].value);
    }
    for (uint32_t k = 0; !c->units[i] && k < node->operand_count; k++) {
        visit(c, i, node->operands[k]);
    }
}

static void use(cut *c, uint32_t reader, uint32_t value) {
    const uint32_t from = maker(c, value);
    (void)reader;
    if (from != GALI_NONE) {
        c->used[from] = 1;
    }
}

static void rise(cut *c, uint32_t reader, uint32_t value) {
    const uint32_t from = maker(c, value);
    const uint32_t level = from == GALI_NONE ? 0 : c->level[from] + (c->units[from] && !c->units[reader]);
    c->level[reader] = level > c->level[reader] ? level : c->level[reader];
}

static int take(cut *c) {
    gali_arena *arena = c->graph->arena;
    const size_t nodes = c->graph->node_count + 1u;
    c->units = gali_arena_take(arena, nodes * sizeof *c->units);
    c->level = gali_arena_take(arena, nodes * sizeof *c->level);
    c->used = gali_arena_take(arena, nodes);
    c->outside = gali_arena_take(arena, c->graph->value_count + 1u);
    c->noted = gali_arena_take(arena, c->graph->value_count + 1u);
    return !arena->failed;
}

static void read_out(cut *c, uint32_t reader, uint32_t value) {
    const uint32_t from = maker(c, value);
    if (value != GALI_NONE) {
        c->outside[value] |= from == GALI_NONE || !c->units[reader] || c->level[from] != c->level[reader];
    }
}

static void read_units(cut *c) {
    const gali_graph *graph = c->graph;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        gali_hvx_unit unit;
        if (gali_hvx_read_unit(graph, i, &unit)) {
            c->units[i] = gali_arena_take(graph->arena, sizeof unit);
            if (c->units[i]) {
                *c->units[i] = unit;
            }
        }
        each_read(c, i, rise);
        c->units[i] = c->level[i] < REGIONS_MOST ? c->units[i] : NULL;
    }
}

/* What is used, and levels, of the units that there are. */
static void settle(cut *c) {
    const gali_graph *graph = c->graph;
    memset(c->used, 0, graph->node_count);
    memset(c->outside, 0, graph->value_count);
    c->levels = 0;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        use(c, GALI_NONE, graph->outputs[i]);
        c->outside[graph->outputs[i]] = 1;
    }
    for (uint32_t i = graph->node_count; i-- > 0;) {
        if (c->used[i]) {
            each_read(c, i, use);
        }
    }
    memset(c->level, 0, graph->node_count * sizeof *c->level); /* units that stay as they are have others now */
    for (uint32_t i = 0; i < graph->node_count; i++) {
        each_read(c, i, rise);
        c->levels = c->used[i] && c->level[i] >= c->levels ? c->level[i] + 1 : c->levels;
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (c->used[i]) {
            each_read(c, i, read_out);
        }
    }
}

/* ---- a region ---- */

static int is_in(const cut *c, uint32_t i, uint32_t level) {
    return c->used[i] && c->units[i] && c->level[i] == level;
}

/* What the unit reads of others, once each. */
static void note_given(const cut *c, const gali_hvx_unit *unit, uint32_t level, gali_hvx_region *region) {
    for (uint32_t k = 0; k < unit->from_count; k++) {
        const uint32_t value = unit->from[k].value, from = maker(c, value);
        if ((from == GALI_NONE || !is_in(c, from, level)) && !c->noted[value]) {
            c->noted[value] = 1;
            region->given[region->given_count++] = value;
        }
    }
}

/* The region of a level; without units where it has none. */
static int fill(const cut *c, uint32_t level, gali_hvx_region *region) {
    gali_arena *arena = c->graph->arena;
    size_t count = 1;
    for (uint32_t i = 0; i < c->graph->node_count; i++) {
        count += (size_t)is_in(c, i, level);
    }
    region->arena = arena;
    region->units = gali_arena_take(arena, count * sizeof *region->units);
    region->given = gali_arena_take(arena, 2 * count * sizeof *region->given);
    region->made = gali_arena_take(arena, count * sizeof *region->made);
    for (uint32_t i = 0; !arena->failed && i < c->graph->node_count; i++) {
        if (!is_in(c, i, level)) {
            continue;
        }
        const gali_hvx_unit *unit = c->units[i];
        note_given(c, unit, level, region);
        if (c->outside[unit->to.value]) {
            region->made[region->made_count++] = unit->to.value;
        }
        region->units[region->unit_count++] = *unit;
    }
    for (uint32_t i = 0; i < region->given_count; i++) {
        c->noted[region->given[i]] = 0;
    }
    return !arena->failed;
}

/* ---- nodes in their place ---- */

typedef struct regions_taken {
    gali_node *nodes; /* [levels] without results where a level has none */
    uint32_t count;
    gali_text functions;
} regions_taken;

/* What a region stands for, as a graph: its units' nodes again. by[]: values of the graph in the body, and 1. */
typedef struct copier {
    const gali_graph *graph;
    gali_graph *body;
    uint32_t *by;
} copier;

static uint32_t copy_value(copier *c, uint32_t value);

/* The node that makes a value, which is its only result, behind what it reads. */
static void copy_node(copier *c, const gali_node *node, uint32_t result) {
    gali_node made = *node;
    made.operands = gali_arena_take(c->body->arena, (node->operand_count + 1u) * sizeof *made.operands);
    made.results = &result;
    for (uint32_t k = 0; made.operands && k < node->operand_count; k++) {
        made.operands[k] = copy_value(c, node->operands[k]);
    }
    if (made.operands) {
        gali_graph_node(c->body, &made);
    }
}

static uint32_t copy_value(copier *c, uint32_t value) {
    const gali_value *v = value == GALI_NONE ? NULL : &c->graph->values[value];
    if (v && !c->by[value]) {
        const uint32_t made = v->data ? gali_graph_constant(c->body, v->name, &v->type, v->data)
                                      : gali_graph_value(c->body, v->name, &v->type);
        c->by[value] = made + 1;
        if (!v->data && v->node != GALI_NONE) {
            copy_node(c, &c->graph->nodes[v->node], made);
        }
    }
    return v ? c->by[value] - 1 : GALI_NONE;
}

static gali_graph *body_of(const gali_graph *graph, const gali_hvx_region *region) {
    copier c = {graph, gali_graph_body(graph),
                gali_arena_take(graph->arena, (graph->value_count + 1u) * sizeof *c.by)};
    if (!c.body || !c.by) {
        return NULL;
    }
    for (uint32_t i = 0; i < region->given_count; i++) {
        const gali_value *v = &graph->values[region->given[i]];
        const uint32_t input = gali_graph_value(c.body, v->name, &v->type);
        gali_graph_input(c.body, input);
        c.by[region->given[i]] = input + 1;
    }
    for (uint32_t i = 0; i < region->unit_count; i++) {
        copy_value(&c, region->units[i].to.value);
    }
    for (uint32_t i = 0; i < region->made_count; i++) {
        gali_graph_output(c.body, copy_value(&c, region->made[i]));
    }
    return graph->arena->failed ? NULL : c.body;
}

/* Not in the graph yet: the units are read of it as it is. */
static int make_node(const gali_graph *graph, const gali_hvx_region *region, uint32_t number, size_t scratch,
                     gali_node *node) {
    gali_attribute *attributes = gali_arena_take(graph->arena, 2 * sizeof *attributes);
    gali_graph **body = gali_arena_take(graph->arena, sizeof *body);
    int64_t *bytes = gali_arena_take(graph->arena, sizeof *bytes);
    char *name = gali_arena_take(graph->arena, NAME_MOST);
    if (!attributes || !body || !bytes || !name) {
        return 0;
    }
    *bytes = (int64_t)scratch;
    snprintf(name, NAME_MOST, "hvx_%u", number);
    attributes[0] =
        (gali_attribute){.name = "function", .kind = GALI_WORD, .count = (uint32_t)strlen(name), .word = name};
    attributes[1] = (gali_attribute){.name = "scratch", .kind = GALI_INT, .count = 1, .ints = bytes};
    *body = body_of(graph, region);
    *node = (gali_node){.op = GALI_OP_region,
                        .name = name,
                        .operand_count = region->given_count,
                        .result_count = region->made_count,
                        .attribute_count = 2,
                        .body_count = 1,
                        .operands = region->given,
                        .results = region->made,
                        .attributes = attributes,
                        .bodies = body};
    return *body != NULL;
}

static void put_node(gali_graph *graph, gali_node *nodes, uint32_t at, const gali_node *node) {
    nodes[at] = *node;
    for (uint32_t k = 0; k < node->result_count; k++) {
        if (node->results[k] != GALI_NONE) {
            graph->values[node->results[k]].node = at;
        }
    }
}

/* The other nodes that are used, and regions[levels], in an order in which each is behind what it reads: level by level. */
static int arrange(const cut *c, gali_graph *graph, const gali_node *regions) {
    gali_node *nodes = gali_arena_take(graph->arena, (graph->node_count + c->levels + 1u) * sizeof *nodes);
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->value_count; i++) {
        graph->values[i].node = GALI_NONE;
    }
    for (uint32_t level = 0; nodes && level < c->levels; level++) {
        for (uint32_t i = 0; i < graph->node_count; i++) {
            if (c->used[i] && !c->units[i] && c->level[i] == level) {
                put_node(graph, nodes, count++, &graph->nodes[i]);
            }
        }
        if (regions[level].result_count) {
            put_node(graph, nodes, count++, &regions[level]);
        }
    }
    graph->node_capacity = graph->node_count + c->levels + 1;
    graph->nodes = nodes;
    graph->node_count = count;
    return nodes != NULL;
}

/* GAL_UNSUPPORTED: it is too large; nothing is appended then. */
static gal_status take_region(const cut *c, uint32_t level, gali_hvx_form choice, uint32_t *number,
                              gali_text *text, gali_node *node, gal_error *error) {
    gali_hvx_region region = {0};
    size_t scratch = 0;
    if (!fill(c, level, &region)) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a region");
    }
    if (!region.unit_count) {
        return GAL_OK;
    }
    gal_status status = gali_hvx_print_region(&region, *number, choice, text, &scratch, error);
    if (status == GAL_OK && !make_node(c->graph, &region, *number, scratch, node)) {
        status = gali_fail(error, GAL_NO_MEMORY, "no memory for a region");
    }
    (*number)++;
    return status;
}

static void leave_level(cut *c, uint32_t level) {
    for (uint32_t i = 0; i < c->graph->node_count; i++) {
        c->units[i] = is_in(c, i, level) ? NULL : c->units[i];
    }
}

/* *left: levels that were too much, whose units are none any more. */
static gal_status take_levels(cut *c, gali_hvx_form choice, regions_taken *taken, uint32_t *left,
                              gal_error *error) {
    gal_status status = GAL_OK;
    settle(c);
    *taken =
        (regions_taken){.nodes = gali_arena_take(c->graph->arena, (c->levels + 1u) * sizeof *taken->nodes)};
    *left = 0;
    for (uint32_t level = 0; taken->nodes && status == GAL_OK && level < c->levels; level++) {
        status = take_region(c, level, choice, &taken->count, &taken->functions, &taken->nodes[level], error);
        if (status == GAL_UNSUPPORTED) {
            leave_level(c, level);
            (*left)++;
            status = GAL_OK;
        }
    }
    return status;
}

/* The functions, behind what they use. */
static void add_functions(gali_text *functions, gali_text *text) {
    const gali_target hvx = {.simd = GALI_SIMD_HVX};
    gali_vocabulary_add_compiler(text);
    gali_text_add(text, "\n");
    gali_vocabulary_add(text, &hvx, functions->bytes ? functions->bytes : "");
    gali_text_add_bytes(text, functions->bytes ? functions->bytes : "", functions->size);
    gali_text_end(functions, text);
}

gal_status gali_hvx_take_regions(gali_graph *graph, gali_hvx_form choice, gali_text *text, gal_error *error) {
    cut c = {.graph = graph};
    regions_taken taken = {0};
    gal_status status = GAL_OK;
    uint32_t left = 1;
    if (!take(&c)) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for regions");
    }
    read_units(&c);
    while (status == GAL_OK && left) {
        gali_text_release(&taken.functions);
        status = take_levels(&c, choice, &taken, &left, error);
    }
    if (status == GAL_OK && taken.count) {
        arrange(&c, graph, taken.nodes);
        add_functions(&taken.functions, text);
    }
    gali_text_release(&taken.functions);
    return status == GAL_OK && graph->arena->failed ? gali_fail(error, GAL_NO_MEMORY, "no memory for regions")
                                                    : status;
}

gal_status gali_hvx_first_region(const gali_graph *graph, gali_hvx_region *region, gal_error *error) {
    cut c = {.graph = graph};
    int good = take(&c);
    if (good) {
        read_units(&c);
        settle(&c);
    }
    *region = (gali_hvx_region){0};
    for (uint32_t level = 0; good && level < c.levels && !region->unit_count; level++) {
        *region = (gali_hvx_region){0};
        good = fill(&c, level, region);
    }
    return good ? GAL_OK : gali_fail(error, GAL_NO_MEMORY, "no memory for regions");
}
