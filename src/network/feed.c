/* Where a layer's input comes from: in place where it is one stretch, else copied together, a row per character. */
#include <string.h>

#include "network/range.h"

static gali_rows_at features_of(const gali_range *r) {
    size_t stride = r->batch->x_stride ? r->batch->x_stride : r->network->inputs;
    float *x = (float *)(uintptr_t)r->batch->x; /* read only */
    return (gali_rows_at){x + (size_t)r->first * stride, stride};
}

static gali_rows_at buffer_of_range(const gali_range *r, uint32_t buffer) {
    return (gali_rows_at){r->parts.values[buffer], r->network->wiring.width[buffer]};
}

/* y[i] = x[index[i]]; compiled networks get it from this text (src/compiler/emit/vocabulary.h). */
static void gali_gather(const float *x, const uint32_t *index, uint32_t count, float *y) {
    for (uint32_t i = 0; i < count; i++) {
        y[i] = x[index[i]];
    }
}

static void gather(const gali_range *r, const uint32_t *features, uint32_t count, gali_rows_at to) {
    gali_rows_at x = features_of(r);
    for (uint32_t c = 0; c < r->count; c++) {
        gali_gather(x.at + c * x.stride, features, count, to.at + c * to.stride);
    }
}

static void join(const gali_range *r, const gali_feed *feed, gali_rows_at to) {
    for (uint32_t s = 0; s < feed->source_count; s++) {
        gali_source source = feed->sources[s];
        gali_rows_at from = buffer_of_range(r, source.value);
        for (uint32_t c = 0; c < r->count; c++) {
            memcpy(to.at + c * to.stride, from.at + c * from.stride + source.first,
                   source.count * sizeof(float));
        }
        to.at += source.count;
    }
}

gali_rows_at gali_feed_input(const gali_range *r, uint32_t layer) {
    const gali_feed *feed = &r->network->feeds[layer];
    uint32_t inputs = r->network->layers[layer].inputs;
    if (feed->in_place) {
        gali_rows_at rows = feed->features ? features_of(r) : buffer_of_range(r, feed->sources[0].value);
        rows.at += feed->features ? (inputs ? feed->features[0] : 0) : feed->sources[0].first;
        return rows;
    }
    gali_rows_at joined = {r->parts.joined, r->network->joined};
    if (feed->features) {
        gather(r, feed->features, inputs, joined);
    } else {
        join(r, feed, joined);
    }
    return joined;
}

gali_rows_at gali_feed_output(const gali_range *r, uint32_t layer) {
    uint32_t buffer = r->network->feeds[layer].buffer;
    if (buffer != GALI_BUFFER_Y) {
        return buffer_of_range(r, buffer);
    }
    size_t stride = r->batch->y_stride ? r->batch->y_stride : r->network->outputs;
    return (gali_rows_at){r->batch->y + (size_t)r->first * stride, stride};
}

void gali_feed_normalise(const gali_range *r, const gali_normal *normal) {
    if (!normal->count) {
        return;
    }
    gali_rows_at to = buffer_of_range(r, normal->buffer);
    gather(r, normal->features, normal->count, to);
    for (uint32_t c = 0; c < r->count; c++) {
        float *row = to.at + c * to.stride;
        for (uint32_t i = 0; i < normal->count; i++) {
            row[i] = normal->std[i] > 0 ? (row[i] - normal->mean[i]) / normal->std[i] : normal->mean[i];
        }
    }
}
