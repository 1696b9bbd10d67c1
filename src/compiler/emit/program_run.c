/* What a run does: groups, each a function, called one after another between the steps that steer them. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "compiler/emit/program_emission.h"
#include "compiler/loop/layout.h"
#include "compiler/loop/print_c.h"
#include "compiler/lower/lower.h"

enum { ALIGNMENT = 64 };

/* ---- constants ---- */

/* Whether two functions read a constant alike. */
static int same_layout(const gali_loop_buffer *a, const gali_loop_buffer *b) {
    return !a->packed_rank && !b->packed_rank ? 1 : gali_layout_same(a, b);
}

/* Where the constant stands in the weights, in bytes; it is put there when it is first asked for. */
static size_t constant_at(gali_emission *e, uint32_t tensor, const gali_loop_buffer *buffer) {
    static const char zeros[ALIGNMENT];
    static const gali_loop_buffer plain;
    buffer = buffer ? buffer : &plain;
    for (const gali_emission_constant *c = e->constants; c; c = c->next) {
        if (c->tensor == tensor && same_layout(c->buffer, buffer)) {
            return c->at;
        }
    }
    size_t over = e->weights.size % ALIGNMENT, bytes = gali_program_constant_bytes(e->p, tensor, buffer);
    gali_text_add_bytes(&e->weights, zeros, over ? ALIGNMENT - over : 0);
    size_t at = e->weights.size;
    unsigned char *place = gali_text_reserve(&e->weights, bytes);
    gali_emission_constant *c = gali_arena_take(e->p->arena, sizeof *c);
    if (!place || !c || !gali_program_constant(e->p, tensor, buffer, place)) {
        e->weights.failed = 1;
        return 0;
    }
    *c = (gali_emission_constant){tensor, buffer, at, e->constants};
    e->constants = c;
    return at;
}

/* ---- pointers ---- */

/* The tensor that the memory is of. */
static const gali_program_tensor *root_of(const gali_program *p, const gali_program_tensor *t) {
    while (t->home != GALI_NONE) {
        t = &p->tensors[t->home];
    }
    return t;
}

static void add_own_memory(gali_emission *e, gali_text *to, uint32_t tensor, const gali_loop_buffer *buffer) {
    const gali_program_tensor *t = &e->p->tensors[tensor];
    switch (t->role) {
    case GALI_TENSOR_INPUT:
        gali_emission_port(to, "in", t->port, t->name);
        break;
    case GALI_TENSOR_OUTPUT:
        gali_emission_port(to, "out", t->port, t->name);
        break;
    case GALI_TENSOR_CONSTANT:
        gali_text_add(to, "(const %s *)(constants + %zu)", gali_element_list[t->type.element].c,
                      constant_at(e, tensor, buffer));
        break;
    default:
        gali_text_add(to, "(%s *)slot%u", gali_element_list[t->type.element].c, t->slot);
    }
}

/* A pointer to the tensor, as the run has it; buffer: as a function reads it, NULL: in the order of its type. */
static void add_pointer(gali_emission *e, gali_text *to, uint32_t tensor, const gali_loop_buffer *buffer) {
    const gali_program_tensor *t = &e->p->tensors[tensor];
    if (t->home == GALI_NONE) {
        add_own_memory(e, to, tensor, buffer);
        return;
    }
    gali_tensor_role role = root_of(e->p, t)->role;
    int given = role == GALI_TENSOR_INPUT || role == GALI_TENSOR_CONSTANT;
    gali_text_add(to, "(%s%s *)(", given ? "const " : "", gali_element_list[t->type.element].c);
    add_pointer(e, to, t->home, NULL);
    gali_text_add(to, ")");
    if (t->row != 0) {
        gali_text_add(to, " + (");
        gali_emission_extent(
            e, to,
            gali_extent_mul(e->p->graph->extents, t->row, gali_type_count(e->p->graph->extents, &t->type)));
        gali_text_add(to, ")");
    }
}

/* ---- groups ---- */

/* Before a line of the run: blocks in blocks are indented. */
static void indent(gali_emission *e) {
    for (uint32_t i = 0; i <= e->depth; i++) {
        gali_text_add(&e->calls, "    ");
    }
}

static const gali_node *node_of(const gali_program *p, uint32_t group) {
    for (uint32_t i = 0; i < p->stage_count; i++) {
        if (!p->stages[i].gone && p->stages[i].group == group) {
            return p->stages[i].node == GALI_NONE ? NULL : p->nodes[p->stages[i].node].node;
        }
    }
    return NULL;
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
    for (uint32_t i = 0; i < p->stage_count; i++) {
        if (!p->stages[i].gone && p->stages[i].group == group) {
            gali_text_add(&e->functions, ", makes ");
            gali_type_print(p->graph->extents, &p->tensors[p->stages[i].tensor].type, &e->functions);
        }
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
        add_pointer(e, &e->calls, lowered->tensors[i], lowered->function->buffer[i]);
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

/* Steps of a group's stages: elements, and what their sums add up. */
static gali_extent work_of(const gali_program *p, uint32_t group) {
    gali_extents *x = p->graph->extents;
    gali_extent all = 0;
    for (uint32_t i = 0; i < p->stage_count; i++) {
        const gali_program_stage *stage = &p->stages[i];
        gali_extent steps = 1;
        for (uint32_t d = 0; d < stage->rank + stage->reduced; d++) {
            steps = gali_extent_mul(x, steps, stage->extent[d]);
        }
        all = stage->gone || stage->group != group ? all : gali_extent_add(x, all, steps);
    }
    return all;
}

static void call_group(gali_emission *e, uint32_t group, const gali_lowered *lowered, const char *name) {
    gali_extent work = work_of(e->p, group);
    indent(e);
    if (!lowered->is_parallel) {
        gali_text_add(&e->calls, "%s(", name);
        add_arguments(e, lowered);
        gali_text_add(&e->calls, ");\n");
        return;
    }
    gali_text_add(&e->calls, "gali_share(parallel, ");
    gali_emission_extent(e, &e->calls, lowered->parallel);
    gali_text_add(&e->calls, ", ");
    gali_emission_extent(e, &e->calls,
                         work == GALI_EXTENT_UNKNOWN || work == GALI_EXTENT_BAD ? INT32_MAX : work);
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
                                                  const gali_text *nameless) {
    const gali_node *node = node_of(e->p, group);
    gali_emission_function *f = gali_arena_take(e->p->arena, sizeof *f);
    gali_text name = {0};
    gali_text_add(&name, "gali_%u_%s_", group, node ? gali_op_list[node->op].name : "Copy");
    gali_emission_word(&name, node ? node->name : "", 40);
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

static gal_status add_group(gali_emission *e, uint32_t group) {
    gali_lowered lowered;
    gali_text nameless = {0};
    gal_status status = gali_program_lower(e->p, group, &lowered, e->error);
    status = status == GAL_OK ? print_nameless(e, lowered.function, &nameless) : status;
    if (status == GAL_OK) {
        const gali_emission_function *f = find_shared(e, &nameless);
        if (f) { /* the layer is found by its name where it is called */
            indent(e);
            add_title(e, &e->calls, group);
            gali_text_add(&e->calls, " */\n");
        } else {
            f = add_function(e, group, &lowered, &nameless);
        }
        if (f) {
            call_group(e, group, &lowered, f->name);
        } else {
            status = e->error->status;
        }
    }
    gali_text_release(&nameless);
    return status;
}

/* ---- steps ---- */

/* The first element of a tensor, as it is read. */
static void add_element(gali_emission *e, uint32_t tensor) {
    gali_text_add(&e->calls, "*(");
    add_pointer(e, &e->calls, tensor, NULL);
    gali_text_add(&e->calls, ")");
}

/* The most that a size that a step tells may be. */
static void add_most(gali_emission *e, uint32_t symbol) {
    gali_extents *x = e->p->graph->extents;
    gali_extent bound = gali_program_bound(e->p, gali_extent_of_symbol(x, symbol), 1);
    gali_emission_extent(e, &e->calls, gali_extent_least(x, bound, e->p->most[symbol]));
}

static void add_refusal(gali_emission *e) {
    gali_text_add(&e->calls, ") {\n");
    indent(e);
    gali_text_add(&e->calls, "    return -2;\n");
    indent(e);
    gali_text_add(&e->calls, "}\n");
}

void gali_emission_demand(const gali_emission *e, gali_text *to, const gali_demand *demand) {
    gali_text a = {0}, b = {0};
    gali_emission_extent(e, &a, demand->a);
    gali_emission_extent(e, &b, demand->b);
    const char *left = a.bytes ? a.bytes : "", *right = b.bytes ? b.bytes : "";
    gali_text_add(to, "%s != %s", left, right);
    if (demand->kind == GALI_DEMAND_FITS) {
        gali_text_add(to, " && %s != 1 && %s != 1", left, right);
    }
    to->failed |= a.failed | b.failed;
    gali_text_release(&a);
    gali_text_release(&b);
}

/* symbol = extent, or an element, unless that leaves what there is room for. */
static void add_size(gali_emission *e, const gali_program_step *step) {
    indent(e);
    gali_text_add(&e->calls, "if (!gali_size_set(&");
    gali_emission_size_name(e, &e->calls, step->symbol);
    gali_text_add(&e->calls, ", ");
    if (step->kind == GALI_CONTROL_READ) {
        gali_text_add(&e->calls, "(int64_t)(");
        add_pointer(e, &e->calls, step->tensor, NULL);
        gali_text_add(&e->calls, ")[%lld]", (long long)step->extent);
    } else {
        gali_emission_extent(e, &e->calls, step->extent);
    }
    gali_text_add(&e->calls, ", ");
    add_most(e, step->symbol);
    gali_text_add(&e->calls, ")");
    add_refusal(e);
}

/* for (size_trip = 0; go && size_trip < trips; size_trip++) { */
static void add_loop(gali_emission *e, const gali_program_step *step) {
    gali_text name = {0};
    gali_emission_size_name(e, &name, step->symbol);
    const char *trip = name.bytes ? name.bytes : "";
    indent(e);
    gali_text_add(&e->calls, "int go_%s = ", trip);
    if (step->test == GALI_NONE) {
        gali_text_add(&e->calls, "1");
    } else {
        add_element(e, step->test);
        gali_text_add(&e->calls, " != 0");
    }
    gali_text_add(&e->calls, ";\n");
    indent(e);
    gali_text_add(&e->calls, "const int64_t trips_%s = ", trip);
    if (step->extent != GALI_EXTENT_UNKNOWN) {
        gali_emission_extent(e, &e->calls, step->extent);
    } else if (step->tensor != GALI_NONE) {
        gali_text_add(&e->calls, "(int64_t)");
        add_element(e, step->tensor);
    } else {
        gali_text_add(&e->calls, "INT64_MAX");
    }
    gali_text_add(&e->calls, ";\n");
    indent(e);
    gali_text_add(&e->calls, "for (%s = 0; go_%s && %s < trips_%s; %s++) {\n", trip, trip, trip, trip, trip);
    e->depth++;
    indent(e);
    gali_text_add(&e->calls, "if (%s > ", trip);
    add_most(e, step->symbol);
    add_refusal(e);
    gali_text_release(&name);
}

static void add_end_loop(gali_emission *e, const gali_program_step *step) {
    if (step->test != GALI_NONE) {
        indent(e);
        gali_text_add(&e->calls, "go_");
        gali_emission_size_name(e, &e->calls, step->symbol);
        gali_text_add(&e->calls, " = ");
        add_element(e, step->test);
        gali_text_add(&e->calls, " != 0;\n");
    }
    e->depth--;
    indent(e);
    gali_text_add(&e->calls, "}\n");
}

static void add_if(gali_emission *e, const gali_program_step *step) {
    e->depth -= step->kind != GALI_CONTROL_IF;
    indent(e);
    if (step->kind == GALI_CONTROL_IF) {
        gali_text_add(&e->calls, "if (");
        add_element(e, step->tensor);
    }
    gali_text_add(&e->calls, step->kind == GALI_CONTROL_IF     ? ") {\n"
                             : step->kind == GALI_CONTROL_ELSE ? "} else {\n"
                                                               : "}\n");
    e->depth += step->kind != GALI_CONTROL_END_IF;
}

/* A list of pointers as C has them. */
static void add_pointers(gali_emission *e, const char *type, const char *name, const uint32_t *tensors,
                         uint32_t count) {
    indent(e);
    gali_text_add(&e->calls, "%s const %s[] = {", type, name);
    for (uint32_t i = 0; i < count; i++) {
        gali_text_add(&e->calls, i ? ", " : "");
        if (tensors[i] == GALI_NONE) {
            gali_text_add(&e->calls, "NULL");
        } else {
            add_pointer(e, &e->calls, tensors[i], NULL);
        }
    }
    gali_text_add(&e->calls, "};\n");
}

static void add_call(gali_emission *e, const gali_program_step *step) {
    const gali_program_call *call = step->call;
    indent(e);
    gali_text_add(&e->calls, "{\n");
    e->depth++;
    add_pointers(e, "const void *", "in", call->operands, call->operand_count);
    add_pointers(e, "void *", "out", call->results, call->result_count);
    indent(e);
    gali_text_add(&e->calls, "const int64_t sizes[] = {");
    for (uint32_t i = 0; i < call->size_count; i++) {
        gali_text_add(&e->calls, i ? ", " : "");
        gali_emission_extent(e, &e->calls, call->sizes[i]);
    }
    gali_text_add(&e->calls, "};\n");
    indent(e);
    if (step->symbol != GALI_NONE) {
        gali_emission_size_name(e, &e->calls, step->symbol);
        gali_text_add(&e->calls, " = (uint32_t)");
    }
    gali_text_add(&e->calls, "gali_one_%s(in, out, sizes);\n", call->function);
    e->depth--;
    indent(e);
    gali_text_add(&e->calls, "}\n");
}

static void add_step(gali_emission *e, const gali_program_step *step) {
    switch (step->kind) {
    case GALI_CONTROL_SIZE:
    case GALI_CONTROL_READ:
        add_size(e, step);
        break;
    case GALI_CONTROL_CALL:
        add_call(e, step);
        break;
    case GALI_CONTROL_CHECK:
        indent(e);
        gali_text_add(&e->calls, "if (");
        gali_emission_demand(e, &e->calls, step->demand);
        add_refusal(e);
        break;
    case GALI_CONTROL_FENCE:
        break;
    case GALI_CONTROL_LOOP:
        add_loop(e, step);
        break;
    case GALI_CONTROL_END_LOOP:
        add_end_loop(e, step);
        break;
    default:
        add_if(e, step);
    }
}

gal_status gali_emission_groups(gali_emission *e) {
    const gali_program *p = e->p;
    gal_status status = GAL_OK;
    uint32_t step = 0, group = GALI_NONE;
    for (uint32_t i = 0; status == GAL_OK && i <= p->stage_count; i++) {
        for (; step < p->step_count && p->steps[step].before <= i; step++) {
            add_step(e, &p->steps[step]);
        }
        if (i < p->stage_count && !p->stages[i].gone && p->stages[i].group != group) {
            group = p->stages[i].group;
            status = add_group(e, group);
        }
    }
    return status;
}
