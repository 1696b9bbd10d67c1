/* The model reader against files with one thing wrong, and against files cut and flipped everywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tiny_model.h"

enum { NO_SEAL = 1, RESIZE = 2, WHOLE_RESIZE = 4, BARE = 8, LYING = 16, GIVEN = 32, GATED = 64, GRAPH = 128 };

/*
 * One change to the tiny model's file, and what the message must hold. section NULL: offset in the file;
 * "+TAG": offset in TAG's table entry.
 */
typedef struct fault {
    const char *section;
    size_t offset, width;
    uint64_t value;
    int flags;
    const char *expected;
} fault;

#define NAN_BITS 0x7FC00000u
#define INF_BITS 0x7F800000u

static const fault faults[] = {
    {NULL, 0, 0, 10, WHOLE_RESIZE | NO_SEAL, "header: 10 bytes, expected at least 32"},
    {NULL, 0, 0, 0, WHOLE_RESIZE | NO_SEAL, "header: 0 bytes"},
    {NULL, 5, 1, 'X', 0, "header: offset 0: not a Gallop model"},
    {NULL, 0, 8, 0x0074797007120808u, NO_SEAL,
     "expected \"GALLOP\\r\\n\"; it looks like ONNX, which gallop import, inspect and compile read"},
    {NULL, 8, 4, 1, 0, "header: offset 8: version 1, expected 2"},
    {NULL, 12, 4, 0, 0, "header: offset 12: 0 sections, expected 1..16"},
    {NULL, 12, 4, 17, 0, "header: offset 12: 17 sections, expected 1..16"},
    {NULL, 16, 8, 5, 0, "header: offset 16: file size 5, but there are"},
    {NULL, 16, 8, 0x80000001u, LYING, "expected at most 2147483647"},
    {NULL, 28, 4, 5, 0, "header: offset 28: 5, expected 0"},
    {NULL, 0, 0, 96, WHOLE_RESIZE, "table: 6 sections need 192 bytes at offset 32, the file has 64"},
    {NULL, 24, 4, 1, NO_SEAL, "expected 00000001 (header, offset 24)"},
    {"+LAYR", 0, 4, 0x58585858, 0, "unknown tag 58 58 58 58"},
    {"+NORM", 0, 4, 0x45544147, 0, "table: offset 64: GATE a second time"},
    {"+NORM", 24, 8, 1, 0, "table: offset 64: NORM: the last field is not 0"},
    {"+NORM", 8, 8, 321, 0, "NORM at 321, expected a multiple of 64"},
    {"+NORM", 8, 8, 64, 0, "NORM at 64, expected 272 or more (where the one before it ends)"},
    {"+NORM", 16, 8, UINT64_MAX, 0, "NORM: 18446744073709551615 bytes at 320, the file ends at"},
    {"+NORM", 8, 8, 0x7FFFFFFFFFFFFFC0u, 0, "NORM: 72 bytes at 9223372036854775744, the file ends"},
    {NULL, 300, 1, 3, 0, "file: offset 300, between sections: byte 3, expected 0"},
    {NULL, 0, 0, 1, RESIZE, "(where the last section ends)"},
    {"GATE", 0, 1, 9, NO_SEAL, "GATE: checksum"},
    {"+LAYR", 0, 4, 0x564F5250, BARE, "table: no section LAYR"},
    {"+NORM", 0, 4, 0x564F5250, BARE, "table: no section NORM"},
    {"+GATE", 0, 4, 0x564F5250, BARE, "table: no section GATE"},

    {"GATE", 0, 0, 12, RESIZE, "GATE: 12 bytes, expected at least 16"},
    {"GATE", 0, 4, 5, 0, "GATE: offset 0: kind 5, expected 0..4"},
    {"GATE", 0, 4, 4, 0, "GATE: 16 bytes, expected at least 32"},
    {"GATE", 4, 4, 3, 0, "GATE: offset 4: 3 experts, expected 4..256"},
    {"GATE", 4, 4, 257, 0, "GATE: offset 4: 257 experts, expected 4..256"},
    {"GATE", 8, 1, 1, 0, "GATE: offset 8: top 1, expected at most 0"},
    {"GATE", 15, 1, 1, 0, "GATE: offset 12: not 0"},

    {"GATE", 0, 4, 1, GATED, "GATE: offset 8: top 2, expected at most 0"},
    {"GATE", 8, 4, 5, GATED, "GATE: offset 8: top 5, expected at most 4"},
    {"GATE", 12, 4, 1, GATED, "GATE: offset 12: not 0"},
    {"GATE", 0, 0, 24, GATED | RESIZE, "GATE: 24 bytes, expected at least 32"},
    {"GATE", 16, 4, 0, GATED, "GATE: offset 16: 0 inputs, expected 1..3"},
    {"GATE", 16, 4, 4, GATED, "GATE: offset 16: 4 inputs, expected 1..3"},
    {"GATE", 20, 4, 0, GATED, "GATE: offset 20: 0 layers, expected 1..8"},
    {"GATE", 20, 4, 9, GATED, "GATE: offset 20: 9 layers, expected 1..8"},
    {"GATE", 24, 1, 1, GATED, "GATE: offset 24: not 0"},
    {"GATE", 31, 1, 1, GATED, "GATE: offset 24: not 0"},
    {"GATE", 0, 0, 36, GATED | RESIZE, "GATE: 36 bytes, too few for 2 features"},
    {"GATE", 36, 4, 3, GATED, "GATE: feature[1] is 3, expected less than 3"},
    {"GATE", 44, 4, 10, GATED, "GATE: layer 0, offset 44: activation 10, expected 0..9"},
    {"GATE", 48, 4, 4, GATED, "GATE: layer 0, offset 48: 4 experts, expected 1"},
    {"GATE", 52, 4, 1, GATED, "GATE: layer 0, offset 52: inputs 1, expected 2 (what its sources have)"},
    {"GATE", 4, 4, 5, GATED, "GATE: layer 1: outputs 4, expected 5 (the experts)"},
    {"GATE", 20, 4, 1, GATED, "GATE: 160 bytes, expected 88 (where layer 0 ends)"},
    {"GATE", 100, 4, 2, GATED, "GATE: layer 1, offset 100: inputs 2, expected 1 (what its sources have)"},
    {"GATE", 128, 4, NAN_BITS, GATED, "GATE: layer 1, offset 128: weight [0][0][0] is not finite"},
    {"GATE", 144, 4, INF_BITS, GATED, "GATE: offset 144: layer 1: bias[0] is not finite"},
    {"+GATE", 16, 8, 17, 0, "GATE: 17 bytes, expected 16"},

    {"LAYR", 0, 0, 7, RESIZE, "LAYR: 7 bytes, expected at least 8"},
    {"LAYR", 0, 4, 0, 0, "LAYR: offset 0: 0 layers, expected 1..64"},
    {"LAYR", 0, 4, 65, 0, "LAYR: offset 0: 65 layers, expected 1..64"},
    {"LAYR", 4, 4, 0, 0, "LAYR: offset 4: inputs 0, expected 1..65536"},
    {"LAYR", 4, 4, 65537, 0, "LAYR: offset 4: inputs 65537, expected 1..65536"},
    {"LAYR", 4, 4, 4, 0, "LAYR: layer 0, offset 20: inputs 3, expected 4 (what its sources have)"},
    {"LAYR", 0, 4, 2, 0, "LAYR: 380 bytes, expected 292 (where layer 1 ends)"},
    {"LAYR", 0, 4, 4, 0, "LAYR: layer 3, offset 380: 0 bytes left, expected a header of 40"},
    {"LAYR", 8, 4, 8, 0, "LAYR: layer 0, offset 8: kind 8, expected 0..7"},
    {"LAYR", 12, 4, 10, 0, "LAYR: layer 0, offset 12: activation 10, expected 0..9"},
    {"LAYR", 16, 4, 5, 0, "LAYR: layer 0, offset 16: 5 experts, expected 1 or the gate's 4"},
    {"LAYR", 16, 4, 0, 0, "LAYR: layer 0, offset 16: 0 experts"},
    {"LAYR", 20, 4, 0, 0, "LAYR: layer 0, offset 20: inputs 0, expected 1..65536"},
    {"LAYR", 20, 4, 65537, 0, "LAYR: layer 0, offset 20: inputs 65537, expected 1..65536"},
    {"LAYR", 24, 4, 0, 0, "LAYR: layer 0, offset 24: outputs 0, expected 1..65536"},
    {"LAYR", 24, 4, 65537, 0, "LAYR: layer 0, offset 24: outputs 65537, expected 1..65536"},
    {"LAYR", 28, 4, 5, 0, "LAYR: layer 0, offset 28: weight type 5, expected 0..4"},
    {"LAYR", 32, 1, 8, 0,
     "LAYR: layer 0, offset 32: block 8, expected 0 but for integers, there a multiple of 16 up to 512"},
    {"LAYR", 35, 1, 1, 0, "LAYR: layer 0, offset 32: block 16777216, expected 0 but for integers"},
    {"LAYR", 36, 4, 17, 0, "LAYR: layer 0, offset 36: 17 sources, expected 0..16"},
    {"LAYR", 36, 4, UINT32_MAX, 0, "LAYR: layer 0, offset 36: 4294967295 sources, expected 0..16"},
    {"LAYR", 40, 4, 0x3F800000u, 0, "LAYR: layer 0, offset 40: slope 1, expected 0, but for leaky_relu"},
    {"LAYR", 44, 4, 0x3F800000u, 0, "LAYR: layer 0, offset 44: epsilon 1, expected 0, but for layer_norm"},
    {"LAYR", 252, 4, 4, 0, "LAYR: layer 1, offset 252: inputs 4, expected 3 (what its sources have)"},
    {"LAYR", 24, 4, 65536, 0, "LAYR: layer 0, offset 48: 332 bytes left, expected 4194304 for [4][65536][3]"},
    {"LAYR", 0, 0, 376, RESIZE, "LAYR: layer 2, offset 332: 44 bytes left"},
    {"LAYR", 48 + 4 * 17, 4, NAN_BITS, 0, "LAYR: layer 0, offset 116: weight [1][2][2] is not finite"},
    {"LAYR", 280, 2, 0x7F80, 0, "LAYR: layer 1, offset 280: weight [0][0][0] is not finite"},
    {"LAYR", 282, 2, 0xFFC1, 0, "LAYR: layer 1, offset 282: weight [0][0][1] is not finite"},
    {"LAYR", 286, 1, 1, 0, "LAYR: layer 1, offset 286: padding is not 0"},
    {"LAYR", 287, 1, 1, 0, "LAYR: layer 1, offset 287: padding is not 0"},
    {"LAYR", 288, 4, INF_BITS, 0, "LAYR: offset 288: layer 1: bias[0] is not finite"},
    {"LAYR", 332, 2, 0x7C00, 0, "LAYR: layer 2, offset 332: weight [0][0][0] is not finite"},
    {"LAYR", 334, 2, 0xFE00, 0, "LAYR: layer 2, offset 334: weight [0][1][0] is not finite"},

    /* layer 0 at 8, norm at 176, film at 228, concat at 304, the last at 368 with its source at 408 */
    {"LAYR", 40, 4, NAN_BITS, GRAPH, "LAYR: layer 0, offset 40: slope nan, expected a finite one"},
    {"LAYR", 184, 4, 4, GRAPH, "LAYR: layer 1, offset 184: 4 experts, expected 1"},
    {"LAYR", 192, 4, 3, GRAPH,
     "LAYR: layer 1, offset 188: layer_norm with inputs 2, expected as many as its outputs (3)"},
    {"LAYR", 212, 4, 0, GRAPH, "LAYR: layer 1, offset 212: epsilon 0, expected finite and > 0"},
    {"LAYR", 212, 4, INF_BITS, GRAPH, "LAYR: layer 1, offset 212: epsilon inf, expected finite and > 0"},
    {"LAYR", 218, 2, 0x7F80, GRAPH, "LAYR: layer 1, offset 218: weight [0][1][0] is not finite"},
    {"LAYR", 240, 4, 5, GRAPH,
     "LAYR: layer 2, offset 240: film with inputs 5, expected 3 times its outputs (2)"},
    {"LAYR", 248, 4, 1, GRAPH, "LAYR: layer 2, offset 248: weight type 1, expected 0..0"},
    {"LAYR", 256, 4, 2, GRAPH, "LAYR: layer 2, offset 240: inputs 6, expected 4 (what its sources have)"},
    {"LAYR", 268, 4, 3, GRAPH, "LAYR: layer 2, offset 268: source 0: value 3, expected 0..2"},
    {"LAYR", 272, 4, 2, GRAPH,
     "LAYR: layer 2, offset 272: source 0: 2 elements from 2 of value 0, which has 3"},
    {"LAYR", 272, 4, 3, GRAPH, "source 0: 2 elements from 3 of value 0, which has 3"},
    {"LAYR", 272, 4, UINT32_MAX, GRAPH, "source 0: 2 elements from 4294967295 of value 0, which has 3"},
    {"LAYR", 288, 4, 0, GRAPH,
     "LAYR: layer 2, offset 284: source 1: 0 elements from 0 of value 2, which has 2"},
    {"LAYR", 288, 4, UINT32_MAX, GRAPH, "source 1: 4294967295 elements from 0 of value 2"},
    {"LAYR", 0, 0, 290, GRAPH | RESIZE, "LAYR: layer 2, offset 268: 22 bytes left, expected 36 for 3 sources"},
    {"LAYR", 408, 4, 3, GRAPH, "LAYR: layer 3: no other layer reads it"},

    {"NORM", 0, 0, 7, RESIZE, "NORM: 7 bytes, expected at least 8"},
    {"NORM", 0, 0, 68, RESIZE, "NORM: 68 bytes, expected 72"},
    {"NORM", 0, 4, 2, 0, "NORM: offset 0: 2 inputs, expected 3 (LAYR's)"},
    {"NORM", 4, 4, 3, 0, "NORM: offset 4: 3 outputs, expected 2 (layer 2's)"},
    {"NORM", 8, 4, INF_BITS, 0, "NORM: offset 8: input_mean[0] is not finite"},
    {"NORM", 24, 4, 0, 0, "NORM: offset 24: input_std[1] is 0, expected finite and > 0"},
    {"NORM", 24, 4, 0xBF800000u, 0, "NORM: offset 24: input_std[1] is -1, expected finite and > 0"},
    {"NORM", 24, 4, INF_BITS, 0, "NORM: offset 24: input_std[1] is inf, expected finite and > 0"},
    {"NORM", 24, 4, NAN_BITS, 0, "NORM: offset 24: input_std[1] is"},
    {"NORM", 32, 4, NAN_BITS, 0, "NORM: offset 32: output_mean[0] is not finite"},
    {"NORM", 44, 4, 0, 0, "NORM: offset 44: output_std[1] is 0, expected finite and > 0"},
    {"NORM", 48, 4, 3, 0, "NORM: offset 48: state[0] is 3, expected 0..2"},
    {"NORM", 60, 4, 0x3F800000u, 0, "NORM: offset 60: input_constant[0] is 1, expected 0 (its state is 1)"},
    {"NORM", 64, 4, NAN_BITS, 0, "NORM: offset 64: input_constant[1] is not finite"},

    {"GOLD", 0, 0, 31, RESIZE, "GOLD: 31 bytes, expected at least 32"},
    {"GOLD", 0, 0, 76, RESIZE, "GOLD: 76 bytes, expected 80"},
    {"GOLD", 0, 4, 0, 0, "GOLD: offset 0: 0 frames, expected 1..4096"},
    {"GOLD", 0, 4, 4097, 0, "GOLD: offset 0: 4097 frames, expected 1..4096"},
    {"GOLD", 0, 4, 3, 0, "GOLD: 80 bytes, expected 104"},
    {"GOLD", 4, 4, 4, 0, "GOLD: offset 4: 4 inputs, expected 3 (LAYR's)"},
    {"GOLD", 8, 4, 1, 0, "GOLD: offset 8: 1 outputs, expected 2 (layer 2's)"},
    {"GOLD", 12, 4, 4, 0, "GOLD: offset 12: blend of 4 values, expected 1 (the phase, or 0)"},
    {"GOLD", 12, 4, 1, GIVEN, "GOLD: offset 12: blend of 1 values, expected 4 (one per expert)"},
    {"GOLD", 16, 4, 0, 0, "GOLD: offset 16: tolerance 0, expected finite and > 0"},
    {"GOLD", 16, 4, INF_BITS, 0, "GOLD: offset 16: tolerance inf, expected finite and > 0"},
    {"GOLD", 20, 1, 1, 0, "GOLD: offset 20: not 0"},
    {"GOLD", 24, 1, 1, 0, "GOLD: offset 20: not 0"},
    {"GOLD", 31, 1, 1, 0, "GOLD: offset 20: not 0"},
    {"GOLD", 36, 4, NAN_BITS, 0, "GOLD: offset 36: x[1] is not finite"},
    {"GOLD", 60, 4, INF_BITS, 0, "GOLD: offset 60: blend[1] is not finite"},
    {"GOLD", 64, 4, INF_BITS, 0, "GOLD: offset 64: y[0] is not finite"},

    {"CNTR", 0, 0, (1 << 20) + 1, RESIZE | BARE, "CNTR: 1048577 bytes, expected at most 1048576"},
    {"PROV", 0, 0, 65537, RESIZE, "PROV: 65537 bytes, expected at most 65536"},
    {"PROV", 3, 1, 0xFF, 0, "PROV: offset 3: byte ff, expected UTF-8 text"},
    {"PROV", 3, 1, 0, 0, "PROV: offset 3: byte 00, expected UTF-8 text"},
    {"PROV", 8, 1, 0x1B, 0, "PROV: offset 8: control character 1b, expected text"},
    {"PROV", 8, 1, 0x7F, 0, "PROV: offset 8: control character 7f, expected text"},
    {"PROV", 0, 1, ':', 0, "PROV: line 1, offset 0: expected 'key: value'"},
    {"PROV", 19, 1, ' ', 0, "PROV: line 2, offset 12: expected 'key: value'"},
    {"PROV", 20, 1, 'x', 0, "PROV: line 2, offset 12: expected 'key: value'"},
    {"PROV", 0, 0, 6, RESIZE, "PROV: line 1, offset 0: expected 'key: value'"},
};

/* The file with its fault; *stated is the size that the reader is told. */
static image make_fault(const fault *f, size_t *stated) {
    tiny t;
    tiny_make(&t);
    if (f->flags & BARE) { /* the contract comes last */
        t.model.golden = (gali_golden){0};
        t.model.provenance = NULL;
    }
    if (f->flags & GATED) {
        tiny_gate(&t);
    }
    if (f->flags & GRAPH) {
        tiny_graph(&t);
    }
    if (f->flags & GIVEN) {
        t.model.gate = GAL_GATE_CALLER;
    }
    image file = image_of(&t.model);
    int entry = f->section && f->section[0] == '+';
    if (f->flags & WHOLE_RESIZE) {
        file = image_resized(file, (size_t)f->value);
        if (file.size >= 32) {
            image_put(file, 16, file.size, 8);
        }
    } else if (f->flags & RESIZE) {
        if (f->section && strcmp(f->section, "PROV") == 0 && f->value < 64) {
            file = image_resize_section(file, "PROV", (size_t)f->value);
            file = image_resized(file, image_section(file, "PROV") + (size_t)f->value);
            image_put(file, 16, file.size, 8);
        } else if (f->section) {
            file = image_resize_section(file, f->section, (size_t)f->value);
        } else {
            file = image_resized(file, file.size + (size_t)f->value);
            image_put(file, 16, file.size, 8);
        }
    } else {
        size_t base = entry        ? image_entry(file, f->section + 1)
                      : f->section ? image_section(file, f->section)
                                   : 0;
        image_put(file, base + f->offset, f->value, f->width);
    }
    if (!(f->flags & NO_SEAL)) {
        image_seal(file);
    }
    *stated = f->flags & LYING ? (size_t)f->value : file.size;
    return file;
}

static void names_the_place_of_each_fault(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        size_t stated = 0;
        image file = make_fault(&faults[i], &stated);
        gali_model model;
        gal_error error = {0};
        gal_status status = gali_model_read(&model, file.bytes, stated, &error);
        static const gali_model zero;
        if (status != GAL_BAD_DATA || error.status != GAL_BAD_DATA ||
            !strstr(error.message, faults[i].expected) || memcmp(&model, &zero, sizeof zero) != 0) {
            print_error("fault %zu: status %d, \"%s\", expected \"%s\"\n", i, (int)status, error.message,
                        faults[i].expected);
            wrong++;
        }
        assert_int_equal(gali_model_read(&model, file.bytes, stated, NULL), status);
        free(file.bytes);
    }
    assert_int_equal(wrong, 0);
}

static image image_gated(void) {
    tiny t;
    tiny_make(&t);
    tiny_gate(&t);
    return image_of(&t.model);
}

static image image_graph(void) {
    tiny t;
    tiny_make(&t);
    tiny_graph(&t);
    return image_of(&t.model);
}

static void cut_everywhere(image whole) {
    for (size_t size = 0; size < whole.size; size++) {
        for (int fixed = 0; fixed < 2; fixed++) {
            image copy = {malloc(whole.size), whole.size};
            memcpy(copy.bytes, whole.bytes, whole.size);
            copy = image_resized(copy, size);
            if (fixed && size >= 32) {
                image_put(copy, 16, size, 8);
                image_seal(copy);
            }
            gali_model model;
            gal_error error = {0};
            assert_int_equal(gali_model_read(&model, copy.bytes, size, &error), GAL_BAD_DATA);
            assert_true(error.message[0]);
            free(copy.bytes);
        }
    }
    free(whole.bytes);
}

static void refuses_every_truncation(void **state) {
    (void)state;
    cut_everywhere(image_tiny());
    cut_everywhere(image_gated());
    cut_everywhere(image_graph());
}

static void flip_everywhere(image file) {
    gali_model model;
    assert_int_equal(gali_model_read(&model, file.bytes, file.size, NULL), GAL_OK);
    for (size_t bit = 0; bit < 8 * file.size; bit++) {
        file.bytes[bit / 8] = (unsigned char)(file.bytes[bit / 8] ^ 1 << bit % 8);
        if (gali_model_read(&model, file.bytes, file.size, NULL) != GAL_BAD_DATA) {
            fail_msg("bit %zu of byte %zu flipped, and read all the same", bit % 8, bit / 8);
        }
        file.bytes[bit / 8] = (unsigned char)(file.bytes[bit / 8] ^ 1 << bit % 8);
    }
    free(file.bytes);
}

static void refuses_every_flipped_bit(void **state) {
    (void)state;
    flip_everywhere(image_tiny());
    flip_everywhere(image_gated());
    flip_everywhere(image_graph());
}

/* With the checksums made to fit, what is read must be what writing it gives back. */
static void flip_under_a_good_checksum(image whole) {
    size_t read = 0;
    for (size_t bit = 0; bit < 8 * whole.size; bit++) {
        image file = {malloc(whole.size), whole.size};
        memcpy(file.bytes, whole.bytes, whole.size);
        file.bytes[bit / 8] = (unsigned char)(file.bytes[bit / 8] ^ 1 << bit % 8);
        image_seal(file);
        gali_model model;
        if (gali_model_read(&model, file.bytes, file.size, NULL) == GAL_OK) {
            read++;
            image again = image_of(&model);
            assert_int_equal(again.size, file.size);
            assert_memory_equal(again.bytes, file.bytes, file.size);
            free(again.bytes);
        }
        free(file.bytes);
    }
    assert_true(read > 0);
    free(whole.bytes);
}

static void flipped_bits_under_a_good_checksum(void **state) {
    (void)state;
    flip_under_a_good_checksum(image_tiny());
    flip_under_a_good_checksum(image_gated());
    flip_under_a_good_checksum(image_graph());
}

static void reads_at_any_alignment(void **state) {
    (void)state;
    image file = image_tiny();
    for (size_t shift = 0; shift < 8; shift++) {
        unsigned char *moved = malloc(file.size + shift);
        memcpy(moved + shift, file.bytes, file.size);
        gali_model model;
        assert_int_equal(gali_model_read(&model, moved + shift, file.size, NULL), GAL_OK);
        assert_true(gali_model_f32(model.input_mean, 1) == 0.25f);
        free(moved);
    }
    free(file.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_the_place_of_each_fault), cmocka_unit_test(refuses_every_truncation),
        cmocka_unit_test(refuses_every_flipped_bit),     cmocka_unit_test(flipped_bits_under_a_good_checksum),
        cmocka_unit_test(reads_at_any_alignment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
