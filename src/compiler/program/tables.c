/*
 * Tables: what sizes and constants alone make, such as masks of attention, sines of places, biases of distances. Where sizes
 * are numbers they are constants, computed when the model is compiled. Where they are open, a table is computed once per call
 * and stored, by a group of its own: in those who read it, it would be computed for each head and each element of a batch,
 * and integers have no lanes.
 *
 * What only moves elements of a constant, or is an index, is no table: it stays an index of who reads it.
 *
 * Where sizes say how many elements a table has, and nothing else of it, as of sines of places, it is a constant, too: that of
 * the largest sizes, of which a call reads as much as its own have.
 */
#include <string.h>

#include "compiler/program/fusion.h"
#include "graph/express_run.h"

enum {
    PREPARED_MOST = 1 << 16,   /* elements of a table that is computed when the model is compiled */
    PREPARED_WORK = 10000000,  /* elements of all of them */
    PREPARED_MEMORY = 1 << 26, /* bytes of one and of what it is made of */
    SCALARS_MOST = 256,        /* that one element is made of */
};

static int is_of_sizes(const gali_fusion *f, uint32_t tensor) {
    return f->of_sizes[tensor] || f->p->tensors[tensor].role == GALI_TENSOR_CONSTANT;
}

void gali_fusion_find_tables(gali_fusion *f) {
    for (uint32_t i = 0; i < f->p->stage_count && !f->p->arena->failed; i++) {
        const gali_program_stage *stage = &f->p->stages[i];
        gali_look look;
        int all = !stage->gone && gali_program_look(stage, &look) && look.load_count <= GALI_LOOK_LOADS_MAX;
        for (uint32_t k = 0; all && k < look.load_count; k++) {
            all = is_of_sizes(f, look.load[k]->source);
        }
        f->of_sizes[stage->tensor] = (uint8_t)all;
    }
}

/* Whether its elements differ: what is one number for all is computed before the loops. */
static int is_along_axes(const gali_program_stage *stage, const gali_look *look) {
    int along = look->axes;
    for (uint32_t i = 0; !along && i < look->load_count; i++) {
        for (uint32_t axis = 0; !along && axis < stage->rank; axis++) {
            along = stage->extent[axis] != 1 && gali_look_reads_along(look->load[i], axis);
        }
    }
    return along;
}

int gali_fusion_is_table(const gali_fusion *f, const gali_program_stage *stage, const gali_look *look,
                         const gali_program_stage *reader) {
    gali_element_kind kind = gali_element_list[f->p->tensors[stage->tensor].type.element].kind;
    return f->of_sizes[stage->tensor] && !f->of_sizes[reader->tensor] && kind != GALI_SIGNED &&
           kind != GALI_UNSIGNED && (look->work || look->selects || look->hard) && is_along_axes(stage, look);
}

/* ---- those that are constants ---- */

static int grows(const gali_program *p, gali_extent extent);

static int atom_grows(const gali_program *p, uint32_t atom) {
    uint32_t symbol;
    gali_extent operand[2];
    switch (gali_extent_atom(p->graph->extents, atom, &symbol, operand)) {
    case GALI_EXTENT_SYMBOL:
        return gali_program_told(p, symbol) == GALI_TOLD_BY_INPUT;
    case GALI_EXTENT_QUOTIENT:
        return grows(p, operand[0]) && gali_extent_is_number(operand[1]) && operand[1] > 0;
    default:
        return grows(p, operand[0]) && grows(p, operand[1]);
    }
}

/* Whether the largest sizes make the largest extent, and inputs tell all of them. */
static int grows(const gali_program *p, gali_extent extent) {
    gali_extents *x = p->graph->extents;
    int good = extent != GALI_EXTENT_UNKNOWN && extent != GALI_EXTENT_BAD;
    for (uint32_t i = 0; good && i < gali_extent_term_count(x, extent); i++) {
        gali_extent_term term = gali_extent_term_at(x, extent, i);
        good = term.scale > 0 || term.count == 0;
        for (uint32_t k = 0; good && k < term.count; k++) {
            good = atom_grows(p, term.atoms[k]);
        }
    }
    return good;
}

/* Made of places, constants and earlier tables of these alone. left: scalars that may still be looked at */
static int is_free_of_sizes(const gali_fusion *f, const gali_scalar *a, uint32_t *left) {
    if (!a) {
        return 1;
    }
    int is = a->op != GALI_SCALAR_extent && *left && --*left;
    if (is && a->op == GALI_SCALAR_load) {
        is = f->p->tensors[a->source].role == GALI_TENSOR_CONSTANT || f->prepared[a->source].data;
    }
    for (int i = 0; is && i < 3; i++) {
        is = is_free_of_sizes(f, a->operand[i], left);
    }
    for (int i = 0; is && i < GALI_RANK_MAX; i++) {
        is = is_free_of_sizes(f, a->index[i], left);
    }
    return is;
}

/* The type of the stage's tensor at the largest sizes; 0 where that has too many elements, or they depend on sizes. */
static int largest_of(const gali_fusion *f, const gali_program_stage *stage, const int64_t *most,
                      gali_type *type) {
    double elements = 1;
    uint32_t left = SCALARS_MOST;
    int good = f->of_sizes[stage->tensor] && !stage->reduced && stage->block == 0 &&
               f->p->tensors[stage->tensor].role == GALI_TENSOR_MADE &&
               is_free_of_sizes(f, stage->value, &left);
    *type = f->p->tensors[stage->tensor].type;
    for (int d = 0; good && d < type->rank; d++) {
        good = grows(f->p, type->shape[d]);
        type->shape[d] = good ? gali_extent_value(f->p->graph->extents, type->shape[d], most) : 0;
        elements *= (double)type->shape[d];
    }
    return good && elements >= 1 && elements <= (double)PREPARED_MOST;
}

/* The constants and tables that a stage loads, as tensors: [tensor_count] of the program, NULL where it does not. */
static gal_status load_operands(const gali_fusion *f, const gali_program_stage *stage, gali_run *run,
                                gali_arena *arena, const gali_type **types, const gali_tensor **operands) {
    gali_look look;
    gal_status status = gali_program_look(stage, &look) ? GAL_OK : GAL_NO_MEMORY;
    for (uint32_t i = 0; status == GAL_OK && i < look.load_count && i < GALI_LOOK_LOADS_MAX; i++) {
        uint32_t source = look.load[i]->source;
        const gali_program_tensor *t = &f->p->tensors[source];
        const gali_table *table = &f->prepared[source];
        gali_value value = {.name = t->name,
                            .type = table->data ? table->type : t->type,
                            .data = table->data ? table->data : t->data};
        gali_tensor *made = gali_arena_take(arena, sizeof *made);
        gali_type *type = gali_arena_take(arena, sizeof *type);
        status = made && type && !operands[source] ? gali_tensor_of(run, &value, made)
                 : made && type                    ? GAL_OK
                                                   : GAL_NO_MEMORY;
        if (status == GAL_OK && !operands[source]) {
            *type = value.type;
            types[source] = type;
            operands[source] = made;
        }
    }
    return status;
}

static void store(const gali_fusion *f, const gali_tensor *made, const gali_type *type, gali_table *table) {
    uint32_t bytes = gali_element_list[type->element].bytes;
    unsigned char *data = gali_arena_take(f->p->arena, made->count * bytes + 1);
    for (size_t i = 0; data && i < made->count; i++) {
        gali_element_store(type->element, made->real ? made->real[i] : 0, made->whole ? made->whole[i] : 0,
                           data + i * bytes);
    }
    *table = (gali_table){.type = *type, .data = data};
}

/* Computes what the stage makes, as the nodes of a model of these sizes are computed. What reads past a constant stays. */
static void prepare(gali_fusion *f, const gali_program_stage *stage, const gali_type *type, gali_run *run) {
    size_t count = f->p->tensor_count;
    gali_arena arena = {0};
    const gali_type **types = gali_arena_take(&arena, count * sizeof *types);
    const gali_tensor **operands = gali_arena_take(&arena, count * sizeof *operands);
    gali_node node = {.operand_count = (uint32_t)count, .result_count = 1};
    gali_express x = {
        .extents = f->p->graph->extents, .node = &node, .operand = types, .result = type, .stage_count = 1};
    x.stages[0] =
        (gali_stage_of){.name = "", .element = type->element, .rank = stage->rank, .value = stage->value};
    memcpy(x.stages[0].extent, type->shape, stage->rank * sizeof *type->shape);
    gali_tensor made;
    if (types && operands && load_operands(f, stage, run, &arena, types, operands) == GAL_OK &&
        gali_express_run(run, &x, NULL, operands, &made) == GAL_OK) {
        store(f, &made, type, &f->prepared[stage->tensor]);
        gali_tensor_release(run, &made);
    }
    for (size_t i = 0; operands && i < count; i++) {
        if (operands[i]) {
            gali_tensor_release(run, (gali_tensor *)operands[i]);
        }
    }
    gali_arena_release(&arena);
}

void gali_fusion_prepare_tables(gali_fusion *f) {
    uint32_t symbols = gali_extent_symbols(f->p->graph->extents);
    int64_t *most = gali_arena_take(f->p->arena, (symbols + 1) * sizeof *most);
    gal_error ignored;
    gali_run run = {.memory_left = PREPARED_MEMORY, .work_left = PREPARED_WORK, .error = &ignored};
    for (uint32_t s = 0; most && s < symbols; s++) {
        most[s] = gali_program_most_asked(f->p, s);
    }
    for (uint32_t i = 0; most && i < f->p->stage_count && !f->p->arena->failed; i++) {
        gali_type type;
        if (!f->p->stages[i].gone && largest_of(f, &f->p->stages[i], most, &type)) {
            prepare(f, &f->p->stages[i], &type, &run);
        }
    }
}

void gali_fusion_use_prepared(gali_fusion *f) {
    for (uint32_t i = 0; i < f->p->stage_count; i++) {
        gali_program_stage *stage = &f->p->stages[i];
        gali_program_tensor *tensor = &f->p->tensors[stage->tensor];
        const gali_table *table = &f->prepared[stage->tensor];
        gali_look look;
        int all = !stage->gone && table->data && f->readers[stage->tensor] && gali_program_look(stage, &look);
        for (const gali_reader *r = f->readers[stage->tensor]; all && r; r = r->next) {
            all = gali_fusion_is_table(f, stage, &look, &f->p->stages[r->stage]);
        }
        if (all) {
            tensor->role = GALI_TENSOR_CONSTANT;
            tensor->type = table->type;
            tensor->data = table->data;
            tensor->stage = GALI_NONE;
            gali_fusion_drop_reads(f, i);
            stage->gone = 1;
        }
    }
}
