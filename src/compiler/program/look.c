#include "compiler/program/look.h"

enum { BUCKETS = 128 };

typedef struct seen {
    const gali_scalar *scalar;
    int in_index;
    uint32_t depth;
    double tree;
    struct seen *next;
} seen;

typedef struct looking {
    gali_arena *arena;
    gali_look *look;
    seen *list[BUCKETS];
} looking;

static int is_leaf(const gali_scalar *a) {
    return a->op == GALI_SCALAR_number || a->op == GALI_SCALAR_axis || a->op == GALI_SCALAR_extent ||
           a->op == GALI_SCALAR_load || a->op == GALI_SCALAR_self;
}

/* Whether it is made of axes and numbers alone, such as what a guard compares. */
static int is_of_axes(const gali_scalar *a) {
    int of_axes = a->op != GALI_SCALAR_load && a->op != GALI_SCALAR_self;
    for (int i = 0; of_axes && i < 3 && a->operand[i]; i++) {
        of_axes = is_of_axes(a->operand[i]);
    }
    return of_axes;
}

/* Whether it is more than what moves an index. */
static int is_hard(const gali_scalar *a, int in_index) {
    int moves = a->op == GALI_SCALAR_add || a->op == GALI_SCALAR_sub || a->op == GALI_SCALAR_mul ||
                a->op == GALI_SCALAR_cast;
    int real = gali_element_list[a->element].kind == GALI_REAL;
    return !is_leaf(a) && (real || !(moves || in_index));
}

static void note_load(gali_look *look, const gali_scalar *a, int in_index) {
    if (look->load_count < GALI_LOOK_LOADS_MAX) {
        look->load[look->load_count] = a;
        look->in_index[look->load_count] = in_index;
    }
    look->load_count++;
}

static void note(gali_look *look, const gali_scalar *a, int in_index) {
    look->size++;
    if (!in_index && !is_leaf(a) && a->element != GALI_truth && !is_of_axes(a)) {
        look->selects += a->op == GALI_SCALAR_select;
        look->work += a->op != GALI_SCALAR_select;
    }
    look->work += !in_index && a->element == GALI_truth && !is_leaf(a) && !is_of_axes(a);
    look->hard += is_hard(a, in_index) && (in_index || is_of_axes(a));
    look->axes |= !in_index && a->op == GALI_SCALAR_axis;
    if (a->op == GALI_SCALAR_load) {
        note_load(look, a, in_index);
    }
}

static seen *find(const looking *l, const gali_scalar *a, int in_index) {
    seen *s = l->list[((uintptr_t)a >> 6) % BUCKETS];
    while (s && (s->scalar != a || s->in_index != in_index)) {
        s = s->next;
    }
    return s;
}

/* Of a scalar that is not NULL; NULL without memory. */
static const seen *visit(looking *l, const gali_scalar *a, int in_index) {
    seen *s = find(l, a, in_index), **bucket = &l->list[((uintptr_t)a >> 6) % BUCKETS];
    if (s) {
        return s;
    }
    s = gali_arena_take(l->arena, sizeof *s);
    if (!s) {
        return NULL;
    }
    *s = (seen){a, in_index, 0, 1, *bucket};
    *bucket = s;
    note(l->look, a, in_index);
    for (int i = 0; i < 3 + GALI_RANK_MAX; i++) {
        const gali_scalar *part = i < 3 ? a->operand[i] : a->index[i - 3];
        const seen *of = part ? visit(l, part, in_index || i >= 3) : NULL;
        s->tree += of ? of->tree : 0;
        s->depth = of && of->depth > s->depth ? of->depth : s->depth;
    }
    s->depth++;
    return s;
}

int gali_program_look(const gali_program_stage *stage, gali_look *look) {
    gali_arena arena = {0};
    looking l = {.arena = &arena, .look = look};
    const gali_scalar *all[] = {stage->start, stage->value, stage->finish};
    *look = (gali_look){.size = 0};
    for (int i = 0; i < 3; i++) {
        const seen *s = all[i] ? visit(&l, all[i], 0) : NULL;
        look->tree += s ? s->tree : 0;
        look->depth = s && s->depth > look->depth ? s->depth : look->depth;
    }
    int good = !arena.failed;
    gali_arena_release(&arena);
    return good;
}

static uint32_t listed(const gali_look *look) {
    return look->load_count < GALI_LOOK_LOADS_MAX ? look->load_count : GALI_LOOK_LOADS_MAX;
}

uint32_t gali_look_loads(const gali_look *look, uint32_t tensor) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < listed(look); i++) {
        count += look->load[i]->source == tensor;
    }
    return count;
}

const gali_scalar *gali_look_load(const gali_look *look, uint32_t tensor) {
    const gali_scalar *only = NULL;
    for (uint32_t i = 0; i < listed(look); i++) {
        if (look->load[i]->source == tensor) {
            if (only && only != look->load[i]) {
                return NULL;
            }
            only = look->load[i];
        }
    }
    return only;
}

int gali_look_is_own(const gali_program_stage *stage, const gali_scalar *load) {
    int own = 1;
    for (uint32_t i = 0; own && i < GALI_RANK_MAX; i++) {
        const gali_scalar *index = load->index[i];
        own = i >= stage->rank ? !index
              : !index         ? 0
              : index->op == GALI_SCALAR_axis
                  ? index->source == i
                  : stage->extent[i] == 1 && index->op == GALI_SCALAR_number && index->whole == 0;
    }
    return own;
}

int gali_look_has_axis(const gali_scalar *a, uint32_t axis) {
    int has = a && a->op == GALI_SCALAR_axis && a->source == axis;
    for (int i = 0; a && !has && i < 3; i++) {
        has = gali_look_has_axis(a->operand[i], axis);
    }
    for (int i = 0; a && !has && i < GALI_RANK_MAX; i++) {
        has = gali_look_has_axis(a->index[i], axis);
    }
    return has;
}

int gali_look_has_load(const gali_scalar *a, const gali_scalar *load) {
    int has = a == load;
    for (int i = 0; a && !has && i < 3; i++) {
        has = gali_look_has_load(a->operand[i], load);
    }
    return has;
}

int gali_look_reads_along(const gali_scalar *load, uint32_t axis) {
    int along = 0;
    for (int i = 0; !along && i < GALI_RANK_MAX; i++) {
        along = gali_look_has_axis(load->index[i], axis);
    }
    return along;
}

/* Whether the index goes on by one where the axis does. */
static int goes_by_one(const gali_scalar *index, uint32_t axis) {
    if (index->op == GALI_SCALAR_axis) {
        return index->source == axis;
    }
    if (index->op != GALI_SCALAR_add) {
        return 0;
    }
    int left = gali_look_has_axis(index->operand[0], axis), right = gali_look_has_axis(index->operand[1], axis);
    return left != right && goes_by_one(index->operand[left ? 0 : 1], axis);
}

static int reads_in_row(const gali_program *p, const gali_scalar *load, uint32_t axis) {
    int last = p->tensors[load->source].type.rank - 1, in_row = 1;
    for (int i = 0; in_row && i <= last; i++) {
        int along = gali_look_has_axis(load->index[i], axis);
        in_row = !along || (i == last && goes_by_one(load->index[i], axis));
    }
    return in_row;
}

int gali_look_has_rows(const gali_program *p, const gali_program_stage *stage, const gali_look *look) {
    int found = 0;
    for (uint32_t axis = 0; !found && axis < stage->rank; axis++) {
        found = stage->extent[axis] != 1;
        for (uint32_t i = 0; found && i < listed(look); i++) {
            found = p->tensors[look->load[i]->source].role == GALI_TENSOR_CONSTANT ||
                    !gali_look_has_load(stage->value, look->load[i]) || reads_in_row(p, look->load[i], axis);
        }
    }
    return found;
}
