/*
 * Products of the shapes of networks' layers in three forms: packets of tiles of one vector and one column, of two and two, and of
 * those that the result's shape asks for. A line each: shape, form, tile, packets, a hash of the sums; then packets that two
 * multiplications a packet and one load of a vector a packet cannot go below.
 */
#include "bare.h"

#include "product.inc"

#include "dense.inc"

enum { ROWS = 1 << 21, WORDS = 3 << 20, SUMS = 1 << 20, SHAPES = 13 };

static _Alignas(128) uint8_t rows[ROWS + 1024];
static _Alignas(128) int32_t words[WORDS], sums[SUMS];
static int32_t start[1024];

typedef struct shape {
    const char *name;
    uint32_t rows, depth, columns;
} shape;

/* The eight windows of ResNet-18, then layers of the walker for one character and for eight: outputs lie in vectors. */
static const shape shapes[SHAPES] = {
    {"resnet0", 12544, 148, 64}, {"resnet1", 3136, 576, 64},  {"resnet2", 784, 576, 128},
    {"resnet3", 784, 1152, 128}, {"resnet4", 196, 1152, 256}, {"resnet5", 196, 2304, 256},
    {"resnet6", 49, 2304, 512},  {"resnet7", 49, 4608, 512},  {"walker0x1", 352, 224, 1},
    {"walker1x1", 352, 352, 1},  {"walker2x1", 308, 352, 1},  {"walker1x8", 352, 352, 8},
    {"walker2x8", 308, 352, 8},
};

/* Tiles of the same size everywhere; those at the ends are smaller. */
static GALI_INLINE void run_tiles(const gali_hvx_product *p, const gali_hvx_form form, const uint32_t side,
                                  uint32_t columns, uint32_t vectors, size_t height) {
    uint32_t c = 0;
    for (; c + side <= columns; c += side) {
        gali_hvx_sums_rows(gali_hvx_from_column(*p, c), form, side, side, vectors, sums + c * height, height);
    }
    for (; side > 1 && c < columns; c++) {
        gali_hvx_sums_rows(gali_hvx_from_column(*p, c), form, side, 1, vectors, sums + c * height, height);
    }
}

#define RUNS(form, FORM)                                                                                       \
    static GALI_ALONE void run_##form##_1(const gali_hvx_product *p, uint32_t columns, uint32_t vectors,       \
                                          size_t height) {                                                     \
        run_tiles(p, FORM, 1, columns, vectors, height);                                                       \
    }                                                                                                          \
    static GALI_ALONE void run_##form##_2(const gali_hvx_product *p, uint32_t columns, uint32_t vectors,       \
                                          size_t height) {                                                     \
        run_tiles(p, FORM, 2, columns, vectors, height);                                                       \
    }                                                                                                          \
    static GALI_ALONE void run_##form##_3(const gali_hvx_product *p, uint32_t columns, uint32_t vectors,       \
                                          size_t height) {                                                     \
        gali_hvx_sums(p, FORM, columns, vectors, sums, height);                                                \
    }
RUNS(vmpy, GALI_HVX_VMPY)
RUNS(vmpa, GALI_HVX_VMPA)
RUNS(vrmpy, GALI_HVX_VRMPY)
#undef RUNS

static void (*const runs[3][3])(const gali_hvx_product *, uint32_t, uint32_t, size_t) = {
    {run_vmpy_1, run_vmpy_2, run_vmpy_3},
    {run_vmpa_1, run_vmpa_2, run_vmpa_3},
    {run_vrmpy_1, run_vrmpy_2, run_vrmpy_3},
};

static uint32_t up(uint32_t a, uint32_t to) {
    return (a + to - 1) / to * to;
}

/* What one form's instructions of a shape need: two 128-byte multiplications a packet, or the loads of its vectors, if every tile
 * were as large as the registers hold: eight columns of two vectors. */
static uint32_t bound(const shape *s, gali_hvx_form form) {
    const uint32_t each = gali_hvx_columns(form), vectors = up(s->rows, 128 / each) * each / 128;
    const uint32_t groups = up(s->depth, 4) / each, wide = s->columns < 8 ? s->columns : 8;
    const uint32_t all =
        vectors * s->columns * groups; /* and an addition of each of vmpy's products, by the same units */
    const uint32_t multiplied = form == GALI_HVX_VRMPY ? all / 2 : form == GALI_HVX_VMPA ? all : 2 * all;
    const uint32_t loaded = vectors * groups * up(s->columns, wide) / wide;
    return multiplied > loaded ? multiplied : loaded;
}

static void run_shape(const shape *s, gali_hvx_form form) {
    static const char *const forms[] = {"vmpy", "vmpa", "vrmpy"}, *const tiles[] = {"one", "two", "shape"};
    const uint32_t each = gali_hvx_columns(form), height = up(s->rows, 128 / each),
                   groups = up(s->depth, 4) / each;
    const gali_hvx_product p = {rows, height * each, groups, 1, 0, words, s->columns, start};
    for (uint32_t tile = 0; tile < 3; tile++) {
        const uint32_t before = gali_system_packets();
        runs[form][tile](&p, s->columns, height * each / 128, height);
        const uint32_t packets = gali_system_packets() - before;
        uint32_t hash = 0;
        for (uint32_t i = 0; i < s->columns * height; i += 97) {
            hash = hash * 31 + (uint32_t)sums[i];
        }
        print("%s %s %s %u %u %u\n", s->name, forms[form], tiles[tile], packets, hash, bound(s, form));
    }
}

int main(void) {
    for (uint32_t i = 0; i < ROWS; i += 4) {
        const uint32_t bits = random_bits();
        __builtin_memcpy(rows + i, &bits, sizeof bits);
    }
    for (uint32_t i = 0; i < WORDS; i++) {
        words[i] = (int32_t)random_bits();
    }
    for (uint32_t i = 0; i < SHAPES; i++) {
        for (gali_hvx_form form = GALI_HVX_VMPY; form <= GALI_HVX_VRMPY; form++) {
            run_shape(&shapes[i], form);
        }
    }
    return 0;
}
