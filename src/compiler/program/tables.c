/*
 * Tables: what sizes and constants alone make, such as masks of attention, sines of places, biases of distances. Where sizes
 * are numbers they are constants, computed when the model is compiled. Where they are open, a table is computed once per call
 * and stored, by a group of its own: in those who read it, it would be computed for each head and each element of a batch,
 * and integers have no lanes.
 *
 * What only moves elements of a constant, or is an index, is no table: it stays an index of who reads it.
 */
#include "compiler/program/fusion.h"

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
