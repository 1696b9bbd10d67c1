/* What a run does: groups, each a function, called one after another between the steps that steer them. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "compiler/emit/program_emission.h"
#include "compiler/lower/lower.h"

enum { ALIGNMENT = 64 };

/* ---- constants ---- */

/* Where the constant stands in the weights, in bytes; it is put there when it is first asked for. */
static size_t constant_at(gali_emission *e, uint32_t tensor, const gali_loop_buffer *buffer) {
    static const char zeros[ALIGNMENT];
    static const gali_loop_buffer plain;
    buffer = buffer ? buffer : &plain;
    for (const gali_emission_constant *c = e->constants; c; c = c->next) {
        if (c->tensor == tensor && gali_lowered_same_layout(&c->buffer, buffer)) {
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
    *c = (gali_emission_constant){tensor, *buffer, at, e->constants};
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

void gali_emission_pointer(gali_emission *e, gali_text *to, uint32_t tensor, const gali_loop_buffer *buffer) {
    const gali_program_tensor *t = &e->p->tensors[tensor];
    if (t->home == GALI_NONE) {
        add_own_memory(e, to, tensor, buffer);
        return;
    }
    gali_tensor_role role = root_of(e->p, t)->role;
    int given = role == GALI_TENSOR_INPUT || role == GALI_TENSOR_CONSTANT;
    gali_text_add(to, "(%s%s *)(", given ? "const " : "", gali_element_list[t->type.element].c);
    gali_emission_pointer(e, to, t->home, NULL);
    gali_text_add(to, ")");
    if (t->row != 0) {
        gali_text_add(to, " + (");
        gali_emission_extent(
            e, to,
            gali_extent_mul(e->p->graph->extents, t->row, gali_type_count(e->p->graph->extents, &t->type)));
        gali_text_add(to, ")");
    }
}

void gali_emission_indent(gali_emission *e) {
    for (uint32_t i = 0; i <= e->depth; i++) {
        gali_text_add(&e->calls, "    ");
    }
}

/* ---- steps ---- */

/* The first element of a tensor, as it is read. */
static void add_element(gali_emission *e, uint32_t tensor) {
    gali_text_add(&e->calls, "*(");
    gali_emission_pointer(e, &e->calls, tensor, NULL);
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
    gali_emission_indent(e);
    gali_text_add(&e->calls, "    return -2;\n");
    gali_emission_indent(e);
    gali_text_add(&e->calls, "}\n");
}

void gali_emission_demand(const gali_emission *e, gali_text *to, const gali_demand *demand) {
    gali_text a = {0}, b = {0};
    gali_emission_extent(e, &a, demand->a);
    gali_emission_extent(e, &b, demand->b);
    const char *left = a.bytes ? a.bytes : "", *right = b.bytes ? b.bytes : "";
    gali_text_add(to, demand->kind == GALI_DEMAND_MOST ? "%s > %s" : "%s != %s", left, right);
    if (demand->kind == GALI_DEMAND_FITS) {
        gali_text_add(to, " && %s != 1 && %s != 1", left, right);
    }
    to->failed |= a.failed | b.failed;
    gali_text_release(&a);
    gali_text_release(&b);
}

/* symbol = extent, or an element, unless that leaves what there is room for. */
static void add_size(gali_emission *e, const gali_program_step *step) {
    gali_emission_indent(e);
    gali_text_add(&e->calls, "if (!gali_size_set(&");
    gali_emission_size_name(e, &e->calls, step->symbol);
    gali_text_add(&e->calls, ", ");
    if (step->kind == GALI_CONTROL_READ) {
        gali_text_add(&e->calls, "(int64_t)(");
        gali_emission_pointer(e, &e->calls, step->tensor, NULL);
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
    gali_emission_indent(e);
    gali_text_add(&e->calls, "int go_%s = ", trip);
    if (step->test == GALI_NONE) {
        gali_text_add(&e->calls, "1");
    } else {
        add_element(e, step->test);
        gali_text_add(&e->calls, " != 0");
    }
    gali_text_add(&e->calls, ";\n");
    gali_emission_indent(e);
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
    gali_emission_indent(e);
    gali_text_add(&e->calls, "for (%s = 0; go_%s && %s < trips_%s; %s++) {\n", trip, trip, trip, trip, trip);
    e->depth++;
    gali_emission_indent(e);
    gali_text_add(&e->calls, "if (%s > ", trip);
    add_most(e, step->symbol);
    add_refusal(e);
    gali_text_release(&name);
}

static void add_end_loop(gali_emission *e, const gali_program_step *step) {
    if (step->test != GALI_NONE) {
        gali_emission_indent(e);
        gali_text_add(&e->calls, "go_");
        gali_emission_size_name(e, &e->calls, step->symbol);
        gali_text_add(&e->calls, " = ");
        add_element(e, step->test);
        gali_text_add(&e->calls, " != 0;\n");
    }
    e->depth--;
    gali_emission_indent(e);
    gali_text_add(&e->calls, "}\n");
}

static void add_if(gali_emission *e, const gali_program_step *step) {
    e->depth -= step->kind != GALI_CONTROL_IF;
    gali_emission_indent(e);
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
    gali_emission_indent(e);
    gali_text_add(&e->calls, "%s const %s[] = {", type, name);
    for (uint32_t i = 0; i < count; i++) {
        gali_text_add(&e->calls, i ? ", " : "");
        if (tensors[i] == GALI_NONE) {
            gali_text_add(&e->calls, "NULL");
        } else {
            gali_emission_pointer(e, &e->calls, tensors[i], NULL);
        }
    }
    gali_text_add(&e->calls, "};\n");
}

/* Whether a call may tell more than the size's range has: it finds as many as its operands have elements. */
static int may_pass_range(const gali_emission *e, uint32_t symbol) {
    gali_extents *x = e->p->graph->extents;
    gali_extent bound = gali_program_bound(e->p, gali_extent_of_symbol(x, symbol), 1);
    int64_t most = gali_extent_value(x, bound, e->p->most);
    return !gali_extent_is_number(most) || most > e->p->most[symbol];
}

static void add_call(gali_emission *e, const gali_program_step *step) {
    const gali_program_call *call = step->call;
    gali_emission_indent(e);
    gali_text_add(&e->calls, "{\n");
    e->depth++;
    add_pointers(e, "const void *", "in", call->operands, call->operand_count);
    add_pointers(e, "void *", "out", call->results, call->result_count);
    gali_emission_indent(e);
    gali_text_add(&e->calls, "const int64_t sizes[] = {");
    for (uint32_t i = 0; i < call->size_count; i++) {
        gali_text_add(&e->calls, i ? ", " : "");
        gali_emission_extent(e, &e->calls, call->sizes[i]);
    }
    gali_text_add(&e->calls, "};\n");
    gali_emission_indent(e);
    if (step->symbol != GALI_NONE) {
        gali_emission_size_name(e, &e->calls, step->symbol);
        gali_text_add(&e->calls, " = (uint32_t)");
    }
    gali_text_add(&e->calls, "gali_one_%s(in, out, sizes);\n", call->function);
    e->depth--;
    gali_emission_indent(e);
    gali_text_add(&e->calls, "}\n");
    if (step->symbol != GALI_NONE && may_pass_range(e, step->symbol)) {
        gali_emission_indent(e);
        gali_text_add(&e->calls, "if (");
        gali_emission_size_name(e, &e->calls, step->symbol);
        gali_text_add(&e->calls, " > %lld", (long long)e->p->most[step->symbol]);
        add_refusal(e);
    }
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
        gali_emission_indent(e);
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
            status = gali_emission_group(e, group);
        }
    }
    return status;
}
