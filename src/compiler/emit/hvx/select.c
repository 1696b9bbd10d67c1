#include "compiler/emit/hvx/select.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { FORMS = GALI_SELECT_FORMS, TURNS = 16 };

/* How an operator was taken away: what its neighbours' forms say about its own. */
typedef struct taken {
    uint32_t node, neighbours[2]; /* itself where there is none */
    uint8_t best[FORMS][FORMS];   /* [form of the first][of the second] */
} taken;

/* The graph on its way to nothing. Between two operators there is one edge. */
typedef struct search {
    uint32_t node_count, edge_count, taken_count;
    int64_t (*nodes)[FORMS];
    uint8_t *gone;           /* [node_count] */
    gali_select_edge *edges; /* those that are left, in any order */
    taken *taken;            /* [node_count] in the order in which they went */
    uint32_t *core;          /* [core_count] what cannot be taken away, in the graph's order */
    uint32_t core_count;
    uint8_t *forms;
    uint64_t work;
} search;

static int64_t edge_cost(const gali_select_edge *edge, uint32_t node, uint32_t form, uint32_t other) {
    return edge->from == node ? edge->cost[form][other] : edge->cost[other][form];
}

static uint32_t other_end(const gali_select_edge *edge, uint32_t node) {
    return edge->from == node ? edge->to : edge->from;
}

/* Adds an edge, to the one that is there between its ends if there is. */
static void add_edge(search *s, const gali_select_edge *edge) {
    for (uint32_t e = 0; e < s->edge_count; e++) {
        gali_select_edge *old = &s->edges[e];
        if ((old->from == edge->from && old->to == edge->to) ||
            (old->from == edge->to && old->to == edge->from)) {
            for (uint32_t i = 0; i < FORMS * FORMS; i++) {
                old->cost[i / FORMS][i % FORMS] += edge_cost(edge, old->from, i / FORMS, i % FORMS);
            }
            return;
        }
    }
    s->edges[s->edge_count++] = *edge;
}

/* The first three edges of an operator; returns how many it has, at most three. */
static uint32_t edges_of(const search *s, uint32_t node, uint32_t edges[3]) {
    uint32_t count = 0;
    for (uint32_t e = 0; e < s->edge_count && count < 3; e++) {
        if (s->edges[e].from == node || s->edges[e].to == node) {
            edges[count++] = e;
        }
    }
    return count;
}

static void drop_edge(search *s, uint32_t e) {
    s->edges[e] = s->edges[--s->edge_count];
}

/* What the operator costs at best beside neighbours of forms j and k. */
static int64_t best_between(search *s, const gali_select_edge *const edges[2], uint32_t node, uint32_t j,
                            uint32_t k, uint8_t *form) {
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < FORMS; i++) {
        int64_t cost = s->nodes[node][i];
        cost += edges[0] ? edge_cost(edges[0], node, i, j) : 0;
        cost += edges[1] ? edge_cost(edges[1], node, i, k) : 0;
        s->work++;
        if (cost < least) {
            least = cost;
            *form = (uint8_t)i;
        }
    }
    return least;
}

/* Takes an operator of at most two edges away: its cost becomes its neighbour's, or that of the edge between its two. */
static void take(search *s, uint32_t node, const uint32_t *at, uint32_t count) {
    const gali_select_edge *edges[2] = {count > 0 ? &s->edges[at[0]] : NULL,
                                        count > 1 ? &s->edges[at[1]] : NULL};
    taken *t = &s->taken[s->taken_count++];
    *t = (taken){.node = node, .neighbours = {node, node}};
    for (uint32_t i = 0; i < count; i++) {
        t->neighbours[i] = other_end(edges[i], node);
    }
    gali_select_edge between = {.from = t->neighbours[0], .to = t->neighbours[1]};
    for (uint32_t j = 0; j < FORMS; j++) {
        for (uint32_t k = 0; k < FORMS; k++) {
            between.cost[j][k] = best_between(s, edges, node, j, k, &t->best[j][k]);
        }
        if (count == 1) {
            s->nodes[t->neighbours[0]][j] += between.cost[j][0];
        }
    }
    for (uint32_t i = count; i-- > 0;) { /* the later one first: dropping moves the last into its place */
        drop_edge(s, at[i]);
    }
    if (count == 2) {
        add_edge(s, &between);
    }
    s->gone[node] = 1;
}

/*
 * An operator whose form is clear: in it, it costs no more than in any other whatever its neighbours choose. Then its edges
 * are its neighbours' own costs.
 */
static int is_clear(search *s, uint32_t node, uint32_t form) {
    for (uint32_t other = 0; other < FORMS; other++) {
        int64_t gain = s->nodes[node][form] - s->nodes[node][other];
        for (uint32_t e = 0; e < s->edge_count && other != form; e++) {
            if (s->edges[e].from == node || s->edges[e].to == node) {
                int64_t most = INT64_MIN;
                for (uint32_t j = 0; j < FORMS; j++) {
                    const int64_t more =
                        edge_cost(&s->edges[e], node, form, j) - edge_cost(&s->edges[e], node, other, j);
                    most = more > most ? more : most;
                }
                gain += most;
                s->work += FORMS;
            }
        }
        if (other != form && gain > 0) {
            return 0;
        }
    }
    return 1;
}

static void settle(search *s, uint32_t node, uint32_t form) {
    for (uint32_t e = s->edge_count; e-- > 0;) {
        if (s->edges[e].from == node || s->edges[e].to == node) {
            const uint32_t other = other_end(&s->edges[e], node);
            for (uint32_t j = 0; j < FORMS; j++) {
                s->nodes[other][j] += edge_cost(&s->edges[e], node, form, j);
            }
            drop_edge(s, e);
        }
    }
    taken *t = &s->taken[s->taken_count++];
    *t = (taken){.node = node, .neighbours = {node, node}};
    memset(t->best, (int)form, sizeof t->best);
    s->gone[node] = 1;
}

static int reduce_node(search *s, uint32_t node) {
    uint32_t edges[3];
    const uint32_t count = edges_of(s, node, edges);
    if (count < 3) {
        take(s, node, edges, count);
        return 1;
    }
    for (uint32_t form = 0; form < FORMS; form++) {
        if (is_clear(s, node, form)) {
            settle(s, node, form);
            return 1;
        }
    }
    return 0;
}

/* Takes away what can be, until nothing can; what is left is the core. */
static void reduce(search *s) {
    for (int changed = 1; changed;) {
        changed = 0;
        for (uint32_t n = 0; n < s->node_count; n++) {
            changed |= !s->gone[n] && reduce_node(s, n);
        }
    }
    for (uint32_t n = 0; n < s->node_count; n++) {
        if (!s->gone[n]) {
            s->core[s->core_count++] = n;
        }
    }
}

/* A part of the core under search: its operators' edges to each other by place, all others added to their own costs. */
typedef struct part {
    uint32_t count;
    int64_t own[GALI_SELECT_PART_MAX][FORMS],
        rest[GALI_SELECT_PART_MAX + 1]; /* rest: the least of all from there on */
    int64_t edge[GALI_SELECT_PART_MAX][GALI_SELECT_PART_MAX][FORMS][FORMS];
    uint8_t now[GALI_SELECT_PART_MAX], best[GALI_SELECT_PART_MAX];
    int64_t least;
    uint64_t work;
} part;

static void search_part(part *p, uint32_t at, int64_t cost) {
    if (at == p->count) {
        p->least = cost;
        memcpy(p->best, p->now, sizeof p->best);
        return;
    }
    for (uint32_t form = 0; form < FORMS; form++) {
        int64_t more = cost + p->own[at][form];
        for (uint32_t i = 0; i < at; i++) {
            more += p->edge[i][at][p->now[i]][form];
        }
        p->work++;
        if (more + p->rest[at + 1] < p->least) {
            p->now[at] = (uint8_t)form;
            search_part(p, at + 1, more);
        }
    }
}

/* Where an operator stands in a part of the core, or count. */
static uint32_t place_in(const search *s, uint32_t first, uint32_t count, uint32_t node) {
    uint32_t i = 0;
    while (i < count && s->core[first + i] != node) {
        i++;
    }
    return i;
}

static void add_to_part(const search *s, part *p, const gali_select_edge *edge, uint32_t first) {
    const uint32_t a = place_in(s, first, p->count, edge->from), b = place_in(s, first, p->count, edge->to);
    for (uint32_t i = 0; i < FORMS; i++) {
        for (uint32_t j = 0; j < FORMS && a < p->count && b < p->count; j++) {
            p->edge[a < b ? a : b][a < b ? b : a][i][j] += a < b ? edge->cost[i][j] : edge->cost[j][i];
        }
        if (a < p->count && b == p->count) {
            p->own[a][i] += edge->cost[i][s->forms[edge->to]];
        } else if (b < p->count && a == p->count) {
            p->own[b][i] += edge->cost[s->forms[edge->from]][i];
        }
    }
}

/* What an operator of a part adds at least to what those before it cost. */
static int64_t least_of(const part *p, uint32_t i) {
    int64_t least = INT64_MAX;
    for (uint32_t form = 0; form < FORMS; form++) {
        int64_t cost = p->own[i][form];
        for (uint32_t j = 0; j < i; j++) {
            int64_t edge = p->edge[j][i][0][form];
            edge = p->edge[j][i][1][form] < edge ? p->edge[j][i][1][form] : edge;
            cost += p->edge[j][i][2][form] < edge ? p->edge[j][i][2][form] : edge;
        }
        least = cost < least ? cost : least;
    }
    return least;
}

/* The forms that there are: what another choice must be less than. Returns their cost. */
static int64_t keep_current(const search *s, part *p, uint32_t first) {
    int64_t cost = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        p->best[i] = s->forms[s->core[first + i]];
        cost += p->own[i][p->best[i]];
        for (uint32_t j = 0; j < i; j++) {
            cost += p->edge[j][i][p->best[j]][p->best[i]];
        }
    }
    return cost;
}

/* The best forms of `count` operators of the core from the first on, all others being as they are; whether one changed. */
static int improve(search *s, part *p, uint32_t first, uint32_t count) {
    memset(p, 0, sizeof *p);
    p->count = count;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(p->own[i], s->nodes[s->core[first + i]], sizeof p->own[i]);
    }
    for (uint32_t e = 0; e < s->edge_count; e++) {
        add_to_part(s, p, &s->edges[e], first);
    }
    for (uint32_t i = count; i-- > 0;) {
        p->rest[i] = p->rest[i + 1] + least_of(p, i);
    }
    p->least = keep_current(s, p, first);
    search_part(p, 0, 0);
    s->work += p->work;
    int changed = 0;
    for (uint32_t i = 0; i < count; i++) {
        changed |= s->forms[s->core[first + i]] != p->best[i];
        s->forms[s->core[first + i]] = p->best[i];
    }
    return changed;
}

/* Where a search of the core begins: all operators in one form, or each in what is least for it alone. */
static void begin(search *s, uint32_t start) {
    for (uint32_t i = 0; i < s->core_count; i++) {
        const int64_t *cost = s->nodes[s->core[i]];
        const uint32_t form = cost[1] < cost[0];
        s->forms[s->core[i]] = (uint8_t)(start < FORMS ? start : cost[2] < cost[form] ? 2 : form);
    }
}

static int64_t core_cost(const search *s) {
    int64_t cost = 0;
    for (uint32_t i = 0; i < s->core_count; i++) {
        cost += s->nodes[s->core[i]][s->forms[s->core[i]]];
    }
    for (uint32_t e = 0; e < s->edge_count; e++) {
        cost += s->edges[e].cost[s->forms[s->edges[e].from]][s->forms[s->edges[e].to]];
    }
    return cost;
}

/* Parts that overlap by half, again until none changes. */
static void search_parts(search *s, part *p, uint32_t most) {
    const uint32_t step = most > 1 ? most / 2 : 1;
    int changed = 1;
    for (uint32_t turn = 0; changed && turn < TURNS; turn++) {
        changed = 0;
        for (uint32_t first = 0; first < s->core_count; first += step) {
            const uint32_t left = s->core_count - first;
            changed |= improve(s, p, first, left < most ? left : most);
        }
    }
}

/* From each beginning, as a search by parts may end where no part alone gains; the best end stays, in `kept`. */
static void search_core(search *s, part *p, uint32_t most, uint8_t *kept) {
    int64_t least = INT64_MAX;
    begin(s, FORMS);
    if (s->core_count <= most) {
        improve(s, p, 0, s->core_count);
        return;
    }
    for (uint32_t start = 0; start <= FORMS; start++) {
        begin(s, start);
        search_parts(s, p, most);
        const int64_t cost = core_cost(s);
        if (cost < least) {
            least = cost;
            memcpy(kept, s->forms, s->node_count);
        }
    }
    memcpy(s->forms, kept, s->node_count);
}

static void give_back(search *s) {
    for (uint32_t i = s->taken_count; i-- > 0;) {
        const taken *t = &s->taken[i];
        const uint32_t a = t->neighbours[0], b = t->neighbours[1];
        s->forms[t->node] = t->best[a == t->node ? 0 : s->forms[a]][b == t->node ? 0 : s->forms[b]];
    }
}

int64_t gali_select_cost(const gali_select_graph *graph, const uint8_t *forms) {
    int64_t cost = 0;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        cost += graph->nodes[n][forms[n]];
    }
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        const gali_select_edge *edge = &graph->edges[e];
        cost += edge->cost[forms[edge->from]][forms[edge->to]];
    }
    return cost;
}

static gal_status check(const gali_select_graph *graph, uint32_t most, gal_error *error) {
    if (graph->node_count > GALI_SELECT_NODES_MAX || most < 1 || most > GALI_SELECT_PART_MAX) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "%u operators in parts of %u: at most %d in 1..%d",
                         graph->node_count, most, GALI_SELECT_NODES_MAX, GALI_SELECT_PART_MAX);
    }
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        const gali_select_edge *edge = &graph->edges[e];
        if (edge->from >= graph->node_count || edge->to >= graph->node_count || edge->from == edge->to) {
            return gali_fail(error, GAL_BAD_ARGUMENT, "edge %u: from %u to %u of %u operators", e, edge->from,
                             edge->to, graph->node_count);
        }
    }
    return GAL_OK;
}

static void run(search *s, const gali_select_graph *graph, part *p, uint32_t most) {
    memcpy(s->nodes, graph->nodes, graph->node_count * sizeof *s->nodes);
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        add_edge(s, &graph->edges[e]);
    }
    reduce(s);
    search_core(s, p, most, s->gone); /* nothing asks who has gone any more */
    give_back(s);
}

gal_status gali_select_forms(const gali_select_graph *graph, uint32_t most, uint8_t *forms,
                             gali_select_plan *plan, gal_error *error) {
    gal_status status = check(graph, most, error);
    if (status != GAL_OK) {
        return status;
    }
    const size_t nodes = graph->node_count + 1u, edges = graph->edge_count + 1u;
    search s = {.node_count = graph->node_count, .forms = forms};
    s.nodes = calloc(nodes, sizeof *s.nodes);
    s.gone = calloc(nodes, sizeof *s.gone);
    s.edges = calloc(edges, sizeof *s.edges);
    s.taken = calloc(nodes, sizeof *s.taken);
    s.core = calloc(nodes, sizeof *s.core);
    part *p = malloc(sizeof *p);
    if (s.nodes && s.gone && s.edges && s.taken && s.core && p) {
        run(&s, graph, p, most);
        *plan = (gali_select_plan){gali_select_cost(graph, forms), s.work, s.core_count <= most};
    } else {
        status =
            gali_fail(error, GAL_NO_MEMORY, "no memory to choose forms of %u operators", graph->node_count);
    }
    free(s.nodes);
    free(s.gone);
    free(s.edges);
    free(s.taken);
    free(s.core);
    free(p);
    return status;
}
