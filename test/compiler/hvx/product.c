/*
 * Products in three forms against plain C, under qemu-hexagon: odd shapes, everything at its ends; then the packets that each
 * form takes. Prints a line for each size; exits with 1 where a sum differs.
 */
#include "bare.h"

#include "product.inc"

#include "dense.inc"

enum { ROWS_MAX = 256, COLUMNS_MAX = 136, DEPTH_MAX = 260 };

static uint8_t left[DEPTH_MAX][ROWS_MAX]; /* [k][row] */
static int8_t right[DEPTH_MAX][COLUMNS_MAX];
static _Alignas(128) uint8_t rows[DEPTH_MAX * ROWS_MAX];
static int32_t words[DEPTH_MAX * COLUMNS_MAX], start[COLUMNS_MAX];
static _Alignas(128) int32_t sums[COLUMNS_MAX * ROWS_MAX];

/* The operands in the layouts of a form; height is a multiple of its rows. */
static gali_hvx_product pack(gali_hvx_form form, uint32_t height, uint32_t columns, uint32_t depth) {
    const uint32_t each = gali_hvx_columns(form);
    const uint32_t groups = form == GALI_HVX_VMPY ? (depth + 1) / 2 * 2 : (depth + each - 1) / each;
    for (uint32_t g = 0; g < groups; g++) {
        for (uint32_t i = 0; i < height * each; i++) {
            const uint32_t k = g * each + i % each;
            rows[(size_t)g * height * each + i] = k < depth ? left[k][i / each] : (uint8_t)(i + g);
        }
        for (uint32_t c = 0; c < columns; c++) {
            uint32_t word = 0;
            for (uint32_t byte = 0; byte < 4; byte++) {
                const uint32_t k = g * each + byte % each;
                word |= (uint32_t)(uint8_t)(k < depth ? right[k][c] : 0) << 8 * byte;
            }
            words[g * columns + c] = (int32_t)word;
        }
    }
    return (gali_hvx_product){rows, height * each, groups, 1, 0, words, columns, start};
}

static int32_t truth(uint32_t row, uint32_t column, uint32_t depth) {
    int32_t sum = start[column];
    for (uint32_t k = 0; k < depth; k++) {
        sum += left[k][row] * right[k][column];
    }
    return sum;
}

/* Packets of a product, compared with plain C. */
static uint32_t run(gali_hvx_form form, uint32_t height, uint32_t columns, uint32_t depth) {
    const gali_hvx_product p = pack(form, height, columns, depth);
    const uint32_t vectors = height * gali_hvx_columns(form) / GALI_HVX_BYTES;
    const uint32_t before = gali_system_packets();
    if (form == GALI_HVX_VRMPY) {
        gali_hvx_sums_of_vrmpy(&p, columns, vectors, sums, height);
    } else if (form == GALI_HVX_VMPA) {
        gali_hvx_sums_of_vmpa(&p, columns, vectors, sums, height);
    } else {
        gali_hvx_sums_of_vmpy(&p, columns, vectors, sums, height);
    }
    const uint32_t packets = gali_system_packets() - before;
    for (uint32_t c = 0; c < columns; c++) {
        for (uint32_t r = 0; r < height; r++) {
            if (sums[c * height + r] != truth(r, c, depth)) {
                print("form %u: %u x %u x %u: row %u, column %u: %d, not %d\n", form, height, columns, depth, r,
                      c, sums[c * height + r], truth(r, c, depth));
                gali_system_exit(1);
            }
        }
    }
    return packets;
}

/* Random bytes, or everything at its end. */
static void fill(int ends) {
    for (uint32_t k = 0; k < DEPTH_MAX; k++) {
        for (uint32_t i = 0; i < ROWS_MAX; i++) {
            left[k][i] = ends ? 255 : (uint8_t)random_bits();
        }
        for (uint32_t i = 0; i < COLUMNS_MAX; i++) {
            right[k][i] = ends ? (i % 2 ? 127 : -128) : (int8_t)random_bits();
        }
    }
    for (uint32_t i = 0; i < COLUMNS_MAX; i++) {
        start[i] = (int32_t)random_bits() >> 8;
    }
}

static uint32_t padded(gali_hvx_form form, uint32_t rows_wanted) {
    const uint32_t each = GALI_HVX_BYTES / gali_hvx_columns(form);
    return (rows_wanted + each - 1) / each * each;
}

int main(void) {
    static const uint32_t shapes[][3] = {{1, 1, 1},    {32, 1, 4},     {33, 2, 5},    {64, 3, 7},
                                         {96, 5, 31},  {128, 7, 9},    {129, 9, 130}, {200, 13, 33},
                                         {256, 17, 6}, {250, 135, 259}};
    for (int ends = 0; ends < 2; ends++) {
        fill(ends);
        for (uint32_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
            for (gali_hvx_form form = GALI_HVX_VMPY; form <= GALI_HVX_VRMPY; form++) {
                run(form, padded(form, shapes[i][0]), shapes[i][1], shapes[i][2]);
            }
        }
    }
    print("rows columns depth vmpy vmpa vrmpy\n");
    for (uint32_t n = 32; n <= 128; n += 32) {
        print("%u %u %u", n, n, n);
        for (gali_hvx_form form = GALI_HVX_VMPY; form <= GALI_HVX_VRMPY; form++) {
            print(" %u", run(form, padded(form, n), n, n));
        }
        print("\n");
    }
    for (uint32_t columns = 1; columns <= 8; columns *= 2) {
        print("256 %u 256", columns);
        for (gali_hvx_form form = GALI_HVX_VMPY; form <= GALI_HVX_VRMPY; form++) {
            print(" %u", run(form, 256, columns, 256));
        }
        print("\n");
    }
    return 0;
}
