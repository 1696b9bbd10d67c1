/* A graph rewritten by rules (rules.def) until none fits. */
#ifndef GALI_GRAPH_REWRITE_H
#define GALI_GRAPH_REWRITE_H

#include "graph/graph.h"

typedef enum gali_rewrite {
#define RULE(name, rounds, fast, holds, meaning) GALI_REWRITE_##name,
#include "graph/rules.def"
#undef RULE
    GALI_REWRITE_COUNT
} gali_rewrite;

typedef struct gali_rewrite_facts {
    const char *name;
    int rounds, fast;
    const char *holds, *meaning;
} gali_rewrite_facts;

extern const gali_rewrite_facts gali_rewrite_list[GALI_REWRITE_COUNT];

/*
 * Rewrites an inferred graph, bodies apart, in place: types and known integers stay what they were. fast: by rules that are
 * for speed alone, too. counts: how often each rule was used, added to. Nodes that came to nothing are gone, so numbers of
 * nodes change. GAL_NO_MEMORY.
 */
gal_status gali_graph_rewrite(gali_graph *graph, int fast, uint32_t counts[GALI_REWRITE_COUNT],
                              gal_error *error);

#endif
