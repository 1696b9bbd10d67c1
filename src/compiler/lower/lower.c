#include "compiler/lower/lower.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "compiler/loop/layout.h"
#include "compiler/loop/uses.h"
#include "compiler/lower/lowering.h"
#include "compiler/program/patterns.h"

enum { NAME_CHARACTERS = 20 }; /* of a tensor's in the file */

void gali_lower_fail(gali_lowering *l, const char *why) {
    l->why = l->why ? l->why : why;
}

int gali_lower_refuse(gali_lowering *l, const gali_schedule *schedule, uint32_t at, const char *message) {
    gali_text text = {0};
    if (at < schedule->count) {
        gali_schedule_print_entry(&schedule->entry[at], &text);
        snprintf(l->refusal, sizeof l->refusal, "schedule, entry %u (%.70s): %s", at + 1,
                 text.bytes ? text.bytes : "", message);
    } else {
        snprintf(l->refusal, sizeof l->refusal, "schedule: %s", message);
    }
    gali_text_release(&text);
    gali_lower_fail(l, l->refusal);
    return 0;
}

void gali_lower_tell(gali_lowering *l) {
    const gali_program_stage *stage = l->stage;
    gali_lowered_sum *sum = &l->out->sum;
    sum->node = stage->node;
    sum->rank = stage->rank;
    sum->reduced = stage->reduced;
    sum->steps = 1;
    sum->vectors = sum->rows = sum->pattern_rows = 0;
    for (uint32_t i = 0; i < stage->rank + stage->reduced; i++) {
        sum->extent[i] = gali_extent_value(l->p->graph->extents, stage->extent[i], l->p->typical);
        sum->steps *= (double)sum->extent[i];
    }
}

void gali_lower_append(gali_lowering *l, gali_loop_statement *s) {
    if (!s) {
        gali_lower_fail(l, "no memory, or a limit of loops");
        return;
    }
    *l->tail = s;
    l->tail = &s->next;
}

void gali_lower_put(gali_lowering *l, const gali_loop_access *to, const gali_loop_value *value) {
    gali_loop_statement *store = value ? gali_loop_add_statement(l->arena, GALI_LOOP_STORE) : NULL;
    if (store) {
        store->to = *to;
        store->value = value;
    }
    gali_lower_append(l, store);
}

void gali_lower_close(gali_lowering *l, gali_loop_statement **block) {
    while (*block) {
        block = &(*block)->next;
    }
    l->tail = block;
}

void gali_lower_name(gali_lowering *l, const char *stem, char name[GALI_LOOP_NAME_MAX]) {
    snprintf(name, GALI_LOOP_NAME_MAX, "%.16s%u", stem, l->names++);
}

const gali_loop_variable *gali_lower_variable(gali_lowering *l, const char *stem) {
    char name[GALI_LOOP_NAME_MAX];
    gali_lower_name(l, stem, name);
    const gali_loop_variable *variable = gali_loop_add_variable(l->f, name);
    if (!variable) {
        gali_lower_fail(l, "too many variables");
    }
    return variable;
}

gali_loop_buffer *gali_lower_local(gali_lowering *l, const char *stem, gali_element element, uint32_t rank,
                                   const uint32_t *extents) {
    char name[GALI_LOOP_NAME_MAX];
    gali_lower_name(l, stem, name);
    gali_loop_buffer *local = gali_loop_add_buffer(l->f, name, GALI_LOOP_LOCAL);
    gali_loop_statement *make = gali_loop_add_statement(l->arena, GALI_LOOP_MAKE);
    if (!local || !make) {
        gali_lower_fail(l, "no memory, or too many locals");
        return NULL;
    }
    local->element = gali_loop_computed(element);
    local->rank = rank;
    for (uint32_t i = 0; i < rank; i++) {
        local->extent[i] = gali_loop_number(extents[i]);
    }
    make->local = local;
    gali_lower_append(l, make);
    return local;
}

/* ---- parameters ---- */

static void add_type_symbols(gali_lowering *l, const gali_type *type) {
    for (int i = 0; i < type->rank; i++) {
        gali_lower_add_symbols(l, type->shape[i], 64);
    }
}

typedef void visitor(gali_lowering *l, const gali_scalar *a);

/* Visits every scalar once. */
static void visit(gali_lowering *l, const gali_scalar *a, visitor *see, const void **seen, uint32_t *count) {
    enum { SEEN_MOST = 4096 };
    if (!a) {
        return;
    }
    for (uint32_t i = 0; i < *count; i++) {
        if (seen[i] == a) {
            return;
        }
    }
    if (*count == SEEN_MOST) {
        gali_lower_fail(l, "too large an expression");
        return;
    }
    seen[(*count)++] = a;
    see(l, a);
    for (int i = 0; i < 3; i++) {
        visit(l, a->operand[i], see, seen, count);
    }
    for (int i = 0; i < GALI_RANK_MAX; i++) {
        visit(l, a->index[i], see, seen, count);
    }
}

static void visit_stage(gali_lowering *l, const gali_program_stage *stage, visitor *see) {
    const void *seen[4096];
    uint32_t count = 0;
    visit(l, stage->start, see, seen, &count);
    visit(l, stage->value, see, seen, &count);
    visit(l, stage->finish, see, seen, &count);
}

static void see_symbols(gali_lowering *l, const gali_scalar *a) {
    if (a->op == GALI_SCALAR_extent) {
        gali_lower_add_symbols(l, a->extent, 64);
    } else if (a->op == GALI_SCALAR_load) {
        add_type_symbols(l, &l->p->tensors[a->source].type);
    }
}

const gali_loop_buffer *gali_lower_parameter(const gali_lowering *l, uint32_t tensor) {
    for (uint32_t i = 0; i < l->f->parameters; i++) {
        if (l->out->tensors[i] == tensor) {
            return l->buffer[i];
        }
    }
    return NULL;
}

/* "t_layer_0_hidden_12": the end of the value's name, and the tensor's number. Nothing else in the C begins with t_. */
static void name_tensor(gali_lowering *l, uint32_t tensor, char name[GALI_LOOP_NAME_MAX]) {
    gali_text word = {0};
    gali_text_add_word(&word, l->p->tensors[tensor].name, NAME_CHARACTERS);
    snprintf(name, GALI_LOOP_NAME_MAX, "t_%s_%u", word.size ? word.bytes : "", tensor);
    l->arena->failed |= word.failed;
    gali_text_release(&word);
}

static void add_parameter(gali_lowering *l, uint32_t tensor, gali_loop_role role) {
    char name[GALI_LOOP_NAME_MAX];
    if (gali_lower_parameter(l, tensor)) {
        return;
    }
    name_tensor(l, tensor, name);
    const gali_type *type = &l->p->tensors[tensor].type;
    gali_loop_buffer *buffer = gali_loop_add_buffer(l->f, name, role);
    if (!buffer || type->rank > GALI_LOOP_RANK_MAX) {
        gali_lower_fail(l, "too many tensors");
        return;
    }
    buffer->element = type->element;
    buffer->rank = (uint32_t)type->rank;
    for (int i = 0; i < type->rank; i++) {
        buffer->extent[i] = gali_lower_extent(l, type->shape[l->p->tensors[tensor].order[i]]);
    }
    l->out->tensors[buffer->id] = tensor;
    l->buffer[buffer->id] = buffer;
}

static void see_parameters(gali_lowering *l, const gali_scalar *a) {
    if (a->op == GALI_SCALAR_load) {
        int constant = l->p->tensors[a->source].role == GALI_TENSOR_CONSTANT;
        add_parameter(l, a->source, constant ? GALI_LOOP_CONSTANT : GALI_LOOP_INPUT);
    }
}

static void count_reads(gali_lowering *l, const gali_scalar *a) {
    l->reads += a->op == GALI_SCALAR_load && a->source == l->counted;
}

/* ---- a group ---- */

/* What sums by patterns look up beside what their expression loads. */
static void see_lookups(gali_lowering *l, const gali_patterns *patterns) {
    if (!patterns || patterns->makes_tiles) {
        return;
    }
    add_parameter(l, patterns->reorder, GALI_LOOP_CONSTANT);
    if (l->p->without & GALI_WITHOUT_PATTERNS) {
        add_parameter(l, patterns->csr_channel, GALI_LOOP_CONSTANT);
        add_parameter(l, patterns->csr_row, GALI_LOOP_CONSTANT);
        add_parameter(l, patterns->csr_column, GALI_LOOP_CONSTANT);
    }
}

static void add_parameters(gali_lowering *l, uint32_t group) {
    const gali_program *p = l->p;
    const uint32_t first = gali_program_group_first(p, group);
    for (uint32_t i = first; i != GALI_NONE; i = gali_program_group_next(p, i)) {
        const gali_program_stage *stage = &p->stages[i];
        visit_stage(l, stage, see_symbols);
        add_type_symbols(l, &p->tensors[stage->tensor].type);
        for (uint32_t k = 0; k < stage->rank + stage->reduced; k++) {
            gali_lower_add_symbols(l, stage->extent[k], 64);
        }
    }
    for (uint32_t i = first; i != GALI_NONE; i = gali_program_group_next(p, i)) {
        int output = p->tensors[p->stages[i].tensor].role == GALI_TENSOR_OUTPUT;
        add_parameter(l, p->stages[i].tensor, output ? GALI_LOOP_OUTPUT : GALI_LOOP_TEMPORARY);
    }
    for (uint32_t i = first; i != GALI_NONE; i = gali_program_group_next(p, i)) {
        visit_stage(l, &p->stages[i], see_parameters);
        see_lookups(l, p->stages[i].patterns);
    }
}

static gal_status blame(const gali_lowering *l, uint32_t group, gal_status status, gal_error *error) {
    const gali_program *p = l->p;
    gal_error inner = *error;
    for (uint32_t i = gali_program_group_first(p, group); i != GALI_NONE; i = gali_program_group_next(p, i)) {
        if (p->stages[i].node != GALI_NONE) {
            return gali_fail(error, status, "%s: %.150s", gali_program_place_of(p, p->stages[i].node),
                             l->why ? l->why : inner.message);
        }
    }
    return gali_fail(error, status, "%.150s", l->why ? l->why : inner.message);
}

uint32_t gali_lower_reads(gali_lowering *l, uint32_t tensor) {
    l->counted = tensor;
    l->reads = 0;
    const uint32_t first = gali_program_group_first(l->p, l->stage->group);
    for (uint32_t i = first; i != GALI_NONE; i = gali_program_group_next(l->p, i)) {
        visit_stage(l, &l->p->stages[i], count_reads);
    }
    return l->reads;
}

static void note_read(void *who, const gali_loop_access *access, int written) {
    unsigned char *read = who;
    read[access->buffer->id] |= !written;
}

/* Whether it has nothing to do, or no turn: of that compilers would warn. */
static int is_idle(const gali_loop_statement *loop) {
    int turns = loop->extent.count || loop->extent.constant || loop->mark == GALI_LOOP_ITEM;
    return !loop->body || !turns;
}

/* Which locals anything reads, and which each statement keeps a scalar in that only it reads. */
typedef struct sweeping {
    unsigned char read[GALI_LOOP_BUFFERS_MAX], kept[GALI_LOOP_BUFFERS_MAX];
} sweeping;

/* Whether it makes or fills a local that nothing reads: of one that statements keep scalars in, nothing behind it. */
static int is_unread(const gali_loop_statement *s, const sweeping *w) {
    const gali_loop_buffer *local = s->kind == GALI_LOOP_MAKE    ? s->local
                                    : s->kind == GALI_LOOP_STORE ? s->to.buffer
                                                                 : NULL;
    unsigned char later[GALI_LOOP_BUFFERS_MAX] = {0};
    if (!local || local->role != GALI_LOOP_LOCAL || !w->read[local->id] || !w->kept[local->id]) {
        return local && local->role == GALI_LOOP_LOCAL && !w->read[local->id];
    }
    gali_loop_walk(s->next, note_read, NULL, later);
    return !later[local->id];
}

/* Takes out lets that nothing uses, attempts at an index that came to nothing, idle loops, and locals that nothing reads. */
static gali_loop_statement *swept(gali_loop_statement *block, const sweeping *w) {
    if (!block) {
        return NULL;
    }
    gali_loop_kind kind = block->kind;
    block->body = swept(block->body, w);
    block->next = swept(block->next, w);
    int needless = kind == GALI_LOOP_LET && !gali_loop_uses_variable(block->next, block->variable);
    return needless || is_unread(block, w) || (kind == GALI_LOOP_FOR && is_idle(block)) ? block->next : block;
}

/* Until nothing is left that only what was taken out has read. */
static void sweep(const gali_lowering *l) {
    enum { ROUNDS = 4 };
    for (int round = 0; round < ROUNDS; round++) {
        sweeping w = {.read = {0}};
        for (uint32_t i = 0; i < l->kept_count; i++) {
            w.kept[l->kept[i].local->id] = 1;
        }
        gali_loop_walk(l->f->body, note_read, NULL, w.read);
        l->f->body = swept(l->f->body, &w);
    }
}

/* The sum of most steps, at typical sizes; NULL where none may run in tiles. */
static const gali_program_stage *largest_of(const gali_program *p, uint32_t group) {
    const gali_program_stage *largest = NULL;
    double most = 0;
    const uint32_t first = p->typical ? gali_program_group_first(p, group) : GALI_NONE;
    for (uint32_t i = first; i != GALI_NONE; i = gali_program_group_next(p, i)) {
        const gali_program_stage *stage = &p->stages[i];
        double steps = 1;
        if (!stage->reduced || stage->parted) {
            continue;
        }
        for (uint32_t d = 0; d < stage->rank + stage->reduced; d++) {
            steps *= (double)gali_extent_value(p->graph->extents, stage->extent[d], p->typical);
        }
        if (steps > most) {
            most = steps;
            largest = stage;
        }
    }
    return largest;
}

static gal_status lower_group(gali_lowering *l, uint32_t group, gal_error *error) {
    char name[GALI_LOOP_NAME_MAX];
    snprintf(name, sizeof name, "group%u", group);
    *l->out = (gali_lowered){.function = gali_loop_make(l->arena, name)};
    l->f = l->out->function;
    if (!l->f) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory to lower a group");
    }
    l->f->dense = 1;
    add_parameters(l, group);
    uint32_t stages = 0;
    const uint32_t first = gali_program_group_first(l->p, group);
    for (uint32_t i = first; i != GALI_NONE && !l->why; i = gali_program_group_next(l->p, i)) {
        if (stages++ == 0) {
            gali_lower_nest(l, &l->p->stages[i], gali_program_nest(l->p, group));
        }
        (l->items ? gali_lower_items : gali_lower_stage)(l, &l->p->stages[i]);
    }
    if (l->schedule && !l->why && !l->out->sum.schedule.count) {
        gali_lower_fail(l, "a schedule for a group without a sum that runs in tiles");
        snprintf(l->refusal, sizeof l->refusal, "%s", l->why);
    }
    if (l->why || l->arena->failed) {
        return GAL_UNSUPPORTED;
    }
    sweep(l);
    gal_status status = l->plain ? GAL_OK : gali_loop_hoist(l->f, error);
    if (!l->items) {
        gali_lower_parallel(l, stages);
    }
    status = *l->refusal ? GAL_BAD_DATA : status;
    return status == GAL_OK ? gali_loop_verify(l->f, error) : status;
}

/* Whether it is not memory that ended: a function at a limit of its own marks the arena, too. */
static int is_past_limit(const gali_loop_function *f) {
    return f && (f->variables == GALI_LOOP_VARIABLES_MAX || f->buffers == GALI_LOOP_BUFFERS_MAX);
}

gal_status gali_program_lower_by(gali_program *program, uint32_t group, const gali_schedule *schedule,
                                 gali_arena *arena, gali_lowered *lowered, gal_error *error) {
    gal_status status = GAL_OK;
    for (int plain = !program->target; plain < 2;
         plain++) { /* what passes a limit in vectors may not without */
        gali_lowering *l = gali_arena_take(arena, sizeof *l);
        if (!l) {
            return gali_fail(error, GAL_NO_MEMORY, "no memory to lower a group");
        }
        l->p = program;
        l->arena = arena;
        l->out = lowered;
        l->plain = plain;
        l->largest = largest_of(program, group);
        l->schedule = schedule;
        status = lower_group(l, group, error);
        lowered->plain = plain && program->target;
        if (*l->refusal) {
            return gali_fail(error, GAL_BAD_DATA, "%s", l->refusal);
        }
        if (arena->failed && is_past_limit(l->f)) {
            arena->failed = 0;
            gali_lower_fail(l, "past the limits of loops");
            status = GAL_UNSUPPORTED;
        }
        if (status == GAL_OK || arena->failed) {
            return status == GAL_OK ? status : gali_fail(error, GAL_NO_MEMORY, "no memory to lower a group");
        }
        status = blame(l, group, status == GAL_BAD_DATA ? GAL_UNSUPPORTED : status, error);
        if (schedule) { /* it is for vectors */
            return status;
        }
    }
    return status;
}

gal_status gali_program_lower(gali_program *program, uint32_t group, gali_arena *arena, gali_lowered *lowered,
                              gal_error *error) {
    const gali_schedule *schedule = program->schedules ? program->schedules[group] : NULL;
    return gali_program_lower_by(program, group, schedule, arena, lowered, error);
}

gal_status gali_program_lower_items(gali_program *program, uint32_t group, gali_arena *arena,
                                    gali_lowered *lowered, gal_error *error) {
    gali_lowering *l = gali_arena_take(arena, sizeof *l);
    if (!l) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory to lower a group");
    }
    l->p = program;
    l->arena = arena;
    l->out = lowered;
    l->plain = l->items = 1;
    gal_status status = lower_group(l, group, error);
    return status == GAL_OK ? status
                            : blame(l, group, status == GAL_BAD_DATA ? GAL_UNSUPPORTED : status, error);
}

/* ---- constants of several functions ---- */

int gali_lowered_same_layout(const gali_loop_buffer *a, const gali_loop_buffer *b) {
    return !a->packed_rank && !b->packed_rank ? 1 : gali_layout_same(a, b);
}

int gali_lowered_reads_alike(const gali_lowered *a, const gali_lowered *b) {
    for (uint32_t i = 0; i < a->function->parameters; i++) {
        const gali_loop_buffer *mine = a->function->buffer[i], *other = NULL;
        for (uint32_t k = 0; k < b->function->parameters; k++) {
            other = b->tensors[k] == a->tensors[i] ? b->function->buffer[k] : other;
        }
        if (mine->role == GALI_LOOP_CONSTANT && (!other || !gali_lowered_same_layout(mine, other))) {
            return 0;
        }
    }
    return 1;
}
