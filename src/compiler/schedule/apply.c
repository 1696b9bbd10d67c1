/* A schedule applied to an expression, entry by entry; then lowered to loops, and those verified. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "compiler/schedule/lower.h"

/* A schedule being applied. */
typedef struct applying {
    gali_expression expression; /* a copy: cache_write adds a stage */
    gali_axes axes;
    gali_lowering lowering;
    const gali_schedule *schedule;
    int packed; /* some constant is */
} applying;

static uint32_t find_stage(const applying *a, const char *name) {
    for (uint32_t s = 0; s < a->expression.stages; s++) {
        if (strcmp(a->expression.stage[s].buffer->name, name) == 0) {
            return s;
        }
    }
    return GALI_NO_AXIS;
}

static gali_loop_buffer *find_buffer(const applying *a, const char *name) {
    for (uint32_t i = 0; i < a->expression.names->buffers; i++) {
        if (strcmp(a->expression.names->buffer[i]->name, name) == 0) {
            return a->expression.names->buffer[i];
        }
    }
    return NULL;
}

/* A copy of a value whose loads of one buffer are loads of another at the same indices. */
static const gali_loop_value *rename_loads(gali_arena *arena, const gali_loop_value *value,
                                           const gali_loop_buffer *from, const gali_loop_buffer *to) {
    gali_loop_value *copy = gali_arena_take(arena, sizeof *copy);
    if (!copy) {
        return NULL;
    }
    *copy = *value;
    if (value->op == GALI_VALUE_LOAD && value->load.buffer == from) {
        copy->load.buffer = to;
    }
    for (uint32_t i = 0; i < gali_loop_arity(value); i++) {
        copy->operand[i] = rename_loads(arena, value->operand[i], from, to);
    }
    return copy;
}

/* The stage's sum moves to a new stage, STAGE.cache, which it then copies. */
static const char *cache_write(applying *a, uint32_t s) {
    gali_expression *e = &a->expression;
    char name[GALI_LOOP_NAME_MAX];
    const gali_stage old = e->stage[s];
    if (!old.reduced || old.buffer->role != GALI_LOOP_OUTPUT) {
        return "it is no sum that goes to an output";
    }
    if (e->stages == GALI_EXPRESSION_STAGES_MAX ||
        snprintf(name, sizeof name, "%s.cache", old.buffer->name) >= (int)sizeof name) {
        return "too many stages";
    }
    gali_loop_buffer *local = gali_loop_add_buffer(e->names, name, GALI_LOOP_LOCAL);
    if (!local) {
        return "too many buffers";
    }
    memmove(e->stage + s + 1, e->stage + s, (e->stages - s) * sizeof *e->stage);
    memmove(a->lowering.place + s + 1, a->lowering.place + s, (e->stages - s) * sizeof *a->lowering.place);
    a->lowering.place[s] = (gali_stage_place){.at = GALI_NO_AXIS};
    e->stages++;
    e->stage[s].buffer = local;
    local->rank = old.buffer->rank;
    local->element = old.buffer->element;
    e->stage[s].value = rename_loads(e->names->arena, old.value, old.buffer, local);
    e->stage[s + 1].reduced = 0;
    e->stage[s + 1].start = NULL;
    e->stage[s + 1].value = gali_expression_element(e, &e->stage[s]);
    return e->names->arena->failed ? "no memory" : NULL;
}

static const char *place_stage(applying *a, uint32_t s, const gali_schedule_entry *entry, uint32_t number) {
    gali_stage_place *place = &a->lowering.place[s];
    const gali_stage *stage = &a->expression.stage[s];
    int local = stage->buffer->role == GALI_LOOP_LOCAL;
    uint32_t leaf = gali_axes_find(&a->axes, entry->argument);
    switch (entry->primitive) {
    case GALI_PRIMITIVE_COMPUTE_AT:
        if (leaf == GALI_NO_AXIS) {
            return "no such axis, or it was split";
        }
        if (place->at != GALI_NO_AXIS || place->inlined || !local) {
            return local ? "the stage has a place already" : "an output is at no other stage";
        }
        place->at = leaf;
        break;
    case GALI_PRIMITIVE_COMPUTE_INLINE:
        if (stage->reduced || place->at != GALI_NO_AXIS || !local) {
            return "it is a sum, an output, or has a place already";
        }
        place->inlined = 1;
        break;
    case GALI_PRIMITIVE_TENSORIZE:
        if (strcmp(entry->argument, "tile_sum") != 0) {
            return "no such kernel: tile_sum";
        }
        place->tensorized = 1;
        place->entry = number;
        return NULL;
    default:
        return cache_write(a, s);
    }
    place->entry = place->tensorized ? place->entry : number;
    return NULL;
}

static const char *change_axis(applying *a, uint32_t leaf, const gali_schedule_entry *entry, uint32_t number) {
    uint32_t other = gali_axes_find(&a->axes, entry->argument);
    switch (entry->primitive) {
    case GALI_PRIMITIVE_SPLIT:
        for (uint32_t s = 0; s < a->expression.stages; s++) {
            if (a->lowering.place[s].at == leaf) {
                return "a stage is computed at it: split first";
            }
        }
        return gali_axes_split(&a->axes, leaf, entry->number);
    case GALI_PRIMITIVE_VECTORIZE:
        return a->packed ? "a constant is packed already: vectorize first"
                         : gali_axes_vectorize(&a->axes, leaf, entry->number);
    case GALI_PRIMITIVE_UNROLL:
        return gali_axes_mark(&a->axes, leaf, GALI_LOOP_UNROLL, entry->number);
    case GALI_PRIMITIVE_PARALLEL:
        a->lowering.parallel = number;
        return gali_axes_mark(&a->axes, leaf, GALI_LOOP_PARALLEL, 0);
    case GALI_PRIMITIVE_REORDER:
        return other == GALI_NO_AXIS ? "the second axis is not there, or was split"
                                     : gali_axes_reorder(&a->axes, leaf, other);
    default:
        return other == GALI_NO_AXIS ? "the second axis is not there, or was split"
                                     : gali_axes_fuse(&a->axes, leaf, other);
    }
}

static const char *pack(applying *a, const gali_loop_buffer *buffer) {
    if (!buffer || a->lowering.layout[buffer->id].rank) {
        return buffer ? "it is packed already" : "no such buffer";
    }
    a->packed = 1;
    return gali_layout_choose(&a->axes, buffer, &a->lowering.layout[buffer->id]);
}

/* NULL, or why the entry cannot be. */
static const char *apply_entry(applying *a, const gali_schedule_entry *entry, uint32_t number) {
    switch (entry->primitive) {
    case GALI_PRIMITIVE_PACK:
        return pack(a, find_buffer(a, entry->target));
    case GALI_PRIMITIVE_COMPUTE_AT:
    case GALI_PRIMITIVE_COMPUTE_INLINE:
    case GALI_PRIMITIVE_CACHE_WRITE:
    case GALI_PRIMITIVE_TENSORIZE: {
        uint32_t stage = find_stage(a, entry->target);
        return stage == GALI_NO_AXIS ? "no such stage" : place_stage(a, stage, entry, number);
    }
    default: {
        uint32_t leaf = gali_axes_find(&a->axes, entry->target);
        return leaf == GALI_NO_AXIS ? "no such axis, or it was split" : change_axis(a, leaf, entry, number);
    }
    }
}

static gal_status fail_entry(const gali_schedule *schedule, uint32_t number, const char *why,
                             gal_error *error) {
    gali_text text = {0};
    gali_schedule_print_entry(&schedule->entry[number - 1], &text);
    gal_status status = gali_fail(error, GAL_BAD_DATA, "schedule, entry %u (%s): %s", number,
                                  text.bytes ? text.bytes : "?", why);
    gali_text_release(&text);
    return status;
}

/* The expression's symbols and parameters, and a local for every stage that has one. */
static gali_loop_index copy_extent(const gali_loop_function *function, gali_loop_index extent) {
    for (uint32_t i = 0; i < extent.count; i++) {
        extent.term[i].variable = function->variable[extent.term[i].variable->id];
    }
    return extent;
}

static int copy_symbols(const gali_expression *expression, gali_loop_function *function) {
    for (uint32_t i = 0; i < expression->names->symbols; i++) {
        gali_loop_variable *symbol = gali_loop_add_variable(function, expression->names->variable[i]->name);
        if (!symbol) {
            return 0;
        }
        symbol->least = expression->names->variable[i]->least;
        symbol->most = expression->names->variable[i]->most;
        function->symbols++;
    }
    return 1;
}

/* Parameters first, as the function wants them; a local only for stages that are not inlined. */
static int copy_buffers(applying *a, gali_loop_function *function) {
    const gali_loop_function *names = a->expression.names;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < names->buffers; i++) {
            const gali_loop_buffer *from = names->buffer[i];
            uint32_t stage = find_stage(a, from->name);
            int inlined = stage != GALI_NO_AXIS && a->lowering.place[stage].inlined;
            if ((from->role == GALI_LOOP_LOCAL) != (int)pass || inlined) {
                continue;
            }
            gali_loop_buffer *to = gali_loop_add_buffer(function, from->name, from->role);
            a->lowering.buffer[i] = to;
            if (!to) {
                return 0;
            }
            to->rank = from->rank;
            to->element = from->element;
            for (uint32_t d = 0; d < from->rank && !pass; d++) {
                to->extent[d] = copy_extent(function, from->extent[d]);
            }
            to->packed_rank = a->lowering.layout[i].rank;
            memcpy(to->packed, a->lowering.layout[i].packed, sizeof to->packed);
        }
    }
    return 1;
}

static gal_status no_memory(gal_error *error) {
    return gali_fail(error, GAL_NO_MEMORY, "no memory to apply a schedule");
}

static gal_status apply_all(applying *a, gali_loop_function *function, gal_error *error) {
    for (uint32_t i = 0; i < a->schedule->count; i++) {
        const char *why = apply_entry(a, &a->schedule->entry[i], i + 1);
        if (why) {
            return fail_entry(a->schedule, i + 1, why, error);
        }
    }
    if (!copy_buffers(a, function)) {
        return no_memory(error);
    }
    if (gali_lower(&a->lowering)) {
        return GAL_OK;
    }
    return a->lowering.entry ? fail_entry(a->schedule, a->lowering.entry, a->lowering.why, error)
                             : gali_fail(error, GAL_BAD_DATA, "schedule: %s", a->lowering.why);
}

gal_status gali_schedule_apply(const gali_expression *expression, const gali_schedule *schedule,
                               gali_arena *arena, gali_loop_function **out, gal_error *error) {
    applying *a = gali_arena_take(arena, sizeof *a);
    gali_loop_function *function = gali_loop_make(arena, expression->names->name);
    if (!a || !function || !copy_symbols(expression, function)) {
        return no_memory(error);
    }
    gali_loop_function *names = gali_arena_take(arena, sizeof *names);
    if (!names) {
        return no_memory(error);
    }
    function->dense = expression->names->dense;
    *names = *expression->names; /* what cache_write adds stays here */
    names->arena = arena;
    a->expression = *expression;
    a->expression.names = names;
    a->schedule = schedule;
    gali_axes_begin(&a->axes, &a->expression, function);
    a->lowering.axes = &a->axes;
    a->lowering.expression = &a->expression;
    for (uint32_t s = 0; s < GALI_EXPRESSION_STAGES_MAX; s++) {
        a->lowering.place[s].at = GALI_NO_AXIS;
    }
    gal_status status = arena->failed ? no_memory(error) : GAL_OK;
    if (status == GAL_OK && !gali_axes_order_holds(&a->axes)) {
        status = gali_fail(error, GAL_BAD_DATA,
                           "expression %s: a sum runs over its axes in another order than theirs",
                           expression->names->name);
    }
    status = status == GAL_OK ? apply_all(a, function, error) : status;
    if (status == GAL_OK) {
        gali_loop_roll(function);
        status = gali_loop_hoist(function, error);
    }
    if (status == GAL_OK) {
        status = gali_loop_verify(function, error);
    }
    if (arena->failed) { /* whatever the schedule was then found to be */
        status = no_memory(error);
    }
    *out = status == GAL_OK ? function : NULL;
    return status;
}
