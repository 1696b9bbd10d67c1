/*
 * Groups whose network is evaluated elsewhere: rows for all of their characters at once, in memory of the caller; and what
 * becomes of rows that are under way while characters come and go.
 */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "crowd/crowd_parts.h"

/* Lays a group's rows out in base (NULL: only measures): x, y, phase, sent, wanted, each aligned; the bytes or GALI_SIZE_BAD. */
static size_t place_rows(const gali_group *group, unsigned char *base, gali_away *away) {
    const gal_controller *controller = group->levels[0];
    const size_t floats[] = {
        gali_size_mul(group->capacity, controller->layout.x_row),
        gali_size_add(gali_size_mul(group->capacity, controller->contract->outputs), GALI_ROW_STEP - 1),
        group->capacity};
    float **parts[] = {&away->x, &away->y, &away->phase};
    uint32_t **masks[] = {&away->sent, &away->wanted};
    size_t at = 0;
    for (int i = 0; i < 3; i++) {
        *parts[i] = base ? (float *)(void *)(base + at) : NULL;
        at = gali_size_align(gali_size_add(at, gali_size_mul(floats[i], sizeof(float))), GALI_ALIGNMENT);
    }
    for (int i = 0; i < 2; i++) {
        *masks[i] = base ? (uint32_t *)(void *)(base + at) : NULL;
        size_t size = gali_size_mul(gali_group_banks(group->capacity), sizeof **masks[i]);
        at = gali_size_align(gali_size_add(at, size), GALI_ALIGNMENT);
    }
    return at;
}

size_t gal_crowd_runner_size(const gal_crowd *crowd, uint32_t group) {
    gali_away away;
    size_t size = group < crowd->group_count ? place_rows(&crowd->groups[group], NULL, &away) : GALI_SIZE_BAD;
    return size == GALI_SIZE_BAD ? 0 : size;
}

gal_status gal_crowd_set_runner(gal_crowd *crowd, uint32_t group, const gal_network_runner *runner,
                                void *memory, size_t size, gal_error *error) {
    if (group >= crowd->group_count) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "group %u: the crowd has %u", group, crowd->group_count);
    }
    gali_away away = {.status = GAL_NOT_FOUND};
    if (runner && !runner->start != !runner->finish) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "a runner with one of start and finish");
    }
    if (runner && runner->run) {
        size_t need = gal_crowd_runner_size(crowd, group);
        if (!memory || !need || size < need) {
            return gali_fail(error, GAL_NO_MEMORY, "memory of a runner of %zu bytes, %zu needed", size, need);
        }
        if ((uintptr_t)memory % GALI_ALIGNMENT) {
            return gali_fail(error, GAL_BAD_ARGUMENT, "memory of a runner is not aligned to %d bytes",
                             GALI_ALIGNMENT);
        }
        place_rows(&crowd->groups[group], memory, &away);
        away.runner = *runner;
        away.status = GAL_OK;
    }
    crowd->groups[group].away = away;
    return GAL_OK;
}

gal_status gal_crowd_runner_status(const gal_crowd *crowd, uint32_t group) {
    return group < crowd->group_count ? crowd->groups[group].away.status : GAL_NOT_FOUND;
}

/* ---- under way ---- */

void gali_away_forget(gal_crowd *crowd, uint32_t place) {
    const gali_group *group = &crowd->groups[gali_crowd_group(crowd, place)];
    if (group->away.batch.count) {
        uint32_t at = place - group->first;
        group->away.wanted[at / GALI_BANK] &= ~(1u << at % GALI_BANK);
    }
}

void gali_away_forget_all(gal_crowd *crowd) {
    for (uint32_t g = 0; g < crowd->group_count; g++) {
        const gali_group *group = &crowd->groups[g];
        if (group->away.batch.count) {
            memset(group->away.wanted, 0, gali_group_banks(group->capacity) * sizeof *group->away.wanted);
        }
    }
}

uint32_t gali_away_close(const gali_group *group, uint32_t bank, uint32_t first) {
    const gali_away *away = &group->away;
    size_t row = group->levels[0]->contract->outputs;
    uint32_t sent = away->sent[bank], wanted = away->wanted[bank] & sent;
    float *from = away->y + first * row, *to = from;
    for (uint32_t lane = 0; lane < GALI_BANK && wanted != sent; lane++) {
        if (wanted >> lane & 1) {
            memmove(to, from, row * sizeof *to);
            to += row;
        }
        from += sent >> lane & 1 ? row : 0;
    }
    return wanted;
}
