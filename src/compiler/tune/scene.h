/*
 * What a layer is measured in: random weights, inputs and blends for the most characters of its range, and the fixed
 * reference, the runtime's own kernels on the same numbers under the plan that they would choose.
 *
 * A layer of a network finds its weights where the other layers left them: not in the nearest cache. So weights lie in
 * several copies, 4 MB together at least, that calls take in turn, reference and candidates alike.
 */
#ifndef GALI_COMPILER_TUNE_SCENE_H
#define GALI_COMPILER_TUNE_SCENE_H

#include "compiler/schedule/schedule.h"

enum { GALI_SCENE_LAYOUTS_MAX = 12 };

/* The arguments of every candidate. */
typedef struct gali_scene_call {
    uint32_t characters;
    const float *weights, *x, *blend;
    const uint32_t *expert;
    float *y;
    size_t x_stride, blend_stride, expert_stride, y_stride;
} gali_scene_call;

/* Weights in one layout. */
typedef struct gali_scene_weights {
    gali_loop_buffer layout;
    float *copies;
    size_t floats; /* of one copy */
    uint32_t count, age;
} gali_scene_weights;

typedef struct gali_scene {
    gali_dense dense;
    const gali_target *target;
    const gali_kernels *kernels; /* of the target's instruction set */
    float *canonical, *x, *blend, *y, *expected;
    uint32_t *expert;
    struct gali_scene_reference *reference;
    gali_scene_weights weights[GALI_SCENE_LAYOUTS_MAX]; /* the last few that were asked for */
    uint32_t age, turn;
} gali_scene;

/* GAL_UNSUPPORTED where this machine cannot run the target's code; GAL_NO_MEMORY. */
gal_status gali_scene_make(gali_scene *scene, const gali_dense *dense, const gali_target *target,
                           gal_error *error);
void gali_scene_release(gali_scene *scene);

/* The next copy of the weights in a layout, which is made where it is new. NULL without memory. */
const float *gali_scene_next(gali_scene *scene, const gali_loop_buffer *layout);

/* Runs the reference once into scene->y. */
void gali_scene_reference_run(gali_scene *scene);

/* Whether scene->y has the bits that the runtime's kernels make of this layer. */
int gali_scene_is_right(const gali_scene *scene);

#endif
