#include "compiler/program/look.h"

enum { BUCKETS = 128 };

typedef struct seen {
    const gali_scalar *scalar;
    int in_index;
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

static void note_load(gali_look *look, const gali_scalar *a, int in_index) {
    if (look->load_count < GALI_LOOK_LOADS_MAX) {
        look->load[look->load_count] = a;
        look->in_index[look->load_count] = in_index;
    }
    look->load_count++;
}

static void visit(looking *l, const gali_scalar *a, int in_index) {
    if (!a) {
        return;
    }
    seen **bucket = &l->list[((uintptr_t)a >> 6) % BUCKETS];
    for (seen *s = *bucket; s; s = s->next) {
        if (s->scalar == a && s->in_index == in_index) {
            return;
        }
    }
    seen *s = gali_arena_take(l->arena, sizeof *s);
    if (!s) {
        return;
    }
    *s = (seen){a, in_index, *bucket};
    *bucket = s;
    l->look->size++;
    if (!in_index && !is_leaf(a) && a->element != GALI_truth && !is_of_axes(a)) {
        l->look->selects += a->op == GALI_SCALAR_select;
        l->look->work += a->op != GALI_SCALAR_select;
    }
    l->look->work += !in_index && a->element == GALI_truth && !is_leaf(a) && !is_of_axes(a);
    l->look->axes |= !in_index && a->op == GALI_SCALAR_axis;
    if (a->op == GALI_SCALAR_load) {
        note_load(l->look, a, in_index);
    }
    for (int i = 0; i < 3; i++) {
        visit(l, a->operand[i], in_index);
    }
    for (int i = 0; i < GALI_RANK_MAX; i++) {
        visit(l, a->index[i], 1);
    }
}

int gali_program_look(const gali_program_stage *stage, gali_look *look) {
    gali_arena arena = {0};
    looking l = {.arena = &arena, .look = look};
    *look = (gali_look){.size = 0};
    visit(&l, stage->start, 0);
    visit(&l, stage->value, 0);
    visit(&l, stage->finish, 0);
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
