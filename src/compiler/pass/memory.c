/*
 * The static memory plan: each value that a group stores gets a place in the workspace, first fit by life time. A
 * character's part of a place is a row of whole cache lines; the rows of all characters of a call stand together,
 * so a place of offset o and width w is [o * count, (o + w) * count) for a call of count characters.
 */
#include "base/error.h"
#include "compiler/pass/pass.h"

/* A value that is stored, and the groups between which it lives. */
typedef struct place {
    uint32_t value, from, to, at, lines;
} place;

/* The last group that reads a value, or a part of it; one that is none for the output. */
static uint32_t last_use(const gali_compilation *c, uint32_t value, uint32_t from) {
    const gali_graph *graph = c->graph;
    uint32_t last = from;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        for (uint32_t o = 0; o < graph->nodes[i].operand_count && c->group_of[i] != GALI_NONE; o++) {
            int reads = gali_row_place_of(graph, graph->nodes[i].operands[o]).value == value;
            last = reads && c->group_of[i] > last ? c->group_of[i] : last;
        }
    }
    return gali_row_place_of(graph, graph->outputs[0]).value == value ? c->group_count : last;
}

/* 0 if lines [at, at + lines) are free when group `from` runs, else the end of a value that lives there. */
static uint32_t blocked_until(const place *places, uint32_t count, uint32_t from, uint32_t at, uint32_t lines) {
    for (uint32_t i = 0; i < count; i++) {
        const place *p = &places[i];
        if (p->to >= from && at < p->at + p->lines && p->at < at + lines) {
            return p->at + p->lines;
        }
    }
    return 0;
}

static void add_place(gali_compilation *c, place *places, uint32_t *count, uint32_t group, uint32_t value) {
    place made = {.value = value,
                  .from = group,
                  .to = last_use(c, value, group),
                  .lines = (gali_row_width(c->graph, value) + GALI_ROW_UNIT - 1) / GALI_ROW_UNIT};
    for (uint32_t next; (next = blocked_until(places, *count, group, made.at, made.lines)) != 0;) {
        made.at = next;
    }
    uint32_t end = (made.at + made.lines) * GALI_ROW_UNIT;
    c->offset[value] = made.at + 1;
    c->workspace = end > c->workspace ? end : c->workspace;
    places[(*count)++] = made;
}

gal_status gali_pass_memory(gali_compilation *c, gal_error *error) {
    place *places = gali_arena_take(&c->arena, c->graph->value_count * sizeof *places);
    c->offset = gali_arena_take(&c->arena, c->graph->value_count * sizeof *c->offset);
    c->workspace = 0;
    if (!places || !c->offset) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for the memory plan");
    }
    for (uint32_t group = 0, count = 0; group < c->group_count; group++) {
        const gali_node *node = &c->graph->nodes[c->groups[group].last];
        for (uint32_t i = 0; i < node->result_count; i++) {
            add_place(c, places, &count, group, node->results[i]);
        }
    }
    return GAL_OK;
}
