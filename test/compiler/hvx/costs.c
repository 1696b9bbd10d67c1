/*
 * Measures what src/compiler/emit/hvx/costs.def keeps, and prints it: packets of each operator at two sizes, of which follow what a
 * vector of the result takes and what each group of its sum adds.
 */
#include "bare.h"

#include "product.inc"

#include "dense.inc"

#include "tensor.inc"

#include "region.inc"

enum { VECTORS = 8, COLUMNS = 8, GROUPS = 64, PART = 256, SHIFTS = 16, LINES = 8 };

static _Alignas(128) uint8_t rows[(GROUPS + 2) * VECTORS * 128], result[GROUPS * VECTORS * 128];
static _Alignas(128) int32_t sums[COLUMNS * VECTORS * 128];
static int32_t words[GROUPS * GROUPS * 4], start[GROUPS * 4], multipliers[2 * GROUPS], shifts[SHIFTS];
static uint8_t table[256] __attribute__((aligned(128)));
static const gali_hvx_scale scale = {multipliers, 6, 128, 0};

typedef enum operator{
    SUMS,
    COLUMN,
    LAYER,
    WINDOW,
    DEPTHWISE,
    LARGEST,
    SUM,
    TABLE,
    JOIN,
    PART_,
    FRAME_LINE,
    OPERATORS
} operator;

static void run_sums(const gali_hvx_product *p, gali_hvx_form form, uint32_t columns) {
    const size_t height = VECTORS * GALI_HVX_BYTES / gali_hvx_columns(form);
    if (form == GALI_HVX_VRMPY) {
        gali_hvx_sums_of_vrmpy(p, columns, VECTORS, sums, height);
    } else if (form == GALI_HVX_VMPA) {
        gali_hvx_sums_of_vmpa(p, columns, VECTORS, sums, height);
    } else {
        gali_hvx_sums_of_vmpy(p, columns, VECTORS, sums, height);
    }
}

static void run_layer(const gali_hvx_product *p, gali_hvx_form form) {
    if (form == GALI_HVX_VRMPY) {
        gali_hvx_layer_vrmpy(p, &scale, COLUMNS, VECTORS, result, VECTORS * GALI_HVX_BYTES);
    } else if (form == GALI_HVX_VMPA) {
        gali_hvx_layer_vmpa(p, &scale, COLUMNS, VECTORS, result, VECTORS * GALI_HVX_BYTES);
    } else {
        gali_hvx_layer_vmpy(p, &scale, COLUMNS, VECTORS, result, VECTORS * GALI_HVX_BYTES);
    }
}

/* A frame of LINES lines, of which one is padding, of `vectors` vectors, of which the first place is. */
static void run_frame(gali_hvx_form form, uint32_t vectors) {
    const uint32_t each = gali_hvx_columns(form), pitch = vectors * GALI_HVX_BYTES / each;
    const gali_hvx_slice slice = {1, 0, pitch - 1};
    const uint32_t plane = (LINES * vectors + 2) * GALI_HVX_BYTES;
    const gali_hvx_frame frame = {LINES - 1, pitch - 1, plane, 1,     1,     1,     0,
                                  1,         1,         LINES, pitch, plane, plane, &slice};
    gali_hvx_make_frame(&frame, each, COLUMNS, rows, result);
}

/* Packets of an operator; groups: of its sum, taps, or vectors of a line. */
static uint32_t run(operator what, gali_hvx_form form, uint32_t groups) {
    const size_t step = VECTORS * GALI_HVX_BYTES;
    const uint32_t columns = what == COLUMN ? 1 : what == SUMS ? COLUMNS : COLUMNS * gali_hvx_columns(form);
    const gali_hvx_product p = {rows, step, groups, 1, what == WINDOW ? shifts : NULL, words, columns, start};
    const uint32_t before = gali_system_packets();
    if (what == SUMS || what == COLUMN) {
        run_sums(&p, form, columns);
    } else if (what == LAYER || what == WINDOW) {
        run_layer(&p, form);
    } else if (what == DEPTHWISE) {
        gali_hvx_depthwise(rows, shifts, groups, words, start, &scale, 0, VECTORS, result);
    } else if (what == LARGEST) {
        gali_hvx_largest(rows, shifts, groups, VECTORS, result);
    } else if (what == SUM) {
        const gali_hvx_two two = {20000, 10000, -700, 5, 3};
        gali_hvx_add(rows, rows + step, &two, VECTORS, result);
    } else if (what == TABLE) {
        gali_hvx_look_up(table, rows, VECTORS, result);
    } else if (what == JOIN) {
        gali_hvx_join(rows, step, (int)gali_hvx_columns(form) / 2, COLUMNS, result);
    } else if (what == PART_) {
        gali_hvx_part(rows, step, (int)gali_hvx_columns(form), COLUMNS, result);
    } else {
        run_frame(form, groups);
    }
    return gali_system_packets() - before;
}

/* Vectors of the result, or lines, as costs.def counts them. */
static uint32_t results(operator what) {
    return what == FRAME_LINE                                       ? LINES * COLUMNS
           : what == COLUMN || (what >= DEPTHWISE && what <= TABLE) ? VECTORS
                                                                    : VECTORS * COLUMNS;
}

static void print_form(operator what, gali_hvx_form form) {
    const int sums_up = what <= LARGEST || what == FRAME_LINE, taps = what == DEPTHWISE || what == LARGEST;
    const int none = (what == JOIN && form == GALI_HVX_VMPY) || (what == PART_ && form == GALI_HVX_VRMPY);
    const uint32_t few = what == FRAME_LINE ? 1 : taps ? 4 : 16, many = what == FRAME_LINE ? 3 : taps ? 10 : 64;
    if (none) {
        print(" 0, 0,");
        return;
    }
    const uint32_t a = run(what, form, few), b = sums_up ? run(what, form, many) : a;
    const uint32_t group = (b - a) * PART / (many - few) / results(what);
    const uint32_t whole = a * PART / results(what), all = group * few;
    print(" %u, %u,", whole > all ? whole - all : 0, group);
}

int main(void) {
    static const char *const names[] = {
        [SUMS] = "SUMS",     [COLUMN] = "COLUMN",         [LAYER] = "LAYER",
        [WINDOW] = "WINDOW", [DEPTHWISE] = "DEPTHWISE",   [LARGEST] = "LARGEST",
        [SUM] = "SUM",       [TABLE] = "TABLE",           [JOIN] = "JOIN",
        [PART_] = "PART",    [FRAME_LINE] = "FRAME_LINE",
    };
    static const char *const meanings[] = {
        [SUMS] = "products whose sums stay words, of many columns",
        [COLUMN] = "the same of one column",
        [LAYER] = "products whose sums become bytes",
        [WINDOW] = "the same of a window's taps, from any byte",
        [DEPTHWISE] = "each column by itself; groups are taps",
        [LARGEST] = "the largest of a window; groups are taps",
        [SUM] = "two tensors added",
        [TABLE] = "a function by its 256 values",
        [JOIN] = "a change of layout from the form before, for a vector",
        [PART_] = "from the form behind",
        [FRAME_LINE] = "a line of a group of a frame; groups are its vectors",
    };
    __asm__ volatile(""
                     :
                     : "r"(result), "r"(sums)
                     : "memory"); /* somebody may read them: they are really made */
    for (operator what = SUMS; what < OPERATORS; what++) {
        print("HVX_COST(%s,", names[what]);
        for (gali_hvx_form form = GALI_HVX_VMPY; form <= GALI_HVX_VRMPY; form++) {
            print_form(what, form);
        }
        print(" \"%s\")\n", meanings[what]);
    }
    return 0;
}
