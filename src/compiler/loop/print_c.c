#include "compiler/loop/print_c.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "compiler/loop/layout.h"
#include "compiler/loop/uses.h"
#include "compiler/loop/words.h"

enum { STACK_FLOATS_MOST = 1 << 16, SCOPE_MAX = 128 };

/* What a local becomes. */
typedef enum shape {
    FLOATS,    /* float name[..], in memory */
    VECTORS,   /* gali_vf name[..]: every access is of all lanes of its last dimension */
    BROADCAST, /* gali_vx name[..]: loads that are only multiplied into vectors */
} shape;

typedef struct printer {
    const gali_loop_function *function;
    const char *name;
    uint32_t lanes, outlined;
    shape shape[GALI_LOOP_BUFFERS_MAX];
    const gali_loop_statement *scope[SCOPE_MAX]; /* the lets, loops and makes around, outermost first */
    uint32_t scopes;
    gali_text functions; /* outlined, innermost first */
    int depth, some;     /* indentation; whether a partial access was printed */
    const char *why;
} printer;

/* ---- names and indices ---- */

/* A name in C: dots become underlines. */
static void add_name(gali_text *to, const char *name) {
    for (; *name; name++) {
        gali_text_add_bytes(to, *name == '.' ? "_" : name, 1);
    }
}

static void add_index(gali_text *to, const gali_loop_index *index) {
    int many = index->count + (index->constant > 0) > 1;
    gali_text_add(to, "%s", many ? "(" : "");
    for (uint32_t i = 0; i < index->count; i++) {
        gali_text_add(to, "%s", i ? " + " : "");
        if (index->term[i].scale != 1) {
            gali_text_add(to, "%u * ", index->term[i].scale);
        }
        add_name(to, index->term[i].variable->name);
    }
    if (index->constant || !index->count) {
        gali_text_add(to, "%s%u", index->count ? " + " : "", index->constant);
    }
    gali_text_add(to, "%s", many ? ")" : "");
}

static int is_zero(const gali_loop_index *index) {
    return !index->count && !index->constant;
}

/* The let around that defines the first element or the size of a part; NULL if there is none. */
static const gali_loop_variable *find_part(const printer *p, gali_loop_let let, const gali_loop_packed *parts,
                                           const gali_loop_index *at) {
    gali_loop_index total = gali_loop_number(parts->total), count = gali_loop_number(parts->extent);
    for (uint32_t i = 0; i < p->scopes; i++) {
        const gali_loop_statement *s = p->scope[i];
        if (s->kind == GALI_LOOP_LET && s->let == let && gali_loop_index_same(&s->operand[0], &total) &&
            gali_loop_index_same(&s->operand[1], &count) && gali_loop_index_same(&s->operand[2], at)) {
            return s->variable;
        }
    }
    return NULL;
}

static void add_first(printer *p, gali_text *to, const gali_loop_packed *parts, const gali_loop_index *at,
                      uint32_t more) {
    const gali_loop_variable *first = more ? NULL : find_part(p, GALI_LOOP_FIRST, parts, at);
    if (first) {
        add_name(to, first->name);
        return;
    }
    gali_loop_index next = *at;
    next.constant += more;
    gali_text_add(to, "%u * ", parts->total);
    add_index(to, &next);
    gali_text_add(to, " / %u", parts->extent);
}

static void add_size(printer *p, gali_text *to, const gali_loop_packed *parts, const gali_loop_index *at) {
    const gali_loop_variable *size = find_part(p, GALI_LOOP_SIZE, parts, at);
    if (parts->total % parts->extent == 0) {
        gali_text_add(to, "%u", parts->total / parts->extent);
    } else if (size) {
        add_name(to, size->name);
    } else {
        gali_text_add(to, "(");
        add_first(p, to, parts, at, 1);
        gali_text_add(to, " - ");
        add_first(p, to, parts, at, 0);
        gali_text_add(to, ")");
    }
}

/* " + index * stride" of a dimension of a packed constant; inside of the ragged one strides count its part. */
static void add_packed_offset(printer *p, gali_text *to, const gali_loop_access *access) {
    const gali_loop_buffer *buffer = access->buffer;
    uint32_t ragged = gali_layout_ragged(buffer), part = gali_layout_part(buffer);
    const gali_loop_packed *parts = ragged < GALI_LOOP_RANK_MAX ? &buffer->packed[ragged] : NULL;
    for (uint32_t d = 0; d < buffer->packed_rank; d++) {
        size_t inside = gali_layout_inside(buffer, d);
        if (is_zero(&access->index[d])) {
            continue;
        }
        gali_text_add(to, " + ");
        if (d == ragged) {
            add_first(p, to, parts, &access->index[d], 0);
        } else {
            add_index(to, &access->index[d]);
        }
        if (parts && d < ragged) {
            inside *= buffer->packed[ragged].total;
            inside /= buffer->packed[ragged].extent;
        }
        if (inside != 1) {
            gali_text_add(to, " * %zu", inside);
        }
        if (parts && d > ragged && d < part) {
            gali_text_add(to, " * ");
            add_size(p, to, parts, &access->index[ragged]);
        }
    }
}

static int has_stride(const gali_loop_buffer *buffer) {
    return buffer->rank == 2 && buffer->role != GALI_LOOP_CONSTANT;
}

/* A pointer to an access of a parameter. */
static void add_pointer(printer *p, gali_text *to, const gali_loop_access *access) {
    const gali_loop_buffer *buffer = access->buffer;
    add_name(to, buffer->name);
    if (buffer->packed_rank) {
        add_packed_offset(p, to, access);
        return;
    }
    size_t stride = 1;
    for (uint32_t d = 1; d < buffer->rank; d++) {
        stride *= buffer->extent[d].constant;
    }
    for (uint32_t d = 0; d < buffer->rank; d++) {
        if (!is_zero(&access->index[d])) {
            gali_text_add(to, " + ");
            add_index(to, &access->index[d]);
            if (d == 0 && has_stride(buffer)) {
                gali_text_add(to, " * ");
                add_name(to, buffer->name);
                gali_text_add(to, "_stride");
            } else if (stride != 1) {
                gali_text_add(to, " * %zu", stride);
            }
        }
        stride /= d + 1 < buffer->rank ? buffer->extent[d + 1].constant : 1;
    }
}

/* An element of a local, a vector counting as one. */
static void add_element(const printer *p, gali_text *to, const gali_loop_access *access) {
    uint32_t rank = access->buffer->rank - (p->shape[access->buffer->id] == VECTORS);
    add_name(to, access->buffer->name);
    for (uint32_t d = 0; d < rank; d++) {
        gali_text_add(to, "[");
        gali_text add = {0};
        add_index(&add, &access->index[d]);
        size_t bare = add.size && add.bytes[0] == '(';
        gali_text_add_bytes(to, add.bytes ? add.bytes + bare : "", add.size - 2 * bare);
        gali_text_release(&add);
        gali_text_add(to, "]");
    }
}

static int is_local(const gali_loop_access *access) {
    return access->buffer->role == GALI_LOOP_LOCAL;
}

static void add_address(printer *p, gali_text *to, const gali_loop_access *access) {
    if (is_local(access)) {
        gali_text_add(to, "&");
        add_element(p, to, access);
    } else {
        add_pointer(p, to, access);
    }
}

/* Whether a vector may reach past the end of the row. */
static int is_partial(const gali_loop_access *access) {
    const gali_loop_buffer *buffer = access->buffer;
    return access->lanes > 1 && !is_local(access) && !buffer->packed_rank &&
           buffer->extent[buffer->rank - 1].constant % access->lanes != 0;
}

/* Elements from the access to the end of its row. */
static void add_left(gali_text *to, const gali_loop_access *access) {
    gali_text_add(to, "%u - ", access->buffer->extent[access->buffer->rank - 1].constant);
    add_index(to, &access->index[access->buffer->rank - 1]);
}

/* ---- values ---- */

static void add_value(printer *p, gali_text *to, const gali_loop_value *value, uint32_t lanes);

static void add_load(printer *p, gali_text *to, const gali_loop_access *load) {
    if (is_local(load) && p->shape[load->buffer->id] == VECTORS) {
        add_element(p, to, load);
        return;
    }
    if (load->lanes == 1) {
        gali_text_add(to, "gali_vf_set(");
        if (is_local(load)) {
            add_element(p, to, load);
        } else {
            gali_text_add(to, "*(");
            add_pointer(p, to, load);
            gali_text_add(to, ")");
        }
        gali_text_add(to, ")");
        return;
    }
    int partial = is_partial(load);
    p->some |= partial;
    gali_text_add(to, "%s%s(", partial ? p->name : "gali_vf", partial ? "_load_some" : "_load");
    add_address(p, to, load);
    if (partial) {
        gali_text_add(to, ", ");
        add_left(to, load);
    }
    gali_text_add(to, ")");
}

static int is_scalar_load(const gali_loop_value *value) {
    return value->op == GALI_VALUE_LOAD && value->load.lanes == 1;
}

/* The operand of an FMA that is one number for all lanes: 0, 1, or 2 for neither. */
static uint32_t broadcast_of(const gali_loop_value *fma, uint32_t lanes) {
    if (lanes == 1 || is_scalar_load(fma->operand[0]) == is_scalar_load(fma->operand[1])) {
        return 2;
    }
    return is_scalar_load(fma->operand[0]) ? 0 : 1;
}

static void add_fma(printer *p, gali_text *to, const gali_loop_value *fma, uint32_t lanes) {
    uint32_t one = broadcast_of(fma, lanes);
    const gali_loop_value *a = fma->operand[one == 0], *b = fma->operand[one == 0 ? 0 : 1];
    gali_text_add(to, one < 2 ? "gali_vf_fma_x(" : "gali_vf_fma(");
    add_value(p, to, a, lanes);
    gali_text_add(to, ", ");
    if (one == 2) {
        add_value(p, to, b, lanes);
    } else if (is_local(&b->load) && p->shape[b->load.buffer->id] == BROADCAST) {
        add_element(p, to, &b->load);
    } else {
        gali_text_add(to, "gali_vx_load(");
        add_address(p, to, &b->load);
        gali_text_add(to, ")");
    }
    gali_text_add(to, ", ");
    add_value(p, to, fma->operand[2], lanes);
    gali_text_add(to, ")");
}

static void add_call_of(printer *p, gali_text *to, const char *prefix, const gali_loop_value *value,
                        uint32_t lanes) {
    gali_text_add(to, "gali_%s%s(", prefix, gali_loop_ops[value->op].name);
    for (uint32_t i = 0; i < gali_loop_ops[value->op].arity; i++) {
        gali_text_add(to, "%s", i ? ", " : "");
        add_value(p, to, value->operand[i], lanes);
    }
    gali_text_add(to, ")");
}

static void add_constant(gali_text *to, float constant) {
    char number[32];
    snprintf(number, sizeof number, "%.9g", (double)constant);
    gali_text_add(to, "gali_vf_set(%s%sf)", number, strpbrk(number, ".e") ? "" : ".0");
}

static void add_value(printer *p, gali_text *to, const gali_loop_value *value, uint32_t lanes) {
    switch (value->op) {
    case GALI_VALUE_CONSTANT:
        add_constant(to, value->constant);
        break;
    case GALI_VALUE_LOAD:
        add_load(p, to, &value->load);
        break;
    case GALI_VALUE_FMA:
        add_fma(p, to, value, lanes);
        break;
    case GALI_VALUE_MAX:
        gali_text_add(to, "gali_vf_less(");
        for (uint32_t i = 0; i < 4; i++) { /* a < b ? b : a */
            gali_text_add(to, "%s", i ? ", " : "");
            add_value(p, to, value->operand[i == 1 || i == 2], lanes);
        }
        gali_text_add(to, ")");
        break;
    case GALI_VALUE_EXPM1_NEGATIVE:
        add_call_of(p, to, "", value, lanes);
        break;
    default:
        add_call_of(p, to, value->op >= GALI_VALUE_NONE ? "activate_" : "vf_", value, lanes);
    }
}

/* ---- statements ---- */

static void add_line(const printer *p, gali_text *to) {
    gali_text_add(to, "%*s", 4 * p->depth, "");
}

static void add_make(printer *p, gali_text *to, const gali_loop_buffer *local) {
    static const char *const types[] = {"float", "gali_vf", "gali_vx"};
    uint32_t rank = local->rank - (p->shape[local->id] == VECTORS);
    size_t floats = 1;
    gali_text_add(to, "%s ", types[p->shape[local->id]]);
    add_name(to, local->name);
    for (uint32_t d = 0; d < local->rank; d++) {
        floats *= local->extent[d].constant;
        if (d < rank) {
            gali_text_add(to, "[%u]", local->extent[d].constant);
        }
        if (local->extent[d].count || floats > STACK_FLOATS_MOST) {
            p->why = "a local is too large for a stack: compute its stage inside of loops";
            floats = 1;
        }
    }
    gali_text_add(to, ";\n");
}

static void add_store(printer *p, gali_text *to, const gali_loop_statement *s) {
    const gali_loop_access *target = &s->to;
    shape becomes = is_local(target) ? p->shape[target->buffer->id] : FLOATS;
    if (becomes != FLOATS) {
        add_element(p, to, target);
        gali_text_add(to, " = ");
        if (becomes == BROADCAST) {
            gali_text_add(to, "gali_vx_load(");
            add_address(p, to, &s->value->load);
            gali_text_add(to, ")");
        } else {
            add_value(p, to, s->value, target->lanes);
        }
        gali_text_add(to, ";\n");
        return;
    }
    int partial = is_partial(target);
    p->some |= partial;
    gali_text_add(to, partial ? "%s_store_some(" : "gali_vf_store%s(",
                  partial              ? p->name
                  : target->lanes == 1 ? "_part"
                                       : "");
    add_address(p, to, target);
    gali_text_add(to, ", ");
    add_value(p, to, s->value, target->lanes);
    gali_text_add(to, target->lanes == 1 ? ", 1" : partial ? ", " : "");
    if (partial) {
        add_left(to, target);
    }
    gali_text_add(to, ");\n");
}

static void add_let(gali_text *to, const gali_loop_statement *let) {
    static const char *const between[] = {" / ", " % ", " + "};
    const gali_loop_index *a = let->operand;
    gali_text_add(to, "const size_t ");
    add_name(to, let->variable->name);
    gali_text_add(to, " = ");
    if (let->let == GALI_LOOP_SIZE && !a[1].count && a[1].constant == 1) { /* the one part is all of it */
        add_index(to, &a[0]);
    } else if (let->let == GALI_LOOP_FIRST || let->let == GALI_LOOP_SIZE) {
        gali_loop_index next = a[2];
        next.constant++;
        for (int second = let->let == GALI_LOOP_FIRST; second < 2; second++) {
            add_index(to, &a[0]);
            gali_text_add(to, " * ");
            add_index(to, second ? &a[2] : &next);
            gali_text_add(to, " / ");
            add_index(to, &a[1]);
            gali_text_add(to, second ? "" : " - ");
        }
    } else {
        gali_text_add(to, let->let == GALI_LOOP_ROUNDS ? "(" : "");
        add_index(to, &a[0]);
        gali_text_add(to, "%s", between[let->let]);
        add_index(to, &a[1]);
        if (let->let == GALI_LOOP_ROUNDS) {
            gali_text_add(to, " - 1) / ");
            add_index(to, &a[1]);
        }
    }
    gali_text_add(to, ";\n");
}

/* ", rows, vectors);" of a call of the kernels' functions, whose sizes have 32 bits. */
static void add_sizes(gali_text *to, const gali_loop_tile *tile) {
    const gali_loop_index *sizes[] = {&tile->rows, &tile->vectors};
    for (uint32_t i = 0; i < 2; i++) {
        gali_text_add(to, sizes[i]->count ? ", (uint32_t)" : ", ");
        add_index(to, sizes[i]);
    }
    gali_text_add(to, ");\n");
}

/* The runtime's innermost loop, in its own words. */
static void add_tile(printer *p, gali_text *to, const gali_loop_tile *tile) {
    const char *sum = tile->sum.buffer->name;
    int in = 4 * (p->depth + 1);
    gali_text_add(to, "{\n%*sconst float *row[GALI_TILE_ROWS_MAX];\n%*sconst float *panel = ", in, "", in, "");
    add_pointer(p, to, &tile->weights);
    gali_text_add(to, ";\n#pragma GCC unroll 8\n%*sfor (size_t r = 0; r < ", in, "");
    add_index(to, &tile->rows);
    gali_text_add(to, "; r++) {\n%*srow[r] = ", in + 4, "");
    add_pointer(p, to, &tile->x);
    gali_text_add(to, " + r * ");
    add_name(to, tile->x.buffer->name);
    gali_text_add(to, "_stride;\n%*s}\n%*sgali_tile_clear(", in, "", in, "");
    add_name(to, sum);
    add_sizes(to, tile);
    gali_text_add(to, "#pragma GCC unroll GALI_STEPS\n%*sfor (size_t k = 0; k < ", in, "");
    add_index(to, &tile->inputs);
    gali_text_add(to, "; k++) {\n%*spanel += ", in + 4, "");
    add_index(to, &tile->vectors);
    gali_text_add(to, " * GALI_LANES;\n%*sgali_tile_step(", in + 4, "");
    add_name(to, sum);
    gali_text_add(to, ", panel, row, k");
    add_sizes(to, tile);
    gali_text_add(to, "%*s}\n%*s}\n", in, "", in - 4, "");
}

static void add_block(printer *p, gali_text *to, const gali_loop_statement *block);

static void add_for(printer *p, gali_text *to, const gali_loop_statement *loop) {
    if (loop->mark == GALI_LOOP_UNROLL) {
        uint32_t most = loop->extent.count ? loop->extent.term[0].variable->most : loop->extent.constant;
        uint32_t turns = loop->factor ? loop->factor : most < GALI_LOOP_LANES_MAX ? most : GALI_LOOP_LANES_MAX;
        gali_text_add(to, "#pragma GCC unroll %u\n", turns);
    }
    int parallel = loop->mark == GALI_LOOP_PARALLEL;
    add_line(p, to);
    gali_text_add(to, "for (size_t ");
    add_name(to, loop->variable->name);
    gali_text_add(to, " = %s; ", parallel ? "first" : "0");
    add_name(to, loop->variable->name);
    gali_text_add(to, " < ");
    if (parallel) {
        gali_text_add(to, "last");
    } else {
        add_index(to, &loop->extent);
    }
    gali_text_add(to, "; ");
    add_name(to, loop->variable->name);
    gali_text_add(to, "++) {\n");
    p->depth++;
    add_block(p, to, loop->body);
    p->depth--;
    add_line(p, to);
    gali_text_add(to, "}\n");
}

/* ---- functions ---- */

/* A list of parameters or of arguments: those whose names the body has, or all where body is NULL. */
typedef struct list {
    gali_text *to;
    const gali_text *body;
    int declare;
    uint32_t count;
} list;

static int is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Whether the C text has that name, its dots as underlines and with the ending, as a word. */
static int has_name(const gali_text *body, const char *name, const char *ending) {
    gali_text word = {0};
    int found = !body;
    add_name(&word, name);
    gali_text_add(&word, "%s", ending);
    for (const char *at = body ? body->bytes : NULL; at && !found && (at = strstr(at, word.bytes)) != NULL;
         at++) {
        found = (at == body->bytes || !is_word(at[-1])) && !is_word(at[word.size]);
    }
    gali_text_release(&word);
    return found;
}

/* Appends type and name, or the name alone. */
static void add_item(list *l, const char *type, const char *name, const char *ending) {
    if (has_name(l->body, name, ending)) {
        gali_text_add(l->to, "%s%s", l->count++ ? ", " : "", l->declare ? type : "");
        add_name(l->to, name);
        gali_text_add(l->to, "%s", ending);
    }
}

static void add_parameter(list *l, const gali_loop_buffer *buffer) {
    static const char *const types[] = {"const float *", "const float *", "const uint32_t *", "float *"};
    add_item(l, types[buffer->role], buffer->name, "");
    if (has_stride(buffer)) {
        add_item(l, "size_t ", buffer->name, "_stride");
    }
}

static void add_local(const printer *p, list *l, const gali_loop_buffer *local) {
    static const char *const types[][2] = {
        {"float ", "float *"}, {"gali_vf ", "gali_vf *"}, {"gali_vx ", "gali_vx *"}};
    uint32_t rank = local->rank - (p->shape[local->id] == VECTORS), before = l->count;
    add_item(l, types[p->shape[local->id]][!rank], local->name, "");
    for (uint32_t d = 0; d < rank && l->declare && l->count > before; d++) {
        gali_text_add(l->to, "[%u]", local->extent[d].constant);
    }
}

/* All that is around and that the body needs. */
static void add_needs(const printer *p, list *l) {
    for (uint32_t i = 0; i < p->function->symbols; i++) {
        add_item(l, "const size_t ", p->function->variable[i]->name, "");
    }
    for (uint32_t i = 0; i < p->function->parameters; i++) {
        add_parameter(l, p->function->buffer[i]);
    }
    for (uint32_t i = 0; i < p->scopes; i++) {
        if (p->scope[i]->kind == GALI_LOOP_MAKE) {
            add_local(p, l, p->scope[i]->local);
        } else {
            add_item(l, "const size_t ", p->scope[i]->variable->name, "");
        }
    }
}

/* What follows a let with cases: a function, and a switch that calls it with each. */
static void add_cases(printer *p, gali_text *to, const gali_loop_statement *let) {
    gali_text body = {0};
    uint32_t number = p->outlined++;
    int depth = p->depth;
    p->depth = 1;
    add_block(p, &body, let->next);
    p->depth = depth;
    p->scopes--; /* the let itself is the last parameter */
    list parameters = {.to = &p->functions, .body = &body, .declare = 1};
    gali_text_add(&p->functions, "static inline __attribute__((always_inline)) void %s_%u(", p->name, number);
    add_needs(p, &parameters);
    add_item(&parameters, "const size_t ", let->variable->name, "");
    gali_text_add(&p->functions, ") {\n%s}\n\n", body.bytes ? body.bytes : "");
    add_line(p, to);
    gali_text_add(to, "switch (");
    add_name(to, let->variable->name);
    gali_text_add(to, ") {\n");
    for (uint32_t i = let->variable->least; i <= let->variable->most; i++) {
        list arguments = {.to = to, .body = &body};
        add_line(p, to);
        gali_text_add(to, "case %u:\n%*s%s_%u(", i, 4 * (p->depth + 1), "", p->name, number);
        add_needs(p, &arguments);
        if (has_name(&body, let->variable->name, "")) {
            gali_text_add(to, "%s%u", arguments.count ? ", " : "", i);
        }
        gali_text_add(to, ");\n%*sbreak;\n", 4 * (p->depth + 1), "");
    }
    p->scopes++;
    add_line(p, to);
    gali_text_add(to, "default:\n%*sbreak;\n%*s}\n", 4 * (p->depth + 1), "", 4 * p->depth, "");
    p->functions.failed |= body.failed;
    gali_text_release(&body);
}

static void add_lookup(printer *p, gali_text *to, const gali_loop_statement *let) {
    gali_text_add(to, "const size_t ");
    add_name(to, let->variable->name);
    gali_text_add(to, " = *(");
    add_pointer(p, to, &let->lookup);
    gali_text_add(to, ");\n");
}

static void add_statement(printer *p, gali_text *to, const gali_loop_statement *s) {
    if (s->kind == GALI_LOOP_FOR) {
        add_for(p, to, s);
        return;
    }
    add_line(p, to);
    if (s->kind == GALI_LOOP_LET && s->let == GALI_LOOP_LOOKUP) {
        add_lookup(p, to, s);
    } else if (s->kind == GALI_LOOP_LET) {
        add_let(to, s);
    } else if (s->kind == GALI_LOOP_MAKE) {
        add_make(p, to, s->local);
    } else if (s->kind == GALI_LOOP_STORE) {
        add_store(p, to, s);
    } else {
        add_tile(p, to, &s->tile);
    }
}

static void add_block(printer *p, gali_text *to, const gali_loop_statement *block) {
    uint32_t scopes = p->scopes;
    for (const gali_loop_statement *s = block; s; s = s->next) {
        int named = s->kind == GALI_LOOP_FOR || s->kind == GALI_LOOP_LET || s->kind == GALI_LOOP_MAKE;
        if (named && p->scopes == SCOPE_MAX) {
            p->why = "too many names in one place";
            break;
        }
        if (named) {
            p->scope[p->scopes++] = s;
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

/* ---- what locals become ---- */

static void see_shape(void *context, const gali_loop_access *access, int written) {
    printer *p = context;
    const gali_loop_buffer *buffer = access->buffer;
    (void)written;
    if (access->lanes != 1 && access->lanes != p->lanes) {
        p->why = "lanes that the target does not have";
    }
    if (buffer->role == GALI_LOOP_LOCAL) {
        uint32_t last = buffer->rank ? buffer->rank - 1 : 0;
        int whole = access->lanes > 1 && buffer->rank && is_zero(&access->index[last]) &&
                    buffer->extent[last].constant == access->lanes;
        p->shape[buffer->id] = whole ? p->shape[buffer->id] : FLOATS;
    }
}

/* Loads of a local other than as the one number of an FMA. */
static int multiplied_only(const gali_loop_value *value, const gali_loop_buffer *local, uint32_t lanes) {
    if (value->op == GALI_VALUE_LOAD) {
        return value->load.buffer != local;
    }
    uint32_t one = value->op == GALI_VALUE_FMA ? broadcast_of(value, lanes) : 2;
    for (uint32_t i = 0; i < 3 && value->operand[i]; i++) {
        if (i != one && !multiplied_only(value->operand[i], local, lanes)) {
            return 0;
        }
    }
    return 1;
}

static int is_broadcast(const gali_loop_statement *block, const gali_loop_buffer *local) {
    for (const gali_loop_statement *s = block; s; s = s->next) {
        int good = 1;
        if (s->kind == GALI_LOOP_FOR) {
            good = is_broadcast(s->body, local);
        } else if (s->kind == GALI_LOOP_STORE && s->to.buffer == local) {
            good =
                is_scalar_load(s->value) && s->value->load.buffer->role != GALI_LOOP_LOCAL && s->to.lanes == 1;
        } else if (s->kind == GALI_LOOP_STORE) {
            good = multiplied_only(s->value, local, s->to.lanes);
        }
        if (!good) {
            return 0;
        }
    }
    return 1;
}

static void choose_shapes(printer *p) {
    const gali_loop_function *f = p->function;
    for (uint32_t i = 0; i < f->buffers; i++) {
        p->shape[i] = VECTORS;
    }
    gali_loop_walk(f->body, see_shape, NULL, p);
    for (uint32_t i = f->parameters; i < f->buffers; i++) {
        if (p->shape[i] == FLOATS && is_broadcast(f->body, f->buffer[i])) {
            p->shape[i] = BROADCAST;
        }
    }
}

/* ---- the whole ---- */

static const gali_loop_statement *parallel_loop(const gali_loop_statement *s) {
    while (s && s->kind != GALI_LOOP_FOR) {
        s = s->next;
    }
    return s && s->mark == GALI_LOOP_PARALLEL ? s : NULL;
}

static void add_unused(gali_text *to, const gali_text *body, const char *name, const char *ending) {
    if (!has_name(body, name, ending)) {
        gali_text_add(to, "    (void)%s%s;\n", name, ending);
    }
}

static void add_head(printer *p, gali_text *to, const gali_text *body) {
    const gali_loop_function *f = p->function;
    list all = {.to = to, .declare = 1};
    gali_text_add(to, "/*\n");
    for (uint32_t i = 0; i < f->parameters; i++) {
        gali_text_add(to, " * %s %s", gali_loop_roles[f->buffer[i]->role], f->buffer[i]->name);
        gali_loop_print_shape(f->buffer[i], to);
        gali_text_add(to, "\n");
    }
    gali_text_add(to, " */\nstatic void %s(", p->name);
    for (uint32_t i = 0; i < f->symbols; i++) {
        add_item(&all, "uint32_t ", f->variable[i]->name, "");
    }
    for (uint32_t i = 0; i < f->parameters; i++) {
        add_parameter(&all, f->buffer[i]);
    }
    gali_text_add(to, "%s) {\n", parallel_loop(f->body) ? ", uint32_t first, uint32_t last" : "");
    for (uint32_t i = 0; i < f->symbols; i++) {
        add_unused(to, body, f->variable[i]->name, "");
    }
    for (uint32_t i = 0; i < f->parameters; i++) {
        add_unused(to, body, f->buffer[i]->name, "");
        if (has_stride(f->buffer[i])) {
            add_unused(to, body, f->buffer[i]->name, "_stride");
        }
    }
}

/* Vectors at the end of a row that is no whole number of them. */
static void add_some(const printer *p, gali_text *to) {
    gali_text_add(
        to,
        "static inline __attribute__((unused)) gali_vf %s_load_some(const float *p, size_t left) {\n"
        "    return left < GALI_LANES ? gali_vf_load_part(p, (uint32_t)left) : gali_vf_load(p);\n}\n\n"
        "static inline __attribute__((unused)) void %s_store_some(float *p, gali_vf a, size_t left) {\n"
        "    if (left < GALI_LANES) {\n        gali_vf_store_part(p, a, (uint32_t)left);\n"
        "    } else {\n        gali_vf_store(p, a);\n    }\n}\n\n",
        p->name, p->name);
}

gal_status gali_loop_print_c(const gali_loop_function *function, const char *name, uint32_t lanes,
                             gali_text *text, gal_error *error) {
    printer p = {.function = function, .name = name, .lanes = lanes, .depth = 1};
    gali_text body = {0};
    choose_shapes(&p);
    add_block(&p, &body, function->body);
    if (p.some) {
        add_some(&p, text);
    }
    gali_text_add_bytes(text, p.functions.bytes ? p.functions.bytes : "", p.functions.size);
    add_head(&p, text, &body);
    gali_text_add_bytes(text, body.bytes ? body.bytes : "", body.size);
    gali_text_add(text, "}\n");
    text->failed |= body.failed | p.functions.failed;
    gali_text_release(&body);
    gali_text_release(&p.functions);
    if (p.why) {
        return gali_fail(error, GAL_BAD_DATA, "loop %s: %s", function->name, p.why);
    }
    return text->failed ? gali_fail(error, GAL_NO_MEMORY, "loop %s: no memory for its C", function->name)
                        : GAL_OK;
}
