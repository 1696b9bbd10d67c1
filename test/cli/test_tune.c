/* gallop tune: what it says, that a second run takes its results from the log, and measuring by two processes. */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "command_line.h"
#include "synthetic.h"

/* A small network at %s/net.gallop. */
static void put_model(void) {
    synthetic_desc desc = {.gate = GAL_GATE_CUBIC,
                           .experts = 4,
                           .layers = 2,
                           .width = {12, 40, 40},
                           .activation = {GALI_ACTIVATION_ELU},
                           .seed = 5};
    synthetic s = synthetic_make(&desc);
    size_t size;
    unsigned char *bytes = synthetic_bytes(&s, &size);
    spill(place_of("net.gallop"), bytes, size);
    free(bytes);
    synthetic_free(&s);
}

static const said *tune(const char *arguments) {
    char line[1024];
    snprintf(line, sizeof line, "tune %s/net.gallop %s", place, arguments);
    return gallop(line);
}

static int has_compiler(void) {
    return system("cc --version >/dev/null 2>&1") == 0;
}

static void wrong_words_are_named(void **unused) {
    (void)unused;
    put_model();
    expect_bad(tune("--way best"), 2, "--way best: hand, template or auto");
    expect_bad(tune("--characters 0"), 2, "--characters 0");
    expect_bad(tune("--characters 4,5000"), 2, "--characters 4,5000");
    expect_bad(tune("--characters 4,"), 2, "--characters 4,");
    expect_bad(tune("--form blended"), 2, "--form blended");
    expect_bad(tune("--target hexagonv66+hvx"), 2, "--target hexagonv66+hvx: nothing to search for");
    expect_bad(tune("--plan p"), 2, "--plan needs --log");
    expect_bad(tune("--log " GALLOP_SOURCE_DIR "/README.md/log"), 1, "README.md: Not a directory");
    expect_bad(tune("--log /dev/null --plan " GALLOP_SOURCE_DIR "/README.md/plan"), 1,
               "README.md: Not a directory");
    expect_bad(tune("--target riscv"), 2, "riscv");
    expect_bad(tune("--target wasm32+simd128"), 1, "does not run on this machine");
    expect_bad(gallop("tune " GALLOP_SOURCE_DIR "/test/cli/none.onnx --target wasm32+simd128"), 1,
               "target wasm32+simd128: its code does not run on this machine");
    expect_bad(gallop("tune none.gallop"), 1, "none.gallop");
    expect_bad(gallop("tune " GALLOP_SOURCE_DIR "/README.md"), 1,
               "README.md: header: offset 0: not a Gallop model");
}

static void a_log_of_another_version_is_refused(void **unused) {
    char arguments[256];
    (void)unused;
    put_model();
    spill_text(place_of("old.jsonl"), "{\"gallop_tune\": 0}\n");
    snprintf(arguments, sizeof arguments, "--log %s", place_of("old.jsonl"));
    expect_bad(tune(arguments), 1, "old.jsonl, line 1: version 0, this gallop reads 1");
    snprintf(arguments, sizeof arguments, "compile %s/net.gallop --log %s -o %s", place, place_of("old.jsonl"),
             place_of("c"));
    expect_bad(gallop(arguments), 1, "old.jsonl, line 1: version 0, this gallop reads 1");
}

static uint32_t lines_of(const char *name) {
    static char text[1 << 20];
    uint32_t lines = 0;
    slurp(place_of(name), text, sizeof text);
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    return lines;
}

static void a_second_run_takes_it_from_the_log(void **unused) {
    char arguments[512];
    (void)unused;
    put_model();
    if (!has_compiler()) {
        print_message("skipped: no C compiler\n");
        skip();
    }
    snprintf(arguments, sizeof arguments, "--minutes 0.01 --characters 2 --log %s", place_of("one.jsonl"));
    const said *first = tune(arguments);
    expect_good(first);
    expect_text(first->out, "12 -> 40, 4 of 4 experts, per-expert, elu, 2 characters: ");
    expect_text(first->out, "of the runtime's kernel");
    expect_text(first->out, " measurements, ");
    expect_text(first->out, "times as fast as by the runtime's kernels, at 2: ");
    uint32_t lines = lines_of("one.jsonl");
    assert_true(lines > 4);
    const said *second = tune(arguments);
    expect_good(second);
    expect_text(second->out, "(from the log)");
    assert_null(strstr(second->out, " measurements, "));
    expect_text(second->out, "; 0 measurements in ");
    assert_int_equal(lines_of("one.jsonl"), lines);
    /* The records of one log go into another once. */
    snprintf(arguments, sizeof arguments, "--minutes 0.01 --characters 2 --log %s --merge %s --plan %s",
             place_of("two.jsonl"), place_of("one.jsonl"), place_of("plan"));
    for (int i = 0; i < 2; i++) {
        const said *merged = tune(arguments);
        expect_good(merged);
        expect_text(merged->out, "(from the log)");
        assert_int_equal(lines_of("two.jsonl"), lines);
    }
    char plan[1024];
    slurp(place_of("plan"), plan, sizeof plan);
    expect_text(plan, "gallop plan 1: ");
    /* What was found runs in emitted C, too. */
    char log[256], said_of[512];
    snprintf(log, sizeof log, "%s", place_of("one.jsonl"));
    snprintf(arguments, sizeof arguments, "compile %s/net.gallop --characters 2 --log %s -o %s", place, log,
             place);
    const said *compiled = gallop(arguments);
    expect_good(compiled);
    snprintf(said_of, sizeof said_of, "2 of 2 layers by schedules of %s", log);
    expect_text(compiled->out, said_of);
    snprintf(arguments, sizeof arguments, "compile %s/net.gallop --target scalar --log %s -o %s", place, log,
             place);
    expect_text(gallop(arguments)->out, "0 of 2 layers by schedules of ");
    /* One that contradicts itself is the log's fault. */
    static char text[1 << 20];
    slurp(log, text, sizeof text);
    for (char *at = text; (at = strstr(at, "vectorize n")) != NULL; at++) {
        at[strlen("vectorize ")] = 'q';
    }
    spill_text(log, text);
    snprintf(arguments, sizeof arguments, "compile %s/net.gallop --characters 2 --log %s -o %s", place, log,
             place);
    snprintf(said_of, sizeof said_of, "gallop compile: %s: for 12 -> 40: schedule, entry 1 (vectorize q ", log);
    expect_bad(gallop(arguments), 1, said_of);
}

/* ^C: what was found so far is said, is in the log, and the next run goes on from it. */
static void what_is_interrupted_goes_on(void **unused) {
    char command[2048], arguments[512], text[8192], log[256];
    (void)unused;
    put_model();
    if (!has_compiler()) {
        print_message("skipped: no C compiler\n");
        skip();
    }
    snprintf(log, sizeof log, "%s", place_of("cut.jsonl"));
    snprintf(
        command, sizeof command,
        "\"%s\" tune %s/net.gallop --minutes 60 --characters 2 --log %s >%s/said 2>%s/why & p=$!; "
        "for i in $(seq 300); do [ \"$(wc -l <%s)\" -ge 16 ] && break; sleep 0.1; done; kill -INT $p; wait $p",
        GALLOP_COMMAND, place, log, place, place, log);
    spill_text(log, "");
    assert_int_equal(WEXITSTATUS(system(command)), 130);
    slurp(place_of("said"), text, sizeof text);
    expect_text(text, "; stopped: the same command goes on from here");
    uint32_t lines = lines_of("cut.jsonl");
    assert_true(lines >= 16);
    snprintf(arguments, sizeof arguments, "--minutes 0.01 --characters 2 --log %s", log);
    const said *second = tune(arguments);
    expect_good(second);
    assert_null(strstr(second->out, "from the log"));
    assert_true(lines_of("cut.jsonl") > lines);
}

static void the_written_schedules_are_measured(void **unused) {
    (void)unused;
    put_model();
    if (!has_compiler()) {
        print_message("skipped: no C compiler\n");
        skip();
    }
    const said *s = tune("--way hand --characters 1");
    expect_good(s);
    expect_text(s->out, " s)\n    vectorize n ");
}

static void two_processes_measure_together(void **unused) {
    char command[1024], text[4096];
    (void)unused;
    put_model();
    snprintf(command, sizeof command, "ldd \"%s\" | grep -q libmpi && command -v mpirun >/dev/null",
             GALLOP_COMMAND);
    if (system(command) != 0 || !has_compiler()) {
        print_message("skipped: no mpirun, or built without MPI\n");
        skip();
    }
    snprintf(
        command, sizeof command,
        "ASAN_OPTIONS=detect_leaks=0 timeout 60 mpirun --allow-run-as-root --oversubscribe -np 2 \"%s\" tune "
        "%s/net.gallop "
        "--minutes 0.01 --characters 2 >%s/both 2>%s/why",
        GALLOP_COMMAND, place, place, place);
    if (system(command) != 0) {
        slurp(place_of("why"), text, sizeof text);
        fail_msg("%s", text);
    }
    slurp(place_of("both"), text, sizeof text);
    const char *line = strstr(text, "12 -> 40, 4 of 4 experts");
    assert_non_null(line);
    assert_null(strstr(line + 1, "12 -> 40, 4 of 4 experts")); /* one process reports */
    expect_text(text, "of the runtime's kernel");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_words_are_named),
        cmocka_unit_test(a_log_of_another_version_is_refused),
        cmocka_unit_test(a_second_run_takes_it_from_the_log),
        cmocka_unit_test(what_is_interrupted_goes_on),
        cmocka_unit_test(the_written_schedules_are_measured),
        cmocka_unit_test(two_processes_measure_together),
    };
    return cmocka_run_group_tests(tests, place_make, place_remove);
}
