#include "network/wiring.h"

#include <math.h>

int gali_wiring_is_far(float mean, float std) {
    return fabs((double)mean) > 64.0 * (double)std;
}

int gali_wiring_folds(const gali_layer_list *list, uint32_t i) {
    int alone = gali_layer_has_panels(list->layers[i].kind) && !(list->apart >> i & 1);
    for (uint32_t s = 0; s < gali_layer_source_count(&list->layers[i]); s++) {
        alone &= gali_layer_source(list, i, s).value == 0;
    }
    return alone;
}

int gali_wiring_needs_normal(const gali_layer_list *list) {
    int any = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        any |= gali_layer_reads(list, i, 0) && !gali_wiring_folds(list, i);
    }
    return any;
}

/* Index of the last layer that reads a value; the list's count for its last value. */
static uint32_t last_reader(const gali_layer_list *list, uint32_t value) {
    if (value == list->count) {
        return list->count;
    }
    uint32_t last = 0;
    for (uint32_t i = value; i < list->count; i++) {
        last = gali_layer_reads(list, i, value) ? i : last;
    }
    return last;
}

void gali_wiring_assign(gali_wiring *wiring, const gali_layer_list *list, uint32_t count, uint32_t *buffer) {
    uint32_t busy[GALI_BUFFERS_MAX] = {0}; /* a buffer is free for layers from this one on */
    for (uint32_t v = gali_wiring_needs_normal(list) ? 0 : 1; v < count; v++) {
        uint32_t b = 0, maker = v == 0 ? 0 : v - 1, width = gali_layer_value_width(list, v);
        while (busy[b] > maker) {
            b++;
        }
        busy[b] = last_reader(list, v) + 1;
        buffer[v] = b;
        wiring->buffer_count = b + 1 > wiring->buffer_count ? b + 1 : wiring->buffer_count;
        wiring->width[b] = width > wiring->width[b] ? width : wiring->width[b];
    }
}
