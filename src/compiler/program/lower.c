#include "compiler/program/lower.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "compiler/loop/uses.h"

enum {
    STRIP = 32, /* elements of a reduction that are summed side by side */
    STRIP_LARGEST = 64,
    USES_MOST = 1024,
    LETS_MOST = 64,
    SHARED_MOST = 32, /* scalars of one statement that are computed once for several uses */
    SYMBOLS_MOST = GALI_EXTENT_ATOMS_MAX * 8,
};

/* What is known of a variable, for proving that an index stays inside. */
typedef struct bounds {
    const gali_loop_variable *variable;
    int64_t least, most;   /* over all values of the symbols */
    gali_loop_index below; /* variable < below, where affine; else count of terms and constant are 0 */
} bounds;

typedef struct shared {
    const gali_scalar *scalar;
    const gali_loop_value *value;
} shared;

typedef struct known_let {
    gali_loop_let let;
    gali_loop_index a, b, is;
} known_let;

typedef struct lowering {
    gali_program *p;
    gali_arena *arena;
    gali_lowered *out;
    gali_loop_function *f;
    const gali_program_stage *stage;
    const gali_loop_buffer *buffer[GALI_LOOP_BUFFERS_MAX]; /* of parameter i */
    const gali_loop_variable *symbol[SYMBOLS_MOST];
    struct {
        gali_extent extent;
        gali_loop_index index;
    } sizes[GALI_LOOP_VARIABLES_MAX]; /* extents that were asked for */
    uint32_t size_count;
    bounds bound[GALI_LOOP_VARIABLES_MAX];
    uint32_t bound_count;
    gali_loop_index axis[GALI_AXES_MAX];
    const gali_loop_value *self;
    gali_loop_statement **tail; /* where the next statement goes */
    shared list[SHARED_MOST];
    known_let let[LETS_MOST]; /* of the statement that is being made */
    uint32_t let_count;
    uint32_t shared_count, names;
    const char *why; /* the first failure */
} lowering;

static void fail(lowering *l, const char *why) {
    l->why = l->why ? l->why : why;
}

static void append(lowering *l, gali_loop_statement *s) {
    if (!s) {
        fail(l, "no memory, or a limit of loops");
        return;
    }
    *l->tail = s;
    l->tail = &s->next;
}

static void fresh_name(lowering *l, const char *stem, char name[GALI_LOOP_NAME_MAX]) {
    snprintf(name, GALI_LOOP_NAME_MAX, "%.16s%u", stem, l->names++);
}

static const gali_loop_variable *add_variable(lowering *l, const char *stem) {
    char name[GALI_LOOP_NAME_MAX];
    fresh_name(l, stem, name);
    const gali_loop_variable *variable = gali_loop_add_variable(l->f, name);
    if (!variable) {
        fail(l, "too many variables");
    }
    return variable;
}

/* ---- bounds ---- */

static bounds *bounds_of(lowering *l, const gali_loop_variable *variable) {
    for (uint32_t i = 0; i < l->bound_count; i++) {
        if (l->bound[i].variable == variable) {
            return &l->bound[i];
        }
    }
    return NULL;
}

static void set_bounds(lowering *l, const gali_loop_variable *variable, int64_t least, int64_t most,
                       const gali_loop_index *below) {
    if (variable && l->bound_count < GALI_LOOP_VARIABLES_MAX) {
        l->bound[l->bound_count++] =
            (bounds){variable, least, most, below ? *below : (gali_loop_index){.constant = 0}};
    }
}

static void range_of(lowering *l, const gali_loop_index *index, int64_t *least, int64_t *most) {
    double low = (double)index->constant, high = low;
    for (uint32_t i = 0; i < index->count; i++) {
        const bounds *b = bounds_of(l, index->term[i].variable);
        double scale = (double)index->term[i].scale, a = b ? (double)b->least : -1e15,
               z = b ? (double)b->most : 1e15;
        low += scale < 0 ? scale * z : scale * a;
        high += scale < 0 ? scale * a : scale * z;
    }
    *least = low < -1e17 ? -(int64_t)1e17 : (int64_t)low;
    *most = high > 1e17 ? (int64_t)1e17 : (int64_t)high;
}

/* The index with each variable that has an affine bound at its largest (or, of a negative scale, 0). */
static gali_loop_index at_most(lowering *l, const gali_loop_index *index, int *good) {
    gali_loop_index most = gali_loop_number(index->constant);
    for (uint32_t i = 0; i < index->count; i++) {
        const gali_loop_term *term = &index->term[i];
        const bounds *b = bounds_of(l, term->variable);
        int affine = b && (b->below.count || b->below.constant);
        gali_loop_index own = gali_loop_of(term->variable);
        if (affine && term->scale > 0) {
            own = b->below;
            own.constant--;
        } else if (affine) {
            own = gali_loop_number(0);
        }
        *good &= gali_loop_index_add(&most, &own, term->scale);
    }
    return most;
}

static int is_inside(lowering *l, const gali_loop_index *index, const gali_loop_index *extent) {
    int64_t least, most, room_least, room_most;
    range_of(l, index, &least, &most);
    int64_t extent_least, extent_most;
    range_of(l, extent, &extent_least, &extent_most);
    if (least < 0) {
        return 0;
    }
    if (most < extent_least) {
        return 1;
    }
    int good = 1;
    gali_loop_index room = *extent, largest = at_most(l, index, &good);
    good = good && gali_loop_index_add(&room, &largest, -1);
    range_of(l, &room, &room_least, &room_most);
    return good && room_least > 0;
}

/* ---- extents ---- */

static gali_loop_index extent_index(lowering *l, gali_extent extent);

static gali_loop_index size_by(lowering *l, gali_loop_let let, gali_loop_index a, gali_loop_index b,
                               int64_t least, int64_t most) {
    char name[GALI_LOOP_NAME_MAX];
    fresh_name(l, "size", name);
    const gali_loop_variable *size = gali_loop_add_size(l->f, name, let, &a, &b);
    if (!size) {
        fail(l, "too many sizes");
        return gali_loop_number(1);
    }
    set_bounds(l, size, least < 0 ? 0 : least, most, NULL);
    return gali_loop_of(size);
}

static gali_loop_index atom_index(lowering *l, uint32_t atom) {
    gali_extents *x = l->p->graph->extents;
    uint32_t symbol;
    gali_extent operand[2];
    gali_extent_kind kind = gali_extent_atom(x, atom, &symbol, operand);
    if (kind == GALI_EXTENT_SYMBOL) {
        for (uint32_t i = 0; i < l->f->symbols; i++) {
            if (l->out->symbols[i] == symbol) {
                return gali_loop_of(l->symbol[i]);
            }
        }
        fail(l, "a size that no input tells");
        return gali_loop_number(1);
    }
    gali_loop_index a = extent_index(l, operand[0]), b = extent_index(l, operand[1]);
    int64_t a_least, a_most, b_least, b_most;
    range_of(l, &a, &a_least, &a_most);
    range_of(l, &b, &b_least, &b_most);
    if (kind == GALI_EXTENT_QUOTIENT) {
        if (a_least < 0) { /* of sizes that leave nothing, nothing is left */
            a = size_by(l, GALI_LOOP_MOST, a, gali_loop_number(0), 0, a_most);
        }
        return size_by(l, GALI_LOOP_QUOTIENT, a, b, 0, a_most / (b_least > 0 ? b_least : 1));
    }
    return kind == GALI_EXTENT_LEAST ? size_by(l, GALI_LOOP_LEAST, a, b, a_least < b_least ? a_least : b_least,
                                               a_most < b_most ? a_most : b_most)
                                     : size_by(l, GALI_LOOP_MOST, a, b, a_least > b_least ? a_least : b_least,
                                               a_most > b_most ? a_most : b_most);
}

/* An extent as constant + sum of scale * variable, of symbols and sizes. */
static gali_loop_index extent_index(lowering *l, gali_extent extent) {
    gali_extents *x = l->p->graph->extents;
    for (uint32_t i = 0; i < l->size_count; i++) {
        if (l->sizes[i].extent == extent) {
            return l->sizes[i].index;
        }
    }
    gali_loop_index sum = gali_loop_number(0);
    uint32_t terms = gali_extent_term_count(x, extent);
    int good = extent == 0 || terms > 0;
    for (uint32_t i = 0; good && i < terms; i++) {
        gali_extent_term term = gali_extent_term_at(x, extent, i);
        gali_loop_index product = term.count ? atom_index(l, term.atoms[0]) : gali_loop_number(1);
        for (uint32_t k = 1; k < term.count; k++) {
            gali_loop_index factor = atom_index(l, term.atoms[k]);
            int64_t a_least, a_most, b_least, b_most;
            range_of(l, &product, &a_least, &a_most);
            range_of(l, &factor, &b_least, &b_most);
            product = size_by(l, GALI_LOOP_PRODUCT, product, factor, a_least * b_least, a_most * b_most);
        }
        if (sum.count == GALI_LOOP_TERMS_MAX - 2) { /* a sum of many sizes has a name of its own */
            int64_t sum_least, sum_most;
            range_of(l, &sum, &sum_least, &sum_most);
            sum = size_by(l, GALI_LOOP_SUM, sum, gali_loop_number(0), sum_least, sum_most);
        }
        good = gali_loop_index_add(&sum, &product, term.scale);
    }
    if (!good) {
        fail(l, "a size past the limits of loops");
    }
    if (l->size_count < GALI_LOOP_VARIABLES_MAX) {
        l->sizes[l->size_count].extent = extent;
        l->sizes[l->size_count++].index = sum;
    }
    return sum;
}

/* ---- symbols and parameters ---- */

static void add_symbols_of(lowering *l, gali_extent extent, uint32_t depth) {
    gali_extents *x = l->p->graph->extents;
    for (uint32_t i = 0; depth && i < gali_extent_term_count(x, extent); i++) {
        gali_extent_term term = gali_extent_term_at(x, extent, i);
        for (uint32_t k = 0; k < term.count; k++) {
            uint32_t symbol, at = 0;
            gali_extent operand[2];
            if (gali_extent_atom(x, term.atoms[k], &symbol, operand) != GALI_EXTENT_SYMBOL) {
                add_symbols_of(l, operand[0], depth - 1);
                add_symbols_of(l, operand[1], depth - 1);
                continue;
            }
            while (at < l->f->symbols && l->out->symbols[at] != symbol) {
                at++;
            }
            if (at < l->f->symbols) {
                continue;
            }
            char name[GALI_LOOP_NAME_MAX];
            snprintf(name, sizeof name, "size_%u", symbol);
            gali_loop_variable *variable = at < SYMBOLS_MOST ? gali_loop_add_variable(l->f, name) : NULL;
            if (!variable) {
                fail(l, "too many sizes");
                return;
            }
            variable->least = (uint32_t)l->p->least[symbol];
            variable->most = (uint32_t)l->p->most[symbol];
            l->symbol[at] = variable;
            l->out->symbols[at] = symbol;
            l->f->symbols++;
            set_bounds(l, variable, variable->least, variable->most, NULL);
        }
    }
}

static void add_type_symbols(lowering *l, const gali_type *type) {
    for (int i = 0; i < type->rank; i++) {
        add_symbols_of(l, type->shape[i], 64);
    }
}

typedef void visitor(lowering *l, const gali_scalar *a);

/* Visits every scalar once. */
static void visit(lowering *l, const gali_scalar *a, visitor *see, const void **seen, uint32_t *count) {
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
        fail(l, "too large an expression");
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

static void visit_stage(lowering *l, const gali_program_stage *stage, visitor *see) {
    const void *seen[4096];
    uint32_t count = 0;
    visit(l, stage->start, see, seen, &count);
    visit(l, stage->value, see, seen, &count);
    visit(l, stage->finish, see, seen, &count);
}

static void see_symbols(lowering *l, const gali_scalar *a) {
    if (a->op == GALI_SCALAR_extent) {
        add_symbols_of(l, a->extent, 64);
    } else if (a->op == GALI_SCALAR_load) {
        add_type_symbols(l, &l->p->tensors[a->source].type);
    }
}

static const gali_loop_buffer *parameter_of(const lowering *l, uint32_t tensor) {
    for (uint32_t i = 0; i < l->f->parameters; i++) {
        if (l->out->tensors[i] == tensor) {
            return l->buffer[i];
        }
    }
    return NULL;
}

/* "hidden_12": the value's name as far as it is one of C, and the tensor's number. */
static void name_tensor(const gali_program *p, uint32_t tensor, char name[GALI_LOOP_NAME_MAX]) {
    const char *from = p->tensors[tensor].name;
    size_t size = 0;
    name[size++] = 't';
    for (size_t i = strlen(from) > 14 ? strlen(from) - 14 : 0; from[i] && size < 16; i++) {
        char c = from[i];
        int good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (good || name[size - 1] != '_') {
            name[size++] = good ? c : '_';
        }
    }
    snprintf(name + size, GALI_LOOP_NAME_MAX - size, "_%u", tensor);
}

static void add_parameter(lowering *l, uint32_t tensor, gali_loop_role role) {
    char name[GALI_LOOP_NAME_MAX];
    if (parameter_of(l, tensor)) {
        return;
    }
    name_tensor(l->p, tensor, name);
    const gali_type *type = &l->p->tensors[tensor].type;
    gali_loop_buffer *buffer = gali_loop_add_buffer(l->f, name, role);
    if (!buffer || type->rank > GALI_LOOP_RANK_MAX) {
        fail(l, "too many tensors");
        return;
    }
    buffer->element = type->element;
    buffer->rank = (uint32_t)type->rank;
    for (int i = 0; i < type->rank; i++) {
        buffer->extent[i] = extent_index(l, type->shape[l->p->tensors[tensor].order[i]]);
    }
    l->out->tensors[buffer->id] = tensor;
    l->buffer[buffer->id] = buffer;
}

static void see_parameters(lowering *l, const gali_scalar *a) {
    if (a->op == GALI_SCALAR_load) {
        int constant = l->p->tensors[a->source].role == GALI_TENSOR_CONSTANT;
        add_parameter(l, a->source, constant ? GALI_LOOP_CONSTANT : GALI_LOOP_INPUT);
    }
}

/* ---- scalars ---- */

static const gali_loop_value *value_of(lowering *l, const gali_scalar *a);

static gali_loop_index let_of(lowering *l, gali_loop_let let, gali_loop_index a, gali_loop_index b,
                              int64_t least, int64_t most, const gali_loop_index *below) {
    for (uint32_t i = 0; i < l->let_count; i++) {
        const known_let *k = &l->let[i];
        if (k->let == let && gali_loop_index_same(&k->a, &a) && gali_loop_index_same(&k->b, &b)) {
            return k->is;
        }
    }
    const gali_loop_variable *variable = add_variable(l, "at");
    gali_loop_statement *s = gali_loop_add_statement(l->arena, GALI_LOOP_LET);
    if (!variable || !s) {
        fail(l, "no memory, or a limit of loops");
        return gali_loop_number(0);
    }
    s->variable = (gali_loop_variable *)variable;
    s->let = let;
    s->operand[0] = a;
    s->operand[1] = b;
    append(l, s);
    set_bounds(l, variable, least, most, below);
    if (l->let_count < LETS_MOST) {
        l->let[l->let_count++] = (known_let){let, a, b, gali_loop_of(variable)};
    }
    return gali_loop_of(variable);
}

/* An integer as constant + sum of scale * variable; 0 where it is none. */
static int affine(lowering *l, const gali_scalar *a, gali_loop_index *out) {
    gali_loop_index left, right;
    int64_t least, most, right_least, right_most;
    switch (a->op) {
    case GALI_SCALAR_number:
        *out = gali_loop_number(a->whole);
        return a->element == GALI_i64 && a->whole <= GALI_LOOP_EXTENT_MAX && a->whole >= -GALI_LOOP_EXTENT_MAX;
    case GALI_SCALAR_axis:
        *out = l->axis[a->source];
        return 1;
    case GALI_SCALAR_extent:
        *out = extent_index(l, a->extent);
        return 1;
    case GALI_SCALAR_add:
    case GALI_SCALAR_sub:
        return a->element == GALI_i64 && affine(l, a->operand[0], out) && affine(l, a->operand[1], &right) &&
               gali_loop_index_add(out, &right, a->op == GALI_SCALAR_add ? 1 : -1);
    case GALI_SCALAR_mul:
        if (a->element != GALI_i64 || !affine(l, a->operand[0], &left) || !affine(l, a->operand[1], &right)) {
            return 0;
        }
        if (right.count && left.count) {
            range_of(l, &left, &least, &most);
            range_of(l, &right, &right_least, &right_most);
            if (least < 0 || right_least < 0 ||
                (double)most * (double)right_most > (double)GALI_LOOP_EXTENT_MAX) {
                return 0;
            }
            *out = let_of(l, GALI_LOOP_PRODUCT, left, right, least * right_least, most * right_most, NULL);
            return 1;
        }
        *out = gali_loop_number(0);
        return right.count ? gali_loop_index_add(out, &right, left.constant)
                           : gali_loop_index_add(out, &left, right.constant);
    case GALI_SCALAR_quotient:
    case GALI_SCALAR_mod:
        if (a->element != GALI_i64 || !affine(l, a->operand[0], &left) || !affine(l, a->operand[1], &right)) {
            return 0;
        }
        range_of(l, &left, &least, &most);
        range_of(l, &right, &right_least, &right_most);
        if (least < 0 || right_least < 1) {
            return 0;
        }
        *out = a->op == GALI_SCALAR_quotient
                   ? let_of(l, GALI_LOOP_QUOTIENT, left, right, least / right_most, most / right_least, NULL)
                   : let_of(l, GALI_LOOP_REMAINDER, left, right, 0, right_most - 1, &right);
        return 1;
    default:
        return 0;
    }
}

/* The index of one dimension; *tested where it may leave it. */
static gali_loop_index index_of(lowering *l, const gali_scalar *a, const gali_loop_index *extent, int *tested) {
    gali_loop_index index;
    if (affine(l, a, &index)) {
        *tested = !is_inside(l, &index, extent);
        return index;
    }
    /* what no one can tell is kept inside: expressions promise that it is, where it counts (express.h) */
    const gali_loop_variable *variable = add_variable(l, "at");
    gali_loop_statement *s = gali_loop_add_statement(l->arena, GALI_LOOP_LET);
    const gali_loop_value *value = value_of(l, a);
    int64_t least, most;
    *tested = 0;
    if (!variable || !s || !value) {
        fail(l, "no memory, or a limit of loops");
        return gali_loop_number(0);
    }
    s->variable = (gali_loop_variable *)variable;
    s->let = GALI_LOOP_CLAMP;
    s->operand[0] = gali_loop_number(0);
    s->operand[1] = *extent;
    s->operand[1].constant--;
    s->value = value;
    append(l, s);
    range_of(l, extent, &least, &most);
    set_bounds(l, variable, 0, most - 1, extent);
    return gali_loop_of(variable);
}

static const gali_loop_value *load_of(lowering *l, const gali_scalar *a) {
    const gali_loop_buffer *buffer = parameter_of(l, a->source);
    if (!buffer) {
        return NULL;
    }
    const uint8_t *order = l->p->tensors[a->source].order;
    gali_loop_access access = {.buffer = buffer, .lanes = 1};
    for (uint32_t i = 0; i < buffer->rank; i++) {
        int tested;
        access.index[i] = index_of(l, a->index[order[i]], &buffer->extent[i], &tested);
        access.tested |= (uint32_t)tested << i;
    }
    gali_element element = gali_loop_computed(buffer->element);
    int real = gali_element_list[element].kind == GALI_REAL;
    const gali_loop_value *otherwise = !access.tested ? NULL
                                       : real         ? gali_loop_real(l->arena, element, 0)
                                                      : gali_loop_whole(l->arena, element, 0);
    return gali_loop_load(l->arena, &access, otherwise);
}

static gali_loop_op op_of(gali_scalar_op op) {
    return gali_loop_find_op(op == GALI_SCALAR_tanh ? "htan" : gali_scalar_list[op].name);
}

static const gali_loop_value *make_value(lowering *l, const gali_scalar *a) {
    gali_loop_index index;
    if (a->element == GALI_i64 && a->op != GALI_SCALAR_number && affine(l, a, &index)) {
        return gali_loop_at(l->arena, &index);
    }
    switch (a->op) {
    case GALI_SCALAR_number:
        return gali_element_list[a->element].kind == GALI_REAL
                   ? gali_loop_real(l->arena, gali_loop_computed(a->element), a->real)
                   : gali_loop_whole(l->arena, a->element, a->whole);
    case GALI_SCALAR_load:
        return load_of(l, a);
    case GALI_SCALAR_self:
        return l->self;
    case GALI_SCALAR_cast: {
        const gali_loop_value *from = value_of(l, a->operand[0]);
        return from ? gali_loop_cast(l->arena, a->element, from) : NULL;
    }
    default: {
        const gali_loop_value *operand[3] = {NULL};
        for (uint32_t i = 0; i < gali_scalar_list[a->op].arity; i++) {
            operand[i] = value_of(l, a->operand[i]);
            if (!operand[i]) {
                return NULL;
            }
        }
        return gali_loop_apply(l->arena, op_of(a->op), operand[0], operand[1], operand[2]);
    }
    }
}

static int is_leaf(const gali_scalar *a) {
    return a->op == GALI_SCALAR_number || a->op == GALI_SCALAR_axis || a->op == GALI_SCALAR_extent ||
           a->op == GALI_SCALAR_self;
}

/* The scalar in a local of its own. */
static const gali_loop_value *kept(lowering *l, gali_element element, const gali_loop_value *value) {
    char name[GALI_LOOP_NAME_MAX];
    fresh_name(l, "v", name);
    gali_loop_buffer *local = gali_loop_add_buffer(l->f, name, GALI_LOOP_LOCAL);
    gali_loop_statement *make = gali_loop_add_statement(l->arena, GALI_LOOP_MAKE);
    gali_loop_statement *store = gali_loop_add_statement(l->arena, GALI_LOOP_STORE);
    if (!local || !make || !store) {
        fail(l, "no memory, or too many locals");
        return NULL;
    }
    local->element = gali_loop_computed(element);
    make->local = local;
    store->to = (gali_loop_access){.buffer = local, .lanes = 1};
    store->value = value;
    append(l, make);
    append(l, store);
    return gali_loop_load(l->arena, &store->to, NULL);
}

static const gali_loop_value *value_of(lowering *l, const gali_scalar *a) {
    for (uint32_t i = 0; i < l->shared_count; i++) {
        if (l->list[i].scalar == a) {
            return l->list[i].value;
        }
    }
    const gali_loop_value *value = make_value(l, a);
    if (!value && !l->why) {
        fail(l, "no memory, or a limit of loops");
    }
    return value;
}

/* Scalars of a statement, operands first, and how often each is one. */
typedef struct uses {
    const gali_scalar *scalar[USES_MOST];
    uint32_t count[USES_MOST], size;
} uses;

static void count_uses(uses *u, const gali_scalar *a) {
    if (!a || is_leaf(a)) {
        return;
    }
    for (uint32_t i = 0; i < u->size; i++) {
        if (u->scalar[i] == a) {
            u->count[i]++;
            return;
        }
    }
    for (int i = 0; i < 3; i++) {
        count_uses(u, a->operand[i]);
    }
    if (u->size < USES_MOST) {
        u->scalar[u->size] = a;
        u->count[u->size++] = 1;
    }
}

/* Computes, before the statement, what it uses more than once; indices apart, which are variables anyway. */
static void share(lowering *l, const gali_scalar *root) {
    uses u = {.size = 0};
    count_uses(&u, root);
    for (uint32_t i = 0; i < u.size && !l->why && l->shared_count < SHARED_MOST; i++) {
        const gali_scalar *a = u.scalar[i];
        if (u.count[i] > 1 && a->element != GALI_i64) {
            const gali_loop_value *value = value_of(l, a);
            value = value ? kept(l, a->element, value) : NULL;
            l->list[l->shared_count++] = (shared){a, value};
        }
    }
}

/* to = a, with what it needs before it. */
static void store(lowering *l, const gali_loop_access *to, const gali_scalar *a) {
    l->shared_count = l->let_count = 0;
    share(l, a);
    const gali_loop_value *value = value_of(l, a);
    gali_loop_statement *s = gali_loop_add_statement(l->arena, GALI_LOOP_STORE);
    if (value && s) {
        s->to = *to;
        s->value = value;
    }
    append(l, s);
    l->shared_count = l->let_count = 0;
}

/* ---- loops ---- */

/* Opens a loop; what follows goes inside of it. */
static gali_loop_index open_loop(lowering *l, const char *stem, const gali_loop_index *extent) {
    const gali_loop_variable *variable = add_variable(l, stem);
    gali_loop_statement *s = gali_loop_add_statement(l->arena, GALI_LOOP_FOR);
    int64_t least, most;
    if (!variable || !s) {
        fail(l, "no memory, or a limit of loops");
        return gali_loop_number(0);
    }
    s->variable = (gali_loop_variable *)variable;
    s->extent = *extent;
    append(l, s);
    l->tail = &s->body;
    range_of(l, extent, &least, &most);
    set_bounds(l, variable, 0, most - 1, extent);
    return gali_loop_of(variable);
}

/* The stage's axis that is dimension d of its tensor in memory; reduced ones come behind them. */
static uint32_t axis_at(const lowering *l, uint32_t d) {
    return d < l->stage->rank ? l->p->tensors[l->stage->tensor].order[d] : d;
}

/* Loops over the stage's dimensions in memory, and over what it reduces. */
static void open_axes(lowering *l, uint32_t first, uint32_t last) {
    for (uint32_t i = first; i < last; i++) {
        gali_loop_index extent = extent_index(l, l->stage->extent[axis_at(l, i)]);
        l->axis[axis_at(l, i)] = open_loop(l, i < l->stage->rank ? "i" : "k", &extent);
    }
}

static gali_loop_access result_of(lowering *l) {
    gali_loop_access to = {.buffer = parameter_of(l, l->stage->tensor), .lanes = 1};
    for (uint32_t i = 0; i < l->stage->rank; i++) {
        to.index[i] = l->axis[axis_at(l, i)];
    }
    return to;
}

static void lower_plain(lowering *l) {
    open_axes(l, 0, l->stage->rank);
    gali_loop_access to = result_of(l);
    store(l, &to, l->stage->value);
}

static gali_loop_buffer *add_local(lowering *l, uint32_t size) {
    char name[GALI_LOOP_NAME_MAX];
    fresh_name(l, "sum", name);
    gali_loop_buffer *local = gali_loop_add_buffer(l->f, name, GALI_LOOP_LOCAL);
    gali_loop_statement *make = gali_loop_add_statement(l->arena, GALI_LOOP_MAKE);
    if (!local || !make) {
        fail(l, "no memory, or too many locals");
        return NULL;
    }
    local->element = gali_loop_computed(l->stage->value->element);
    local->rank = size > 0;
    local->extent[0] = gali_loop_number(size);
    make->local = local;
    append(l, make);
    return local;
}

static gali_loop_access local_at(lowering *l, const gali_loop_buffer *local, const gali_loop_index *at) {
    gali_loop_access access = {.buffer = local, .lanes = 1};
    access.index[0] = at ? *at : gali_loop_number(0);
    l->self = gali_loop_load(l->arena, &access, NULL);
    return access;
}

/* One element at a time: a stage without axes, or whose last axis is short. */
static void lower_sum(lowering *l) {
    open_axes(l, 0, l->stage->rank);
    gali_loop_buffer *local = add_local(l, 0);
    if (!local) {
        return;
    }
    gali_loop_access sum = local_at(l, local, NULL);
    store(l, &sum, l->stage->start);
    gali_loop_statement **after = l->tail;
    open_axes(l, l->stage->rank, l->stage->rank + l->stage->reduced);
    store(l, &sum, l->stage->value);
    while (*after && (*after)->next) { /* behind the loops */
        after = &(*after)->next;
    }
    l->tail = *after ? &(*after)->next : after;
    gali_loop_access to = result_of(l);
    gali_scalar self = {.op = GALI_SCALAR_self, .element = l->stage->value->element};
    store(l, &to, l->stage->finish ? l->stage->finish : &self);
}

/* The largest divisor of a row's length that strips may have; STRIP where there is none. */
static uint32_t strip_of(gali_extent length) {
    if (!gali_extent_is_number(length)) {
        return STRIP;
    }
    if (length <= STRIP_LARGEST) {
        return (uint32_t)length;
    }
    for (uint32_t strip = STRIP_LARGEST; strip >= STRIP / 2; strip--) {
        if (length % strip == 0) {
            return strip;
        }
    }
    return STRIP;
}

/* Strips of the last axis in memory: in each all sums go on side by side. */
static void lower_strips(lowering *l) {
    uint32_t last = axis_at(l, l->stage->rank - 1), strip = strip_of(l->stage->extent[last]);
    gali_loop_index length = extent_index(l, l->stage->extent[last]), size = gali_loop_number(strip);
    gali_loop_index at = gali_loop_number(0);
    int even = gali_extent_is_number(l->stage->extent[last]) && l->stage->extent[last] % strip == 0;
    open_axes(l, 0, l->stage->rank - 1);
    if (!even || l->stage->extent[last] != strip) {
        int64_t least, most;
        range_of(l, &length, &least, &most);
        gali_loop_index rounds = even ? gali_loop_number(l->stage->extent[last] / strip)
                                      : let_of(l, GALI_LOOP_ROUNDS, length, gali_loop_number(strip), 1,
                                               (most + strip - 1) / strip, NULL);
        gali_loop_index round = open_loop(l, "strip", &rounds);
        gali_loop_index_add(&at, &round, strip);
        if (!even) {
            gali_loop_index left = length;
            gali_loop_index_add(&left, &at, -1);
            size = let_of(l, GALI_LOOP_LEAST, gali_loop_number(strip), left, 1, strip, NULL);
        }
    }
    gali_loop_buffer *local = add_local(l, strip);
    if (!local) {
        return;
    }
    gali_scalar self = {.op = GALI_SCALAR_self, .element = l->stage->value->element};
    const gali_scalar *parts[] = {l->stage->start, l->stage->value,
                                  l->stage->finish ? l->stage->finish : &self};
    for (int part = 0; part < 3; part++) {
        gali_loop_statement **outside = l->tail;
        if (part == 1) {
            open_axes(l, l->stage->rank, l->stage->rank + l->stage->reduced);
        }
        gali_loop_index in = open_loop(l, "j", &size);
        bounds *b = bounds_of(l, in.count ? in.term[0].variable : NULL);
        l->axis[last] = at;
        gali_loop_index_add(&l->axis[last], &in, 1);
        if (b && !even) { /* at + j < length, which bounds of variables alone do not tell */
            b->below = length;
            gali_loop_index_add(&b->below, &at, -1);
        }
        gali_loop_access sum = local_at(l, local, &in);
        gali_loop_access to = part == 2 ? result_of(l) : sum;
        store(l, &to, parts[part]);
        l->tail = *outside ? &(*outside)->next : outside;
    }
}

static void lower_stage(lowering *l, const gali_program_stage *stage) {
    gali_loop_statement **end = &l->f->body;
    while (*end) {
        end = &(*end)->next;
    }
    l->tail = end;
    l->stage = stage;
    l->self = NULL;
    gali_extent last = stage->rank ? stage->extent[axis_at(l, stage->rank - 1)] : 1;
    if (!stage->reduced) {
        lower_plain(l);
    } else if (gali_extent_is_number(last) && last < 4) {
        lower_sum(l);
    } else {
        lower_strips(l);
    }
}

/* ---- a group ---- */

static void add_parameters(lowering *l, uint32_t group) {
    for (uint32_t i = 0; i < l->p->stage_count; i++) {
        const gali_program_stage *stage = &l->p->stages[i];
        if (!stage->gone && stage->group == group) {
            visit_stage(l, stage, see_symbols);
            add_type_symbols(l, &l->p->tensors[stage->tensor].type);
            for (uint32_t k = 0; k < stage->rank + stage->reduced; k++) {
                add_symbols_of(l, stage->extent[k], 64);
            }
        }
    }
    for (uint32_t i = 0; i < l->p->stage_count; i++) {
        const gali_program_stage *stage = &l->p->stages[i];
        if (!stage->gone && stage->group == group) {
            int output = l->p->tensors[stage->tensor].role == GALI_TENSOR_OUTPUT;
            add_parameter(l, stage->tensor, output ? GALI_LOOP_OUTPUT : GALI_LOOP_TEMPORARY);
        }
    }
    for (uint32_t i = 0; i < l->p->stage_count; i++) {
        if (!l->p->stages[i].gone && l->p->stages[i].group == group) {
            visit_stage(l, &l->p->stages[i], see_parameters);
        }
    }
}

static gal_status blame(const lowering *l, uint32_t group, gal_status status, gal_error *error) {
    const gali_program *p = l->p;
    gal_error inner = *error;
    for (uint32_t i = 0; i < p->stage_count; i++) {
        if (!p->stages[i].gone && p->stages[i].group == group && p->stages[i].node != GALI_NONE) {
            return gali_fail(error, status, "%s: %.150s",
                             gali_node_place(p->graph, &p->graph->nodes[p->stages[i].node]),
                             l->why ? l->why : inner.message);
        }
    }
    return gali_fail(error, status, "%.150s", l->why ? l->why : inner.message);
}

/* Takes out lets that nothing uses: attempts at an index that came to nothing. Blocks of one stage are short. */
static gali_loop_statement *swept(gali_loop_statement *block) {
    if (!block) {
        return NULL;
    }
    block->body = swept(block->body);
    block->next = swept(block->next);
    int needless = block->kind == GALI_LOOP_LET && !gali_loop_uses_variable(block->next, block->variable);
    return needless ? block->next : block;
}

gal_status gali_program_lower(gali_program *program, uint32_t group, gali_lowered *lowered, gal_error *error) {
    lowering *l = gali_arena_take(program->arena, sizeof *l);
    char name[GALI_LOOP_NAME_MAX];
    snprintf(name, sizeof name, "group%u", group);
    *lowered = (gali_lowered){.function = l ? gali_loop_make(program->arena, name) : NULL};
    if (!lowered->function) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory to lower a group");
    }
    l->p = program;
    l->arena = program->arena;
    l->out = lowered;
    l->f = lowered->function;
    l->f->dense = 1;
    add_parameters(l, group);
    for (uint32_t i = 0; i < program->stage_count && !l->why; i++) {
        if (!program->stages[i].gone && program->stages[i].group == group) {
            lower_stage(l, &program->stages[i]);
        }
    }
    l->f->body = swept(l->f->body);
    gal_status status = l->why || program->arena->failed ? GAL_UNSUPPORTED : GAL_OK;
    if (status == GAL_OK) {
        status = gali_loop_verify(l->f, error);
    }
    return status == GAL_OK ? GAL_OK
                            : blame(l, group, status == GAL_BAD_DATA ? GAL_UNSUPPORTED : status, error);
}
