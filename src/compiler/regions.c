#include "compiler/regions.h"

#include "compiler/emit/hvx/region.h"

static gal_status take_hvx(gali_graph *graph, gali_text *functions, gal_error *error) {
    return gali_hvx_take_regions(graph, GALI_HVX_FORMS, functions, error);
}

gal_status gali_regions_take(const gali_target *target, gali_graph *graph, gali_text *functions,
                             gal_error *error) {
    static gal_status (*const own[GALI_SIMD_COUNT])(gali_graph *, gali_text *,
                                                    gal_error *) = {[GALI_SIMD_HVX] = take_hvx};
    return target && own[target->simd] ? own[target->simd](graph, functions, error) : GAL_OK;
}
