#include "compiler/loop/print_c.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "compiler/loop/print_c_parts.h"
#include "compiler/loop/words.h"

enum { STACK_FLOATS_MOST = 1 << 16 };

/* ---- statements ---- */

static void add_line(const gali_c_printer *p, gali_text *to) {
    gali_text_add(to, "%*s", 4 * p->depth, "");
}

const char *gali_c_type(const gali_c_printer *p, const gali_loop_buffer *local) {
    static const char *const types[] = {
        [GALI_C_VECTORS] = "gali_vf", [GALI_C_BROADCAST] = "gali_vx", [GALI_C_POINTERS] = "const float *"};
    gali_c_shape shape = p->shape[local->id];
    return shape == GALI_C_FLOATS ? gali_element_list[local->element].c : types[shape];
}

static void add_make(gali_c_printer *p, gali_text *to, const gali_loop_buffer *local) {
    uint32_t rank = gali_c_rank(p, local);
    size_t floats = 1;
    gali_text_add(to, "%s ", gali_c_type(p, local));
    gali_c_name(to, local->name);
    for (uint32_t d = 0; d < local->rank; d++) {
        floats *= local->role == GALI_LOOP_VIEW ? 1 : gali_loop_size(&local->extent[d]);
        if (d < rank) {
            gali_text_add(to, "[%u]", gali_loop_size(&local->extent[d]));
        }
        if (local->extent[d].count || floats > STACK_FLOATS_MOST) {
            p->why = "a local is too large for a stack: compute its stage inside of loops";
            floats = 1;
        }
    }
    gali_text_add(to, ";\n");
}

int gali_c_is_result(const gali_loop_buffer *buffer) {
    return buffer->role == GALI_LOOP_OUTPUT || buffer->role == GALI_LOOP_TEMPORARY;
}

/* Whether a parameter is what the function returns. */
int gali_c_is_returned(const gali_c_words *words, const gali_loop_buffer *buffer) {
    return words && words->returns && gali_c_is_result(buffer);
}

/* target = value, of plain C; where an index of the target is marked, if it is inside. */
static void add_plain_store(gali_c_printer *p, gali_text *to, const gali_loop_statement *s) {
    if (gali_c_is_returned(p->words, s->to.buffer)) {
        gali_text_add(to, "return ");
        gali_c_plain(p, to, s->value);
        gali_text_add(to, ";\n");
        return;
    }
    if (s->to.tested) {
        gali_text_add(to, "if (");
        gali_c_inside(to, &s->to);
        gali_text_add(to, ") {\n");
        p->depth++;
        add_line(p, to);
    }
    gali_c_item(p, to, &s->to);
    gali_text_add(to, " = ");
    gali_c_plain_stored(p, to, s->value, s->to.buffer->element);
    gali_text_add(to, ";\n");
    if (s->to.tested) {
        p->depth--;
        add_line(p, to);
        gali_text_add(to, "}\n");
    }
}

static void add_store(gali_c_printer *p, gali_text *to, const gali_loop_statement *s) {
    const gali_loop_access *target = &s->to;
    int one = gali_c_is_local(target) && p->shape[target->buffer->id] == GALI_C_BROADCAST;
    if (!p->lanes || (target->lanes == 1 && p->function->dense && !one)) {
        add_plain_store(p, to, s);
        return;
    }
    if (target->tested || target->buffer->element != GALI_f32) {
        p->why = "a marked index or another element than f32: print it as plain C";
    }
    gali_c_shape becomes = gali_c_is_local(target) ? p->shape[target->buffer->id] : GALI_C_FLOATS;
    if (becomes != GALI_C_FLOATS) {
        gali_c_element(p, to, target);
        gali_text_add(to, " = ");
        if (becomes == GALI_C_BROADCAST) {
            gali_text_add(to, "gali_vx_load(");
            gali_c_address(p, to, &s->value->load);
            gali_text_add(to, ")");
        } else {
            gali_c_value(p, to, s->value, target->lanes);
        }
        gali_text_add(to, ";\n");
        return;
    }
    if (p->lanes == 1) {
        gali_c_item(p, to, target);
        gali_text_add(to, " = ");
        gali_c_value(p, to, s->value, 1);
        gali_text_add(to, ";\n");
        return;
    }
    const uint32_t first = target->lanes == 1 ? 1 : target->first;
    int partial = !first && gali_c_is_partial(p, target);
    p->some |= partial;
    gali_text_add(to, partial ? "%s_store_some(" : "gali_vf_store%s(",
                  partial ? p->name
                  : first ? "_part"
                          : "");
    gali_c_address(p, to, target);
    gali_text_add(to, ", ");
    gali_c_value(p, to, s->value, target->lanes);
    if (partial) {
        gali_text_add(to, ", ");
        gali_c_left(to, target);
    } else if (first) {
        gali_text_add(to, ", %u", first);
    }
    gali_text_add(to, ");\n");
}

static void add_let(gali_text *to, const gali_loop_statement *let) {
    static const char *const between[] = {" / ", " % ", " + "};
    const gali_loop_index *a = let->operand;
    gali_text_add(to, "const size_t ");
    gali_c_name(to, let->variable->name);
    gali_text_add(to, " = ");
    if (let->let == GALI_LOOP_SIZE && !a[1].count && a[1].constant == 1) { /* the one part is all of it */
        gali_c_index(to, &a[0]);
    } else if (let->let == GALI_LOOP_FIRST || let->let == GALI_LOOP_SIZE) {
        gali_loop_index next = a[2];
        next.constant++;
        for (int second = let->let == GALI_LOOP_FIRST; second < 2; second++) {
            gali_text_add(to, "(");
            gali_c_index(to, &a[0]);
            gali_text_add(to, " * ");
            gali_c_index(to, second ? &a[2] : &next);
            gali_text_add(to, " + ");
            gali_c_factor(to, &a[1]);
            gali_text_add(to, " - 1) / ");
            gali_c_factor(to, &a[1]);
            gali_text_add(to, second ? "" : " - ");
        }
    } else if (let->let == GALI_LOOP_PRODUCT || let->let == GALI_LOOP_SUM) {
        gali_c_index(to, &a[0]);
        gali_text_add(to, let->let == GALI_LOOP_PRODUCT ? " * " : "");
        if (let->let == GALI_LOOP_PRODUCT) {
            gali_c_factor(to, &a[1]);
        }
    } else if (let->let == GALI_LOOP_LEAST || let->let == GALI_LOOP_MOST) {
        gali_text_add(to, "(size_t)gali_one_%s_i64(", let->let == GALI_LOOP_LEAST ? "least" : "most");
        gali_c_signed_index(to, &a[0]);
        gali_text_add(to, ", ");
        gali_c_signed_index(to, &a[1]);
        gali_text_add(to, ")");
    } else {
        gali_text_add(to, let->let == GALI_LOOP_ROUNDS ? "(" : "");
        gali_c_index(to, &a[0]);
        gali_text_add(to, "%s", between[let->let]);
        gali_c_factor(to, &a[1]);
        if (let->let == GALI_LOOP_ROUNDS) {
            gali_text_add(to, " - 1) / ");
            gali_c_factor(to, &a[1]);
        }
    }
    gali_text_add(to, ";\n");
}

/* ", size" of a call of the kernels' functions, whose sizes have 32 bits. */
static void add_size(gali_text *to, const gali_loop_index *size) {
    gali_text_add(to, size->count ? ", (uint32_t)" : ", ");
    gali_c_index(to, size);
}

/* The inner kernel (emit/body/tile.inc). */
static void add_tile(gali_c_printer *p, gali_text *to, const gali_loop_tile *tile) {
    int many = tile->sum.buffer->rank == 4;
    gali_text_add(to, many ? "gali_tile_sum_experts(" : "gali_tile_sum_rows(");
    gali_c_name(to, tile->sum.buffer->name);
    gali_text_add(to, ", ");
    gali_c_pointer(p, to, &tile->x);
    gali_text_add(to, ", ");
    gali_c_name(to, tile->x.buffer->name);
    gali_text_add(to, "_stride, ");
    gali_c_pointer(p, to, &tile->weights);
    add_size(to, &tile->inputs);
    add_size(to, &tile->rows);
    add_size(to, &tile->vectors);
    if (many) {
        add_size(to, &tile->experts);
    }
    gali_text_add(to, ");\n");
}

/* row[r] = inside ? x + .. : zeros; */
static void add_point(gali_c_printer *p, gali_text *to, const gali_loop_statement *point) {
    gali_c_element(p, to, &point->to);
    gali_text_add(to, " = ");
    if (point->from.tested) {
        gali_c_inside(to, &point->from);
        gali_text_add(to, " ? ");
    }
    gali_c_pointer(p, to, &point->from);
    gali_text_add(to, "%s;\n", point->from.tested ? " : gali_one_zeros" : "");
}

static void add_block(gali_c_printer *p, gali_text *to, const gali_loop_statement *block);

/* What a statement names is around what follows. */
static void enter(gali_c_printer *p, const gali_loop_statement *s) {
    if (p->scopes == GALI_C_SCOPE_MAX) {
        p->why = "too many names in one place";
        return;
    }
    p->scope[p->scopes++] = s;
}

/* Loops over items: where the item stands in each, of which the innermost goes fastest, in place of the loops. */
static void add_items(gali_c_printer *p, gali_text *to, const gali_loop_statement *loop) {
    enum { LOOPS_MOST = 2 * GALI_LOOP_RANK_MAX };
    const gali_loop_statement *loops[LOOPS_MOST];
    uint32_t count = 0, scopes = p->scopes;
    for (; loop && loop->kind == GALI_LOOP_FOR && loop->mark == GALI_LOOP_ITEM && count < LOOPS_MOST;
         loop = loop->body) {
        loops[count++] = loop;
        enter(p, loop);
    }
    for (uint32_t i = p->words->axes ? 0 : count; i-- > 0;) {
        add_line(p, to);
        gali_text_add(to, "const size_t ");
        gali_c_name(to, loops[i]->variable->name);
        gali_text_add(to, i > 0 ? " = item %% " : " = item;\n");
        if (i > 0) {
            gali_c_factor(to, &loops[i]->extent);
            gali_text_add(to, ";\n");
            add_line(p, to);
            gali_text_add(to, "item /= ");
            gali_c_factor(to, &loops[i]->extent);
            gali_text_add(to, ";\n");
        }
    }
    add_block(p, to, loops[count - 1]->body);
    p->scopes = scopes;
}

static void add_for(gali_c_printer *p, gali_text *to, const gali_loop_statement *loop) {
    if (loop->mark == GALI_LOOP_TRANSPOSE && gali_c_transpose(p, to, loop)) {
        return;
    }
    if (loop->mark == GALI_LOOP_UNROLL) {
        uint32_t most =
            loop->extent.count ? loop->extent.term[0].variable->most : gali_loop_size(&loop->extent);
        uint32_t turns = loop->factor ? loop->factor : most < GALI_LOOP_LANES_MAX ? most : GALI_LOOP_LANES_MAX;
        gali_text_add(to, "#pragma GCC unroll %u\n", turns);
    }
    int parallel = loop->mark == GALI_LOOP_PARALLEL;
    add_line(p, to);
    gali_text_add(to, "for (size_t ");
    gali_c_name(to, loop->variable->name);
    gali_text_add(to, " = %s; ", parallel ? "first" : "0");
    gali_c_name(to, loop->variable->name);
    gali_text_add(to, " < ");
    if (parallel) {
        gali_text_add(to, "last");
    } else {
        gali_c_index(to, &loop->extent);
    }
    gali_text_add(to, "; ");
    gali_c_name(to, loop->variable->name);
    gali_text_add(to, "++) {\n");
    p->depth++;
    add_block(p, to, loop->body);
    p->depth--;
    add_line(p, to);
    gali_text_add(to, "}\n");
}

/* ---- functions ---- */

/* What follows a let with cases: a function, and a switch that calls it with each. */
static void add_cases(gali_c_printer *p, gali_text *to, const gali_loop_statement *let) {
    gali_text body = {0};
    uint32_t number = p->outlined++, outside = p->outside;
    int depth = p->depth;
    p->depth = 1;
    p->outside = p->scopes;
    add_block(p, &body, let->next);
    p->outside = outside;
    p->depth = depth;
    p->scopes--; /* the let itself is the last parameter */
    gali_c_list parameters = {.function = p->function, .to = &p->functions, .body = &body, .declare = 1};
    gali_text_add(&p->functions, "static inline __attribute__((always_inline)) void %s_%u(", p->name, number);
    gali_c_list_needs(p, &parameters);
    gali_c_list_item(&parameters, "const size_t ", let->variable->name, "");
    gali_text_add(&p->functions, ") {\n%s}\n\n", body.bytes ? body.bytes : "");
    add_line(p, to);
    gali_text_add(to, "switch (");
    gali_c_name(to, let->variable->name);
    gali_text_add(to, ") {\n");
    for (uint32_t i = let->variable->least; i <= let->variable->most; i++) {
        gali_c_list arguments = {.function = p->function, .to = to, .body = &body};
        add_line(p, to);
        gali_text_add(to, "case %u:\n%*s%s_%u(", i, 4 * (p->depth + 1), "", p->name, number);
        gali_c_list_needs(p, &arguments);
        if (gali_c_has_name(to, &body, let->variable->name, "")) {
            gali_text_add(to, "%s%u", arguments.count ? ", " : "", i);
        }
        gali_text_add(to, ");\n%*sbreak;\n", 4 * (p->depth + 1), "");
    }
    p->scopes++;
    add_line(p, to);
    gali_text_add(to, "default:\n%*sbreak;\n%*s}\n", 4 * (p->depth + 1), "", 4 * p->depth, "");
    gali_text_end(&body, &p->functions);
}

static void add_clamp(gali_c_printer *p, gali_text *to, const gali_loop_statement *let) {
    int wide = let->value->element == GALI_u64; /* of these the larger half has no int64_t */
    gali_text_add(to, "(size_t)gali_one_least_i64(gali_one_most_i64(%s",
                  wide ? "(int64_t)gali_one_least_u64(" : "");
    gali_c_plain(p, to, let->value);
    gali_text_add(to, wide ? ", INT64_MAX), " : ", ");
    gali_c_signed_index(to, &let->operand[0]);
    gali_text_add(to, "), ");
    gali_c_signed_index(to, &let->operand[1]);
    gali_text_add(to, ")");
}

/* A let by what stands in memory. */
static void add_lookup(gali_c_printer *p, gali_text *to, const gali_loop_statement *let) {
    gali_text_add(to, "const size_t ");
    gali_c_name(to, let->variable->name);
    gali_text_add(to, " = ");
    if (let->let == GALI_LOOP_CLAMP) {
        add_clamp(p, to, let);
    } else {
        gali_text_add(to, gali_element_list[let->lookup.buffer->element].bytes > 4 ? "(size_t)" : "");
        gali_c_item(p, to, &let->lookup);
    }
    gali_text_add(to, ";\n");
}

static void add_statement(gali_c_printer *p, gali_text *to, const gali_loop_statement *s) {
    if (s->kind == GALI_LOOP_FOR && s->mark == GALI_LOOP_ITEM && p->words) {
        add_items(p, to, s);
        return;
    }
    if (s->kind == GALI_LOOP_FOR) {
        add_for(p, to, s);
        return;
    }
    add_line(p, to);
    if (s->kind == GALI_LOOP_LET && (s->let == GALI_LOOP_LOOKUP || s->let == GALI_LOOP_CLAMP)) {
        add_lookup(p, to, s);
    } else if (s->kind == GALI_LOOP_LET) {
        add_let(to, s);
    } else if (s->kind == GALI_LOOP_MAKE) {
        add_make(p, to, s->local);
    } else if (s->kind == GALI_LOOP_STORE) {
        add_store(p, to, s);
    } else if (s->kind == GALI_LOOP_POINT) {
        add_point(p, to, s);
    } else {
        add_tile(p, to, &s->tile);
    }
}

static void add_block(gali_c_printer *p, gali_text *to, const gali_loop_statement *block) {
    uint32_t scopes = p->scopes;
    for (const gali_loop_statement *s = block; s; s = s->next) {
        int named = s->kind == GALI_LOOP_FOR || s->kind == GALI_LOOP_LET || s->kind == GALI_LOOP_MAKE;
        if (named) {
            enter(p, s);
        }
        if (p->why) {
            break;
        }
        add_statement(p, to, s);
        p->scopes -= s->kind == GALI_LOOP_FOR;
        if (s->kind == GALI_LOOP_LET && s->cases && s->variable->least < s->variable->most) {
            add_cases(p, to, s);
            break;
        }
    }
    p->scopes = scopes;
}

/* ---- the whole ---- */

static void add_unused(gali_text *to, const gali_text *body, const char *name, const char *ending) {
    if (!gali_c_has_name(to, body, name, ending)) {
        gali_text_add(to, "    (void)%s%s;\n", name, ending);
    }
}

/* "const size_t NAME_step<d> = n * 64;" of what the body has. */
static void define_steps(const gali_c_printer *p, gali_text *to, const gali_text *body) {
    for (uint32_t i = 0; i < p->function->parameters; i++) {
        const gali_loop_buffer *buffer = p->function->buffer[i];
        for (uint32_t d = 0; d + 1 < buffer->rank; d++) {
            char ending[16];
            snprintf(ending, sizeof ending, "_step%u", d);
            if (!gali_c_has_step(p->function, buffer, d) || !gali_c_has_name(to, body, buffer->name, ending)) {
                continue;
            }
            gali_text_add(to, "    const size_t ");
            gali_c_name(to, buffer->name);
            gali_text_add(to, "%s = ", ending);
            for (uint32_t in = d + 1; in < buffer->rank; in++) {
                gali_text_add(to, in > d + 1 ? " * " : "");
                gali_c_index(to, &buffer->extent[in]);
            }
            gali_text_add(to, ";\n");
        }
    }
}

/* The sizes from this one on that those after, the steps or the body have, and then the steps. */
static void define_sizes(const gali_c_printer *p, const gali_loop_statement *size, gali_text *to,
                         const gali_text *body) {
    gali_text rest = {0};
    if (!size) {
        define_steps(p, to, body);
        return;
    }
    define_sizes(p, size->next, &rest, body);
    if (gali_c_has_name(&rest, body, size->variable->name, "") ||
        (rest.size && gali_c_has_name(&rest, &rest, size->variable->name, ""))) {
        gali_text_add(to, "    ");
        add_let(to, size);
    }
    gali_text_add_bytes(to, rest.bytes ? rest.bytes : "", rest.size);
    gali_text_end(&rest, to);
}

/* What a device's function is for: an item by its number, or by where it stands. */
static void add_place(const gali_c_printer *p, gali_c_list *all) {
    const gali_loop_statement *loop = p->function->body;
    if (!p->words->axes) {
        gali_c_list_item(all, "size_t ", "item", "");
        return;
    }
    for (; loop && loop->kind == GALI_LOOP_FOR && loop->mark == GALI_LOOP_ITEM; loop = loop->body) {
        gali_c_list_item(all, "size_t ", loop->variable->name, "");
    }
}

static void add_head(gali_c_printer *p, gali_text *to, const gali_text *body) {
    const gali_loop_function *f = p->function;
    gali_c_list all = {.function = f, .to = to, .words = p->words, .declare = 1};
    gali_text_add(to, "/*\n");
    for (uint32_t i = 0; i < f->parameters; i++) {
        gali_text_add(to, " * %s %s", gali_loop_roles[f->buffer[i]->role], f->buffer[i]->name);
        gali_loop_print_shape(f->buffer[i], to);
        gali_text_add(to, "\n");
    }
    gali_text_add(to, " */\n%s%s(", p->words ? p->words->function : "static void ", p->name);
    if (p->words) {
        add_place(p, &all);
    }
    for (uint32_t i = 0; i < f->symbols; i++) {
        gali_c_list_item(&all, "uint32_t ", f->variable[i]->name, "");
    }
    for (uint32_t i = 0; i < f->parameters; i++) {
        gali_c_list_parameter(&all, f->buffer[i]);
    }
    gali_text sizes = {0};
    define_sizes(p, f->sizes, &sizes, body);
    gali_text_add(to, "%s) {\n", gali_loop_parallel(f->body) ? ", uint32_t first, uint32_t last" : "");
    for (uint32_t i = 0; i < f->symbols; i++) {
        if (!sizes.size || !gali_c_has_name(to, &sizes, f->variable[i]->name, "")) {
            add_unused(to, body, f->variable[i]->name, "");
        }
    }
    for (uint32_t i = 0; i < f->parameters; i++) {
        if (gali_c_is_returned(p->words, f->buffer[i])) {
            continue;
        }
        add_unused(to, body, f->buffer[i]->name, "");
        if (gali_c_has_stride(f, f->buffer[i])) {
            add_unused(to, body, f->buffer[i]->name, "_stride");
        }
    }
    gali_text_add_bytes(to, sizes.bytes ? sizes.bytes : "", sizes.size);
    gali_text_end(&sizes, to);
}

/* Vectors at the end of a row that is no whole number of them. */
static void add_some(const gali_c_printer *p, gali_text *to) {
    gali_text_add(
        to,
        "static inline __attribute__((unused)) gali_vf %s_load_some(const float *p, size_t left) {\n"
        "    return left < GALI_LANES ? gali_vf_load_part(p, (uint32_t)left) : gali_vf_load(p);\n}\n\n"
        "static inline __attribute__((unused)) void %s_store_some(float *p, gali_vf a, size_t left) {\n"
        "    if (left < GALI_LANES) {\n        gali_vf_store_part(p, a, (uint32_t)left);\n"
        "    } else {\n        gali_vf_store(p, a);\n    }\n}\n\n",
        p->name, p->name);
}

static gal_status print(gali_c_printer *printer, gali_text *text, gal_error *error) {
    const gali_loop_function *function = printer->function;
    gali_c_printer p = *printer;
    gali_text body = {0};
    gali_c_choose_shapes(&p);
    add_block(&p, &body, function->body);
    if (p.some) {
        add_some(&p, text);
    }
    gali_text_add_bytes(text, p.functions.bytes ? p.functions.bytes : "", p.functions.size);
    add_head(&p, text, &body);
    gali_text_add_bytes(text, body.bytes ? body.bytes : "", body.size);
    gali_text_add(text, "}\n");
    gali_text_end(&body, text);
    gali_text_end(&p.functions, text);
    if (p.why) {
        return gali_fail(error, GAL_BAD_DATA, "loop %s: %s", function->name, p.why);
    }
    return text->failed ? gali_fail(error, GAL_NO_MEMORY, "loop %s: no memory for its C", function->name)
                        : GAL_OK;
}

gal_status gali_loop_print_c(const gali_loop_function *function, const char *name, uint32_t lanes,
                             gali_text *text, gal_error *error) {
    gali_c_printer p = {.function = function, .name = name, .lanes = lanes, .depth = 1};
    return print(&p, text, error);
}

gal_status gali_loop_print_item(const gali_loop_function *function, const char *name, const gali_c_words *words,
                                gali_text *text, gal_error *error) {
    gali_c_printer p = {.function = function, .name = name, .words = words, .depth = 1};
    return print(&p, text, error);
}
