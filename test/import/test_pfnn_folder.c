/* The importer of the published folder, on a small one made here: what it recovers and what it adds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/memory.h"
#include "contract/contract.h"
#include "gallop/network.h"
#include "import/pfnn_parts.h"
#include "import_result.h"

static gali_contract *contract_of(const result *r) {
    gali_contract *c = NULL;
    gal_error error = {0};
    if (gali_contract_parse(&c, r->model.contract, r->model.contract_size, NULL, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return c;
}

/* Largest difference of the stored experts from [experts][count] floats. */
static double difference(const void *stored, gali_weight_type type, const float *expected, size_t count) {
    gali_model_layer view = {.weight_type = type, .weights = stored};
    double worst = 0;
    for (size_t i = 0; i < count; i++) {
        worst = fmax(worst, fabs((double)gali_model_weight(&view, i) - (double)expected[i]));
    }
    return worst;
}

static void recovers_the_control_points(void **state) {
    (void)state;
    folder *f = folder_make(342, 8, 8, 311);
    result r = import_good(f, (gali_pfnn_desc){0});
    assert_int_equal(r.model.gate, GAL_GATE_CUBIC);
    assert_int_equal(r.model.experts, 4);
    assert_int_equal(r.report.experts, 4);
    assert_true(r.report.recovered);
    for (int kind = 0; kind < 6; kind++) {
        const gali_model_layer *layer = &r.model.layers[kind / 2];
        size_t count = (size_t)4 * layer->outputs * (kind % 2 ? 1 : layer->inputs);
        const void *stored = kind % 2 ? layer->biases : layer->weights;
        assert_true(difference(stored, GALI_WEIGHT_F32, f->points[kind], count) < 1e-6);
    }
    assert_true(r.report.residual_rms > 1e-9 && r.report.residual_rms < 1e-7);
    assert_true(r.report.residual_max >= r.report.residual_rms && r.report.residual_max < 1e-6);
    assert_true(strchr("Wb", r.report.residual_worst[0]) != NULL);
    assert_int_equal(r.model.layers[0].activation, GALI_ACTIVATION_ELU);
    assert_int_equal(r.model.layers[1].activation, GALI_ACTIVATION_ELU);
    assert_int_equal(r.model.layers[2].activation, GALI_ACTIVATION_NONE);
    done(&r, f);
}

static void measures_what_is_no_spline(void **state) {
    (void)state;
    folder *f = folder_make(7, 5, 6, 4);
    folder_find(f, "W1_017.bin")->values[3] += 0.5f;
    result r = import_good(f, (gali_pfnn_desc){0});
    assert_true(r.report.residual_rms > 1e-3);
    assert_true(r.report.residual_max > 0.5);
    assert_string_equal(r.report.residual_worst, "W1");
    done(&r, f);
}

static void all_zero_weights_leave_no_residual(void **state) {
    (void)state;
    folder *f = folder_make(7, 5, 6, 4);
    for (size_t i = 4; i < f->count; i++) {
        memset(f->files[i].values, 0, f->files[i].size);
    }
    result r = import_good(f, (gali_pfnn_desc){0});
    assert_true(r.report.residual_rms == 0 && r.report.residual_max == 0);
    done(&r, f);
}

/* Experts are the stored sets `stride` apart, bit for bit. */
static void expect_sets(gali_pfnn_desc desc, uint32_t experts, const uint32_t *sets, gal_gate_kind gate) {
    folder *f = folder_make(9, 5, 6, 4);
    result r = import_good(f, desc);
    assert_int_equal(r.model.gate, gate);
    assert_int_equal(r.model.experts, experts);
    assert_false(r.report.recovered);
    for (uint32_t e = 0; e < experts; e++) {
        for (uint32_t kind = 0; kind < 6; kind++) {
            const gali_model_layer *layer = &r.model.layers[kind / 2];
            char name[32];
            snprintf(name, sizeof name, "%c%u_%03u.bin", kind % 2 ? 'b' : 'W', kind / 2, sets[e]);
            const folder_file *file = folder_find(f, name);
            const unsigned char *stored = kind % 2 ? layer->biases : layer->weights;
            assert_memory_equal(stored + e * file->size, file->values, file->size);
        }
    }
    done(&r, f);
}

static void takes_stored_sets(void **state) {
    (void)state;
    uint32_t all[50], tenth[10], half[2] = {0, 25};
    const uint32_t samples[4] = {0, 12, 25, 37};
    for (uint32_t i = 0; i < 50; i++) {
        all[i] = i;
        tenth[i / 5] = i / 5 * 5;
    }
    expect_sets((gali_pfnn_desc){.gate = GAL_GATE_CONSTANT}, 50, all, GAL_GATE_CONSTANT);
    expect_sets((gali_pfnn_desc){.gate = GAL_GATE_LINEAR}, 10, tenth, GAL_GATE_LINEAR);
    expect_sets((gali_pfnn_desc){.gate = GAL_GATE_LINEAR, .sets = 2}, 2, half, GAL_GATE_LINEAR);
    expect_sets((gali_pfnn_desc){.gate = GAL_GATE_LINEAR, .sets = 50}, 50, all, GAL_GATE_LINEAR);
    expect_sets((gali_pfnn_desc){.use_samples = 1, .samples = {0, 12, 25, 37}}, 4, samples, GAL_GATE_CUBIC);
}

/* Sets that are not in use need not be there. */
static void reads_only_the_sets_in_use(void **state) {
    (void)state;
    folder *f = folder_make(9, 5, 6, 4);
    for (size_t i = 4; i < f->count; i++) {
        int set = atoi(f->files[i].name + 3);
        if (f->files[i].name[2] == '_' && set != 0 && set != 12 && set != 25 && set != 37) {
            folder_remove(&f->files[i]);
        }
    }
    result r = import_good(f, (gali_pfnn_desc){.use_samples = 1, .samples = {0, 12, 25, 37}});
    done(&r, NULL);
    r = import_with(f, (gali_pfnn_desc){0});
    assert_non_null(strstr(r.error.message, "W0_001.bin: missing"));
    done(&r, f);
}

static void stores_float16(void **state) {
    (void)state;
    folder *f = folder_make(9, 5, 7, 3);
    result r = import_good(f, (gali_pfnn_desc){.weight_type = GALI_WEIGHT_F16});
    double worst = difference(r.model.layers[0].weights, GALI_WEIGHT_F16, f->points[0], (size_t)4 * 9 * 5);
    assert_true(worst > 1e-6 && worst < 3e-4);
    assert_true(difference(r.model.layers[0].biases, GALI_WEIGHT_F32, f->points[1], 4 * 5) < 1e-6);
    assert_true(r.report.residual_rms > 1e-5 && r.report.residual_rms < 1e-3);
    done(&r, NULL);
    r = import_good(f, (gali_pfnn_desc){.weight_type = GALI_WEIGHT_F16, .gate = GAL_GATE_CONSTANT});
    const folder_file *set = folder_find(f, "W2_000.bin");
    assert_true(difference(r.model.layers[2].weights, GALI_WEIGHT_F16, set->values, set->size / 4) < 3e-4);
    done(&r, f);
}

static void names_the_published_features(void **state) {
    (void)state;
    static const struct {
        uint32_t feature;
        const char *name;
    } inputs[] = {{0, "trajectory.position.x[-60]"},
                  {23, "trajectory.position.z[50]"},
                  {24, "trajectory.direction.x[-60]"},
                  {48, "trajectory.gait.stand[-60]"},
                  {78, "trajectory.gait.jog[0]"},
                  {107, "trajectory.gait.jump[50]"},
                  {108, "constant[0]"},
                  {119, "constant[11]"},
                  {120, "joint.position.Hips.x"},
                  {212, "joint.position.RThumb.z"},
                  {213, "joint.velocity.Hips.x"},
                  {306, "trajectory.height.25[-60]"},
                  {318, "trajectory.height.0[-60]"},
                  {341, "trajectory.height.-25[50]"}},
      outputs[] = {{0, "root.velocity.x"},
                   {2, "root.turn"},
                   {3, "phase.advance"},
                   {4, "contact.LeftFoot"},
                   {7, "contact.RightToeBase"},
                   {8, "future.position.x[0]"},
                   {31, "future.direction.z[50]"},
                   {32, "joint.position.Hips.x"},
                   {125, "joint.velocity.Hips.x"},
                   {218, "joint.rotation.Hips.0"},
                   {310, "joint.rotation.RThumb.2"}};
    folder *f = folder_make(342, 3, 3, 311);
    folder_find(f, "Xstd.bin")->values[123] = 1e11f;
    folder_find(f, "Xstd.bin")->values[110] = 1e11f;
    result r = import_good(f, (gali_pfnn_desc){.gate = GAL_GATE_LINEAR});
    gali_contract *c = contract_of(&r);
    char text[128];
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        gali_contract_input_name(c, inputs[i].feature, text, sizeof text);
        assert_string_equal(text, inputs[i].name);
    }
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        gali_contract_output_name(c, outputs[i].feature, text, sizeof text);
        assert_string_equal(text, outputs[i].name);
    }
    assert_int_equal(c->inputs, 342);
    assert_int_equal(c->outputs, 311);
    assert_int_equal(c->joint_count, 31);
    assert_int_equal(c->leg_count, 2);
    assert_int_equal(gali_contract_complete(c, r.model.gate, NULL), GAL_OK);
    assert_int_equal(r.report.masked, 1);
    assert_int_equal(r.report.constant, 12);
    for (uint32_t i = 0; i < 342; i++) {
        uint32_t expected = i >= 108 && i < 120 ? GALI_INPUT_CONSTANT
                            : i == 123          ? GALI_INPUT_MASKED
                                                : GALI_INPUT_LIVE;
        assert_int_equal(gali_model_u32(r.model.input_state, i), expected);
    }
    gali_contract_release(c, NULL);
    done(&r, f);
}

static void takes_the_skeleton(void **state) {
    (void)state;
    folder *f = folder_make(342, 3, 3, 311);
    result r = import_good(f, (gali_pfnn_desc){.gate = GAL_GATE_LINEAR});
    assert_true(r.report.skeleton_found);
    gali_contract *c = contract_of(&r);
    for (uint32_t j = 0; j < 31; j++) {
        const gal_transform *rest = &c->joints[j].rest;
        double angle = 0.1 * j / 2;
        assert_true(rest->position.x == (float)j && rest->position.y == 2 && rest->position.z == 3);
        assert_true(fabs((double)rest->rotation.y - sin(angle)) < 1e-6);
        assert_true(fabs((double)rest->rotation.w - cos(angle)) < 1e-6);
        assert_true(rest->rotation.x == 0 && rest->rotation.z == 0);
    }
    assert_int_equal(c->joints[30].parent, 27);
    gali_contract_release(c, NULL);
    done(&r, NULL);
    /* Without: names and parents, no lengths. */
    folder_remove(folder_find(f, "character_parents.bin"));
    folder_remove(folder_find(f, "character_xforms.bin"));
    r = import_good(f, (gali_pfnn_desc){.gate = GAL_GATE_LINEAR});
    assert_false(r.report.skeleton_found);
    c = contract_of(&r);
    assert_string_equal(c->joints[4].name, "LeftFoot");
    assert_true(c->joints[4].rest.position.x == 0 && c->joints[4].rest.rotation.w == 1);
    gali_contract_release(c, NULL);
    done(&r, NULL);
    /* A skeleton from elsewhere. */
    folder *other = folder_make(1, 1, 1, 1);
    gali_files elsewhere = folder_files(other);
    r = import_good(f, (gali_pfnn_desc){.gate = GAL_GATE_LINEAR, .skeleton = &elsewhere});
    assert_true(r.report.skeleton_found);
    done(&r, NULL);
    folder_remove(folder_find(other, "character_parents.bin"));
    folder_remove(folder_find(other, "character_xforms.bin"));
    r = import_with(f, (gali_pfnn_desc){.gate = GAL_GATE_LINEAR, .skeleton = &elsewhere});
    assert_non_null(strstr(r.error.message, "character_parents.bin: missing, expected 124 bytes (31 float32)"));
    folder_free(other);
    done(&r, f);
}

/* Turns about each axis by more than half a turn: each case of the conversion to a quaternion. */
static void turns_any_rest_into_a_quaternion(void **state) {
    (void)state;
    folder *f = folder_make(342, 1, 1, 311);
    for (int axis = 0; axis < 3; axis++) {
        double angle = 3.0 + 0.1 * axis, c = cos(angle), s = sin(angle);
        int a = (axis + 1) % 3, b = (axis + 2) % 3;
        float m[16] = {0};
        m[5 * axis] = m[15] = 1;
        m[4 * a + a] = m[4 * b + b] = (float)c;
        m[4 * a + b] = (float)-s;
        m[4 * b + a] = (float)s;
        memcpy(folder_find(f, "character_xforms.bin")->values, m, sizeof m);
        result r = import_good(f, (gali_pfnn_desc){.gate = GAL_GATE_LINEAR});
        gali_contract *contract = contract_of(&r);
        const gal_quat *q = &contract->joints[0].rest.rotation;
        const float v[3] = {q->x, q->y, q->z};
        double sign = cos(angle / 2) < 0 ? -1 : 1;
        assert_true(fabs((double)v[axis] - sign * sin(angle / 2)) < 1e-6);
        assert_true(fabs((double)q->w - sign * cos(angle / 2)) < 1e-6);
        assert_true(fabsf(v[a]) < 1e-6f && fabsf(v[b]) < 1e-6f);
        gali_contract_release(contract, NULL);
        done(&r, NULL);
    }
    folder_free(f);
}

static void calls_other_widths_opaque(void **state) {
    (void)state;
    folder *f = folder_make(9, 5, 6, 4);
    result r = import_good(f, (gali_pfnn_desc){0});
    assert_false(r.report.known_features);
    assert_int_equal(r.report.constant, 0);
    gali_contract *c = contract_of(&r);
    assert_int_equal(c->inputs, 9);
    assert_int_equal(c->outputs, 4);
    assert_int_equal(gali_contract_complete(c, r.model.gate, NULL), GAL_BAD_DATA);
    gali_contract_release(c, NULL);
    done(&r, f);
}

/* Golden frames are the importer's own float64; the runtime must agree. */
static void golden_frames_hold(void **state) {
    (void)state;
    static const gal_gate_kind gates[] = {GAL_GATE_CUBIC, GAL_GATE_LINEAR, GAL_GATE_CONSTANT};
    for (int g = 0; g < 6; g++) {
        folder *f = folder_make(342, 9, 7, 311);
        folder_find(f, "Xstd.bin")->values[200] = 1e11f;
        gali_weight_type type = g < 3 ? GALI_WEIGHT_F32 : GALI_WEIGHT_F16;
        result r = import_good(f, (gali_pfnn_desc){.gate = gates[g % 3], .weight_type = type});
        const gali_golden *golden = &r.model.golden;
        assert_true(golden->frames >= 16);
        gal_network *network = NULL;
        assert_int_equal(gal_network_open_memory(&network, r.image, r.size, NULL, NULL), GAL_OK);
        size_t room = gal_network_workspace_size(network, golden->frames);
        void *workspace = gali_allocate(NULL, room);
        size_t xs = (size_t)golden->frames * 342, ys = (size_t)golden->frames * 311;
        float *x = malloc(4 * xs), *y = malloc(4 * ys), *phase = malloc(4 * golden->frames);
        memcpy(x, golden->x, 4 * xs);
        memcpy(phase, golden->blend, 4 * golden->frames);
        assert_true(phase[0] == 0 && phase[1] > 0 && phase[1] < 6.28f);
        gal_network_batch batch = {.count = golden->frames, .x = x, .phase = phase, .y = y};
        assert_int_equal(gal_network_run(network, &batch, workspace, room, NULL), GAL_OK);
        for (uint32_t i = 0; i < golden->frames; i++) {
            double squares = 0, worst = 0;
            for (size_t n = 0; n < 311; n++) {
                double expected = (double)gali_model_f32(golden->y, i * 311 + n);
                squares += expected * expected;
                worst = fmax(worst, fabs((double)y[i * 311 + n] - expected));
            }
            assert_true(worst <= (double)golden->tolerance * sqrt(squares / 311));
        }
        free(x);
        free(y);
        free(phase);
        gali_release(NULL, workspace, room);
        gal_network_close(network);
        done(&r, f);
    }
}

static void says_where_weights_come_from(void **state) {
    (void)state;
    static const struct {
        gali_pfnn_desc desc;
        const char *command;
    } cases[] = {
        {{0}, "command: gallop import --gate cubic\n"},
        {{.use_samples = 1, .samples = {0, 12, 25, 37}},
         "command: gallop import --gate cubic --samples 0,12,25,37\n"},
        {{.gate = GAL_GATE_LINEAR, .weight_type = GALI_WEIGHT_F16},
         "command: gallop import --gate linear --sets 10 --f16\n"},
        {{.gate = GAL_GATE_CONSTANT}, "command: gallop import --gate constant\n"},
    };
    folder *f = folder_make(9, 5, 6, 4);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        result r = import_good(f, cases[i].desc);
        char text[2048];
        snprintf(text, sizeof text, "%.*s", (int)r.model.provenance_size, r.model.provenance);
        assert_non_null(strstr(text, cases[i].command));
        assert_non_null(strstr(text, "licence: research only, not for distribution"));
        assert_non_null(
            strstr(text, "Daniel Holden, Taku Komura, Jun Saito: Phase-Functioned Neural Networks"));
        result again = import_good(f, cases[i].desc);
        assert_int_equal(again.size, r.size);
        assert_memory_equal(again.image, r.image, r.size);
        done(&again, NULL);
        done(&r, NULL);
    }
    folder_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers_the_control_points),
        cmocka_unit_test(measures_what_is_no_spline),
        cmocka_unit_test(all_zero_weights_leave_no_residual),
        cmocka_unit_test(takes_stored_sets),
        cmocka_unit_test(reads_only_the_sets_in_use),
        cmocka_unit_test(stores_float16),
        cmocka_unit_test(names_the_published_features),
        cmocka_unit_test(takes_the_skeleton),
        cmocka_unit_test(turns_any_rest_into_a_quaternion),
        cmocka_unit_test(calls_other_widths_opaque),
        cmocka_unit_test(golden_frames_hold),
        cmocka_unit_test(says_where_weights_come_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
