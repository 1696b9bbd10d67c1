#include "compiler/packer/pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t OPEN = UINT32_MAX; /* no packet yet; no instruction */

typedef struct state {
    const gali_block_graph *graph;
    gali_packing *packing;
    double weight, penalty; /* penalty: what each costs, as a share of graph.h's; 0: they are not seen */
    uint32_t chosen[GALI_PACKET_MAX], count; /* of the packet that is filled */
    uint32_t *waits;                         /* [count]: for how many that depend on it and are not packed */
} state;

/* ---- what may join a packet ---- */

static int is_open(const state *self, uint32_t i) {
    return self->packing->packet[i] == OPEN;
}

/* Whether all that depends on i stands in later packets, or in this one where that is soft. */
static int is_free(const state *self, uint32_t i) {
    for (uint32_t k = 0; k < self->count && !self->waits[i]; k++) {
        if (i < self->chosen[k] && gali_block_edge(self->graph, i, self->chosen[k]) == GALI_DEPENDENCE_HARD) {
            return 0;
        }
    }
    return !self->waits[i];
}

/* The forms that an instruction takes beside count others. */
static unsigned forms_beside(const gali_block_graph *graph, uint32_t i, const uint32_t *others,
                             uint32_t count) {
    unsigned forms = GALI_PACKER_FORM_PLAIN;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t j = others[k];
        const gali_dependence from = j < i ? gali_block_edge(graph, j, i) : GALI_DEPENDENCE_NONE;
        const gali_dependence to = i < j ? gali_block_edge(graph, i, j) : GALI_DEPENDENCE_NONE;
        forms |= to == GALI_DEPENDENCE_CURRENT ? GALI_PACKER_FORM_CURRENT : 0;
        forms |= from == GALI_DEPENDENCE_NEW_VALUE ? GALI_PACKER_FORM_NEW_VALUE : 0;
        forms |= from == GALI_DEPENDENCE_NEW_TEST ? GALI_PACKER_FORM_NEW_TEST : 0;
    }
    return forms;
}

/* Every reader in a packet sees a .cur: one that wants the vector's value from before may not be there. */
static int hides_old(const gali_block_graph *graph, uint32_t load, const uint32_t *members, uint32_t count) {
    const gali_instruction *loads = graph->instructions[load];
    for (uint32_t k = 0; k < count; k++) {
        if (members[k] < load && (graph->instructions[members[k]]->reads.vector & loads->writes.vector)) {
            return 1;
        }
    }
    return 0;
}

/* number: of the packet, from the end. A loop is set up with one word as far from its start as it was, and nearer. */
static int packet_holds(const gali_block_graph *graph, const uint32_t *members, uint32_t count,
                        uint32_t number) {
    gali_packet_entry entries[GALI_PACKET_MAX];
    for (uint32_t k = 0; k < count; k++) {
        entries[k].instruction = graph->instructions[members[k]];
        entries[k].is_far =
            entries[k].instruction->unit == GALI_PACKER_loop && number > entries[k].instruction->found_at;
        entries[k].forms = forms_beside(graph, members[k], members, count);
        if ((entries[k].forms & GALI_PACKER_FORM_CURRENT) && hides_old(graph, members[k], members, count)) {
            return 0;
        }
    }
    return gali_packet_holds(entries, count);
}

static int can_join(state *self, uint32_t i) {
    uint32_t members[GALI_PACKET_MAX];
    memcpy(members, self->chosen, sizeof members);
    members[self->count] = i;
    return is_open(self, i) && is_free(self, i) &&
           packet_holds(self->graph, members, self->count + 1, self->packing->packets);
}

/* ---- the score ---- */

static int highest_latency(const state *self) {
    int highest = 0;
    for (uint32_t k = 0; k < self->count; k++) {
        const int latency = gali_packer_latency(self->graph->instructions[self->chosen[k]]->unit);
        highest = latency > highest ? latency : highest;
    }
    return highest;
}

/* Equation 4.4, less what its soft dependences in the packet cost. */
static double score(const state *self, uint32_t i) {
    const int latency = gali_packer_latency(self->graph->instructions[i]->unit);
    double sum = (double)(self->graph->order[i] + self->graph->before[i]) * self->weight -
                 abs(highest_latency(self) - latency) * (1 - self->weight);
    for (uint32_t k = 0; k < self->count; k++) {
        if (i < self->chosen[k]) {
            sum -= self->penalty * gali_dependence_penalty(gali_block_edge(self->graph, i, self->chosen[k]));
        }
    }
    return sum;
}

/* ---- the packing ---- */

/* The last instruction of the critical path of what is left; OPEN where nothing is. */
static uint32_t find_seed(const state *self) {
    uint32_t seed = OPEN, longest = 0;
    for (uint32_t i = self->graph->count; i-- > 0;) {
        const uint32_t path =
            self->graph->order[i] + (uint32_t)gali_packer_latency(self->graph->instructions[i]->unit);
        if (is_open(self, i) && is_free(self, i) && path > longest) {
            seed = i;
            longest = path;
        }
    }
    return seed;
}

static uint32_t select_instruction(state *self) {
    uint32_t best = OPEN;
    double most = 0;
    for (uint32_t i = self->graph->count; i-- > 0;) {
        if (can_join(self, i)) {
            const double found = score(self, i);
            if (best == OPEN || found > most) {
                best = i;
                most = found;
            }
        }
    }
    return best;
}

static void join(state *self, uint32_t i) {
    self->chosen[self->count++] = i;
    self->packing->packet[i] = self->packing->packets;
    for (uint32_t k = 0; k < i; k++) {
        self->waits[k] -= gali_block_edge(self->graph, k, i) != GALI_DEPENDENCE_NONE;
    }
}

static void fill_packet(state *self, uint32_t seed) {
    join(self, seed);
    while (self->count < GALI_PACKET_MAX) {
        const uint32_t next = select_instruction(self);
        if (next == OPEN) {
            break;
        }
        join(self, next);
    }
    for (uint32_t k = 0; k < self->count; k++) {
        self->packing->forms[self->chosen[k]] =
            (uint8_t)forms_beside(self->graph, self->chosen[k], self->chosen, self->count);
    }
    self->packing->packets++;
    self->count = 0;
}

int gali_pack(const gali_block_graph *graph, double weight, double penalty, gali_packing *packing,
              gali_arena *arena) {
    state self = {.graph = graph, .packing = packing, .weight = weight, .penalty = penalty};
    packing->packets = 0;
    packing->packet = gali_arena_take(arena, (graph->count + 1) * sizeof *packing->packet);
    packing->forms = gali_arena_take(arena, graph->count + 1);
    self.waits = gali_arena_take(arena, (graph->count + 1) * sizeof *self.waits);
    if (arena->failed) {
        return 0;
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        packing->packet[i] = OPEN;
        for (uint32_t j = i + 1; j < graph->count; j++) {
            self.waits[i] += gali_block_edge(graph, i, j) != GALI_DEPENDENCE_NONE;
        }
    }
    for (uint32_t seed = find_seed(&self); seed != OPEN; seed = find_seed(&self)) {
        fill_packet(&self, seed);
    }
    return 1;
}

/* What the soft dependences within its packets cost, by the penalties. */
static uint32_t cost_of(const gali_block_graph *graph, const gali_packing *packing) {
    uint32_t cost = 0;
    for (uint32_t j = 0; j < graph->count; j++) {
        for (uint32_t i = 0; i < j; i++) {
            const int together = packing->packet[i] == packing->packet[j];
            cost += together ? (uint32_t)gali_dependence_penalty(gali_block_edge(graph, i, j)) : 0;
        }
    }
    return cost;
}

int gali_pack_best(const gali_block_graph *graph, int penalise, gali_packing *packing, gali_arena *arena) {
    static const double weights[] = {0.7, 0.9, 0.5, 0.3, 0.1, 1.0}, penalties[] = {1, 4, 0.25, 0};
    const size_t count = sizeof weights / sizeof weights[0], ways = penalise ? 4 * count : count;
    for (size_t i = 0; i < ways; i++) {
        gali_packing one;
        if (!gali_pack(graph, weights[i % count], penalise ? penalties[i / count] : 0, &one, arena)) {
            return 0;
        }
        one.cost = cost_of(graph, &one);
        if (!i || one.packets < packing->packets ||
            (penalise && one.packets == packing->packets && one.cost < packing->cost)) {
            *packing = one;
        }
    }
    return 1;
}

/* ---- the bound ---- */

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static uint32_t half(uint32_t count) {
    return (count + 1) / 2;
}

int gali_pack_bound(const gali_block_graph *graph, gali_arena *arena, uint32_t *packets) {
    uint32_t words = 0, memory = 0, loads = 0, stores = 0, upper = 0, multipliers = 0, units = 0;
    if (!gali_block_chain(graph, arena, packets)) {
        return 0;
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        const gali_instruction *it = graph->instructions[i];
        words += it->words;
        memory += it->is_load || it->is_store;
        loads += it->is_load && it->is_vector;
        stores += it->is_store && it->is_vector;
        units += gali_packet_units(it);
        upper += !(gali_packer_slots(it->unit) & 3);
        multipliers += it->unit == GALI_PACKER_vector_multiply ? 1 : 0;
        multipliers += it->unit == GALI_PACKER_vector_multiply_both ? 2 : 0;
    }
    *packets = larger(*packets, larger(larger((words + 3) / 4, half(memory)), larger(loads, stores)));
    *packets = larger(*packets, larger(larger(half(upper), half(multipliers)), (units + 3) / 4));
    return 1;
}

/* ---- text ---- */

/* What the steps that stood before the access, and now do not, would have added to its base; less those that now do. */
static int32_t missing_steps(const gali_block_graph *graph, const gali_packing *packing, uint32_t i) {
    int32_t sum = 0;
    for (uint32_t k = 0; graph->is_folded[i] && k < graph->count; k++) {
        if (graph->instructions[k]->step_register == graph->instructions[i]->base) {
            const int32_t step = graph->instructions[k]->step;
            sum += (k < i ? step : 0) - (packing->packet[k] > packing->packet[i] ? step : 0);
        }
    }
    return sum;
}

void gali_packing_text(const gali_block_graph *graph, const gali_packing *packing, uint32_t instruction,
                       gali_text *text) {
    const gali_instruction *it = graph->instructions[instruction];
    const unsigned forms = packing->forms[instruction];
    const int32_t missing = missing_steps(graph, packing, instruction);
    const char *at = it->text;
    if (forms & (GALI_PACKER_FORM_CURRENT | GALI_PACKER_FORM_NEW_TEST)) {
        const size_t head = strcspn(at, forms & GALI_PACKER_FORM_CURRENT ? " " : ")");
        gali_text_add_bytes(text, at, head);
        gali_text_add(text, forms & GALI_PACKER_FORM_CURRENT ? ".cur" : ".new");
        at += head;
    }
    if (missing) {
        const char *hash = strchr(at, '#');
        gali_text_add_bytes(text, at, (size_t)(hash - at));
        gali_text_add(text, "#%d", (int)((it->offset + missing) / (it->width == 128 ? 128 : 1)));
        at = hash + 1 + strspn(hash + 1, "-0123456789");
    }
    gali_text_add(text, "%s%s", at, forms & GALI_PACKER_FORM_NEW_VALUE ? ".new" : "");
}
