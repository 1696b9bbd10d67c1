#include "compiler/packer/changes.h"

#include <stdlib.h>

enum { DEPTH_MOST = 16 };

int gali_changes_add(gali_changes *self, const gali_change *change) {
    if (self->count == self->room) {
        const uint32_t room = self->room ? 2 * self->room : 64;
        gali_change *larger = realloc(self->list, room * sizeof *larger);
        if (!larger) {
            return 0;
        }
        self->list = larger;
        self->room = room;
    }
    self->list[self->count] = *change;
    self->list[self->count].depth = self->list[self->count].least_depth = self->depth;
    self->count++;
    self->paid = self->paid == UINT32_MAX ? self->paid : self->paid + change->saved;
    return 1;
}

void gali_changes_label(gali_changes *self) {
    self->paid = 0;
}

void gali_changes_enter(gali_changes *self, uint32_t depth) {
    self->depth = depth;
    for (uint32_t i = self->count; i-- > 0 && self->list[i].least_depth > depth;) {
        self->list[i].least_depth = depth;
    }
}

void gali_changes_leave(gali_changes *self) {
    self->paid = UINT32_MAX;
}

/* How often a block in so many loops is taken to run. */
static uint64_t turns_of(uint32_t depth) {
    return (uint64_t)1 << 3 * (depth < DEPTH_MOST ? depth : DEPTH_MOST);
}

/* Whether the loops that were shortened since the last alignment as coarse save what this one may cost, run as often as that. */
static int loops_pay(const gali_changes *self, uint32_t first, uint32_t packets) {
    uint64_t saved = 0;
    for (uint32_t i = first; i < self->count; i++) {
        const gali_change *it = &self->list[i];
        saved += it->is_loop && it->depth >= self->depth ? it->saved * turns_of(it->depth) : 0;
    }
    return saved >= packets * turns_of(self->depth);
}

/* Whether a change since the last alignment is in a loop within those where this one stands, and nothing since is in fewer. */
static int inner_loop_pays(const gali_changes *self) {
    int pays = 0;
    for (uint32_t i = self->since[0]; i < self->count; i++) {
        const gali_change *it = &self->list[i];
        pays |= it->saved && it->depth > self->depth && it->least_depth == self->depth;
    }
    return pays;
}

void gali_changes_align(gali_changes *self, uint32_t power) {
    const uint32_t coarsest = power < GALI_ALIGNMENTS ? power : GALI_ALIGNMENTS - 1;
    const uint32_t words = (1u << coarsest) / 4, packets = (words + 2) / 4; /* of one word less than that */
    const uint32_t first = self->since[coarsest];
    const int pays = self->paid >= packets || inner_loop_pays(self) || loops_pay(self, first, packets);
    for (uint32_t i = first; i < self->count && !pays; i++) {
        self->list[i].is_undone |= self->list[i].moved != 0;
    }
    for (uint32_t finer = 0; finer <= coarsest; finer++) {
        self->since[finer] = self->count;
    }
    self->paid = 0;
}

void gali_changes_write(const gali_changes *self, const char *begin, const char *end, gali_text *out) {
    const char *copied = begin;
    for (uint32_t i = 0; i < self->count; i++) {
        const gali_change *it = &self->list[i];
        if (!it->is_undone) {
            gali_text_add_bytes(out, copied, (size_t)(it->begin - copied));
            gali_text_add_bytes(out, self->text.bytes + it->text, it->size);
            copied = it->end;
        }
    }
    gali_text_add_bytes(out, copied, (size_t)(end - copied));
    out->failed |= self->text.failed;
}

void gali_changes_release(gali_changes *self) {
    free(self->list);
    gali_text_release(&self->text);
    self->list = NULL;
    self->count = self->room = 0;
}
