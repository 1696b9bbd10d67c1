/* What is tuned is what is compiled: a log with a record for each task serves every layer, whatever the model and the form. */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/tune/tasks.h"
#include "network/quantise_model.h"
#include "synthetic.h"

static const gali_target *target(void) {
    gal_error error;
    return gali_target_find("x86-64-v4", &error);
}

/* A model's file: masked and constant inputs, a gate of that kind; narrow: weights of int8 in blocks. */
static unsigned char *model_of(gal_gate_kind gate, uint32_t experts, uint32_t top, int narrow, size_t *size) {
    synthetic_desc desc = {.gate = gate,
                           .experts = experts,
                           .layers = 3,
                           .width = {128, 48, 40, 21},
                           .activation = {GALI_ACTIVATION_ELU, GALI_ACTIVATION_RELU},
                           .masked = 41,
                           .constant = 53,
                           .top = top,
                           .normalised = 1,
                           .seed = 5};
    const gali_precision to = {GAL_PRECISION_INT8, 32};
    synthetic s = synthetic_make(&desc);
    unsigned char *bytes;
    if (narrow) {
        *size = gali_quantise_model_size(&s.model, to, GALI_QUANTISE_ALL);
        bytes = malloc(*size);
        assert_int_equal(gali_quantise_model(&s.model, to, GALI_QUANTISE_ALL, bytes, NULL), GAL_OK);
    } else {
        bytes = synthetic_bytes(&s, size);
    }
    synthetic_free(&s);
    return bytes;
}

/* The written schedule of each task, as if it had been the fastest. */
static void write_log(const char *path, const gali_tune_task *tasks, uint32_t count) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (uint32_t i = 0; i < count; i++) {
        gali_schedule schedule;
        gali_text text = {0};
        gal_error error;
        if (gali_schedule_hand(&tasks[i].dense, target(), 0, &schedule, &error) != GAL_OK) {
            fail_msg("%s", error.message);
        }
        gali_schedule_print(&schedule, "; ", &text);
        gali_log_record record = {
            .pairs = 301, .schedule = text.bytes, .measured = {.ratio = 0.9, .seconds = 1e-5}};
        assert_int_equal(gali_log_write(file, &tasks[i].name, &record, &error), GAL_OK);
        gali_text_release(&text);
    }
    fclose(file);
}

static void expect_all_served(const unsigned char *bytes, size_t size, gal_form form, const char *what) {
    static gali_tune_task tasks[GALI_TUNE_TASKS_MAX];
    static const uint32_t five[] = {5};
    char path[] = "/tmp/gallop-tasks-XXXXXX";
    gali_compilation c;
    gal_compiled *compiled;
    gal_error error = {0};
    uint32_t count = 0, logged;
    if (gali_tune_compile(&c, bytes, size, target(), form, &error) != GAL_OK ||
        gali_tune_tasks(&c, five, 1, tasks, &count, &error) != GAL_OK) {
        fail_msg("%s: %s", what, error.message);
    }
    close(mkstemp(path));
    write_log(path, tasks, count);
    gal_compile_desc desc = {
        .target = target()->name, .least = 5, .most = 5, .form = form, .weights_blob = 1, .log = path};
    if (gal_compile(&compiled, bytes, size, &desc, &error) != GAL_OK) {
        fail_msg("%s: %s", what, error.message);
    }
    uint32_t layers = gal_compiled_layers(compiled, &logged);
    if (layers < 3 || logged != layers) {
        fail_msg("%s: %u of %u layers by the log", what, logged, layers);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (form == GAL_FORM_BLEND && tasks[i].dense.experts > 1) {
            assert_int_equal(tasks[i].dense.form, GAL_FORM_BLEND);
        }
    }
    gal_compiled_free(compiled);
    gali_compilation_release(&c);
    unlink(path);
}

static void a_log_of_all_tasks_serves_all_layers(void **unused) {
    static const struct {
        const char *name;
        gal_gate_kind gate;
        uint32_t experts, top;
    } gates[] = {{"cubic of 4", GAL_GATE_CUBIC, 4, 0},   {"cubic of 7", GAL_GATE_CUBIC, 7, 0},
                 {"linear of 8", GAL_GATE_LINEAR, 8, 0}, {"given", GAL_GATE_CALLER, 4, 0},
                 {"network", GAL_GATE_NETWORK, 4, 0},    {"best 2 of a network", GAL_GATE_NETWORK, 6, 2}};
    (void)unused;
    for (size_t i = 0; i < sizeof gates / sizeof gates[0]; i++) {
        for (int narrow = 0; narrow < 2; narrow++) {
            size_t size;
            char what[80];
            unsigned char *bytes = model_of(gates[i].gate, gates[i].experts, gates[i].top, narrow, &size);
            for (gal_form form = 0; form < GAL_FORM_COUNT; form++) {
                snprintf(what, sizeof what, "%s, %s, form %d", gates[i].name, narrow ? "int8" : "f32",
                         (int)form);
                expect_all_served(bytes, size, form, what);
            }
            free(bytes);
        }
    }
}

/* A record of a task's schedule at a ratio. */
static void add_record(FILE *file, const gali_tune_task *task, const gali_schedule *schedule, double ratio) {
    gali_text text = {0};
    gal_error error;
    gali_schedule_print(schedule, "; ", &text);
    gali_log_record record = {
        .pairs = 301, .schedule = text.bytes, .measured = {.ratio = ratio, .seconds = 1e-5}};
    assert_int_equal(gali_log_write(file, &task->name, &record, &error), GAL_OK);
    gali_text_release(&text);
}

/* The source for 1 to 64 characters by a log, or by none. */
static gal_compiled *compiled_by(const unsigned char *bytes, size_t size, const char *log) {
    gal_compiled *compiled;
    gal_error error = {0};
    gal_compile_desc desc = {.target = target()->name, .weights_blob = 1, .log = log};
    if (gal_compile(&compiled, bytes, size, &desc, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return compiled;
}

static int source_has(const gal_compiled *compiled, const char *text) {
    size_t size;
    return strstr(gal_compiled_bytes(compiled, GAL_COMPILED_SOURCE, &size), text) != NULL;
}

/* What was faster for some count on panels that make others slower than the written schedules is left; what is faster on
 * the written panels is taken for its count, and written versions run the rest. */
static void no_count_is_slower_than_written(void **unused) {
    static gali_tune_task tasks[GALI_TUNE_TASKS_MAX];
    static const uint32_t counts[] = {1, 5};
    char path[] = "/tmp/gallop-tasks-XXXXXX";
    gali_compilation c;
    gal_error error = {0};
    uint32_t count;
    size_t size, sizes[2];
    (void)unused;
    unsigned char *bytes = model_of(GAL_GATE_CUBIC, 4, 0, 0, &size);
    assert_int_equal(gali_tune_compile(&c, bytes, size, target(), GAL_FORM_PER_EXPERT, &error), GAL_OK);
    assert_int_equal(gali_tune_tasks(&c, counts, 2, tasks, &count, &error), GAL_OK);
    close(mkstemp(path));
    for (int on_written_panels = 0; on_written_panels < 2; on_written_panels++) {
        FILE *file = fopen(path, "wb");
        for (uint32_t i = 0; i < 2; i++) { /* layer 0 for 1, for 5 */
            gali_schedule other;
            gali_tile tile = {1, 1, 1};
            assert_int_equal(tasks[i].dense.most, counts[i]);
            assert_int_equal(gali_hand_write(&tasks[i].dense, target(), 0, tile, &other, &error), GAL_OK);
            if (on_written_panels) {
                other = tasks[i].written[0];
                other.count--; /* the inner kernel: it becomes loops */
            }
            add_record(file, &tasks[i], &tasks[i].written[0], 0.95);
            add_record(file, &tasks[i], &other, counts[i] == 1 ? 0.96 : 0.5);
        }
        fclose(file);
        gal_compiled *plain = compiled_by(bytes, size, NULL), *logged = compiled_by(bytes, size, path);
        assert_int_equal(source_has(logged, "Schedule of the log"), on_written_panels);
        assert_int_equal(source_has(logged, "layer0_5("), source_has(plain, "layer0_5(") || on_written_panels);
        if (!on_written_panels) {
            assert_string_equal(gal_compiled_bytes(logged, GAL_COMPILED_SOURCE, &sizes[0]),
                                gal_compiled_bytes(plain, GAL_COMPILED_SOURCE, &sizes[1]));
        }
        gal_compiled_free(plain);
        gal_compiled_free(logged);
    }
    gali_compilation_release(&c);
    unlink(path);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_log_of_all_tasks_serves_all_layers),
                                       cmocka_unit_test(no_count_is_slower_than_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
