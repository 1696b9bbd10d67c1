/* The importer's complaints: each file spoilt in each way, what cannot be stored, and too little memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "import_result.h"

enum { REMOVE, RESIZE, SET, UNREADABLE, UNSIZABLE };

typedef struct fault {
    const char *file;
    int action;
    size_t at;   /* new size, or which value */
    float value; /* of SET */
    gal_status status;
    const char *expected;
} fault;

static const fault faults[] = {
    {"Xmean.bin", REMOVE, 0, 0, GAL_BAD_DATA, "Xmean.bin: missing, expected 1..65536 float32"},
    {"Xmean.bin", RESIZE, 0, 0, GAL_BAD_DATA, "Xmean.bin: 0 bytes, expected 4..262144, a multiple of 4"},
    {"Xmean.bin", RESIZE, 1366, 0, GAL_BAD_DATA, "Xmean.bin: 1366 bytes, expected 4..262144, a multiple of 4"},
    {"Ymean.bin", RESIZE, 262148, 0, GAL_BAD_DATA, "Ymean.bin: 262148 bytes, expected 4..262144"},
    {"b0_000.bin", REMOVE, 0, 0, GAL_BAD_DATA, "b0_000.bin: missing, expected 1..65536 float32"},
    {"b1_000.bin", RESIZE, 3, 0, GAL_BAD_DATA, "b1_000.bin: 3 bytes, expected 4..262144"},
    {"Xmean.bin", UNSIZABLE, 0, 0, GAL_IO, "Xmean.bin: cannot be sized"},
    {"Xmean.bin", UNREADABLE, 0, 0, GAL_IO, "Xmean.bin: cannot be read"},
    {"Ystd.bin", UNREADABLE, 0, 0, GAL_IO, "Ystd.bin: cannot be read"},
    {"Ystd.bin", UNSIZABLE, 0, 0, GAL_IO, "Ystd.bin: cannot be sized"},
    {"W1_033.bin", UNSIZABLE, 0, 0, GAL_IO, "W1_033.bin: cannot be sized"},
    {"W1_033.bin", UNREADABLE, 0, 0, GAL_IO, "W1_033.bin: cannot be read"},
    {"character_xforms.bin", UNSIZABLE, 0, 0, GAL_IO, "character_xforms.bin: cannot be sized"},

    {"Xstd.bin", REMOVE, 0, 0, GAL_BAD_DATA, "Xstd.bin: missing, expected 1368 bytes (342 float32)"},
    {"Xstd.bin", RESIZE, 1364, 0, GAL_BAD_DATA, "Xstd.bin: 1364 bytes, expected 1368 bytes (342 float32)"},
    {"Ystd.bin", RESIZE, 1248, 0, GAL_BAD_DATA, "Ystd.bin: 1248 bytes, expected 1244 bytes (311 float32)"},
    {"W0_000.bin", RESIZE, 10943, 0, GAL_BAD_DATA,
     "W0_000.bin: 10943 bytes, expected 10944 bytes (8 x 342 float32)"},
    {"W0_049.bin", REMOVE, 0, 0, GAL_BAD_DATA, "W0_049.bin: missing, expected 10944 bytes (8 x 342 float32)"},
    {"W2_031.bin", RESIZE, 0, 0, GAL_BAD_DATA, "W2_031.bin: 0 bytes, expected 8708 bytes (311 x 7 float32)"},
    {"b0_001.bin", RESIZE, 36, 0, GAL_BAD_DATA, "b0_001.bin: 36 bytes, expected 32 bytes (8 float32)"},
    {"b2_049.bin", REMOVE, 0, 0, GAL_BAD_DATA, "b2_049.bin: missing, expected 1244 bytes (311 float32)"},
    {"b0_000.bin", RESIZE, 36, 0, GAL_BAD_DATA,
     "W0_000.bin: 10944 bytes, expected 12312 bytes (9 x 342 float32)"},

    {"Xmean.bin", SET, 5, NAN, GAL_BAD_DATA, "Xmean.bin: value 5 is not finite"},
    {"Ymean.bin", SET, 310, INFINITY, GAL_BAD_DATA, "Ymean.bin: value 310 is not finite"},
    {"Xstd.bin", SET, 0, INFINITY, GAL_BAD_DATA, "Xstd.bin: value 0 is not finite"},
    {"Xstd.bin", SET, 7, 0, GAL_BAD_DATA, "Xstd.bin: value 7 is 0, expected > 0"},
    {"Ystd.bin", SET, 7, -1, GAL_BAD_DATA, "Ystd.bin: value 7 is -1, expected > 0"},
    {"W1_012.bin", SET, 3, NAN, GAL_BAD_DATA, "W1_012.bin: value 3 is not finite"},
    {"b2_049.bin", SET, 300, -INFINITY, GAL_BAD_DATA, "b2_049.bin: value 300 is not finite"},

    {"character_parents.bin", REMOVE, 0, 0, GAL_BAD_DATA, "character_parents.bin: missing, expected 124 bytes"},
    {"character_xforms.bin", REMOVE, 0, 0, GAL_BAD_DATA, "character_xforms.bin: missing, expected 1984 bytes"},
    {"character_parents.bin", RESIZE, 120, 0, GAL_BAD_DATA,
     "character_parents.bin: 120 bytes, expected 124 bytes"},
    {"character_xforms.bin", RESIZE, 2048, 0, GAL_BAD_DATA,
     "character_xforms.bin: 2048 bytes, expected 1984 bytes (31 x 16 float32)"},
    {"character_parents.bin", SET, 6, 5, GAL_BAD_DATA,
     "character_parents.bin: value 6 is 5, expected 0 (RHipJoint's parent)"},
    {"character_parents.bin", SET, 6, NAN, GAL_BAD_DATA, "character_parents.bin: value 6 is not finite"},
    {"character_xforms.bin", SET, 16 * 4 + 13, 1, GAL_BAD_DATA,
     "character_xforms.bin: joint 4 (LeftFoot): not a rotation and a translation"},
    {"character_xforms.bin", SET, 16 * 4 + 15, 2, GAL_BAD_DATA, "joint 4 (LeftFoot): not a rotation"},
    {"character_xforms.bin", SET, 16 * 4 + 1, 0.1f, GAL_BAD_DATA, "joint 4 (LeftFoot): not a rotation"},
    {"character_xforms.bin", SET, 16 * 4 + 5, -1, GAL_BAD_DATA,
     "joint 4 (LeftFoot): not a rotation"}, /* a mirror */
};

static void names_the_file_of_each_fault(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const fault *f = &faults[i];
        folder *spoilt = folder_make(342, 8, 7, 311);
        folder_file *file = folder_find(spoilt, f->file);
        if (f->action == REMOVE) {
            folder_remove(file);
        } else if (f->action == RESIZE) {
            folder_resize(file, f->at);
        } else if (f->action == SET) {
            file->values[f->at] = f->value;
        } else if (f->action == UNREADABLE) {
            spoilt->unreadable = f->file;
        } else {
            spoilt->unsizable = f->file;
        }
        result r = import_with(spoilt, (gali_pfnn_desc){0});
        if (r.status != f->status || !strstr(r.error.message, f->expected)) {
            print_error("fault %zu: status %d, \"%s\", expected \"%s\"\n", i, (int)r.status, r.error.message,
                        f->expected);
            wrong++;
        }
        done(&r, spoilt);
    }
    assert_int_equal(wrong, 0);
}

static void expect_failure(folder *f, gali_pfnn_desc desc, gal_status status, const char *expected) {
    result r = import_with(f, desc);
    if (r.status != status || !strstr(r.error.message, expected)) {
        fail_msg("status %d, \"%s\", expected \"%s\"", (int)r.status, r.error.message, expected);
    }
    done(&r, NULL);
}

static void refuses_what_cannot_be_stored(void **state) {
    (void)state;
    folder *f = folder_make(9, 5, 6, 4);
    folder_find(f, "W1_000.bin")->values[2] = 65520;
    expect_failure(f, (gali_pfnn_desc){.gate = GAL_GATE_CONSTANT, .weight_type = GALI_WEIGHT_F16}, GAL_BAD_DATA,
                   "W1_000.bin: value 2 is 65520, too large for float16");
    folder_find(f, "W1_000.bin")->values[2] = 65519;
    result r = import_good(f, (gali_pfnn_desc){.gate = GAL_GATE_CONSTANT, .weight_type = GALI_WEIGHT_F16});
    done(&r, NULL);
    for (int k = 0; k < 50; k++) { /* samples of a spline whose point 1, between two of them, is past float32 */
        char name[32];
        float samples[4];
        const float scaled[4 * 4] = {-0.3f, 0, 0, 0, 0.341f, 0, 0, 0, -0.3f, 0, 0, 0, 0, 0, 0, 0};
        folder_sample(scaled, 4, k, samples);
        snprintf(name, sizeof name, "b1_%03d.bin", k);
        folder_find(f, name)->values[1] = (float)((double)samples[0] * 1e39);
    }
    expect_failure(f, (gali_pfnn_desc){0}, GAL_BAD_DATA,
                   "b1: recovered point 1: value 1 is 3.41e+38, too large for float32");
    folder_free(f);
    f = folder_make(9, 5, 6, 4);
    folder_find(f, "Ystd.bin")->values[2] = 1e38f;
    folder_find(f, "b2_000.bin")->values[2] = 100;
    expect_failure(f, (gali_pfnn_desc){.gate = GAL_GATE_CONSTANT}, GAL_BAD_DATA,
                   "golden frame 0: output 2 is not finite: weights too large");
    folder_free(f);
}

static gal_status claim_size(void *context, const char *name, size_t *size, gal_error *error) {
    (void)context;
    (void)error;
    *size = name[0] == 'W' ? (size_t)4 * 65536 * 65536 : 4 * 65536;
    return GAL_OK;
}

static void refuses_more_than_a_file_holds(void **state) {
    (void)state;
    gali_files files = {claim_size, NULL, NULL};
    gali_pfnn_desc desc = {.weights = &files};
    gali_pfnn_report report;
    gal_error error = {0};
    void *image = NULL;
    size_t size = 0;
    assert_int_equal(gali_pfnn_import(&desc, &image, &size, &report, &error), GAL_BAD_DATA);
    assert_string_equal(error.message, "65536 x 65536 x 65536 x 65536: more than a model file holds");
    assert_null(image);
}

static void refuses_a_wrong_desc(void **state) {
    (void)state;
    folder *f = folder_make(9, 5, 6, 4);
    static const struct {
        gali_pfnn_desc desc;
        const char *expected;
    } cases[] = {
        {{.gate = GAL_GATE_NETWORK}, "gate: 4, expected cubic, linear or constant"},
        {{.weight_type = GALI_WEIGHT_BF16}, "weight_type: 2, expected float32 or float16"},
        {{.gate = GAL_GATE_LINEAR, .sets = 1}, "sets: 1, expected 2, 5, 10, 25 or 50"},
        {{.gate = GAL_GATE_LINEAR, .sets = 7}, "sets: 7, expected 2, 5, 10, 25 or 50"},
        {{.gate = GAL_GATE_LINEAR, .sets = 100}, "sets: 100, expected 2, 5, 10, 25 or 50"},
        {{.use_samples = 1, .samples = {0, 12, 25, 50}}, "samples: 50, expected four ascending sets of 0..49"},
        {{.use_samples = 1, .samples = {0, 12, 12, 37}}, "samples: 12, expected four ascending sets of 0..49"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_failure(f, cases[i].desc, GAL_BAD_ARGUMENT, cases[i].expected);
    }
    folder_free(f);
}

/* An allocator whose n-th call fails, and that counts what is held. */
typedef struct meagre {
    int left, held;
} meagre;

static void *meagre_allocate(void *context, size_t size, size_t alignment) {
    meagre *m = context;
    if (m->left-- == 0) {
        return NULL;
    }
    m->held++;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void meagre_release(void *context, void *memory, size_t size, size_t alignment) {
    (void)size;
    (void)alignment;
    ((meagre *)context)->held--;
    free(memory);
}

static void survives_every_failed_allocation(void **state) {
    (void)state;
    folder *f = folder_make(342, 3, 3, 311);
    int failures = 0;
    for (;; failures++) {
        meagre m = {.left = failures};
        gal_allocator allocator = {meagre_allocate, meagre_release, &m};
        result r = import_with(f, (gali_pfnn_desc){.allocator = &allocator});
        if (r.status == GAL_OK) {
            assert_int_equal(m.held, 1);
            gali_release(&allocator, r.image, r.size);
            break;
        }
        assert_int_equal(r.status, GAL_NO_MEMORY);
        assert_non_null(strstr(r.error.message, "no memory for"));
        assert_int_equal(m.held, 0);
    }
    assert_int_equal(failures, 5); /* texts, image, a file, sums, activations */
    folder_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_the_file_of_each_fault),     cmocka_unit_test(refuses_what_cannot_be_stored),
        cmocka_unit_test(refuses_more_than_a_file_holds),   cmocka_unit_test(refuses_a_wrong_desc),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
