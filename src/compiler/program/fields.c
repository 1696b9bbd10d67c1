#include "compiler/program/fields.h"

enum {
    LANES_LEAST = 8,
    SUMS_MOST = 7, /* of 8 registers: a column's weights and what they read are in the others */
    SIDE = 4,      /* fields side by side, and columns of a strip: squares of these are turned over */
    VISIT = 4,     /* what a tile costs beside its vectors, in vectors; */
    READ = 4,      /* each vector that it reads, of so many one */
};

/* Of a tile of so many rows, in vectors of sums. */
static double tile_cost(const gali_fields *f, uint32_t window, uint32_t rows) {
    const double reads = (rows + window - 1.0) * (f->columns + window - 1.0);
    return rows ? rows * f->columns + VISIT + reads / (double)READ : 0;
}

static double cost_of(const gali_fields *f, uint32_t window) {
    return f->strips *
           (f->height / f->rows * tile_cost(f, window, f->rows) + tile_cost(f, window, f->height % f->rows));
}

/* The cheapest tile of registers for that cut. */
static void choose_tile(gali_fields *best, gali_fields f, uint32_t window, uint32_t sums) {
    for (f.columns = SIDE; f.columns <= f.width; f.columns++) {
        f.strips = f.width / f.columns;
        for (f.rows = 1; f.rows <= f.height && f.rows * f.columns <= sums && f.width % f.columns == 0;
             f.rows++) {
            *best = best->lanes == 0 || cost_of(&f, window) < cost_of(best, window) ? f : *best;
        }
    }
}

/* Whether what strips repeat of each other, and of the border, is at most as much as the picture. */
static int is_compact(const gali_fields *f, uint32_t window) {
    const uint32_t strip = (f->height + window - 1) * (f->columns + window - 1);
    return f->strips * strip <= 2 * f->height * f->width;
}

gali_fields gali_fields_choose(uint32_t height, uint32_t width, uint32_t window, const gali_target *target) {
    gali_fields best = {.lanes = 0};
    if (!target || target->lanes < LANES_LEAST || width % target->lanes == 0) {
        return best;
    }
    const uint32_t lanes = target->lanes, sums = target->registers * SUMS_MOST / 8;
    for (uint32_t down = 1; down <= lanes; down++) {
        for (uint32_t across = 1; across * down <= lanes; across++) {
            if (height % down == 0 && width % across == 0 && (down >= SIDE || across >= SIDE) &&
                8 * down * across >= 7 * lanes) {
                choose_tile(&best,
                            (gali_fields){.lanes = lanes,
                                          .down = down,
                                          .across = across,
                                          .height = height / down,
                                          .width = width / across},
                            window, sums);
            }
        }
    }
    return is_compact(&best, window) ? best : (gali_fields){.lanes = 0};
}

uint32_t gali_fields_step(const gali_fields *f, int across) {
    const int along = f->across >= f->down;
    return along == across ? 1 : across ? f->down : f->across;
}

static const gali_scalar *part_of(gali_express *x, gali_scalar_op op, const gali_scalar *a, uint32_t b) {
    return gali_x_apply(x, op, a, gali_x_int(x, b), NULL);
}

void gali_fields_place(gali_express *x, const gali_fields *f, const gali_scalar *h, const gali_scalar *w,
                       const gali_scalar *place[4]) {
    const gali_scalar *in_field = part_of(x, GALI_SCALAR_mod, w, f->width);
    const gali_scalar *down = part_of(x, GALI_SCALAR_quotient, h, f->height),
                      *across = part_of(x, GALI_SCALAR_quotient, w, f->width);
    place[0] = part_of(x, GALI_SCALAR_quotient, in_field, f->columns);
    place[1] = part_of(x, GALI_SCALAR_mod, h, f->height);
    place[2] = part_of(x, GALI_SCALAR_mod, in_field, f->columns);
    place[3] = gali_x_add(x, gali_x_mul(x, down, gali_x_int(x, gali_fields_step(f, 0))),
                          gali_x_mul(x, across, gali_x_int(x, gali_fields_step(f, 1))));
}

const gali_scalar *gali_fields_picture(gali_express *x, const gali_fields *f, int across,
                                       const gali_scalar *const place[4]) {
    const gali_scalar *field = part_of(x, GALI_SCALAR_quotient, place[3], gali_fields_step(f, across));
    field = part_of(x, GALI_SCALAR_mod, field, across ? f->across : f->down);
    const gali_scalar *begin = gali_x_mul(x, field, gali_x_int(x, across ? f->width : f->height));
    const gali_scalar *strip = gali_x_mul(x, place[0], gali_x_int(x, f->columns));
    return gali_x_add(x, begin, across ? gali_x_add(x, strip, place[2]) : place[1]);
}
