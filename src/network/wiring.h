/*
 * Which buffer each value of a network lives in during a run.
 *
 * A value lives from the layer that makes it to the last one that reads it; values that live at different times share a
 * buffer, the first that is free. So a chain takes two, in turns. The gating network's values are dead when the
 * network's own layers start, but for its last, which has been read by then: both lists start with all buffers free.
 */
#ifndef GALI_NETWORK_WIRING_H
#define GALI_NETWORK_WIRING_H

#include "network/layer.h"

enum { GALI_BUFFERS_MAX = GALI_LAYERS_MAX + 1 }; /* every value of a list lives at once */

typedef struct gali_wiring {
    uint32_t buffer_count;
    uint32_t width[GALI_BUFFERS_MAX]; /* floats of each buffer's rows: of its widest value */
} gali_wiring;

/*
 * Whether a feature's mean is so far from 0 that its layers subtract it first. Folded, A x and -A mean / std are sums of
 * their own, |mean| / std times as large as what is left of them: of float32's 24 bits the ratio's go. From 64 on those are
 * more than six (docs/numerics.md has errors by ratios); up to there folding is kept, which drops dead inputs and a pass.
 */
int gali_wiring_is_far(float mean, float std);

/* Whether layer i reads value 0 alone and takes its normalisation into its weights. */
int gali_wiring_folds(const gali_layer_list *list, uint32_t i);

/* Whether value 0 is read as such, by a layer that does not fold. */
int gali_wiring_needs_normal(const gali_layer_list *list);

/*
 * buffer[v] of each value v < count of the list; value 0's is not set where it is not needed. A list's last value
 * (count is the list's + 1) is read after all its layers; without it, it goes elsewhere. Widens the wiring where needed.
 */
void gali_wiring_assign(gali_wiring *wiring, const gali_layer_list *list, uint32_t count, uint32_t *buffer);

#endif
