/* Names, indices, accesses and values as C expressions (print_c_parts.h). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compiler/loop/layout.h"
#include "compiler/loop/print_c_parts.h"
#include "compiler/loop/words.h"

/* ---- names and indices ---- */

void gali_c_name(gali_text *to, const char *name) {
    for (; *name; name++) {
        gali_text_add_bytes(to, *name == '.' ? "_" : name, 1);
    }
}

/* " + " or " - " behind something, else a minus or nothing; returns the size of the number. */
static int64_t add_sign(gali_text *to, int64_t number, int behind) {
    gali_text_add(to, "%s", number < 0 ? behind ? " - " : "-" : behind ? " + " : "");
    return number < 0 ? -number : number;
}

static void add_index(gali_text *to, const gali_loop_index *index, const char *cast) {
    int many = index->count + (index->constant != 0) > 1 || index->constant < 0 ||
               (index->count && index->term[0].scale < 0);
    gali_text_add(to, "%s", many ? "(" : "");
    for (uint32_t i = 0; i < index->count; i++) {
        int64_t scale = add_sign(to, index->term[i].scale, i > 0);
        if (scale != 1) {
            gali_text_add(to, "%" PRId64 " * ", scale);
        }
        gali_text_add(to, "%s", cast);
        gali_c_name(to, index->term[i].variable->name);
    }
    if (index->constant || !index->count) {
        gali_text_add(to, "%" PRId64, add_sign(to, index->constant, index->count > 0));
    }
    gali_text_add(to, "%s", many ? ")" : "");
}

void gali_c_index(gali_text *to, const gali_loop_index *index) {
    add_index(to, index, "");
}

void gali_c_factor(gali_text *to, const gali_loop_index *index) {
    int product = index->count == 1 && !index->constant && index->term[0].scale > 1;
    gali_text_add(to, product ? "(" : "");
    add_index(to, index, "");
    gali_text_add(to, product ? ")" : "");
}

void gali_c_signed_index(gali_text *to, const gali_loop_index *index) {
    add_index(to, index, "(int64_t)");
}

int gali_c_is_zero(const gali_loop_index *index) {
    return !index->count && !index->constant;
}

/* The let around that defines the first element or the size of a part; NULL if there is none. */
static const gali_loop_variable *find_part(const gali_c_printer *p, gali_loop_let let,
                                           const gali_loop_packed *parts, const gali_loop_index *at) {
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

static void add_first(gali_c_printer *p, gali_text *to, const gali_loop_packed *parts,
                      const gali_loop_index *at, uint32_t more) {
    const gali_loop_variable *first = more ? NULL : find_part(p, GALI_LOOP_FIRST, parts, at);
    if (first) {
        gali_c_name(to, first->name);
        return;
    }
    gali_loop_index next = *at;
    next.constant += more;
    gali_text_add(to, "(%u * ", parts->total);
    gali_c_index(to, &next);
    gali_text_add(to, " + %u) / %u", parts->extent - 1, parts->extent);
}

static void add_size(gali_c_printer *p, gali_text *to, const gali_loop_packed *parts,
                     const gali_loop_index *at) {
    const gali_loop_variable *size = find_part(p, GALI_LOOP_SIZE, parts, at);
    if (parts->total % parts->extent == 0) {
        gali_text_add(to, "%u", parts->total / parts->extent);
    } else if (size) {
        gali_c_name(to, size->name);
    } else {
        gali_text_add(to, "(");
        add_first(p, to, parts, at, 1);
        gali_text_add(to, " - ");
        add_first(p, to, parts, at, 0);
        gali_text_add(to, ")");
    }
}

/* " + index * stride" of a dimension of a packed constant; inside of the ragged one strides count its part. */
static void add_packed_offset(gali_c_printer *p, gali_text *to, const gali_loop_access *access) {
    const gali_loop_buffer *buffer = access->buffer;
    uint32_t ragged = gali_layout_ragged(buffer), part = gali_layout_part(buffer);
    const gali_loop_packed *parts = ragged < GALI_LOOP_RANK_MAX ? &buffer->packed[ragged] : NULL;
    for (uint32_t d = 0; d < buffer->packed_rank; d++) {
        size_t inside = gali_layout_inside(buffer, d);
        if (gali_c_is_zero(&access->index[d])) {
            continue;
        }
        gali_text_add(to, " + ");
        if (d == ragged) {
            add_first(p, to, parts, &access->index[d], 0);
        } else {
            gali_c_index(to, &access->index[d]);
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

int gali_c_has_stride(const gali_loop_function *function, const gali_loop_buffer *buffer) {
    return !function->dense && buffer->rank == 2 && buffer->role != GALI_LOOP_CONSTANT;
}

int gali_c_has_step(const gali_loop_function *function, const gali_loop_buffer *buffer, uint32_t d) {
    int symbolic = 0;
    for (uint32_t i = d + 1; i < buffer->rank; i++) {
        symbolic |= buffer->extent[i].count > 0;
    }
    return symbolic && buffer->role != GALI_LOOP_LOCAL && !gali_c_has_stride(function, buffer);
}

void gali_c_inside(gali_text *to, const gali_loop_access *access) {
    const char *between = "";
    for (uint32_t d = 0; d < access->buffer->rank; d++) {
        if (access->tested >> d & 1) {
            gali_text_add(to, "%s(size_t)", between); /* what is below 0 is past the end */
            gali_c_index(to, &access->index[d]);
            gali_text_add(to, " < ");
            gali_c_index(to, &access->buffer->extent[d]);
            between = " && ";
        }
    }
}

/* " * elements" of a step of dimension d, unless it is one. */
static void add_step(const gali_c_printer *p, gali_text *to, const gali_loop_buffer *buffer, uint32_t d) {
    size_t step = 1;
    if (d == 0 && gali_c_has_stride(p->function, buffer)) {
        gali_text_add(to, " * ");
        gali_c_name(to, buffer->name);
        gali_text_add(to, "_stride");
        return;
    }
    if (gali_c_has_step(p->function, buffer, d)) {
        gali_text_add(to, " * ");
        gali_c_name(to, buffer->name);
        gali_text_add(to, "_step%u", d);
        return;
    }
    for (uint32_t i = d + 1; i < buffer->rank; i++) {
        step *= (size_t)buffer->extent[i].constant;
    }
    if (step != 1) {
        gali_text_add(to, " * %zu", step);
    }
}

void gali_c_pointer(gali_c_printer *p, gali_text *to, const gali_loop_access *access) {
    const gali_loop_buffer *buffer = access->buffer;
    if (buffer->role == GALI_LOOP_VIEW) {
        gali_c_element(p, to, access);
        gali_text_add(to, " + ");
        gali_c_index(to, &access->index[buffer->rank - 1]);
        return;
    }
    gali_c_name(to, buffer->name);
    if (buffer->packed_rank) {
        add_packed_offset(p, to, access);
        return;
    }
    for (uint32_t d = 0; d < buffer->rank; d++) {
        if (gali_c_is_zero(&access->index[d])) {
            continue;
        }
        gali_text_add(to, " + ");
        gali_c_index(to, &access->index[d]);
        add_step(p, to, buffer, d);
    }
}

/* Whether a local was made outside of the function that is printed, which then has a pointer to it. */
static int is_outside(const gali_c_printer *p, const gali_loop_buffer *local) {
    for (uint32_t i = 0; i < p->outside; i++) {
        if (p->scope[i]->kind == GALI_LOOP_MAKE && p->scope[i]->local == local) {
            return 1;
        }
    }
    return 0;
}

uint32_t gali_c_rank(const gali_c_printer *p, const gali_loop_buffer *buffer) {
    gali_c_shape shape = p->shape[buffer->id];
    return buffer->rank - (shape == GALI_C_VECTORS || shape == GALI_C_POINTERS);
}

void gali_c_element(const gali_c_printer *p, gali_text *to, const gali_loop_access *access) {
    uint32_t rank = gali_c_rank(p, access->buffer);
    if (!rank && is_outside(p, access->buffer)) {
        gali_text_add(to, "(*");
        gali_c_name(to, access->buffer->name);
        gali_text_add(to, ")");
        return;
    }
    gali_c_name(to, access->buffer->name);
    for (uint32_t d = 0; d < rank; d++) {
        gali_text_add(to, "[");
        gali_text add = {0};
        gali_c_index(&add, &access->index[d]);
        size_t bare = add.size && add.bytes[0] == '(';
        gali_text_add_bytes(to, add.bytes ? add.bytes + bare : "", add.size - 2 * bare);
        gali_text_end(&add, to);
        gali_text_add(to, "]");
    }
}

int gali_c_is_local(const gali_loop_access *access) {
    return access->buffer->role == GALI_LOOP_LOCAL;
}

int gali_c_is_image(const gali_c_words *words, const gali_loop_buffer *buffer) {
    return words && buffer->id < 64 && (words->images >> buffer->id & 1);
}

void gali_c_address(gali_c_printer *p, gali_text *to, const gali_loop_access *access) {
    if (gali_c_is_local(access)) {
        gali_text_add(to, "&");
        gali_c_element(p, to, access);
    } else {
        gali_c_pointer(p, to, access);
    }
}

void gali_c_item(gali_c_printer *p, gali_text *to, const gali_loop_access *access) {
    static const char plus[] = " + ";
    gali_text pointer = {0};
    if (gali_c_is_local(access)) {
        gali_c_element(p, to, access);
        return;
    }
    if (access->buffer->role == GALI_LOOP_VIEW) {
        gali_c_element(p, to, access);
        gali_text_add(to, "[");
        gali_c_index(to, &access->index[access->buffer->rank - 1]);
        gali_text_add(to, "]");
        return;
    }
    gali_c_pointer(p, &pointer, access);
    const char *index = pointer.bytes ? strstr(pointer.bytes, plus) : NULL; /* "name + index" */
    int image = gali_c_is_image(p->words, access->buffer);
    gali_text_add(to, image ? "gali_texel(" : "");
    gali_c_name(to, access->buffer->name);
    gali_text_add(to, image ? ", %s)" : "[%s]", index ? index + sizeof plus - 1 : "0");
    gali_text_end(&pointer, to);
}

/* Whether number and scales of an index are multiples: then so is the index. */
static int is_multiple(const gali_loop_index *index, int64_t of) {
    int multiple = index->constant % of == 0;
    for (uint32_t i = 0; i < index->count; i++) {
        multiple &= index->term[i].scale % of == 0;
    }
    return multiple;
}

/* Takes scale * what is in the index as the variable of a scope; 0 where it is not in it. */
static int64_t take(gali_loop_index *index, const gali_loop_variable *variable) {
    gali_loop_index own = {.count = 1, .term = {{1, variable}}};
    int64_t scale = gali_loop_index_scale(index, variable);
    return scale && gali_loop_index_add(index, &own, -scale) ? scale : 0;
}

/*
 * What a statement's variable is at most, or that many times itself: a loop's is its extent - 1, a remainder of b is b - 1, and
 * b times a / b is a. Returns how many times; 0: nothing is known.
 */
static int64_t most_of(const gali_loop_statement *s, gali_loop_index *most) {
    int remainder = s->kind == GALI_LOOP_LET && s->let == GALI_LOOP_REMAINDER;
    if (s->kind == GALI_LOOP_LET && s->let == GALI_LOOP_QUOTIENT && !s->operand[1].count) {
        *most = s->operand[0];
        return s->operand[1].constant;
    }
    *most = remainder ? s->operand[1] : s->extent;
    most->constant--;
    return s->kind == GALI_LOOP_FOR || remainder;
}

/* Whether an index is at least 0 by the loops, quotients and remainders around. */
static int is_never_negative(const gali_c_printer *p, gali_loop_index index) {
    for (uint32_t i = p->scopes; i-- > 0;) { /* each is made of those before it */
        gali_loop_index most;
        int64_t times = most_of(p->scope[i], &most), scale = times ? take(&index, p->scope[i]->variable) : 0;
        if (scale < 0 && (scale % times || !gali_loop_index_add(&index, &most, scale / times))) {
            return 0;
        }
    }
    for (uint32_t i = 0; i < index.count; i++) {
        if (index.term[i].scale < 0) {
            return 0;
        }
    }
    return index.constant >= 0;
}

/* Rows that are whole vectors are read in whole vectors; others where the loops around end early enough. */
int gali_c_is_partial(const gali_c_printer *p, const gali_loop_access *access) {
    const gali_loop_buffer *buffer = access->buffer;
    if (access->lanes == 1 || gali_c_is_local(access) || buffer->packed_rank) {
        return 0;
    }
    const gali_loop_index *end = &buffer->extent[buffer->rank - 1], *at = &access->index[buffer->rank - 1];
    gali_loop_index left = *end;
    if (is_multiple(end, access->lanes) && is_multiple(at, access->lanes)) {
        return 0;
    }
    left.constant -= access->lanes;
    return !gali_loop_index_add(&left, at, -1) || !is_never_negative(p, left);
}

void gali_c_left(gali_text *to, const gali_loop_access *access) {
    gali_c_index(to, &access->buffer->extent[access->buffer->rank - 1]);
    gali_text_add(to, " - ");
    gali_c_index(to, &access->index[access->buffer->rank - 1]);
}

/* ---- values ---- */

static void add_load(gali_c_printer *p, gali_text *to, const gali_loop_value *value) {
    const gali_loop_access *load = &value->load;
    if (gali_c_is_local(load) && p->shape[load->buffer->id] == GALI_C_VECTORS) {
        gali_c_element(p, to, load);
        return;
    }
    if (load->lanes == 1) {
        gali_text_add(to, p->lanes > 1 ? "gali_vf_set(" : "");
        gali_c_item(p, to, load);
        gali_text_add(to, p->lanes > 1 ? ")" : "");
        return;
    }
    int partial = gali_c_is_partial(p, load);
    p->some |= partial;
    if (load->tested) {
        gali_text_add(to, "(");
        gali_c_inside(to, load);
        gali_text_add(to, " ? ");
    }
    gali_text_add(to, "%s%s(", partial ? p->name : "gali_vf", partial ? "_load_some" : "_load");
    gali_c_address(p, to, load);
    if (partial) {
        gali_text_add(to, ", ");
        gali_c_left(to, load);
    }
    gali_text_add(to, ")");
    if (load->tested) {
        gali_text_add(to, " : ");
        gali_c_value(p, to, value->operand[0], load->lanes);
        gali_text_add(to, ")");
    }
}

int gali_c_is_scalar_load(const gali_loop_value *value) {
    return value->op == GALI_VALUE_LOAD && value->load.lanes == 1 && !value->load.tested &&
           value->load.buffer->element == GALI_f32;
}

uint32_t gali_c_broadcast_of(const gali_loop_value *fma, uint32_t lanes) {
    if (lanes == 1 || gali_c_is_scalar_load(fma->operand[0]) == gali_c_is_scalar_load(fma->operand[1])) {
        return 2;
    }
    return gali_c_is_scalar_load(fma->operand[0]) ? 0 : 1;
}

static void add_fma(gali_c_printer *p, gali_text *to, const gali_loop_value *fma, uint32_t lanes) {
    uint32_t one = gali_c_broadcast_of(fma, lanes);
    const gali_loop_value *a = fma->operand[one == 0], *b = fma->operand[one == 0 ? 0 : 1];
    gali_text_add(to, one < 2 ? "gali_vf_fma_x(" : "gali_vf_fma(");
    gali_c_value(p, to, a, lanes);
    gali_text_add(to, ", ");
    if (one == 2) {
        gali_c_value(p, to, b, lanes);
    } else if (gali_c_is_local(&b->load) && p->shape[b->load.buffer->id] == GALI_C_BROADCAST) {
        gali_c_element(p, to, &b->load);
    } else {
        gali_text_add(to, "gali_vx_load(");
        gali_c_address(p, to, &b->load);
        gali_text_add(to, ")");
    }
    gali_text_add(to, ", ");
    gali_c_value(p, to, fma->operand[2], lanes);
    gali_text_add(to, ")");
}

/* A truth value in lanes. */
static void add_mask(gali_c_printer *p, gali_text *to, const gali_loop_value *value, uint32_t lanes) {
    if (gali_loop_is_uniform(value)) {
        gali_text_add(to, "gali_vm_set(");
        gali_c_plain(p, to, value);
        gali_text_add(to, ")");
    } else {
        gali_c_value(p, to, value, lanes);
    }
}

static void add_select(gali_c_printer *p, gali_text *to, const gali_loop_value *select, uint32_t lanes) {
    int one = gali_loop_is_uniform(select->operand[0]);
    gali_text_add(to, one ? "(" : "gali_vf_select(");
    if (one) {
        gali_c_plain(p, to, select->operand[0]);
    } else {
        gali_c_value(p, to, select->operand[0], lanes);
    }
    gali_text_add(to, one ? " ? " : ", ");
    gali_c_value(p, to, select->operand[1], lanes);
    gali_text_add(to, one ? " : " : ", ");
    gali_c_value(p, to, select->operand[2], lanes);
    gali_text_add(to, ")");
}

static void add_call_of(gali_c_printer *p, gali_text *to, const gali_loop_value *value, uint32_t lanes) {
    gali_text_add(to, "%s(", gali_loop_ops[value->op].vector);
    for (uint32_t i = 0; i < gali_loop_ops[value->op].arity; i++) {
        gali_text_add(to, "%s", i ? ", " : "");
        if (value->operand[i]->element == GALI_truth) {
            add_mask(p, to, value->operand[i], lanes);
        } else {
            gali_c_value(p, to, value->operand[i], lanes);
        }
    }
    gali_text_add(to, ")");
}

/* What is the same in all lanes and no vector's word: computed once, as plain C. */
static int is_plain(const gali_c_printer *p, const gali_loop_value *value) {
    int load = value->op == GALI_VALUE_LOAD && !value->load.tested && value->load.buffer->element == GALI_f32;
    return p->function->dense && p->lanes > 1 && !load && value->op != GALI_VALUE_CONSTANT &&
           gali_loop_is_uniform(value);
}

static void add_constant(const gali_c_printer *p, gali_text *to, double constant) {
    char number[32];
    if (!isfinite(constant)) {
        const char *name = isnan(constant) ? "NAN" : constant < 0 ? "-INFINITY" : "INFINITY";
        gali_text_add(to, p->lanes > 1 ? "gali_vf_set(%s)" : "%s", name);
        return;
    }
    snprintf(number, sizeof number, "%.9g", constant);
    gali_text_add(to, p->lanes > 1 ? "gali_vf_set(%s%sf)" : "%s%sf", number, strpbrk(number, ".e") ? "" : ".0");
}

void gali_c_value(gali_c_printer *p, gali_text *to, const gali_loop_value *value, uint32_t lanes) {
    if (is_plain(p, value)) {
        gali_text_add(to, "gali_vf_set(");
        gali_c_plain(p, to, value);
        gali_text_add(to, ")");
        return;
    }
    switch (value->op) {
    case GALI_VALUE_CONSTANT:
        add_constant(p, to, value->real);
        break;
    case GALI_VALUE_SELECT:
        add_select(p, to, value, lanes);
        break;
    case GALI_VALUE_LOAD:
        add_load(p, to, value);
        break;
    case GALI_VALUE_FMA:
        add_fma(p, to, value, lanes);
        break;
    case GALI_VALUE_MAX:
        gali_text_add(to, "gali_vf_less(");
        for (uint32_t i = 0; i < 4; i++) { /* a < b ? b : a */
            gali_text_add(to, "%s", i ? ", " : "");
            gali_c_value(p, to, value->operand[i == 1 || i == 2], lanes);
        }
        gali_text_add(to, ")");
        break;
    default:
        if (!*gali_loop_ops[value->op].vector) {
            p->why = "an operation that vectors have not: print it as plain C";
        }
        add_call_of(p, to, value, lanes);
    }
}
