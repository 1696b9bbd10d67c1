/*
 * A crowd is made: places for characters in one block of memory.
 *
 * Memory for N places in all groups, each part aligned to 64 bytes, all sizes from the groups' contracts:
 *     gal_crowd, then handle uint32[N], N gali_pace, order uint32[N], generation uint32[N], lost bytes[N],
 *     rows gali_bank_rows[banks], and for the rows of one run of a network at a time (gali_run_rows), each as long as the
 *     level of a group that needs most of it:
 *         x float[][inputs, to a multiple of 4], y float[][outputs] and 3 more, phase float[], the network's workspace,
 *     and per group: its gali_banks, then of each bank of sixteen places (bank.h) state float[numbers][16],
 *         history float[16][past][record], poses float[16][3][pose_row], work float[work][16].
 */
#include "crowd/crowd.h"

#include <stdio.h>
#include <string.h>

#include "base/desc.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "crowd/crowd_parts.h"
#include "motion/state.h"
#include "network/network.h"

enum { CAPACITY_DEFAULT = 16 };

static gal_crowd_desc resolve_crowd(const gal_crowd_desc *desc) {
    gal_crowd_desc all;
    gali_desc_read(&all, sizeof all, desc, desc->struct_size);
    return all;
}

static uint32_t group_count_of(const gal_crowd_desc *desc) {
    return desc->groups ? desc->group_count : 1;
}

/* The g-th group, its defaults filled in. */
static gal_group_desc group_of(const gal_crowd_desc *desc, uint32_t g) {
    gal_group_desc group = {.controller = desc->controller, .capacity = desc->capacity};
    if (desc->groups) {
        group = desc->groups[g];
    }
    group.capacity = group.capacity ? group.capacity : CAPACITY_DEFAULT;
    return group;
}

static void *place_part(unsigned char *base, size_t *at, size_t count, size_t bytes) {
    size_t start = *at;
    *at = gali_size_align(gali_size_add(start, gali_size_mul(count, bytes)), GALI_ALIGNMENT);
    return base ? base + start : NULL;
}

static void place_bank(unsigned char *base, size_t *at, const gal_controller *controller, uint32_t work,
                       gali_bank *bank) {
    const gali_layout *is = &controller->layout;
    size_t history = gali_size_mul(controller->contract->past, is->record);
    gali_bank parts = {0};
    parts.state = place_part(base, at, is->numbers, GALI_BANK * sizeof(float));
    parts.history = place_part(base, at, history, GALI_BANK * sizeof(float));
    parts.poses = place_part(base, at, GALI_POSES * (size_t)is->pose_row, GALI_BANK * sizeof(float));
    parts.work = place_part(base, at, work, GALI_BANK * sizeof(float));
    if (bank) {
        *bank = parts;
    }
}

static size_t most_of(size_t a, size_t b) {
    return a > b ? a : b;
}

/* What a crowd must have room for, over its groups; GALI_SIZE_BAD, the largest of all sizes, sticks. */
typedef struct crowd_sizes {
    uint32_t places;
    size_t banks, rows, x, y, workspace; /* of what needs most: banks, rows, floats, floats, bytes */
} crowd_sizes;

/* Levels of a group; its controller is the first. */
static uint32_t find_levels(const gal_group_desc *group, const gal_controller **levels) {
    uint32_t count = 1;
    levels[0] = group->controller;
    while (count < GAL_LEVELS_MAX && group->stand_ins[count - 1]) {
        levels[count] = group->stand_ins[count - 1];
        count++;
    }
    return count;
}

static void measure_level(crowd_sizes *sizes, const gal_controller *level, uint32_t rows) {
    size_t workspace = gal_network_workspace_size(level->network, rows);
    size_t outputs = gali_size_mul(rows, level->contract->outputs);
    sizes->x = most_of(sizes->x, gali_size_mul(rows, level->layout.x_row));
    sizes->y = most_of(sizes->y, gali_size_add(outputs, GALI_ROW_STEP - 1));
    sizes->workspace = most_of(sizes->workspace, workspace ? workspace : GALI_SIZE_BAD);
}

static crowd_sizes measure_groups(const gal_crowd_desc *desc) {
    crowd_sizes sizes = {0};
    for (uint32_t g = 0; g < group_count_of(desc); g++) {
        const gal_group_desc group = group_of(desc, g);
        const gal_controller *levels[GAL_LEVELS_MAX];
        uint32_t level_count = find_levels(&group, levels),
                 rows = gali_run_rows(group.capacity, desc->parallel);
        for (uint32_t level = 0; level < level_count; level++) {
            measure_level(&sizes, levels[level], rows);
        }
        sizes.places += group.capacity;
        sizes.banks = most_of(sizes.banks, gali_group_banks(group.capacity));
        sizes.rows = most_of(sizes.rows, rows);
    }
    return sizes;
}

static size_t place_group(unsigned char *base, size_t at, const gal_group_desc *group, gali_bank **banks) {
    const gal_controller *levels[GAL_LEVELS_MAX];
    uint32_t level_count = find_levels(group, levels), count = gali_group_banks(group->capacity), work = 0;
    for (uint32_t level = 0; level < level_count; level++) {
        work = levels[level]->layout.work > work ? levels[level]->layout.work : work;
    }
    *banks = place_part(base, &at, count, sizeof **banks);
    for (uint32_t b = 0; b < count && at != GALI_SIZE_BAD; b++) {
        place_bank(base, &at, group->controller, work, base ? &(*banks)[b] : NULL);
    }
    return at;
}

/* Lays the crowd out in base (NULL: only measures); returns the bytes or GALI_SIZE_BAD. */
static size_t place_crowd(unsigned char *base, const gal_crowd_desc *desc, gal_crowd *crowd) {
    const crowd_sizes sizes = measure_groups(desc);
    size_t at = 0;
    gal_crowd parts = *crowd;
    place_part(base, &at, 1, sizeof(gal_crowd));
    parts.handle = place_part(base, &at, sizes.places, sizeof(gal_character));
    parts.paces = place_part(base, &at, sizes.places, sizeof(gali_pace));
    parts.order = place_part(base, &at, sizes.places, sizeof(uint32_t));
    parts.generation = place_part(base, &at, sizes.places, sizeof(uint32_t));
    parts.lost = place_part(base, &at, sizes.places, 1);
    parts.rows = place_part(base, &at, sizes.banks, sizeof(gali_bank_rows));
    parts.x = place_part(base, &at, sizes.x, sizeof(float));
    parts.y = place_part(base, &at, sizes.y, sizeof(float));
    parts.phase = place_part(base, &at, sizes.rows, sizeof(float));
    parts.workspace = place_part(base, &at, sizes.workspace, 1);
    parts.workspace_size = sizes.workspace;
    parts.capacity = sizes.places;
    for (uint32_t g = 0; g < group_count_of(desc) && at != GALI_SIZE_BAD; g++) {
        const gal_group_desc group = group_of(desc, g);
        at = place_group(base, at, &group, &parts.groups[g].banks);
    }
    *crowd = parts;
    return at;
}

static gal_status check_controller(const gal_controller *controller, gal_error *error) {
    const gal_network_info network = gal_network_get_info(controller->network);
    if (network.gate == GAL_GATE_CALLER && network.experts > 1) {
        return gali_fail(error, GAL_BAD_DATA,
                         "the network's blend is the caller's, and a crowd has none to give");
    }
    return gali_contract_complete(controller->contract, network.gate, error);
}

/* One step is a frame of them all, over one ground. */
static gal_status check_alike(const gali_contract *first, const gali_contract *contract, uint32_t g,
                              gal_error *error) {
    if (contract->rate != first->rate || contract->unit != first->unit) {
        return gali_fail(
            error, GAL_BAD_ARGUMENT,
            "gal_crowd_desc.groups[%u]: %s has %g frames a second and a unit of %g m, %s %g and %g", g,
            contract->name, (double)contract->rate, (double)contract->unit, first->name, (double)first->rate,
            (double)first->unit);
    }
    return GAL_OK;
}

/* Of a stand-in whose characters cannot go on as the first level's: what there is another number of. */
static gal_status fail_of_stand_in(const gal_controller *first, const gal_controller *other, uint32_t g,
                                   uint32_t number, gal_error *error) {
    const gali_state_difference d = gali_state_compare(other, first);
    const char *name = other->contract->name, *of = first->contract->name;
    return d.what
               ? gali_fail(error, GAL_BAD_ARGUMENT,
                           "gal_crowd_desc.groups[%u].stand_ins[%u]: %.60s has %u %s, %.60s has %u", g, number,
                           name, d.one, d.what, of, d.other)
               : gali_fail(
                     error, GAL_BAD_ARGUMENT,
                     "gal_crowd_desc.groups[%u].stand_ins[%u]: %.60s has joints or gaits of other names than "
                     "%.60s, or a path of other futures",
                     g, number, name, of);
}

static gal_status check_levels(const gal_crowd_desc *desc, uint32_t g, gal_error *error) {
    const gal_group_desc group = group_of(desc, g);
    const gal_controller *levels[GAL_LEVELS_MAX];
    uint32_t level_count = find_levels(&group, levels);
    gal_status status = GAL_OK;
    if (group.frames_most > GALI_FRAMES_MAX || (group.frames_most & (group.frames_most - 1)) != 0) {
        return gali_fail(error, GAL_BAD_ARGUMENT,
                         "gal_crowd_desc.groups[%u].frames_most is %u, expected 1, 2, 4 or 8", g,
                         group.frames_most);
    }
    for (uint32_t level = 0; level < level_count && status == GAL_OK; level++) {
        const gali_contract *contract = levels[level]->contract;
        status = check_controller(levels[level], error);
        if (status == GAL_OK) {
            status = check_alike(group_of(desc, 0).controller->contract, contract, g, error);
        }
        if (status == GAL_OK && !gali_state_fits(levels[0], levels[level])) {
            return fail_of_stand_in(levels[0], levels[level], g, level - 1, error);
        }
    }
    return status;
}

static gal_status fail_without_controller(const gal_crowd_desc *desc, uint32_t g, gal_error *error) {
    char place[32] = "";
    if (desc->groups) {
        snprintf(place, sizeof place, "groups[%u].", g);
    }
    return gali_fail(error, GAL_BAD_ARGUMENT,
                     "gal_crowd_desc.%scontroller is NULL: if gal_controller_open gave it, that failed; its "
                     "status and its error say why (often a path that is not there)",
                     place);
}

static gal_status check_groups(const gal_crowd_desc *desc, gal_error *error) {
    uint64_t capacity = 0;
    gal_status status = GAL_OK;
    for (uint32_t g = 0; g < group_count_of(desc) && status == GAL_OK; g++) {
        const gal_group_desc group = group_of(desc, g);
        if (!group.controller) {
            return fail_without_controller(desc, g, error);
        }
        capacity += group.capacity;
        status = check_levels(desc, g, error);
    }
    if (status == GAL_OK && capacity > GALI_CROWD_CAPACITY_MOST) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "gal_crowd_desc.capacity is %llu, at most %d",
                         (unsigned long long)capacity, GALI_CROWD_CAPACITY_MOST);
    }
    return status;
}

static gal_status check_desc(const gal_crowd_desc *desc, gal_error *error) {
    if (!desc->groups && desc->group_count) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "gal_crowd_desc.groups is NULL, but group_count is %u",
                         desc->group_count);
    }
    if (desc->groups && desc->controller) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "gal_crowd_desc has both a controller and groups");
    }
    if (desc->groups && (desc->group_count == 0 || desc->group_count > GAL_GROUPS_MAX)) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "gal_crowd_desc.group_count is %u, expected 1..%d",
                         desc->group_count, GAL_GROUPS_MAX);
    }
    if (desc->ground == gal_height_field_ground && !gali_is_field(desc->ground_context)) {
        return gali_fail(
            error, GAL_BAD_ARGUMENT,
            "gal_crowd_desc.ground_context: no height field, expected heights, 2 x 2 of them or more, and a "
            "finite cell above 0");
    }
    return check_groups(desc, error);
}

static void make_groups(gal_crowd *crowd, const gal_crowd_desc *desc) {
    uint32_t first = 0;
    crowd->group_count = group_count_of(desc);
    for (uint32_t g = 0; g < crowd->group_count; g++) {
        const gal_group_desc group = group_of(desc, g);
        crowd->groups[g] = (gali_group){.first = first,
                                        .capacity = group.capacity,
                                        .frames_most = group.frames_most ? group.frames_most : GALI_FRAMES_MAX,
                                        .away = {.status = GAL_NOT_FOUND}};
        crowd->groups[g].level_count = find_levels(&group, crowd->groups[g].levels);
        crowd->groups[g].phases = gali_phases_get(group.controller->network->kernels->isa);
        first += group.capacity;
    }
}

size_t gal_crowd_size(const gal_crowd_desc *desc) {
    const gal_crowd_desc all = resolve_crowd(desc);
    gal_crowd crowd = {0};
    if (check_desc(&all, NULL) != GAL_OK) {
        return 0;
    }
    size_t size = place_crowd(NULL, &all, &crowd);
    return size == GALI_SIZE_BAD ? 0 : size;
}

gal_status gal_crowd_init(gal_crowd **out, void *memory, size_t size, const gal_crowd_desc *desc,
                          gal_error *error) {
    *out = NULL;
    const gal_crowd_desc all = resolve_crowd(desc);
    gal_status status = check_desc(&all, error);
    if (status != GAL_OK) {
        return status;
    }
    size_t need = gal_crowd_size(&all);
    if (!memory || !need || size < need) {
        return gali_fail(error, GAL_NO_MEMORY, "crowd memory of %zu bytes, %zu needed", size, need);
    }
    if ((uintptr_t)memory % GALI_ALIGNMENT) {
        return gali_fail(error, GAL_BAD_ARGUMENT, "crowd memory is not aligned to %d bytes", GALI_ALIGNMENT);
    }
    memset(memory, 0, need);
    gal_crowd *crowd = memory;
    make_groups(crowd, &all);
    crowd->ground = (gali_ground){all.ground, all.ground_context};
    if (all.parallel) {
        crowd->parallel = *all.parallel;
    }
    if (all.allocator) {
        crowd->allocator = *all.allocator;
    }
    place_crowd(memory, &all, crowd);
    *out = crowd;
    return GAL_OK;
}

gal_status gal_crowd_create(gal_crowd **out, const gal_crowd_desc *desc, gal_error *error) {
    *out = NULL;
    const gal_crowd_desc all = resolve_crowd(desc);
    gal_status status = check_desc(&all, error);
    if (status != GAL_OK) {
        return status;
    }
    size_t size = gal_crowd_size(&all);
    void *memory = size ? gali_allocate(all.allocator, size) : NULL;
    if (!memory) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a crowd of %zu bytes", size);
    }
    status = gal_crowd_init(out, memory, size, &all, error);
    if (status != GAL_OK) {
        gali_release(all.allocator, memory, size);
        return status;
    }
    (*out)->memory = size;
    return GAL_OK;
}

void gal_crowd_destroy(gal_crowd *crowd) {
    if (crowd && crowd->memory) {
        gal_allocator allocator = crowd->allocator;
        gali_release(&allocator, crowd, crowd->memory);
    }
}
