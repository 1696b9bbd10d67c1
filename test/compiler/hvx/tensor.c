/*
 * Tensors of bytes against plain C, under qemu-hexagon, in all three layouts: layers with requantisation, 1x1 and 3x3, depthwise
 * convolutions, largest of 3x3, sums, tables, changes of layout. Then the packets that each takes, which
 * src/compiler/emit/hvx/costs.def keeps. Exits with 1 where a byte differs.
 */
#include "bare.h"

#include "product.inc"

#include "dense.inc"

#include "tensor.inc"

enum { HEIGHT = 384, GAP = 128, COLUMNS = 32, TAPS = 10, WIDTH = 17 };

static uint8_t plain[COLUMNS][HEIGHT + 2 * GAP], other[COLUMNS][HEIGHT]; /* plain: rows from GAP on */
static int8_t weights[TAPS][COLUMNS][COLUMNS];                           /* [tap][from][to] */
static int32_t starts[COLUMNS], multipliers[COLUMNS];
static _Alignas(128) uint8_t rows[COLUMNS * (HEIGHT + 2 * GAP)], second[COLUMNS * HEIGHT],
    result[COLUMNS * HEIGHT];
static _Alignas(128) uint8_t result2[COLUMNS * HEIGHT];
static int32_t words[TAPS * COLUMNS * COLUMNS];
static const gali_hvx_scale scale = {NULL, 6, 120, 13};

static int32_t limited(int32_t a, int32_t least, int32_t most) {
    return a < least ? least : a > most ? most : a;
}

/* Requantisation as its comment defines it. */
static uint8_t truth_scaled(int32_t sum, int32_t multiplier) {
    const int32_t t = limited((sum + (1 << (scale.shift - 1))) >> scale.shift, -32768, 32767);
    const int32_t y = limited((int32_t)(((int64_t)t * multiplier * 2 + 0x8000) >> 16), -32768, 32767);
    return (uint8_t)limited(limited(y + scale.zero, -32768, 32767), scale.least, 255);
}

static int32_t shift_of(uint32_t tap) { /* 3x3, and one more that has no weight */
    return tap < 9 ? ((int32_t)(tap / 3) - 1) * WIDTH + (int32_t)(tap % 3) - 1 : 0;
}

/* A byte of a tensor's layout: column and row. */
static void place(uint8_t *to, size_t step, uint32_t each, uint32_t column, uint32_t row, uint8_t value) {
    to[column / each * step + row * each + column % each] = value;
}

static uint8_t at(const uint8_t *from, size_t step, uint32_t each, uint32_t column, uint32_t row) {
    return from[column / each * step + row * each + column % each];
}

static void spread(uint32_t each) {
    for (uint32_t c = 0; c < COLUMNS; c++) {
        for (uint32_t r = 0; r < HEIGHT + 2 * GAP; r++) {
            place(rows, (HEIGHT + 2 * GAP) * each, each, c, r, plain[c][r]);
        }
        for (uint32_t r = 0; r < HEIGHT; r++) {
            place(second, HEIGHT * each, each, c, r, other[c][r]);
        }
    }
}

static void scale_words(uint32_t each, int32_t *to) {
    for (uint32_t g = 0; g < COLUMNS / each; g++) {
        for (uint32_t half = 0; half < 2; half++) {
            const uint32_t a = g * each + half % each, b = g * each + (half + 2) % each;
            to[2 * g + half] = (multipliers[a] & 0xffff) | multipliers[b] << 16;
        }
    }
}

static void fail(const char *what, uint32_t each, uint32_t column, uint32_t row) {
    print("%s in the layout of %u: column %u, row %u differs\n", what, each, column, row);
    gali_system_exit(1);
}

static uint8_t truth_layer(uint32_t column, uint32_t row, uint32_t taps) {
    int32_t sum = starts[column];
    for (uint32_t t = 0; t < taps; t++) {
        for (uint32_t k = 0; k < COLUMNS; k++) {
            const int32_t from = (int32_t)(GAP + row) + (taps > 1 ? shift_of(t) : 0);
            sum += plain[k][from] * weights[t][k][column];
        }
    }
    return truth_scaled(sum, multipliers[column]);
}

static uint32_t run_layer(uint32_t each, uint32_t taps) {
    const size_t step = (HEIGHT + 2 * GAP) * each;
    int32_t shifts[TAPS], scales[2 * COLUMNS];
    const uint32_t groups = COLUMNS / each;
    for (uint32_t t = 0; t < taps; t++) {
        shifts[t] = shift_of(t) * (int32_t)each;
        for (uint32_t i = 0; i < groups * COLUMNS; i++) {
            uint32_t word = 0;
            for (uint32_t b = 0; b < 4; b++) {
                word |= (uint32_t)(uint8_t)weights[t][i / COLUMNS * each + b % each][i % COLUMNS] << 8 * b;
            }
            words[t * groups * COLUMNS + i] = (int32_t)word;
        }
    }
    scale_words(each, scales);
    const gali_hvx_scale with = {scales, scale.shift, scale.zero, scale.least};
    const gali_hvx_product p = {rows + GAP * each,        step,  groups,  taps,
                                taps > 1 ? shifts : NULL, words, COLUMNS, starts};
    const uint32_t vectors = HEIGHT * each / GALI_HVX_BYTES, before = gali_system_packets();
    if (each == 4) {
        gali_hvx_layer_vrmpy(&p, &with, groups, vectors, result, HEIGHT * each);
    } else if (each == 2) {
        gali_hvx_layer_vmpa(&p, &with, groups, vectors, result, HEIGHT * each);
    } else {
        gali_hvx_layer_vmpy(&p, &with, groups, vectors, result, HEIGHT * each);
    }
    const uint32_t packets = gali_system_packets() - before;
    for (uint32_t c = 0; c < COLUMNS; c++) {
        for (uint32_t r = 0; r < HEIGHT; r++) {
            if (at(result, HEIGHT * each, each, c, r) != truth_layer(c, r, taps)) {
                fail(taps > 1 ? "3x3" : "1x1", each, c, r);
            }
        }
    }
    return packets;
}

static uint32_t run_depthwise(uint32_t each) {
    int32_t shifts[TAPS], scales[2 * COLUMNS];
    uint32_t packets = 0;
    scale_words(each, scales);
    const gali_hvx_scale with = {scales, scale.shift, scale.zero, scale.least};
    for (uint32_t g = 0; g < COLUMNS / each; g++) {
        int32_t start[4];
        for (uint32_t t = 0; t < TAPS; t++) {
            shifts[t] = shift_of(t) * (int32_t)each;
            uint32_t word = 0;
            for (uint32_t b = 0; b < 4; b++) {
                const int8_t weight = t < 9 ? weights[t][g * each + b % each][0] : 0;
                word |= (uint32_t)(uint8_t)weight << 8 * b;
                start[b] = starts[g * each + b % each];
            }
            words[t] = (int32_t)word;
        }
        const uint32_t before = gali_system_packets();
        gali_hvx_depthwise(rows + g * (HEIGHT + 2 * GAP) * each + GAP * each, shifts, TAPS, words, start, &with,
                           g, HEIGHT * each / GALI_HVX_BYTES, result + g * HEIGHT * each);
        packets += gali_system_packets() - before;
    }
    for (uint32_t c = 0; c < COLUMNS; c++) {
        for (uint32_t r = 0; r < HEIGHT; r++) {
            int32_t sum = starts[c];
            for (uint32_t t = 0; t < 9; t++) {
                sum += plain[c][(int32_t)(GAP + r) + shift_of(t)] * weights[t][c][0];
            }
            if (at(result, HEIGHT * each, each, c, r) != truth_scaled(sum, multipliers[c])) {
                fail("depthwise", each, c, r);
            }
        }
    }
    return packets;
}

static uint32_t run_largest(uint32_t each) {
    int32_t shifts[9];
    for (uint32_t t = 0; t < 9; t++) {
        shifts[t] = shift_of(t) * (int32_t)each;
    }
    const uint32_t before = gali_system_packets();
    for (uint32_t g = 0; g < COLUMNS / each; g++) {
        gali_hvx_largest(rows + g * (HEIGHT + 2 * GAP) * each + GAP * each, shifts, 9,
                         HEIGHT * each / GALI_HVX_BYTES, result + g * HEIGHT * each);
    }
    const uint32_t packets = gali_system_packets() - before;
    for (uint32_t c = 0; c < COLUMNS; c++) {
        for (uint32_t r = 0; r < HEIGHT; r++) {
            uint8_t most = 0;
            for (uint32_t t = 0; t < 9; t++) {
                const uint8_t x = plain[c][(int32_t)(GAP + r) + shift_of(t)];
                most = x > most ? x : most;
            }
            if (at(result, HEIGHT * each, each, c, r) != most) {
                fail("largest", each, c, r);
            }
        }
    }
    return packets;
}

/* Sums and tables look at bytes alone: any layout is the same. */
static uint32_t run_add(void) {
    const uint32_t before = gali_system_packets();
    const gali_hvx_two two = {21001, 11777, -999, 5, 9};
    gali_hvx_add(rows, second, &two, sizeof second / GALI_HVX_BYTES, result);
    const uint32_t packets = gali_system_packets() - before;
    for (uint32_t i = 0; i < sizeof second; i++) {
        const int32_t x = (rows[i] * 64 * two.a + 0x4000) >> 15, y = (second[i] * 64 * two.b + 0x4000) >> 15;
        if (result[i] != limited((x + y + two.constant + 16) >> 5, two.least, 255)) {
            fail("sum", 1, 0, i);
        }
    }
    return packets;
}

static uint32_t run_table(void) {
    static _Alignas(128) uint8_t table[256];
    uint8_t values[256];
    for (uint32_t i = 0; i < 256; i++) {
        values[i] = (uint8_t)random_bits();
    }
    gali_hvx_table_fill(table, values);
    const uint32_t before = gali_system_packets();
    gali_hvx_look_up(table, second, sizeof second / GALI_HVX_BYTES, result);
    const uint32_t packets = gali_system_packets() - before;
    for (uint32_t i = 0; i < sizeof second; i++) {
        if (result[i] != values[second[i]]) {
            fail("table", 1, 0, i);
        }
    }
    return packets;
}

static uint32_t run_change(uint32_t from, uint32_t to) {
    spread(from);
    const uint32_t before = gali_system_packets();
    if (from == 1 && to == 4) {
        gali_hvx_join(second, HEIGHT, 1, COLUMNS, result2);
        gali_hvx_join(result2, HEIGHT * 2, 2, COLUMNS / 2, result);
    } else if (from == 4 && to == 1) {
        gali_hvx_part(second, HEIGHT * 2, 2, COLUMNS / 2, result2);
        gali_hvx_part(result2, HEIGHT, 1, COLUMNS, result);
    } else if (from < to) {
        gali_hvx_join(second, HEIGHT * from, (int)from, COLUMNS / from, result);
    } else {
        gali_hvx_part(second, HEIGHT * to, (int)to, COLUMNS / to, result);
    }
    const uint32_t packets = gali_system_packets() - before;
    for (uint32_t c = 0; c < COLUMNS; c++) {
        for (uint32_t r = 0; r < HEIGHT; r++) {
            if (at(result, HEIGHT * to, to, c, r) != other[c][r]) {
                fail("change", to, c, r);
            }
        }
    }
    return packets;
}

static void fill(int ends) {
    for (uint32_t i = 0; i < sizeof plain; i++) {
        (&plain[0][0])[i] = ends ? 255 : (uint8_t)random_bits();
    }
    for (uint32_t i = 0; i < sizeof other; i++) {
        (&other[0][0])[i] = (uint8_t)random_bits();
    }
    for (uint32_t i = 0; i < sizeof weights; i++) {
        (&weights[0][0][0])[i] = ends ? (i % 2 ? 127 : -128) : (int8_t)((int8_t)random_bits() / 4);
    }
    for (uint32_t c = 0; c < COLUMNS; c++) {
        starts[c] = (int32_t)random_bits() >> 17;
        multipliers[c] = ends ? -32768 : (int16_t)random_bits();
    }
}

int main(void) {
    static const uint32_t layouts[] = {1, 2, 4};
    print("operator layout packets, of %u rows, %u columns\n", (uint32_t)HEIGHT, (uint32_t)COLUMNS);
    for (int ends = 1; ends >= 0; ends--) {
        fill(ends);
        for (uint32_t i = 0; i < 3; i++) {
            spread(layouts[i]);
            const uint32_t one = run_layer(layouts[i], 1), nine = run_layer(layouts[i], TAPS - 1);
            const uint32_t depthwise = run_depthwise(layouts[i]), largest = run_largest(layouts[i]);
            if (!ends) {
                print("1x1 %u %u\n3x3 %u %u\n", layouts[i], one, layouts[i], nine);
                print("depthwise %u %u\nlargest %u %u\n", layouts[i], depthwise, layouts[i], largest);
            }
        }
    }
    print("sum 0 %u\ntable 0 %u\n", run_add(), run_table());
    for (uint32_t i = 0; i < 9; i++) {
        if (i / 3 != i % 3) {
            print("change%u %u %u\n", layouts[i / 3], layouts[i % 3],
                  run_change(layouts[i / 3], layouts[i % 3]));
        }
    }
    return 0;
}
