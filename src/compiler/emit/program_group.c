/* A group as functions of C, one for all sizes or one for each of its versions, and the call that the run has of it. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "compiler/emit/program_emission.h"
#include "compiler/loop/layout.h"
#include "compiler/loop/print_c.h"
#include "compiler/lower/lower.h"
#include "compiler/program/margin.h"
#include "compiler/program/versions.h"

static const gali_node *node_of(const gali_program *p, uint32_t group) {
    const uint32_t first = gali_program_group_first(p, group);
    const uint32_t node = first == GALI_NONE ? GALI_NONE : p->stages[first].node;
    return node == GALI_NONE ? NULL : p->nodes[node].node;
}

/* "Group 7: MatMul "/q/MatMul"" */
static void add_title(const gali_emission *e, gali_text *to, uint32_t group) {
    const gali_node *node = node_of(e->p, group);
    gali_text_add(to, "/* Group %u", group);
    if (node) {
        gali_text_add(to, ": %s \"", gali_op_list[node->op].name);
        for (const char *at = node->name; *at; at++) { /* a name may not end the comment */
            gali_text_add_bytes(to, *at == '*' ? "." : at, 1);
        }
        gali_text_add(to, "\"");
    }
}

static void add_comment(gali_emission *e, uint32_t group) {
    const gali_program *p = e->p;
    add_title(e, &e->functions, group);
    for (uint32_t i = gali_program_group_first(p, group); i != GALI_NONE; i = gali_program_group_next(p, i)) {
        gali_text_add(&e->functions, ", makes ");
        gali_emission_type(e, &e->functions, &p->tensors[p->stages[i].tensor].type);
    }
    gali_text_add(&e->functions, ". */\n");
}

/* The arguments of a group's function, between commas. */
static void add_arguments(gali_emission *e, const gali_lowered *lowered) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < lowered->function->symbols; i++) {
        gali_text_add(&e->calls, "%s", count++ ? ", " : "");
        gali_emission_size_name(e, &e->calls, lowered->symbols[i]);
    }
    for (uint32_t i = 0; i < lowered->function->parameters; i++) {
        gali_text_add(&e->calls, "%s", count++ ? ", " : "");
        gali_emission_pointer(e, &e->calls, lowered->tensors[i], lowered->function->buffer[i]);
    }
}

/* A task of threads: the function with its arguments in a struct, and a range. */
static void add_task(gali_emission *e, const gali_lowered *lowered, const char *name) {
    const gali_loop_function *f = lowered->function;
    gali_text *to = &e->functions;
    uint32_t count = 0;
    gali_text_add(to, "struct %s_arguments {\n", name);
    for (uint32_t i = 0; i < f->symbols; i++) {
        gali_text_add(to, "    uint32_t a%u;\n", count++);
    }
    for (uint32_t i = 0; i < f->parameters; i++) {
        int given = f->buffer[i]->role == GALI_LOOP_INPUT || f->buffer[i]->role == GALI_LOOP_CONSTANT;
        gali_text_add(to, "    %s%s *a%u;\n", given ? "const " : "", gali_element_list[f->buffer[i]->element].c,
                      count++);
    }
    gali_text_add(to,
                  "};\n\nstatic void %s_task(const void *arguments, uint32_t first, uint32_t last) {\n"
                  "    const struct %s_arguments *a = (const struct %s_arguments *)arguments;\n    %s(",
                  name, name, name, name);
    for (uint32_t i = 0; i < count; i++) {
        gali_text_add(to, "a->a%u, ", i);
    }
    gali_text_add(to, "first, last);\n}\n\n");
}

/* Steps of a group's stages: elements, and what their sums add up; as many as fit 31 bits where nobody can say. */
static gali_extent work_of(const gali_program *p, uint32_t group) {
    gali_extents *x = p->graph->extents;
    gali_extent all = 0;
    for (uint32_t i = gali_program_group_first(p, group); i != GALI_NONE; i = gali_program_group_next(p, i)) {
        const gali_program_stage *stage = &p->stages[i];
        gali_extent steps = 1;
        for (uint32_t d = 0; d < stage->rank + stage->reduced; d++) {
            steps = gali_extent_mul(x, steps, stage->extent[d]);
        }
        all = gali_extent_add(x, all, steps);
    }
    return all == GALI_EXTENT_UNKNOWN || all == GALI_EXTENT_BAD ? INT32_MAX : all;
}

static void call_group(gali_emission *e, uint32_t group, const gali_lowered *lowered, const char *name) {
    gali_emission_indent(e);
    if (!lowered->is_parallel) {
        gali_text_add(&e->calls, "%s(", name);
        add_arguments(e, lowered);
        gali_text_add(&e->calls, ");\n");
        return;
    }
    gali_text_add(&e->calls, "gali_share(parallel, ");
    gali_emission_extent(e, &e->calls, lowered->parallel);
    gali_text_add(&e->calls, ", ");
    gali_emission_extent(e, &e->calls, work_of(e->p, group));
    gali_text_add(&e->calls, ", %s_task, &(struct %s_arguments){", name, name);
    add_arguments(e, lowered);
    gali_text_add(&e->calls, "});\n");
    e->shares = 1;
}

/* The function with names that say nothing: two groups that compute the same have the same text. */
static gal_status print_nameless(gali_emission *e, gali_loop_function *f, gali_text *to) {
    char names[GALI_LOOP_BUFFERS_MAX][GALI_LOOP_NAME_MAX];
    for (uint32_t i = 0; i < f->buffers; i++) { /* locals, too: some are called after what they hold */
        memcpy(names[i], f->buffer[i]->name, GALI_LOOP_NAME_MAX);
        snprintf(f->buffer[i]->name, GALI_LOOP_NAME_MAX, "buffer%u", i);
    }
    gal_status status = gali_loop_print_c(f, "gali_shared", gali_emission_lanes(e), to, e->error);
    for (uint32_t i = 0; i < f->buffers; i++) {
        memcpy(f->buffer[i]->name, names[i], GALI_LOOP_NAME_MAX);
    }
    return status == GAL_OK && to->failed ? gali_fail(e->error, GAL_NO_MEMORY, "no memory to emit") : status;
}

static const gali_emission_function *find_shared(const gali_emission *e, const gali_text *text) {
    for (const gali_emission_function *f = e->shared; f; f = f->next) {
        if (f->size == text->size && memcmp(f->text, text->bytes, text->size) == 0) {
            return f;
        }
    }
    return NULL;
}

/* Writes the group's function, and keeps it for others that are the same; NULL: no memory. */
static const gali_emission_function *add_function(gali_emission *e, uint32_t group, const gali_lowered *lowered,
                                                  uint32_t version, const gali_text *nameless) {
    const gali_node *node = node_of(e->p, group);
    gali_emission_function *f = gali_arena_take(e->p->arena, sizeof *f);
    gali_text name = {0};
    gali_text_add(&name, "gali_%u_%s_", group, node ? gali_op_list[node->op].name : "Copy");
    gali_text_add_word(&name, node ? node->name : "", 40);
    if (version != GALI_NONE) {
        gali_text_add(&name, "_v%u", version);
    }
    if (f && !name.failed) {
        *f = (gali_emission_function){.name = gali_arena_copy(e->p->arena, name.bytes, name.size),
                                      .text = gali_arena_copy(e->p->arena, nameless->bytes, nameless->size),
                                      .size = nameless->size,
                                      .next = e->shared};
    }
    gali_text_release(&name);
    if (!f || !f->name || !f->text) {
        gali_fail(e->error, GAL_NO_MEMORY, "no memory to emit");
        return NULL;
    }
    add_comment(e, group);
    if (gali_loop_print_c(lowered->function, f->name, gali_emission_lanes(e), &e->functions, e->error) !=
        GAL_OK) {
        return NULL;
    }
    gali_text_add(&e->functions, "\n");
    if (lowered->is_parallel) {
        add_task(e, lowered, f->name);
    }
    return e->shared = f;
}

/* A group's function for all sizes, or for those of a version. */
typedef struct one_function {
    gali_lowered lowered;
    const gali_emission_function *is;
    int old; /* another group's, which computes the same */
} one_function;

/* Finds the lowered function where it is there already, or writes it. */
static gal_status write_function(gali_emission *e, uint32_t group, uint32_t version, one_function *f) {
    gali_text nameless = {0};
    gal_status status = print_nameless(e, f->lowered.function, &nameless);
    if (status == GAL_OK) {
        f->is = find_shared(e, &nameless);
        f->old = f->is != NULL;
        f->is = f->old ? f->is : add_function(e, group, &f->lowered, version, &nameless);
        status = f->is ? GAL_OK : e->error->status;
    }
    gali_text_release(&nameless);
    return status;
}

/* The layer is found by its name where a function is called that has another's. */
static void add_call_title(gali_emission *e, uint32_t group, int old) {
    if (old) {
        gali_emission_indent(e);
        add_title(e, &e->calls, group);
        gali_text_add(&e->calls, " */\n");
    }
}

/*
 * The group for a version's sizes: by rules, or with panels as wide as the one for all sizes has them, whose constants are laid
 * out for that; *good 0: with neither they would be there twice.
 */
static gal_status lower_version(gali_emission *e, uint32_t group, gali_program *narrow, const gali_lowered *all,
                                gali_lowered *lowered, int *good) {
    narrow->target = e->p->target; /* it may have got it later */
    gal_status status = gali_program_lower(narrow, group, &e->lowered, lowered, e->error);
    *good = status == GAL_OK && gali_lowered_reads_alike(lowered, all);
    if (status == GAL_OK && !*good && all->sum.schedule.count) {
        gal_error why = {0};
        gal_status by_all =
            gali_program_lower_by(narrow, group, &all->sum.schedule, &e->lowered, lowered, &why);
        *good = by_all == GAL_OK && gali_lowered_reads_alike(lowered, all);
        status = by_all == GAL_NO_MEMORY ? by_all : GAL_OK;
    }
    return status;
}

/* The condition of a version's sizes, of those that the group has. */
static void add_version_test(gali_emission *e, uint32_t group, const gali_program_version *version) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < version->count; i++) {
        const gali_size_range *r = &version->range[i];
        if (!gali_program_group_has(e->p, group, r)) {
            continue;
        }
        gali_text_add(&e->calls, count++ ? " && " : "");
        gali_emission_size_name(e, &e->calls, r->symbol);
        if (r->same) {
            gali_text_add(&e->calls, " == ");
            gali_emission_size_name(e, &e->calls, r->other);
            continue;
        }
        gali_text_add(&e->calls, r->least == r->most ? " == %lld" : " >= %lld", (long long)r->least);
        if (r->least < r->most) {
            gali_text_add(&e->calls, " && ");
            gali_emission_size_name(e, &e->calls, r->symbol);
            gali_text_add(&e->calls, " <= %lld", (long long)r->most);
        }
    }
}

/* "if (size_n == 1) { .. } else if (..) { .. } else { .. }": each version's call; all: for those that have none. */
static gal_status add_versions(gali_emission *e, uint32_t group, one_function *all, const uint32_t *versions,
                               uint32_t count) {
    gal_status status = GAL_OK;
    for (uint32_t i = 0; i < count && status == GAL_OK; i++) {
        const gali_program_version *version = &e->p->versions[versions[i]];
        one_function own;
        int good;
        status = lower_version(e, group, version->narrow, &all->lowered, &own.lowered, &good);
        const one_function *f = good ? &own : all;
        if (status == GAL_OK && (good || !all->is)) {
            status = write_function(e, group, good ? versions[i] : GALI_NONE, good ? &own : all);
        }
        if (status == GAL_OK) {
            gali_emission_indent(e);
            gali_text_add(&e->calls, i ? "} else " : "");
            gali_text_add(&e->calls, i + 1 < count ? "if (" : "{\n");
            if (i + 1 < count) {
                add_version_test(e, group, version);
                gali_text_add(&e->calls, ") {\n");
            }
            e->depth++;
            add_call_title(e, group, f->old);
            call_group(e, group, &f->lowered, f->is->name);
            e->depth--;
        }
    }
    gali_emission_indent(e);
    gali_text_add(&e->calls, "}\n");
    return status;
}

/* Zeros around what the group makes. */
static void add_margins(gali_emission *e, uint32_t group) {
    const gali_program *p = e->p;
    for (uint32_t i = gali_program_group_first(p, group); i != GALI_NONE; i = gali_program_group_next(p, i)) {
        const gali_program_stage *stage = &p->stages[i];
        const gali_margin margin = gali_program_margin(p, stage->tensor);
        if (!margin.rank) {
            continue;
        }
        gali_emission_indent(e);
        gali_text_add(&e->calls, "gali_one_set_margin(");
        gali_emission_pointer(e, &e->calls, stage->tensor, NULL);
        gali_text_add(&e->calls, ", %u, ", margin.rank);
        gali_emission_extent(e, &e->calls, margin.bytes);
        gali_text_add(&e->calls, ", (const int64_t[]){");
        for (uint32_t d = 0; d < margin.rank; d++) {
            const gali_extent sizes[] = {margin.of[d].before, margin.of[d].made, margin.of[d].whole};
            for (int k = 0; k < 3; k++) {
                gali_text_add(&e->calls, d || k ? ", " : "");
                gali_emission_extent(e, &e->calls, sizes[k]);
            }
        }
        gali_text_add(&e->calls, "});\n");
    }
}

static gal_status add_group(gali_emission *e, uint32_t group) {
    one_function f = {.is = NULL};
    uint32_t versions[GALI_PROGRAM_VERSIONS_MAX], count = gali_program_group_versions(e->p, group, versions);
    gal_status status = gali_program_lower(e->p, group, &e->lowered, &f.lowered, e->error);
    add_margins(e, group);
    if (status == GAL_OK && count > 1) {
        e->versioned++;
        e->versions += count;
        return add_versions(e, group, &f, versions, count);
    }
    status = status == GAL_OK ? write_function(e, group, GALI_NONE, &f) : status;
    if (status == GAL_OK) {
        add_call_title(e, group, f.old);
        call_group(e, group, &f.lowered, f.is->name);
    }
    return status;
}

gal_status gali_emission_group(gali_emission *e, uint32_t group) {
    gal_status status = add_group(e, group);
    gali_arena_release(&e->lowered);
    return status;
}
