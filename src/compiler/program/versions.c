#include "compiler/program/versions.h"

#include <string.h>

#include "base/error.h"
#include "compiler/program/narrow.h"

#define HOT 0.02 /* of the program's steps, at typical sizes, a group with versions has at least */

/* ---- which ---- */

/* The size of that name that inputs tell, if the run has it as an argument; GALI_NONE: it has none. */
static uint32_t symbol_of(const gali_program *p, const char *name) {
    const gali_extents *x = p->graph->extents;
    for (uint32_t s = 0; s < gali_extent_symbols(x); s++) {
        if (gali_program_told(p, s) == GALI_TOLD_BY_INPUT && strcmp(gali_extent_symbol_name(x, s), name) == 0) {
            return s;
        }
    }
    return GALI_NONE;
}

/* What the program's range leaves of part `i`; 0 where that is nothing. */
static int part_of(const gali_program *p, const gali_size_parts *size, uint32_t symbol, uint32_t i,
                   gali_size_range *range) {
    int64_t least = size->parts[i][0], most = size->parts[i][1];
    *range = (gali_size_range){.symbol = symbol, .other = GALI_NONE};
    range->least = least > p->least[symbol] ? least : p->least[symbol];
    range->most = most < p->most[symbol] ? most : p->most[symbol];
    return range->least <= range->most;
}

/* Each of the versions that there are, once for each range. Returns 0, and changes nothing, where that is too many. */
static int multiply(gali_program *p, const gali_size_range *ranges, uint32_t range_count) {
    gali_program_version made[GALI_PROGRAM_VERSIONS_MAX];
    uint32_t count = 0;
    if (range_count * p->version_count > GALI_PROGRAM_VERSIONS_MAX ||
        p->versions[0].count == GALI_PROGRAM_VERSION_SIZES_MAX) {
        return 0;
    }
    for (uint32_t i = 0; i < range_count; i++) {
        for (uint32_t v = 0; v < p->version_count; v++) {
            made[count] = p->versions[v];
            made[count].range[made[count].count++] = ranges[i];
            count++;
        }
    }
    memcpy(p->versions, made, count * sizeof *made);
    p->version_count = count;
    return 1;
}

static int multiply_parts(gali_program *p, const gali_size_parts *size, uint32_t symbol) {
    gali_size_range ranges[GALI_PROGRAM_VERSIONS_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < size->count; i++) {
        if (count == GALI_PROGRAM_VERSIONS_MAX) {
            return 0;
        }
        count += (uint32_t)part_of(p, size, symbol, i, &ranges[count]);
    }
    return count < 2 || multiply(p, ranges, count);
}

/* ---- sizes that are broadcast ---- */

static uint32_t given_symbol(const gali_program *p, gali_extent extent) {
    int symbol = gali_extent_as_symbol(p->graph->extents, extent);
    return symbol >= 0 && gali_program_told(p, (uint32_t)symbol) == GALI_TOLD_BY_INPUT ? (uint32_t)symbol
                                                                                       : GALI_NONE;
}

/* Two sizes are the same, or one of them is 1: the run has checked that before. */
static void multiply_broadcast(gali_program *p) {
    for (const gali_demand *d = p->demands; d; d = d->next) {
        uint32_t a = given_symbol(p, d->a), b = given_symbol(p, d->b);
        if (d->kind != GALI_DEMAND_FITS || a == GALI_NONE || b == GALI_NONE || a == b) {
            continue;
        }
        const gali_size_range ranges[] = {{.symbol = b, .other = a, .same = 1},
                                          {.symbol = b, .other = a, .least = 1, .most = 1},
                                          {.symbol = a, .other = b, .least = 1, .most = 1}};
        if (!multiply(p, ranges, 3)) {
            return;
        }
    }
}

/* ---- steps ---- */

/* Elements that a group's stages make, and what their sums add up, at typical sizes. */
static double steps_of(const gali_program *p, uint32_t group) {
    double all = 0;
    for (uint32_t i = gali_program_group_first(p, group); i != GALI_NONE; i = gali_program_group_next(p, i)) {
        const gali_program_stage *stage = &p->stages[i];
        double steps = 1;
        for (uint32_t d = 0; d < stage->rank + stage->reduced; d++) {
            steps *= (double)gali_extent_value(p->graph->extents, stage->extent[d], p->typical);
        }
        all += steps;
    }
    return all;
}

gal_status gali_program_add_versions(gali_program *p, const gali_size_parts *list, uint32_t count,
                                     gal_error *error) {
    gal_status status = GAL_OK;
    p->versions = gali_arena_take(p->arena, GALI_PROGRAM_VERSIONS_MAX * sizeof *p->versions);
    if (!p->versions) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for versions of groups");
    }
    p->versions[0] = (gali_program_version){.count = 0};
    p->version_count = 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t symbol = list[i].count > 1 ? symbol_of(p, list[i].name) : GALI_NONE;
        if (symbol != GALI_NONE && !multiply_parts(p, &list[i], symbol)) {
            return gali_fail(error, GAL_BAD_ARGUMENT,
                             "--sizes: more than %d versions: the product of the ranges of at most %d sizes",
                             GALI_PROGRAM_VERSIONS_MAX, GALI_PROGRAM_VERSION_SIZES_MAX);
        }
    }
    multiply_broadcast(p);
    p->version_count = p->version_count > 1 ? p->version_count : 0;
    p->steps_typical = 0;
    for (uint32_t group = 0; group < p->group_count && p->version_count; group++) {
        p->steps_typical += steps_of(p, group);
    }
    for (uint32_t v = 0; v < p->version_count && status == GAL_OK; v++) {
        gali_program_version *version = &p->versions[v];
        status = gali_program_narrow(p, version->range, version->count, &version->narrow, error);
    }
    return status;
}

/* ---- of a group ---- */

static int has_size(const gali_program *p, uint32_t group, uint32_t symbol) {
    int has = 0;
    const uint32_t first = gali_program_group_first(p, group);
    for (uint32_t i = first; i != GALI_NONE && !has; i = gali_program_group_next(p, i)) {
        const gali_program_stage *stage = &p->stages[i];
        for (uint32_t d = 0; d < stage->rank + stage->reduced; d++) {
            has |= gali_extent_has(p->graph->extents, stage->extent[d], symbol);
        }
    }
    return has;
}

int gali_program_group_has(const gali_program *p, uint32_t group, const gali_size_range *range) {
    return has_size(p, group, range->symbol) && (range->other == GALI_NONE || has_size(p, group, range->other));
}

/* Whether two versions have the same ranges of the sizes that a group has. */
static int is_alike(const gali_program *p, uint32_t group, const gali_program_version *a,
                    const gali_program_version *b) {
    for (uint32_t i = 0; i < a->count; i++) { /* of the same sizes, in the same order */
        const gali_size_range *x = &a->range[i], *y = &b->range[i];
        int same = x->symbol == y->symbol && x->same == y->same && x->least == y->least;
        if (!same && gali_program_group_has(p, group, x)) { /* with x, y's are there, too */
            return 0;
        }
    }
    return 1;
}

uint32_t gali_program_group_versions(const gali_program *p, uint32_t group,
                                     uint32_t versions[GALI_PROGRAM_VERSIONS_MAX]) {
    uint32_t count = 0;
    int hot = p->version_count > 1 && steps_of(p, group) >= HOT * p->steps_typical;
    for (uint32_t v = 0; hot && v < p->version_count; v++) {
        uint32_t k = 0;
        while (k < count && !is_alike(p, group, &p->versions[v], &p->versions[versions[k]])) {
            k++;
        }
        if (k == count) {
            versions[count++] = v;
        }
    }
    return count;
}
