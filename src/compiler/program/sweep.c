/* After each fusion: scalars made simple, stages that are there twice joined, those that nobody reads dropped. */
#include <math.h>
#include <string.h>

#include "compiler/program/fusion.h"

enum { STAGE_BUCKETS = 1024 };

/* ---- readers ---- */

/* Whether the stage is a reader; only the last one entered, if it is new: one that none of the others can be. */
static int is_reader(const gali_fusion *f, uint32_t tensor, uint32_t stage, int new) {
    const gali_reader *r = f->readers[tensor];
    while (r && r->stage != stage && !new) {
        r = r->next;
    }
    return r && r->stage == stage;
}

static void add_reads(gali_fusion *f, uint32_t stage, int new) {
    gali_look look;
    f->p->arena->failed |= !gali_program_look(&f->p->stages[stage], &look);
    f->p->arena->failed |= look.load_count > GALI_LOOK_LOADS_MAX;
    for (uint32_t i = 0; !f->p->arena->failed && i < look.load_count; i++) {
        uint32_t tensor = look.load[i]->source;
        gali_reader *r = is_reader(f, tensor, stage, new) ? NULL : gali_arena_take(f->p->arena, sizeof *r);
        if (r) {
            *r = (gali_reader){stage, f->readers[tensor]};
            f->readers[tensor] = r;
        }
    }
}

void gali_fusion_add_reads(gali_fusion *f, uint32_t stage) {
    add_reads(f, stage, 0);
}

void gali_fusion_drop_reads(gali_fusion *f, uint32_t stage) {
    gali_look look;
    f->p->arena->failed |= !gali_program_look(&f->p->stages[stage], &look);
    for (uint32_t i = 0; !f->p->arena->failed && i < look.load_count; i++) {
        gali_reader **at = &f->readers[look.load[i]->source];
        while (*at && (*at)->stage != stage) {
            at = &(*at)->next;
        }
        *at = *at ? (*at)->next : NULL;
    }
}

/* ---- simple ---- */

typedef struct cleaning {
    gali_fusion *f;
    const gali_program_stage *stage;
    uint32_t *same; /* [tensor_count] the tensor that is read in its place */
} cleaning;

static const gali_scalar *int_scalar(gali_scalars *s, int64_t whole) {
    return gali_scalars_keep(s, &(gali_scalar){.op = GALI_SCALAR_number, .element = GALI_i64, .whole = whole});
}

/* The number that a constant of one element is; NULL: it is none. */
static const gali_scalar *constant_scalar(const gali_fusion *f, const gali_program_tensor *t) {
    gali_value value = {.type = t->type, .data = t->data};
    int one = t->role == GALI_TENSOR_CONSTANT && t->data;
    for (int i = 0; one && i < t->type.rank; i++) {
        one = t->type.shape[i] == 1;
    }
    if (!one) {
        return NULL;
    }
    int real = gali_element_list[t->type.element].kind == GALI_REAL;
    gali_scalar number = {.op = GALI_SCALAR_number, .element = t->type.element};
    if (real) {
        number.real = gali_constant_real(&value, 0);
    } else {
        number.whole = gali_constant_whole(&value, 0);
    }
    return real && !isfinite(number.real) ? NULL : gali_scalars_keep(f->scalars, &number);
}

/* The extent that an element of a value is, as shapes are; NULL: nobody knows. */
static const gali_scalar *known_scalar(const gali_fusion *f, const gali_scalar *load) {
    const gali_program_tensor *t = &f->p->tensors[load->source];
    const gali_value *v = t->value == GALI_NONE ? NULL : &f->p->graph->values[t->value];
    if (!v || !v->known || t->block || t->type.element != GALI_i64 || t->role == GALI_TENSOR_INPUT) {
        return NULL;
    }
    int64_t at = 0;
    for (int i = 0; i < t->type.rank; i++) {
        const gali_scalar *index = load->index[i];
        if (index->op != GALI_SCALAR_number || !gali_extent_is_number(t->type.shape[i]) || index->whole < 0 ||
            index->whole >= t->type.shape[i]) {
            return NULL;
        }
        at = at * t->type.shape[i] + index->whole;
    }
    gali_extent is = v->known[at];
    if (gali_extent_is_number(is)) {
        return int_scalar(f->scalars, is);
    }
    return is == GALI_EXTENT_UNKNOWN || is == GALI_EXTENT_BAD
               ? NULL
               : gali_scalars_keep(f->scalars,
                                   &(gali_scalar){.op = GALI_SCALAR_extent, .element = GALI_i64, .extent = is});
}

static const gali_scalar *cleaned(void *who, const gali_scalar *a) {
    const cleaning *c = who;
    gali_scalars *s = c->f->scalars;
    if (a->op == GALI_SCALAR_axis) {
        return c->stage->extent[a->source] == 1 ? int_scalar(s, 0) : a;
    }
    if (a->op != GALI_SCALAR_load) {
        return a;
    }
    gali_scalar copy = *a;
    copy.source = c->same[a->source];
    const gali_scalar *is = constant_scalar(c->f, &c->f->p->tensors[copy.source]);
    is = is ? is : known_scalar(c->f, &copy);
    return is ? is : gali_scalars_keep(s, &copy);
}

static void clean_stage(cleaning *c, gali_program_stage *stage) {
    gali_arena arena = {0};
    gali_scalar_maker maker = {.scalars = c->f->scalars,
                               .arena = &arena,
                               .axes = {stage->extent, stage->rank + stage->reduced},
                               .replace = cleaned,
                               .who = c};
    c->stage = stage;
    const gali_scalar *start = gali_scalar_make(&maker, stage->start);
    const gali_scalar *value = gali_scalar_make(&maker, stage->value);
    c->f->p->arena->failed |= !value || (stage->start && !start) || arena.failed;
    stage->start = start;
    stage->value = value ? value : stage->value;
    gali_arena_release(&arena);
}

/* ---- there twice ---- */

static int is_same_stage(const gali_program *p, const gali_program_stage *a, const gali_program_stage *b) {
    int same = a->value == b->value && a->start == b->start && a->rank == b->rank && a->reduced == b->reduced &&
               a->block == b->block && p->tensors[a->tensor].type.element == p->tensors[b->tensor].type.element;
    for (uint32_t i = 0; same && i < a->rank + a->reduced; i++) {
        same = a->extent[i] == b->extent[i];
    }
    return same;
}

/* Constants of the same few bytes are one. */
static void join_constants(const gali_program *p, uint32_t *same) {
    enum { BYTES_MOST = 256, LOOK_BACK = 1024 };
    for (uint32_t i = 0; i < p->tensor_count; i++) {
        const gali_program_tensor *t = &p->tensors[i];
        gali_extent count = t->role == GALI_TENSOR_CONSTANT ? gali_type_count(p->graph->extents, &t->type) : 0;
        size_t bytes = count > 0 && count <= BYTES_MOST
                           ? (size_t)count * gali_element_list[t->type.element].bytes
                           : BYTES_MOST + 1;
        for (uint32_t k = i > LOOK_BACK ? i - LOOK_BACK : 0; bytes <= BYTES_MOST && k < i; k++) {
            const gali_program_tensor *u = &p->tensors[k];
            if (u->role == GALI_TENSOR_CONSTANT && same[k] == k && gali_type_equal(&t->type, &u->type) &&
                memcmp(t->data, u->data, bytes) == 0) {
                same[i] = k;
                break;
            }
        }
    }
}

void gali_fusion_clean(gali_fusion *f) {
    gali_program *p = f->p;
    typedef struct entry {
        uint32_t stage;
        struct entry *next;
    } entry;
    entry **table = gali_arena_take(p->arena, STAGE_BUCKETS * sizeof *table);
    uint32_t *same = gali_arena_take(p->arena, (p->tensor_count + 1) * sizeof *same);
    cleaning c = {.f = f, .same = same};
    for (uint32_t i = 0; same && i < p->tensor_count; i++) {
        same[i] = i;
    }
    if (same) {
        join_constants(p, same);
    }
    for (uint32_t i = 0; table && same && i < p->stage_count && !p->arena->failed; i++) {
        gali_program_stage *stage = &p->stages[i];
        if (stage->gone) {
            continue;
        }
        clean_stage(&c, stage);
        entry **bucket = &table[((uintptr_t)stage->value >> 6) % STAGE_BUCKETS], *e = *bucket;
        while (e && !is_same_stage(p, &p->stages[e->stage], stage)) {
            e = e->next;
        }
        if (e && p->tensors[stage->tensor].role == GALI_TENSOR_MADE) {
            same[stage->tensor] = p->stages[e->stage].tensor;
            stage->gone = 1;
            continue;
        }
        e = gali_arena_take(p->arena, sizeof *e);
        if (e) {
            *e = (entry){i, *bucket};
            *bucket = e;
        }
        add_reads(f, i, 1);
    }
}

void gali_fusion_sweep(gali_fusion *f) {
    gali_program *p = f->p;
    for (uint32_t i = p->stage_count; i-- > 0 && !p->arena->failed;) {
        gali_program_stage *stage = &p->stages[i];
        if (!stage->gone && !f->readers[stage->tensor] && p->tensors[stage->tensor].role == GALI_TENSOR_MADE) {
            gali_fusion_drop_reads(f, i);
            stage->gone = 1;
        }
    }
}
