/*
 * Blends of a range: from phases, the caller's coefficients or the gating network's output to rows sorted by expert.
 *
 * The blend of all characters is a list of rows sorted by expert, so that sparse gates (a character uses 1 or 2 of E
 * experts) and dense ones are the same loop: for each panel, for each expert, one kernel call with the rows of that
 * expert. A row remembers whether it is its character's first or last expert.
 */
#include <string.h>

#include "network/gate.h"
#include "network/range.h"

const float gali_blend_whole = 1;

static void fill_slots(const gali_range *r, uint32_t c) {
    const gal_network *network = r->network;
    uint32_t *expert = r->parts.expert + (size_t)c * network->slots;
    float *weight = r->parts.weight + (size_t)c * network->slots;
    if (network->gate == GAL_GATE_CALLER) {
        const float *blend = r->batch->blend ? r->batch->blend + (size_t)(r->first + c) * network->experts
                                             : &gali_blend_whole; /* of one expert */
        gali_gate_top(blend, network->experts, network->experts, expert, weight);
        return;
    }
    if (network->gate == GAL_GATE_NETWORK) {
        gali_rows_at z = gali_feed_output(r, network->gating_count - 1);
        float *blend = z.at + c * z.stride;
        network->kernels->activate_f32(GALI_ACTIVATION_SOFTMAX, 0, blend, network->experts);
        gali_gate_top(blend, network->experts, network->slots, expert, weight);
        return;
    }
    double exact[GALI_SPLINE_SLOTS];
    gali_gate_phase(network->gate, network->experts, r->batch->phase[r->first + c], expert, exact);
    for (uint32_t s = 0; s < network->slots; s++) {
        weight[s] = (float)exact[s];
    }
}

static uint32_t mode_of(uint32_t slot, uint32_t slots) {
    return (slot == 0 ? GALI_ROW_FIRST : 0u) | (slot + 1 == slots ? GALI_ROW_LAST : 0u);
}

/* Counting sort of all slots by expert; stable, so each expert's rows stand in the characters' order. */
static void sort_rows(gali_range *r) {
    uint32_t slots = r->network->slots, all = r->count * slots;
    memset(r->start, 0, sizeof r->start);
    for (uint32_t i = 0; i < all; i++) {
        r->start[r->parts.expert[i] + 1]++;
    }
    for (uint32_t e = 0; e < r->network->experts; e++) {
        r->start[e + 1] += r->start[e];
    }
    uint32_t next[GALI_EXPERTS_MAX];
    memcpy(next, r->start, sizeof next);
    for (uint32_t i = 0; i < all; i++) {
        uint32_t at = next[r->parts.expert[i]]++;
        r->parts.who[at] = i / slots;
        r->parts.rows[at] = (gali_row){.blend = &r->parts.weight[i], .mode = mode_of(i % slots, slots)};
    }
}

void gali_blend_make_plain(gali_range *r) {
    for (uint32_t c = 0; c < r->count; c++) {
        r->parts.plain[c] = (gali_row){.blend = &gali_blend_whole, .mode = GALI_ROW_FIRST | GALI_ROW_LAST};
    }
}

void gali_blend_make(gali_range *r) {
    for (uint32_t c = 0; c < r->count; c++) {
        fill_slots(r, c);
    }
    sort_rows(r);
}
