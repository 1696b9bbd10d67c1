/* Scalars of a stage as values of loops: loads at indices, and what is computed with them. */
#include "compiler/lower/lowering.h"
#include "compiler/program/guard.h"

enum {
    USES_MOST = 1024,
    LOCALS_FEW = 32, /* of a function; with more, those of earlier statements are used again */
};

gali_loop_index gali_lower_let(gali_lowering *l, gali_loop_let let, gali_loop_index a, gali_loop_index b,
                               int64_t least, int64_t most, const gali_loop_index *below) {
    for (uint32_t i = 0; i < l->let_count; i++) {
        const gali_lower_known_let *k = &l->let[i];
        if (k->let == let && gali_loop_index_same(&k->a, &a) && gali_loop_index_same(&k->b, &b)) {
            return k->is;
        }
    }
    const gali_loop_variable *variable = gali_lower_variable(l, "at");
    gali_loop_statement *s = gali_loop_add_statement(l->arena, GALI_LOOP_LET);
    if (!variable || !s) {
        gali_lower_fail(l, "no memory, or a limit of loops");
        return gali_loop_number(0);
    }
    s->variable = (gali_loop_variable *)variable;
    s->let = let;
    s->operand[0] = a;
    s->operand[1] = b;
    gali_lower_append(l, s);
    gali_lower_set_bounds(l, variable, least, most, below);
    if (l->let_count < GALI_LOWER_LETS_MAX) {
        l->let[l->let_count++] = (gali_lower_known_let){let, a, b, gali_loop_of(variable)};
    }
    return gali_loop_of(variable);
}

/* 1 or 0 where a comparison of integers comes out so whatever the sizes, else -1. */
static int decided(gali_lowering *l, const gali_scalar *a) {
    gali_loop_index left, right;
    int64_t least, most;
    int can = a->op == GALI_SCALAR_less && a->operand[0]->element == GALI_i64 &&
              gali_lower_affine(l, a->operand[0], &left) && gali_lower_affine(l, a->operand[1], &right) &&
              gali_loop_index_add(&left, &right, -1);
    if (!can) {
        return -1;
    }
    gali_lower_range(l, &left, &least, &most);
    return most < 0 ? 1 : least >= 0 ? 0 : -1;
}

/* The operands of what is computed of integers. */
static int affine_operands(gali_lowering *l, const gali_scalar *a, gali_loop_index *left,
                           gali_loop_index *right) {
    return a->element == GALI_i64 && gali_lower_affine(l, a->operand[0], left) &&
           gali_lower_affine(l, a->operand[1], right);
}

/* The smaller or the larger of two, of which neither is ever negative. */
static int affine_end(gali_lowering *l, const gali_scalar *a, gali_loop_index *out) {
    gali_loop_index left, right, gap;
    int64_t least, most, right_least, right_most;
    if (!affine_operands(l, a, &left, &right)) {
        return 0;
    }
    gap = left;
    if (!gali_loop_index_add(&gap, &right, -1)) {
        return 0;
    }
    gali_lower_range(l, &gap, &least, &most);
    int small = a->op == GALI_SCALAR_least;
    if (most <= 0 || least >= 0) {
        *out = (most <= 0) == small ? left : right;
        return 1;
    }
    gali_lower_range(l, &left, &least, &most);
    gali_lower_range(l, &right, &right_least, &right_most);
    if (least < 0 || right_least < 0) {
        return 0;
    }
    int64_t low = small == (least < right_least) ? least : right_least;
    int64_t high = small == (most < right_most) ? most : right_most;
    *out = gali_lower_let(l, small ? GALI_LOOP_LEAST : GALI_LOOP_MOST, left, right, low, high, NULL);
    return 1;
}

/* A product; of two variable ones, which are never negative, it is a variable of its own. */
static int affine_product(gali_lowering *l, const gali_scalar *a, gali_loop_index *out) {
    gali_loop_index left, right;
    int64_t least, most, right_least, right_most;
    if (!affine_operands(l, a, &left, &right)) {
        return 0;
    }
    if (!right.count || !left.count) {
        *out = gali_loop_number(0);
        return right.count ? gali_loop_index_add(out, &right, left.constant)
                           : gali_loop_index_add(out, &left, right.constant);
    }
    gali_lower_range(l, &left, &least, &most);
    gali_lower_range(l, &right, &right_least, &right_most);
    if (least < 0 || right_least < 0 || (double)most * (double)right_most > (double)GALI_LOOP_EXTENT_MAX) {
        return 0;
    }
    *out = gali_lower_let(l, GALI_LOOP_PRODUCT, left, right, least * right_least, most * right_most, NULL);
    return 1;
}

/* A quotient or a remainder of what is never negative by what is above 0. */
static int affine_quotient(gali_lowering *l, const gali_scalar *a, gali_loop_index *out) {
    gali_loop_index left, right;
    int64_t least, most, right_least, right_most;
    if (!affine_operands(l, a, &left, &right)) {
        return 0;
    }
    gali_lower_range(l, &left, &least, &most);
    gali_lower_range(l, &right, &right_least, &right_most);
    if (least < 0 || right_least < 1) {
        return 0;
    }
    *out =
        a->op == GALI_SCALAR_quotient
            ? gali_lower_let(l, GALI_LOOP_QUOTIENT, left, right, least / right_most, most / right_least, NULL)
            : gali_lower_let(l, GALI_LOOP_REMAINDER, left, right, 0, right_most - 1, &right);
    return 1;
}

/* An integer as constant + sum of scale * variable; 0 where it is none. */
int gali_lower_affine(gali_lowering *l, const gali_scalar *a, gali_loop_index *out) {
    gali_loop_index right;
    switch (a->op) {
    case GALI_SCALAR_number:
        *out = gali_loop_number(a->whole);
        return a->element == GALI_i64 && a->whole <= GALI_LOOP_EXTENT_MAX && a->whole >= -GALI_LOOP_EXTENT_MAX;
    case GALI_SCALAR_axis:
        *out = l->axis[a->source];
        return 1;
    case GALI_SCALAR_extent:
        *out = gali_lower_extent(l, a->extent);
        return 1;
    case GALI_SCALAR_add:
    case GALI_SCALAR_sub:
        return affine_operands(l, a, out, &right) &&
               gali_loop_index_add(out, &right, a->op == GALI_SCALAR_add ? 1 : -1);
    case GALI_SCALAR_mul:
        return affine_product(l, a, out);
    case GALI_SCALAR_quotient:
    case GALI_SCALAR_mod:
        return affine_quotient(l, a, out);
    case GALI_SCALAR_least:
    case GALI_SCALAR_most:
        return affine_end(l, a, out);
    case GALI_SCALAR_select: {
        int truth = a->element == GALI_i64 ? decided(l, a->operand[0]) : -1;
        return truth >= 0 && gali_lower_affine(l, a->operand[truth ? 1 : 2], out);
    }
    default:
        return 0;
    }
}

/* The index of one dimension; *tested where it may leave it. */
static gali_loop_index index_of(gali_lowering *l, const gali_scalar *a, const gali_loop_index *extent,
                                int *tested) {
    gali_loop_index index;
    if (gali_lower_affine(l, a, &index)) {
        *tested = !gali_lower_is_inside(l, &index, extent);
        return index;
    }
    /* what no one can tell is kept inside: expressions promise that it is, where it counts (express.h) */
    const gali_loop_variable *variable = gali_lower_variable(l, "at");
    gali_loop_statement *s = gali_loop_add_statement(l->arena, GALI_LOOP_LET);
    const gali_loop_value *value = gali_lower_value(l, a);
    int64_t least, most;
    *tested = 0;
    if (!variable || !s || !value) {
        gali_lower_fail(l, "no memory, or a limit of loops");
        return gali_loop_number(0);
    }
    s->variable = (gali_loop_variable *)variable;
    s->let = GALI_LOOP_CLAMP;
    s->operand[0] = gali_loop_number(0);
    s->operand[1] = *extent;
    s->operand[1].constant--;
    s->value = value;
    gali_lower_range(l, extent, &least, &most);
    if (least < 1) { /* nothing may be there: then there is no inside */
        *tested = 1;
        s->operand[1] = gali_lower_let(l, GALI_LOOP_MOST, s->operand[1], gali_loop_number(0), 0,
                                       most > 1 ? most - 1 : 0, NULL);
        extent = NULL;
    }
    gali_lower_append(l, s);
    gali_lower_set_bounds(l, variable, 0, most - 1, extent);
    return gali_loop_of(variable);
}

/* Where a load that is laid out in panels of vectors stands: the axis of the vectors says which panel, and which of its. */
static int packed_access(gali_lowering *l, const gali_scalar *a, gali_loop_access *access) {
    const gali_loop_buffer *buffer = access->buffer;
    const uint8_t *order = l->p->tensors[a->source].order;
    const gali_loop_index *at = &l->axis[l->vector];
    int64_t panel = buffer->packed[0].scale, lanes = l->lanes;
    uint32_t last = buffer->packed_rank - 1, inner = panel > lanes ? last - 1 : last;
    int tested = 0, good = at->constant % panel == 0;
    access->lanes = l->lanes;
    for (uint32_t p = 1; p < inner; p++) {
        uint32_t of = buffer->packed[p].of;
        access->index[p] = index_of(l, a->index[order[of]], &buffer->extent[of], &tested);
        good &= !tested;
    }
    access->index[0] = gali_loop_number(at->constant / panel);
    for (uint32_t i = 0; i < at->count; i++) {
        gali_loop_index own = gali_loop_of(at->term[i].variable);
        int64_t scale = at->term[i].scale;
        int outer = scale % panel == 0;
        good &= gali_loop_index_add(&access->index[outer ? 0 : inner], &own, scale / (outer ? panel : lanes));
    }
    return good;
}

int gali_lower_access(gali_lowering *l, const gali_scalar *a, gali_loop_access *access) {
    const gali_loop_buffer *buffer = access->buffer;
    const uint8_t *order = l->p->tensors[a->source].order;
    for (uint32_t i = 0; i < buffer->rank; i++) {
        int tested;
        access->index[i] = index_of(l, a->index[order[i]], &buffer->extent[i], &tested);
        access->tested |= (uint32_t)tested << i;
    }
    if (l->lanes > 1 && gali_lower_load_lanes(l, a, l->vector) == GALI_LOWER_IN_LANES) {
        access->lanes = l->lanes;
        return !(access->tested >> (buffer->rank - 1) & 1);
    }
    return 1;
}

/* The row of a view that is for a load. */
static const gali_loop_value *viewed(gali_lowering *l, const gali_scalar *a, const gali_lower_view *view) {
    const uint8_t *order = l->p->tensors[a->source].order;
    const gali_loop_buffer *buffer = view->buffer;
    int tested = 0;
    gali_loop_access access = {.buffer = buffer, .lanes = 1, .index = {view->row}};
    access.index[1] =
        index_of(l, a->index[order[l->p->tensors[a->source].type.rank - 1]], &buffer->extent[1], &tested);
    access.lanes = gali_lower_load_lanes(l, a, l->vector) == GALI_LOWER_IN_LANES ? l->lanes : 1;
    if (tested) {
        gali_lower_fail(l, "a view's row may end before");
    }
    return gali_loop_load(l->arena, &access, NULL);
}

static const gali_loop_value *load_of(gali_lowering *l, const gali_scalar *a) {
    for (uint32_t i = 0; i < l->view_count; i++) {
        if (l->view[i].load == a) {
            return viewed(l, a, &l->view[i]);
        }
    }
    gali_loop_access access = {.buffer = gali_lower_parameter(l, a->source), .lanes = 1};
    if (!access.buffer) {
        return NULL;
    }
    if (!(access.buffer->packed_rank ? packed_access(l, a, &access) : gali_lower_access(l, a, &access))) {
        gali_lower_fail(l, "a vector may leave its row");
        return NULL;
    }
    gali_element element = gali_loop_computed(access.buffer->element);
    int real = gali_element_list[element].kind == GALI_REAL;
    const gali_loop_value *otherwise = !access.tested ? NULL
                                       : real         ? gali_loop_real(l->arena, element, 0)
                                                      : gali_loop_whole(l->arena, element, 0);
    return gali_loop_load(l->arena, &access, otherwise);
}

gali_loop_op gali_lower_op(gali_scalar_op op) {
    return gali_loop_find_op(op == GALI_SCALAR_tanh ? "htan" : gali_scalar_list[op].name);
}

static const gali_loop_value *make_value(gali_lowering *l, const gali_scalar *a) {
    gali_loop_index index;
    const gali_scalar *padded = gali_program_guarded(l->p, a);
    if (padded) { /* a load outside is 0, which it says by itself */
        return load_of(l, padded);
    }
    if (a->element == GALI_i64 && a->op != GALI_SCALAR_number && gali_lower_affine(l, a, &index)) {
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
        const gali_loop_value *from = gali_lower_value(l, a->operand[0]);
        return from ? gali_loop_cast(l->arena, a->element, from) : NULL;
    }
    default: {
        const gali_loop_value *operand[3] = {NULL};
        for (uint32_t i = 0; i < gali_scalar_list[a->op].arity; i++) {
            operand[i] = gali_lower_value(l, a->operand[i]);
            if (!operand[i]) {
                return NULL;
            }
        }
        return gali_loop_apply(l->arena, gali_lower_op(a->op), operand[0], operand[1], operand[2]);
    }
    }
}

static int is_leaf(const gali_scalar *a) {
    return a->op == GALI_SCALAR_number || a->op == GALI_SCALAR_axis || a->op == GALI_SCALAR_extent ||
           a->op == GALI_SCALAR_self;
}

/* Whether what was made there is known at the tail: it stands in the same block, or in one around it. */
static int is_known(const gali_lowering *l, const gali_loop_statement *make) {
    for (const gali_loop_statement *s = make; s; s = s->body) {
        while (s->next) {
            s = s->next;
        }
        if (&s->next == l->tail || &s->body == l->tail) {
            return 1;
        }
    }
    return 0;
}

static int fits(const gali_loop_buffer *local, gali_element element, uint32_t lanes) {
    return local->element == gali_loop_computed(element) &&
           (lanes > 1 ? local->rank == 1 && gali_loop_size(&local->extent[0]) == lanes : local->rank == 0);
}

/* A local for a scalar of this statement: one of an earlier statement where there are many; NULL: no memory, or a limit. */
static const gali_loop_buffer *local_for(gali_lowering *l, gali_element element, uint32_t lanes) {
    gali_lower_kept *k = l->kept, *end = k + l->kept_count;
    while (k < end &&
           (l->f->buffers < LOCALS_FEW || k->statement == l->statement || !fits(k->local, element, lanes))) {
        k++;
    }
    gali_loop_statement **at = l->tail;
    if (k == end) {
        const gali_loop_buffer *local = gali_lower_local(l, "v", element, lanes > 1, &lanes);
        if (local && l->kept_count < GALI_LOWER_KEPT_MAX) {
            l->kept[l->kept_count++] = (gali_lower_kept){local, *at, l->statement};
        }
        return local;
    }
    if (!is_known(l, k->make)) {
        gali_loop_statement *make = gali_loop_add_statement(l->arena, GALI_LOOP_MAKE);
        gali_lower_append(l, make);
        if (!make) {
            return NULL;
        }
        make->local = k->make->local;
        k->make = make;
    }
    k->statement = l->statement;
    return k->local;
}

/* The scalar in a local. */
static const gali_loop_value *kept(gali_lowering *l, gali_element element, const gali_loop_value *value) {
    uint32_t lanes = gali_loop_is_uniform(value) ? 1 : l->lanes;
    gali_loop_access to = {.buffer = local_for(l, element, lanes), .lanes = lanes};
    gali_lower_put(l, &to, value);
    return to.buffer ? gali_loop_load(l->arena, &to, NULL) : NULL;
}

const gali_loop_value *gali_lower_value(gali_lowering *l, const gali_scalar *a) {
    for (uint32_t i = 0; i < l->shared_count; i++) {
        if (l->list[i].scalar == a) {
            return l->list[i].value;
        }
    }
    for (uint32_t i = 0; i < l->gathered_count && l->lanes > 1; i++) {
        if (l->gathered[i].scalar == a) {
            return l->gathered[i].value;
        }
    }
    const gali_loop_value *value = make_value(l, a);
    if (!value && !l->why) {
        gali_lower_fail(l, "no memory, or a limit of loops");
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
static void share(gali_lowering *l, const gali_scalar *root) {
    uses u = {.size = 0};
    count_uses(&u, root);
    for (uint32_t i = 0; i < u.size && !l->why && l->shared_count < GALI_LOWER_SHARED_MAX; i++) {
        const gali_scalar *a = u.scalar[i];
        if (u.count[i] > 1 && a->element != GALI_i64) {
            const gali_loop_value *value = gali_lower_value(l, a);
            if (value && value->element == GALI_truth && !gali_loop_is_uniform(value)) {
                continue; /* lanes of truth values are no buffer's */
            }
            value = value ? kept(l, a->element, value) : NULL;
            l->list[l->shared_count++] = (gali_lower_shared){a, value};
        }
    }
}

void gali_lower_store(gali_lowering *l, const gali_loop_access *to, const gali_scalar *a) {
    l->shared_count = l->let_count = 0;
    l->statement++;
    share(l, a);
    const gali_loop_value *value = gali_lower_value(l, a);
    gali_lower_put(l, to, value);
    l->shared_count = l->let_count = 0;
}
