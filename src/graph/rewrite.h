/*
 * A graph rewritten by rules (rules.def). What is there twice becomes one first. Then the graph is partitioned: operators
 * that no rule speaks of divide it, and so does a count. In a partition the rule is used that saves the most multiply-adds
 * (work.h), of those that save as many the one whose nodes read the fewest elements, until none saves any (dissertation on
 * DNNFusion, section 3.4.2).
 */
#ifndef GALI_GRAPH_REWRITE_H
#define GALI_GRAPH_REWRITE_H

#include "graph/graph.h"

typedef enum gali_rewrite {
#define RULE(name, ...) GALI_REWRITE_##name,
#define CODED(name, ...) GALI_REWRITE_##name,
#include "graph/rules.def"
#undef RULE
#undef CODED
    GALI_REWRITE_COUNT
} gali_rewrite;

/* What a rule follows from. */
typedef enum gali_property {
    GALI_NEUTRAL,
    GALI_SPELLED,
    GALI_ASSOCIATIVE,
    GALI_DISTRIBUTIVE,
    GALI_COMMUTATIVE
} gali_property;

typedef struct gali_rewrite_facts {
    const char *name;
    gali_property property;
    int rounds, fast;
    const char *holds, *where;
    const char *before, *after; /* patterns (pattern.h); NULL: it is code */
    const char *meaning;
} gali_rewrite_facts;

extern const gali_rewrite_facts gali_rewrite_list[GALI_REWRITE_COUNT];

/*
 * Rewrites an inferred graph and the bodies in it, each by itself, in place: types and known integers stay what they were. fast: by rules that are
 * for speed alone, too. counts: how often each rule was used, added to. Nodes that came to nothing are gone, so numbers of
 * nodes change. GAL_NO_MEMORY.
 */
gal_status gali_graph_rewrite(gali_graph *graph, int fast, uint32_t counts[GALI_REWRITE_COUNT],
                              gal_error *error);

#endif
