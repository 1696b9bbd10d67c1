#include "compiler/packer/graph.h"

#include <string.h>

/* Where an access lies, as far as the block tells: some register's value at some moment, and bytes from there. */
typedef struct place {
    uint32_t root; /* 0: not known */
    int64_t offset;
    int32_t width;
    int is_rounded; /* down to a whole vector's address */
} place;

typedef struct making {
    gali_block_graph *graph;
    place *places; /* [count], of accesses */
    gali_packer_soft soft;
} making;

static int is_memory(const gali_instruction *instruction) {
    return instruction->is_load || instruction->is_store;
}

static int is_rounded(const gali_instruction *access) {
    return access->unit == GALI_PACKER_vector_load || access->unit == GALI_PACKER_vector_store;
}

/* ---- memory ---- */

/* Follows registers through the block: each write of one begins a new root, a step moves on from its root. */
static void find_places(making *self) {
    uint32_t roots[32], next = 1;
    int64_t offsets[32] = {0};
    for (uint32_t r = 0; r < 32; r++) {
        roots[r] = next++;
    }
    for (uint32_t i = 0; i < self->graph->count; i++) {
        const gali_instruction *it = self->graph->instructions[i];
        if (is_memory(it) && it->base >= 0) {
            const int64_t offset = it->address == GALI_PACKER_ADDRESS_OFFSET ? it->offset : 0;
            self->places[i] = (place){roots[it->base], offsets[it->base] + offset, it->width, is_rounded(it)};
        }
        for (uint32_t r = 0; r < 32; r++) {
            if (!(it->writes.scalar >> r & 1)) {
                continue;
            }
            if (it->step_register == (int8_t)r) {
                offsets[r] += it->step;
            } else {
                roots[r] = next++;
                offsets[r] = 0;
            }
        }
    }
}

/* Whether two accesses may touch one byte. One that is rounded down reaches back by up to 127. */
static int may_meet(const place *a, const place *b) {
    const int64_t apart = b->offset - a->offset;
    if (!a->root || a->root != b->root) {
        return 1;
    }
    if (a->is_rounded && b->is_rounded && apart % 128 == 0) {
        return apart == 0;
    }
    return apart < a->width + (b->is_rounded ? 127 : 0) && -apart < b->width + (a->is_rounded ? 127 : 0);
}

static gali_dependence memory_dependence(const making *self, uint32_t i, uint32_t j) {
    const gali_instruction *a = self->graph->instructions[i], *b = self->graph->instructions[j];
    if (!is_memory(a) || !is_memory(b) || (a->is_load && b->is_load) ||
        !may_meet(&self->places[i], &self->places[j])) {
        return GALI_DEPENDENCE_NONE;
    }
    const int were_together =
        a->is_store && b->is_store && a->found_at == b->found_at; /* a packet stores in order */
    return a->is_load || were_together ? GALI_DEPENDENCE_BEFORE : GALI_DEPENDENCE_HARD;
}

/* ---- addresses that can follow a step ---- */

/* Whether an access's offset can become any sum of its own and what is between least and most. */
static int offset_reaches(const gali_instruction *it, int64_t least, int64_t most) {
    const int32_t fields = it->width == 128 ? 8 : 1024;
    return least % it->width == 0 && most % it->width == 0 &&
           it->offset + least >= -fields * (int64_t)it->width &&
           it->offset + most < fields * (int64_t)it->width;
}

static int can_fold(const making *self, uint32_t i) {
    const gali_instruction *it = self->graph->instructions[i];
    int64_t least = 0, most = 0;
    const uint64_t base = (uint64_t)1 << (it->base & 31);
    if (it->address != GALI_PACKER_ADDRESS_OFFSET || it->is_conditional || !strchr(it->text, '#') ||
        (it->is_store && it->value < 0) || (it->is_store && !it->is_vector && it->value == it->base) ||
        (it->writes.scalar & base) || it->unit == GALI_PACKER_vector_load_unaligned ||
        it->unit == GALI_PACKER_vector_store_unaligned) {
        return 0;
    }
    for (uint32_t k = 0; k < self->graph->count; k++) {
        const gali_instruction *step = self->graph->instructions[k];
        if (step->step_register == it->base) {
            if (step->step % it->width) {
                return 0;
            }
            least += k < i ? (step->step < 0 ? step->step : 0) : (step->step > 0 ? -step->step : 0);
            most += k < i ? (step->step > 0 ? step->step : 0) : (step->step < 0 ? -step->step : 0);
        }
    }
    return (least || most) && offset_reaches(it, least, most);
}

/* Whether all that orders the two by registers is a step of an address that the other one follows. */
static int is_folded_away(const making *self, uint32_t access, uint32_t step) {
    const gali_instruction *a = self->graph->instructions[access], *b = self->graph->instructions[step];
    return self->graph->is_folded[access] && b->step_register == a->base && self->soft != GALI_PACKER_SOFT_HARD;
}

/* ---- registers ---- */

static gali_registers without(gali_registers a, int8_t number) {
    a.scalar &= ~((uint64_t)1 << number);
    return a;
}

static int count_registers(gali_registers a) {
    int count = 0;
    for (int i = 0; i < 64; i++) {
        count += (int)(a.scalar >> i & 1) + (int)(a.vector >> i & 1);
    }
    return count;
}

static gali_registers common(gali_registers a, gali_registers b) {
    return (gali_registers){a.scalar & b.scalar, a.vector & b.vector};
}

/* How b takes what a makes in the same packet, where it can: all that it takes of a must go by that form. */
static gali_dependence forward(const gali_instruction *a, const gali_instruction *b) {
    const gali_registers taken = common(a->writes, b->reads);
    if (a->is_conditional || a->is_pair || count_registers(taken) != 1) {
        return GALI_DEPENDENCE_HARD;
    }
    const int is_value = b->is_store && b->value >= 0 && gali_registers_hold(taken, b->is_vector, b->value);
    if (a->is_comparison && !a->is_jump && b->predicate >= 0 &&
        gali_registers_hold(taken, 0, GALI_PACKER_P + b->predicate)) {
        return b->is_vector || strstr(b->text, "call ") ? GALI_DEPENDENCE_HARD : GALI_DEPENDENCE_NEW_TEST;
    }
    if (is_value && b->unit != GALI_PACKER_vector_store_unaligned &&
        b->base != (b->is_vector ? -1 : b->value) && !(a->is_load && b->is_vector) &&
        a->step_register != (b->is_vector ? -2 : b->value) &&
        count_registers(a->writes) == 1 + (a->is_load && a->step_register >= 0)) {
        return GALI_DEPENDENCE_NEW_VALUE;
    }
    return a->unit == GALI_PACKER_vector_load && taken.vector && b->is_vector && !b->is_store
               ? GALI_DEPENDENCE_CURRENT
               : GALI_DEPENDENCE_HARD;
}

static gali_dependence register_dependence(const making *self, uint32_t i, uint32_t j) {
    const gali_instruction *a = self->graph->instructions[i], *b = self->graph->instructions[j];
    gali_registers a_reads = a->reads, b_reads = b->reads;
    if (is_folded_away(self, i, j)) {
        a_reads = without(a_reads, a->base);
    }
    if (is_folded_away(self, j, i)) {
        b_reads = without(b_reads, b->base);
    }
    if (gali_registers_meet(a->writes, b->writes)) {
        return GALI_DEPENDENCE_HARD;
    }
    if (gali_registers_meet(a->writes, b_reads)) {
        return forward(a, b);
    }
    return gali_registers_meet(a_reads, b->writes) ? GALI_DEPENDENCE_BEFORE : GALI_DEPENDENCE_NONE;
}

/* ---- the graph ---- */

static gali_dependence stronger(gali_dependence a, gali_dependence b) {
    return a > b ? a : b;
}

static gali_dependence dependence(const making *self, uint32_t i, uint32_t j) {
    const gali_dependence found = stronger(register_dependence(self, i, j), memory_dependence(self, i, j));
    const int ends = self->graph->instructions[j]->is_jump;
    if (found != GALI_DEPENDENCE_NONE && self->soft == GALI_PACKER_SOFT_HARD) {
        return GALI_DEPENDENCE_HARD;
    }
    return ends ? stronger(found, GALI_DEPENDENCE_END) : found;
}

static void measure_paths(gali_block_graph *graph) {
    for (uint32_t j = 0; j < graph->count; j++) {
        for (uint32_t i = 0; i < j; i++) {
            const gali_dependence edge = gali_block_edge(graph, i, j);
            if (edge == GALI_DEPENDENCE_NONE || edge == GALI_DEPENDENCE_END) {
                continue;
            }
            const uint32_t latency = (uint32_t)gali_packer_latency(graph->instructions[i]->unit);
            const uint32_t path = graph->order[i] + (edge == GALI_DEPENDENCE_BEFORE ? 0 : latency);
            graph->order[j] = path > graph->order[j] ? path : graph->order[j];
            graph->before[j]++;
        }
    }
}

int gali_block_graph_make(gali_block_graph *graph, const gali_instruction *const *instructions, uint32_t count,
                          gali_packer_soft soft, gali_arena *arena) {
    *graph = (gali_block_graph){.instructions = instructions, .count = count};
    making self = {.graph = graph, .soft = soft};
    graph->edges = gali_arena_take(arena, (size_t)count * count + 1);
    graph->is_folded = gali_arena_take(arena, count + 1);
    graph->order = gali_arena_take(arena, (count + 1) * sizeof *graph->order);
    graph->before = gali_arena_take(arena, (count + 1) * sizeof *graph->before);
    self.places = gali_arena_take(arena, (count + 1) * sizeof *self.places);
    if (arena->failed) {
        return 0;
    }
    find_places(&self);
    for (uint32_t i = 0; i < count; i++) {
        graph->is_folded[i] = (uint8_t)can_fold(&self, i);
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count; j++) {
            graph->edges[(size_t)i * count + j] = (uint8_t)dependence(&self, i, j);
        }
    }
    measure_paths(graph);
    return 1;
}

int gali_block_chain(const gali_block_graph *graph, gali_arena *arena, uint32_t *packets) {
    uint32_t *chain = gali_arena_take(arena, (graph->count + 1) * sizeof *chain);
    *packets = graph->count ? 1 : 0;
    for (uint32_t j = 0; chain && j < graph->count; j++) {
        for (uint32_t i = 0; i < j; i++) {
            const gali_dependence edge = gali_block_edge(graph, i, j);
            const uint32_t reached = chain[i] + (edge == GALI_DEPENDENCE_HARD);
            chain[j] = edge != GALI_DEPENDENCE_NONE && reached > chain[j] ? reached : chain[j];
        }
        *packets = chain[j] + 1 > *packets ? chain[j] + 1 : *packets;
    }
    return chain != NULL;
}

int gali_dependence_penalty(gali_dependence dependence) {
    static const uint8_t penalties[GALI_DEPENDENCE_COUNT] = {
        [GALI_DEPENDENCE_NEW_VALUE] = 1, [GALI_DEPENDENCE_NEW_TEST] = 1, [GALI_DEPENDENCE_CURRENT] = 2};
    return penalties[dependence];
}
