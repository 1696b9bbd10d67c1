/* gallop run: arrays in, arrays out, what does not fit named, what was built kept. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "command_line.h"
#include "import/onnx_bytes.h"
#include "npy.h"
#include "options.h"

/* sum = x + y, positive = max(sum, 0), of [batch][3]. */
static void write_model(void) {
    bytes graph = {0};
    put_node(&graph, "Add", (const char *const[3]){"x", "y", NULL}, "sum", NULL, 0);
    put_node(&graph, "Relu", (const char *const[3]){"sum", NULL, NULL}, "positive", NULL, 0);
    put_port(&graph, 11, "x", 2, (const char *const[]){"batch", "3"});
    put_port(&graph, 11, "y", 2, (const char *const[]){"batch", "3"});
    put_port(&graph, 12, "sum", 2, (const char *const[]){"batch", "3"});
    put_port(&graph, 12, "positive", 2, (const char *const[]){"batch", "3"});
    bytes model = make_model(&graph, 17);
    spill(place_of("m.onnx"), model.data, model.size);
    free(model.data);
}

static void write_array(const char *name, const float *values, size_t rows, size_t columns) {
    size_t shape[2] = {rows, columns};
    gal_error error = {0};
    assert_int_equal(gali_npy_write(place_of(name), values, GALI_f32, 2, shape, &error), GAL_OK);
}

static const float x[6] = {1, -2, 3, 4, 5, -6}, y[6] = {0.5f, 1, -4, 1, 1, 1};

static int set_up(void **state) {
    char variable[128];
    if (place_make(state) != 0) {
        return -1;
    }
    write_model();
    write_array("x.npy", x, 2, 3);
    write_array("y.npy", y, 2, 3);
    snprintf(variable, sizeof variable, "%s/cache", place);
    unsetenv("CC"); /* the tests name compilers themselves */
    return setenv("XDG_CACHE_HOME", variable, 1);
}

static int tear_down(void **state) {
    char line[256];
    snprintf(line, sizeof line, "rm -r %s/cache %s/kept %s/out 2>/dev/null", place, place, place);
    (void)!system(line);
    return place_remove(state);
}

/* `gallop run m.onnx ARGUMENTS`, where each # is the folder. */
static const said *run(const char *arguments) {
    char line[1024] = "run ", *to = line + 4;
    for (const char *at = arguments; *at && to < line + sizeof line - 80; at++) {
        to += *at == '#' ? sprintf(to, "%s", place) : sprintf(to, "%c", *at);
    }
    return gallop(line);
}

static void outputs_are_the_models(void **state) {
    (void)state;
    float *got;
    size_t shape[2];
    gal_error error = {0};
    const said *s = run("#/m.onnx --input #/x.npy --input #/y.npy -o #/out");
    assert_int_equal(s->status, 0);
    expect_text(s->err, "compiling");
    for (int positive = 0; positive < 2; positive++) {
        const char *file = positive ? "out/positive.npy" : "out/sum.npy";
        assert_int_equal(gali_npy_read_f32(place_of(file), 2, &got, shape, &error), GAL_OK);
        assert_int_equal(shape[0], 2);
        assert_int_equal(shape[1], 3);
        for (int i = 0; i < 6; i++) {
            float sum = x[i] + y[i];
            assert_true(got[i] == (positive && sum < 0 ? 0 : sum));
        }
        free(got);
    }
}

static void the_cache_knows_what_it_built(void **state) {
    (void)state;
    run("#/m.onnx -i #/x.npy -i #/y.npy -o #/out");
    const said *s = run("#/m.onnx -i y=#/y.npy -i x=#/x.npy");
    expect_good(s); /* nothing on standard error: it did not compile */
    expect_text(s->out, "sum  float32[2, 3]\n    1.5 -1 -1 5 6 -5\n");
    expect_text(s->out, "positive  float32[2, 3]\n    1.5 0 0 5 6 0\n");
    expect_text(run("#/m.onnx -i #/x.npy -i #/y.npy --sizes batch=2")->err, "compiling");
    expect_text(run("#/m.onnx -i #/x.npy -i #/y.npy --target scalar")->err, "compiling");
    setenv("CC", "cc -O1", 1);
    expect_text(run("#/m.onnx -i #/x.npy -i #/y.npy")->err, "compiling");
    unsetenv("CC");
    write_array("y.npy", x, 2, 3); /* other arrays are no other model */
    expect_good(run("#/m.onnx -i #/x.npy -i #/y.npy"));
}

/* As gallop compile's: they are read, and what they say is part of what was built. */
static void takes_a_log_and_a_profile(void **state) {
    (void)state;
    static const char row[] = "move product 1 2 here\n";
    spill(place_of("p.txt"), row, sizeof row - 1);
    spill(place_of("l.log"), "", 0);
    run("#/m.onnx -i #/x.npy -i #/y.npy");
    expect_text(run("#/m.onnx -i #/x.npy -i #/y.npy --profile #/p.txt")->err, "compiling");
    expect_good(run("#/m.onnx -i #/x.npy -i #/y.npy --profile #/p.txt"));
    expect_text(run("#/m.onnx -i #/x.npy -i #/y.npy --log #/l.log")->err, "0 of 0 groups with sums in tiles");
    expect_good(run("#/m.onnx -i #/x.npy -i #/y.npy --log #/l.log"));
    expect_bad(run("#/m.onnx -i #/x.npy -i #/y.npy --profile #/x.npy"), 1, "x.npy");
    expect_bad(run("#/m.onnx -i #/x.npy -i #/y.npy --log #/none.log"), 1, "none.log: No such file");
}

static void keeps_what_it_made(void **state) {
    (void)state;
    char header[8192];
    assert_int_equal(run("#/m.onnx -i #/x.npy -i #/y.npy --keep #/kept -o #/out")->status, 0);
    slurp(place_of("kept/model.h"), header, sizeof header);
    expect_text(header, "int model_call(");
    expect_text(run("#/m.onnx -i #/x.npy -i #/y.npy --keep #/kept")->err, "compiling");
}

/* y = x + w of [2][3], w's numbers in another file; two outputs whose names are one to a file system, and one
 * named as the second would be. */
static void write_split_model(const char *path) {
    bytes graph = {0}, tensor = {0}, entry = {0};
    put_number(&tensor, 1, 2);
    put_number(&tensor, 1, 3);
    put_number(&tensor, 2, 1);
    put_text(&tensor, 8, "w");
    put_text(&entry, 1, "location");
    put_text(&entry, 2, "elsewhere");
    put_message(&tensor, 13, &entry);
    put_number(&tensor, 14, 1);
    put_message(&graph, 5, &tensor);
    put_node(&graph, "Add", (const char *const[3]){"x", "w", NULL}, "a/b", NULL, 0);
    put_node(&graph, "Neg", (const char *const[3]){"a/b", NULL, NULL}, "A_b", NULL, 0);
    put_node(&graph, "Neg", (const char *const[3]){"x", NULL, NULL}, "output1", NULL, 0);
    put_port(&graph, 11, "x", 2, (const char *const[]){"2", "3"});
    put_port(&graph, 12, "a/b", 2, (const char *const[]){"2", "3"});
    put_port(&graph, 12, "A_b", 2, (const char *const[]){"2", "3"});
    put_port(&graph, 12, "output1", 2, (const char *const[]){"2", "3"});
    bytes model = make_model(&graph, 17);
    spill(path, model.data, model.size);
    free(model.data);
}

/* Weights beside the model are found by its path, and are part of what was built; other files are not opened. */
static void weights_beside_the_model_are_found(void **state) {
    (void)state;
    float *got;
    size_t shape[2];
    gal_error error = {0};
    write_split_model(place_of("s.onnx"));
    spill(place_of("elsewhere"), y, sizeof y);
    expect_bad(run("#/s.onnx -i #/x.npy"), 1, "in another file, \"elsewhere\": name it with --external FILE");
    spill(place_of("s.onnx_data"), x, sizeof x);
    expect_text(run("#/s.onnx -i #/x.npy")->out, "a/b  float32[2, 3]\n    2 -4 6 8 10 -12\n");
    spill(place_of("s.onnx.data"), y, sizeof y);
    expect_text(run("#/s.onnx -i #/x.npy")->out, "a/b  float32[2, 3]\n    1.5 -1 -1 5 6 -5\n");
    expect_text(run("#/s.onnx -i #/x.npy --external #/s.onnx_data -o #/out")->out, "out/output4.npy\n");
    assert_int_equal(gali_npy_read_f32(place_of("out/output4.npy"), 2, &got, shape, &error), GAL_OK);
    assert_true(got[0] == -2);
    free(got);
    assert_int_equal(gali_npy_read_f32(place_of("out/a_b.npy"), 2, &got, shape, &error), GAL_OK);
    assert_true(got[0] == 2);
    free(got);
}

static void says_what_the_model_wants(void **state) {
    (void)state;
    const said *s = run("#/m.onnx");
    expect_good(s);
    expect_text(s->out, "input   x  float32[batch, 3]\n");
    expect_text(s->out, "output  positive  float32[batch, 3]\n");
    expect_text(s->out, "--input x=X.npy --input y=X.npy -o DIR");
}

/* What the files and all that is in them are called is a C identifier. */
static void names_are_identifiers(void **state) {
    (void)state;
    char line[200];
    static const char *const names[] = {"9a", "a-b", "A", "a_name_of_twenty_five_char"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(line, sizeof line, "compile %s/m.onnx --name %s -o %s/out", place, names[i], place);
        expect_bad(gallop(line), 2, "not a C identifier of at most 24");
    }
    assert_int_equal(rename(place_of("m.onnx"), place_of("9.onnx")),
                     0); /* no letter that a name could begin with */
    snprintf(line, sizeof line, "compile %s/9.onnx -o %s/out", place, place);
    expect_text(gallop(line)->out, "out/model.h\n");
}

static void what_does_not_fit_is_named(void **state) {
    (void)state;
    static const double wide[6] = {0};
    size_t shape[2] = {2, 3};
    gal_error error = {0};
    assert_int_equal(gali_npy_write(place_of("wide.npy"), wide, GALI_f64, 2, shape, &error), GAL_OK);
    shape[0] = 6;
    assert_int_equal(gali_npy_write(place_of("flat.npy"), x, GALI_f32, 1, shape, &error), GAL_OK);
    write_array("tall.npy", x, 3, 2);
    write_array("one.npy", x, 1, 3);
    write_array("none.npy", x, 0, 3);
    spill(place_of("x.npz"), "PK\3\4 and the rest of an archive", 32);
    expect_bad(run("#/m.onnx -i #/x.npz -i #/y.npy"), 1, "x.npz: an archive of .npy files");
    expect_bad(run("#/m.onnx -i x= -i #/y.npy"), 2, "--input x=: a file is missing");
    expect_bad(run("#/m.onnx --sizes batch=2,batch=3"), 2, "--sizes: \"batch\" is told twice");
    expect_bad(run("#/m.onnx --sizes batch=2,width=3"), 2, "no size \"width\": the file leaves open batch");
    expect_bad(run("#/m.onnx --sizes batch=3..2"), 2,
               "--sizes batch=3..2: expected NAME=N or NAME=LEAST..MOST");
    expect_bad(run("#/m.onnx -i #/x.npy"), 2, "input \"y\" is missing: --input y=X.npy, float32[batch, 3]");
    expect_bad(run("#/m.onnx -i z=#/x.npy"), 2, "no input of that name; it has \"x\", \"y\"");
    expect_bad(run("#/m.onnx -i x=#/x.npy -i x=#/x.npy"), 2, "\"x\" is given already");
    expect_bad(run("#/m.onnx -i a -i b -i c"), 2, "--input c: one too many, the model has 2");
    expect_bad(run("#/m.onnx -i #/wide.npy -i #/y.npy"), 1,
               "wide.npy: float64[2, 3], but input \"x\" wants float32[batch, 3]");
    expect_bad(run("#/m.onnx -i #/flat.npy -i #/y.npy"), 1, "another number of dimensions");
    expect_bad(run("#/m.onnx -i #/tall.npy -i #/y.npy"), 1, "dimension 1 differs");
    expect_bad(run("#/m.onnx -i #/x.npy -i #/one.npy"), 1, "size batch is 2 in another input");
    expect_bad(run("#/m.onnx -i #/none.npy -i #/none.npy"), 1, "size batch is 0");
    expect_bad(run("#/m.onnx -i #/nothing.npy -i #/y.npy"), 1, "nothing.npy: No such file");
    expect_bad(run("#/m.onnx -i #/m.onnx -i #/y.npy"), 1, "not a .npy file");
    expect_bad(run("#/m.onnx -i #/x.npy -i #/y.npy -o #/y.npy"), 2, "the model has 2 outputs: name a folder");
    expect_bad(run("#/m.onnx -i #/x.npy -i #/y.npy --target none"), 2, "not one of");
    expect_bad(run("#/m.onnx -i #/x.npy -i #/y.npy --target wasm32+simd128"), 1,
               "target wasm32+simd128: its code does not run on this machine; gallop compile makes it");
    char many[512] = "#/m.onnx";
    for (int i = 0; i <= GALI_OPTION_LIST_MAX; i++) {
        strcat(many, " -i a");
    }
    expect_bad(run(many), 2, "-i: more than 64");
    expect_bad(run("#/m.onnx --target opencl --keep #/own"), 2, "target opencl has no files to keep");
    expect_bad(run("#/m.onnx --device 1"), 2, "--device is for --target opencl");
    expect_bad(run("#/m.onnx --times"), 2, "--times is for --target opencl");
    expect_bad(run("#/m.onnx --probe p.json"), 2, "--probe is for --target opencl");
    expect_bad(run("#/x.npy"), 1, "not an ONNX file");
    expect_bad(run(GALLOP_SOURCE_DIR "/models/dog.gallop"), 1,
               "dog.gallop: a model of Gallop, not ONNX: gallop info");
    char line[512];
    snprintf(line, sizeof line, "import %s/m.onnx -o %s/m.onnx", place, place);
    expect_bad(gallop(line), 2, "m.onnx: a file that is read");
    snprintf(line, sizeof line, "inspect %s/m.onnx --dot %s/m.onnx", place, place);
    expect_bad(gallop(line), 2, "m.onnx: a file that is read");
    snprintf(line, sizeof line, "inspect %s/m.onnx --dot %s/m.onnx/g.dot", place, place);
    expect_bad(gallop(line), 1, "m.onnx: Not a directory");
    expect_bad(run("#"), 1, "a folder, expected a file");
}

/* Whatever it is called, an output is never one of the files that are read. */
static void spares_what_it_reads(void **state) {
    (void)state;
    run("#/m.onnx -i #/x.npy -i #/y.npy -o #/out");
    assert_int_equal(remove(place_of("out/sum.npy")), 0);
    assert_int_equal(link(place_of("x.npy"), place_of("out/sum.npy")), 0);
    expect_bad(run("#/m.onnx -i #/x.npy -i #/y.npy -o #/out"), 2, "out/sum.npy: a file that is read");
    assert_int_equal(remove(place_of("out/sum.npy")), 0);
    assert_int_equal(mkdir(place_of("own"), 0777), 0);
    assert_int_equal(link(place_of("m.onnx"), place_of("own/model.c")), 0);
    expect_bad(run("#/m.onnx -i #/x.npy -i #/y.npy --keep #/own"), 2, "own/model.c: a file that is read");
    assert_int_equal(remove(place_of("own/model.c")), 0);
    assert_int_equal(rmdir(place_of("own")), 0);
    expect_bad(run("#/m.onnx -i #/x.npy"), 2, "input \"y\" is missing"); /* the model is whole */
}

/* CC is asked first; without it, what PATH has. */
static void compilers_that_are_not_there_are_named(void **state) {
    (void)state;
    setenv("CC", "no-compiler -x", 1);
    const said *s = run("#/m.onnx -i #/x.npy -i #/y.npy");
    assert_int_equal(s->status, 1);
    expect_text(s->err, "no-compiler cannot be run: a C compiler is needed (CC names another)");
    setenv("CC", "false", 1);
    expect_text(run("#/m.onnx -i #/x.npy -i #/y.npy")->err, "false failed without a word");
    unsetenv("CC");
    char *path = strdup(getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    s = run("#/m.onnx -i #/x.npy -i #/y.npy");
    setenv("PATH", path, 1);
    free(path);
    expect_bad(s, 1, "no C compiler: neither cc, gcc nor clang is on PATH");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(outputs_are_the_models, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_cache_knows_what_it_built, set_up, tear_down),
        cmocka_unit_test_setup_teardown(takes_a_log_and_a_profile, set_up, tear_down),
        cmocka_unit_test_setup_teardown(keeps_what_it_made, set_up, tear_down),
        cmocka_unit_test_setup_teardown(weights_beside_the_model_are_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(says_what_the_model_wants, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_are_identifiers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_does_not_fit_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(spares_what_it_reads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(compilers_that_are_not_there_are_named, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
