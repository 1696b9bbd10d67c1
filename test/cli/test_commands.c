/*
 * Commands on small models on disk: what they say, their exit status, the files they leave. What info, check and judge
 * make of a model: test_verdicts.c.
 */
#define _XOPEN_SOURCE 700
#include "small_model.h"

#include "gallop/compiler.h"
#include "npy.h"

enum { ROWS = 5 };

static int setup(void **state) {
    int result = place_make(state);
    if (result == 0) {
        write_model(place_of("good.gallop"), NULL);
        spill_text(place_of("junk.gallop"), "GALLOP? no.");
        spill_text(place_of("walk.csv"), "frame,move_y,run\n0,1,0\n20,1,1\n39,0,0\n");
        spill_text(place_of("bad.csv"), "move_x\n7\n");
    }
    return result;
}

static void helps(void **state) {
    (void)state;
    static const char *const names[] = {"demo",   "import", "info",     "check", "eval",   "drive",
                                        "export", "judge",  "quantize", "tune",  "compile"};
    expect_good(gallop("--version"));
    expect_text(gallop("--version")->out, gal_version());
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const said *s = gallop("help");
        expect_good(s);
        expect_text(s->out, names[i]);
        s = gallop_here("help %s", names[i]);
        expect_good(s);
        expect_text(s->out, "usage: gallop ");
        expect_text(s->out, names[i]);
        expect_good(gallop_here("%s --help", names[i]));
        expect_good(gallop_here("%s none.gallop --help", names[i]));
    }
    assert_int_equal(gallop("")->status, 2);
    expect_bad(gallop("inof"), 2, "unknown command inof; did you mean info?");
    expect_bad(gallop("help chekc"), 2, "did you mean check?");
    expect_bad(gallop("foo"), 2, "unknown command foo (see: gallop help)");
    expect_bad(gallop("a.gallop"), 2, "a command goes before a model, as in: gallop info a.gallop");
    expect_bad(gallop("drive a -i b -o y.csv"), 2, "y.csv: arrays are written as .npy");
    expect_bad(gallop("drive a -i b -o y.npy --states y.npy"), 2, "y.npy: two arrays in one file");
    expect_bad(gallop("export a -i b -o y.fbx"), 2, "y.fbx: a name that ends in .bvh or .glb");
    expect_bad(gallop("judge a --seconds 1"), 2, "--seconds 1: a number from 5");
    expect_text(gallop("version")->out, gal_version());
    expect_bad(gallop("xyzzyplugh"), 2, "unknown command xyzzyplugh (see: gallop help)");
}

static void refuses_bad_usage(void **state) {
    (void)state;
    expect_bad(gallop("info"), 2, "gallop info: MODEL is missing");
    expect_bad(gallop("info a b"), 2, "unexpected word b; it takes one, MODEL (see");
    expect_bad(gallop("probe b"), 2, "unexpected word b; it takes options alone");
    static const char *const devices[] = {"one", "-1", "1.5", "65"};
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        expect_bad(gallop_here("probe --device %s", devices[i]), 2, "cpu, or a number of --list");
    }
    expect_bad(gallop_here("probe --device cpu -o %s/junk.gallop/p.json", place), 1, "Not a directory");
    expect_bad(gallop_here("probe --device cpu --plot %s/junk.gallop", place), 1, "Not a directory");
    static const char *const folders[] = {"", "/new/"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const said *spared = gallop_here("probe --device cpu --quick -o %s%s", place, folders[i]);
        expect_bad(spared, 1, "Is a directory");
        assert_string_equal(spared->out, ""); /* before the measuring */
    }
    expect_bad(gallop("judge a b"), 2, "unexpected word b; a second model goes behind --beside");
    expect_bad(gallop("judge a b c"), 2, "unexpected word c (see");
    expect_bad(gallop("info --frob"), 2, "unknown option --frob (see");
    expect_bad(gallop("info --jsn"), 2, "unknown option --jsn; did you mean --json?");
    expect_bad(gallop("judge a --second=9"), 2, "unknown option --second; did you mean --seconds?");
    expect_bad(gallop("eval a -x b"), 2, "unknown option -x; did you mean --x?");
    expect_bad(gallop("info a --json=1"), 2, "--json takes no value");
    expect_bad(gallop("eval a -o"), 2, "-o needs a value");
    expect_bad(gallop("compile a --sizes -o b"), 2, "--sizes needs a value");
    expect_bad(gallop("compile a --target --name=b -o c"), 2, "--target needs a value");
    expect_bad(gallop("eval a -o y"), 2, "--x is missing");
    expect_bad(gallop("eval a --x x"), 2, "-o is missing");
    expect_bad(gallop("eval a --x x -o y --precision f16"), 2,
               "--precision f16: stored, f32, fp16, bf16, bf16-dot, int16, int8 or int8-dot expected");
    expect_bad(gallop("drive a -o y"), 2, "--input is missing");
    expect_bad(gallop("drive a --input b"), 2, "-o is missing");
    expect_bad(gallop("drive a --input b -o c --start 1,2"), 2, "--start 1,2: three numbers");
    expect_bad(gallop("drive a --input b -o c --start 0,2e7,0"), 2, "X and Z within 1e+07");
    expect_bad(gallop("drive a --input b -o c --start -2e7,0,0"), 2, "X and Z within 1e+07");
    expect_bad(gallop("drive a --input b -o c --terrain-cell 0"), 2, "--terrain-cell 0: a number from");
    expect_bad(gallop("drive a --input b -o c --terrain-cell 3"), 2, "go with --terrain");
    expect_bad(gallop("export a --input b"), 2, "-o is missing");
    expect_bad(gallop("demo --dog --model a"), 2, "--walker, --dog and --model: one of them");
    expect_bad(gallop("demo --dog --walker"), 2, "--walker, --dog and --model: one of them");
    expect_bad(gallop("demo --characters 0"), 2, "--characters 0: a whole number from 1 to 64");
    expect_bad(gallop("demo --characters 1.5"), 2, "--characters 1.5: a whole number");
    expect_bad(gallop("demo --seconds ten"), 2, "--seconds ten: a number from");
    expect_bad(gallop("judge"), 2, "MODEL is missing");
    expect_bad(gallop("quantize a -o b"), 2, "--precision is missing: int16, int8, fp16 or bf16");
    expect_bad(gallop("quantize a -o b --precision int4"), 2,
               "--precision int4: int16, int8, fp16 or bf16 expected");
    expect_bad(gallop("quantize a -o b --precision int8 --block 0"), 2,
               "--block 0: `row` or a multiple of 16 up to 512 expected");
    expect_bad(gallop("quantize a -o b --precision int16 --block row"), 2,
               "--block row: a multiple of 16 up to 512 expected");
    expect_bad(gallop("quantize a --precision int8"), 2, "-o is missing");
}

static void refuses_bad_files(void **state) {
    (void)state;
    static const char *const commands[] = {"info", "check", "judge"};
    for (size_t i = 0; i < 3; i++) {
        expect_bad(gallop_here("%s %s/none.gallop", commands[i], place), 1, "none.gallop");
        expect_bad(gallop_here("%s %s/junk.gallop", commands[i], place), 1, "junk.gallop: ");
    }
    expect_bad(gallop_here("demo --model %s/junk.gallop --out %s", place, place), 1, "gallop demo: ");
    expect_bad(gallop_here("drive %s/good.gallop --input %s/none.csv -o %s/y.npy", place, place, place), 1,
               "none.csv");
    expect_bad(gallop_here("drive %s/good.gallop --input %s/bad.csv -o %s/y.npy", place, place, place), 1,
               "line 2, column move_x: 7 is not in -1..1");
    expect_bad(
        gallop_here("drive %s/good.gallop --input %s/walk.csv -o %s/junk.gallop/y.npy", place, place, place), 1,
        "junk.gallop: Not a directory");
    expect_bad(
        gallop_here("export %s/good.gallop --input %s/walk.csv -o %s/junk.gallop/y.bvh", place, place, place),
        1, "junk.gallop: Not a directory");
    spill(place_of("raw.csv"), "\x1b[2J\xff\n", 6); /* what a terminal would obey, and what is no text */
    expect_bad(gallop_here("drive %s/good.gallop --input %s/raw.csv -o %s/y.npy", place, place, place), 1,
               "line 1: unknown column \"?[2J?\"");
}

static int is_there(const char *name) {
    return access(place_of(name), F_OK) == 0;
}

/* A disk that is full after a few thousand bytes: each is refused, and neither the file nor a draft of it stays. */
static void leaves_no_part_of_a_file(void **state) {
    (void)state;
    static const struct {
        const char *arguments, *name;
    } cases[] = {{"drive %s/good.gallop --input %s/walk.csv -o %s/full", "full"},
                 {"export %s/good.gallop --input %s/walk.csv -o %s/full", "full"},
                 {"quantize %s/good.gallop --no-report --precision %s -o %s/full", "full"},
                 {"demo --model %s/good.gallop --seconds 1 %s --out %s", "demo.html"}};
    char arguments[512], command[1024], draft[64];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *second = i == 2 ? "fp16" : i == 3 ? "" : place;
        snprintf(arguments, sizeof arguments, cases[i].arguments, place, second, place);
        snprintf(command, sizeof command, "trap '' XFSZ; ulimit -f 2; \"%s\" %s >%s/stdout 2>%s/stderr",
                 GALLOP_COMMAND, arguments, place, place);
        int status = system(command);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
        snprintf(draft, sizeof draft, "%s.part", cases[i].name);
        assert_false(is_there(cases[i].name));
        assert_false(is_there(draft));
    }
}

/* What is no file is written to, not replaced: a pipe here, as /dev/stdout or /dev/full may be. */
/* A full disk shows when standard output is flushed; paths that fit no buffer are refused before anything is made. */
static void says_what_cannot_be_written(void **state) {
    (void)state;
    static char line[8192];
    char *to = line + snprintf(line, sizeof line, "'%s' help >/dev/full 2>%s/full", GALLOP_COMMAND, place);
    assert_int_equal(WEXITSTATUS(system(line)), 1);
    slurp(place_of("full"), line, sizeof line);
    expect_text(line, "standard output could not be written");
    static const char *const commands[] = {"demo --out", "drive a -i b -o"};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        to = line + snprintf(line, sizeof line, "'%s' %s ", GALLOP_COMMAND, commands[i]);
        memset(to, 'a', 5000);
        snprintf(to + 5000, 1024, "/b.npy 2>%s/full", place);
        assert_int_equal(WEXITSTATUS(system(line)), 1);
        slurp(place_of("full"), line, sizeof line);
        expect_text(line, "a...: the path is too long");
    }
}

static void writes_into_a_pipe(void **state) {
    (void)state;
    static char text[1 << 16];
    char command[1024];
    struct stat pipe;
    assert_int_equal(mkfifo(place_of("pipe"), 0600), 0);
    snprintf(command, sizeof command,
             "cat %s/pipe >%s/copy & \"%s\" export %s/good.gallop --input %s/walk.csv -o %s/pipe && wait || "
             "{ kill $!; exit 1; }", /* who reads waits until somebody writes */
             place, place, GALLOP_COMMAND, place, place, place);
    assert_int_equal(system(command), 0);
    assert_int_equal(stat(place_of("pipe"), &pipe), 0);
    assert_true(S_ISFIFO(pipe.st_mode));
    slurp(place_of("copy"), text, sizeof text);
    expect_text(text, "MOTION\nFrames: 40\n");
}

static void write_rows(size_t inputs) {
    size_t shape[2] = {ROWS, inputs};
    float *x = malloc(ROWS * inputs * sizeof *x), phase[ROWS];
    uint64_t seed = 2;
    gal_error error = {0};
    for (size_t i = 0; i < ROWS * inputs; i++) {
        x[i] = synthetic_uniform(&seed);
    }
    for (size_t i = 0; i < ROWS; i++) {
        phase[i] = 2.5f * (float)i;
    }
    assert_int_equal(gali_npy_write(place_of("x.npy"), x, GALI_f32, 2, shape, &error), GAL_OK);
    assert_int_equal(gali_npy_write(place_of("p.npy"), phase, GALI_f32, 1, shape, &error), GAL_OK);
    free(x);
}

static void checks_frames_of_the_user(void **state) {
    (void)state;
    size_t shape[1] = {ROWS};
    float turns[ROWS];
    char frames[256];
    gal_error error = {0};
    gali_contract *contract = mannequin_contract(mannequin_biped);
    write_rows(contract->inputs);
    gali_contract_release(contract, NULL);
    for (size_t i = 0; i < ROWS; i++) {
        turns[i] = 2.5f * (float)i / 6.2831853f;
    }
    assert_int_equal(gali_npy_write(place_of("turns.npy"), turns, GALI_f32, 1, shape, &error), GAL_OK);
    expect_good(gallop_here("eval %s/good.gallop --x %s/x.npy --phase %s/p.npy -o %s/y.npy", place, place,
                            place, place));
    snprintf(frames, sizeof frames, "check %s/good.gallop --x %s/x.npy --y %s/y.npy", place, place, place);
    const said *s = gallop_here("%s --phase %s/p.npy", frames, place);
    expect_good(s);
    expect_text(s->out, "PASS  your frames    5 frames");
    s = gallop_here("%s --phase %s/turns.npy", frames, place);
    expect_bad(s, 1, "FAIL, 1 of the checks");
    expect_text(s->out, "FAIL  your frames");
    expect_text(s->out, "        cause: the phase is in turns, radians are expected\n");
    expect_bad(gallop_here("%s", frames), 2, "--phase is missing");
    expect_bad(gallop_here("check %s/good.gallop --x %s/x.npy", place, place), 2, "--y is missing");
    expect_bad(gallop_here("%s --phase %s/p.npy --blend %s/p.npy", frames, place, place), 2,
               "--blend does not go with this model: its gate is \"cubic phase\"");
    expect_bad(gallop_here("%s --phase %s/x.npy", frames, place), 1, "x.npy: 2 dimensions, 1 expected");
    expect_bad(gallop_here("check %s/good.gallop --x %s/x.npy --y %s/x.npy --phase %s/p.npy", place, place,
                           place, place),
               1, "x.npy: rows of ");
}

static void evaluates_rows(void **state) {
    (void)state;
    size_t shape[2], wide_size;
    float *y;
    gal_error error = {0};
    gali_contract *contract = mannequin_contract(mannequin_biped);
    char arguments[512];
    write_rows(contract->inputs);
    snprintf(arguments, sizeof arguments, "eval %s/good.gallop --x %s/x.npy --phase %s/p.npy -o %s/y.npy",
             place, place, place, place);
    expect_good(gallop(arguments));
    assert_int_equal(gali_npy_read_f32(place_of("y.npy"), 2, &y, shape, &error), GAL_OK);
    assert_int_equal(shape[0], ROWS);
    assert_int_equal(shape[1], contract->outputs);
    expect_good(gallop_here("%s --precision f64", arguments));
    expect_bad(gallop_here("%s -o %s/x.npy", arguments, place), 2, "x.npy: a file that is read");
    expect_bad(gallop_here("%s --blend %s/p.npy", arguments, place), 2, "--blend does not go with this model");
    expect_bad(gallop_here("%s --block 32", arguments), 2, "--block is for --precision int16, int8");
    const float phases[ROWS + 1] = {0};
    assert_int_equal(gali_npy_write(place_of("more.npy"), phases, GALI_f32, 1, (size_t[]){ROWS + 1}, &error),
                     GAL_OK);
    expect_bad(gallop_here("%s --phase %s/more.npy", arguments, place), 1, "more.npy: 6 rows, x has 5");
    char *wide = malloc(1 << 20);
    FILE *file = fopen(place_of("y.npy"), "rb");
    wide_size = fread(wide, 1, 1 << 20, file);
    fclose(file);
    gali_npy array;
    assert_int_equal(gali_npy_parse(&array, wide, wide_size, "y", &error), GAL_OK);
    assert_int_equal(array.element, GALI_f64);
    assert_int_equal(array.count, shape[0] * shape[1]);
    for (size_t i = 0; i < array.count; i++) {
        double value;
        memcpy(&value, (const char *)array.data + 8 * i, sizeof value);
        assert_true(fabs(value - (double)y[i]) < 1e-3);
    }
    free(wide);
    free(y);
    write_rows(contract->inputs + 1);
    expect_bad(gallop(arguments), 1, "x.npy: rows of ");
    write_rows(contract->inputs);
    expect_good(gallop_here("eval %s/good.gallop --x %s/x.npy --phase %s/p.npy -o %s/y.npy --precision f32",
                            place, place, place, place));
    expect_bad(gallop_here("eval %s/good.gallop --x %s/x.npy -o %s/y.npy", place, place, place), 2,
               "--phase is missing");
    expect_bad(gallop_here("eval %s/good.gallop --x %s/p.npy --phase %s/p.npy -o %s/new/y.npy", place, place,
                           place, place),
               1, "p.npy: 1 dimensions, 2 expected");
    assert_false(is_there("new"));
    gali_contract_release(contract, NULL);
}

static void drives_a_character(void **state) {
    (void)state;
    size_t shape[3];
    float *poses, *states, terrain[6] = {0, 1, 2, 3, 4, 5};
    gal_error error = {0};
    expect_good(gallop_here(
        "drive %s/good.gallop --input %s/walk.csv -o %s/y.npy --rotations %s/r.npy --states %s/s.npy "
        "--start 100,-50,1.5",
        place, place, place, place, place));
    assert_int_equal(gali_npy_read_f32(place_of("y.npy"), 3, &poses, shape, &error), GAL_OK);
    assert_true(shape[0] == 40 && shape[1] == MANNEQUIN_JOINTS && shape[2] == 3);
    free(poses);
    assert_int_equal(gali_npy_read_f32(place_of("r.npy"), 3, &poses, shape, &error), GAL_OK);
    assert_true(shape[0] == 40 && shape[1] == MANNEQUIN_JOINTS && shape[2] == 4);
    free(poses);
    assert_int_equal(gali_npy_read_f32(place_of("s.npy"), 2, &states, shape, &error), GAL_OK);
    assert_true(shape[0] == 40 && shape[1] == 6 + 4);
    assert_true(fabsf(states[0] - 100) < 5 && fabsf(states[2] + 50) < 5 && fabsf(states[1]) < 1e-3f);
    free(states);
    /* A terrain of 3 x 2 cells of 1000, rows along x: clamped to 7 * (4 - 2) beyond x = 1000, z = 0. */
    size_t grid[2] = {3, 2};
    assert_int_equal(gali_npy_write(place_of("t.npy"), terrain, GALI_f32, 2, grid, &error), GAL_OK);
    expect_good(
        gallop_here("drive %s/good.gallop --input %s/walk.csv -o %s/y.npy --states %s/s.npy --terrain %s/t.npy "
                    "--terrain-scale 7 --terrain-offset 2 --terrain-cell 1000 --start 3000,-5000,0",
                    place, place, place, place, place));
    assert_int_equal(gali_npy_read_f32(place_of("s.npy"), 2, &states, shape, &error), GAL_OK);
    assert_true(fabsf(states[1] - 14) < 1e-3f);
    free(states);
    expect_bad(gallop_here("drive %s/good.gallop --input %s/walk.csv -o %s/z.npy --terrain %s/y.npy", place,
                           place, place, place),
               1, "y.npy: 3 dimensions, 2 expected");
}

static void exports_bvh(void **state) {
    (void)state;
    static char text[1 << 16];
    expect_good(gallop_here("export %s/good.gallop --input %s/walk.csv -o %s/a.bvh", place, place, place));
    slurp(place_of("a.bvh"), text, sizeof text);
    assert_memory_equal(text, "HIERARCHY\nROOT Hips\n", 20);
    expect_text(text, "MOTION\nFrames: 40\nFrame Time: 0.01666667\n");
}

static void quantises_a_model(void **state) {
    (void)state;
    const said *s =
        gallop_here("quantize %s/good.gallop --precision int8 -o %s/q8.gallop --no-report", place, place);
    assert_int_equal(s->status, 0);
    s = gallop_here("info %s/q8.gallop", place);
    expect_text(s->out, "int8");
    s = gallop_here("compile %s/q8.gallop --target scalar -o %s", place, place);
    expect_text(s->out, "the C is float32, integers of the file are widened");
    expect_bad(gallop_here("quantize %s/q8.gallop --precision int16 -o %s/q.gallop", place, place), 1,
               "q8.gallop: layer 0 has int8 weights already");
    expect_bad(gallop_here("quantize %s/none.gallop --precision int8 -o %s/q.gallop", place, place), 1,
               "none.gallop: No such file");
    expect_bad(gallop_here("quantize %s/good.gallop --precision int8 -o %s/junk.gallop/q.gallop", place, place),
               1, "junk.gallop: Not a directory");
    expect_bad(gallop_here("quantize %s/good.gallop --precision int8 -o -", place), 2, "-o -: a file expected");
    char folder[128]; /* the new file's name is said, not the model's */
    snprintf(folder, sizeof folder, "gallop quantize: %s: Is a directory", place);
    expect_bad(gallop_here("quantize %s/good.gallop --precision int8 -o %s", place, place), 1, folder);
    expect_bad(gallop_here("quantize %s/good.gallop --precision int8 -o ./%s/good.gallop", place, place), 2,
               "good.gallop: a file that is read");
    expect_good(gallop_here("check %s/good.gallop", place));
}

/* Links of both sorts, other spellings, and what a file is first written to. */
static void spares_what_it_reads(void **state) {
    (void)state;
    gali_contract *contract = mannequin_contract(mannequin_biped);
    write_rows(contract->inputs);
    gali_contract_release(contract, NULL);
    spill_text(place_of("script"), "move_y\n1\n");
    spill_text(place_of("out.npy.part"), "move_y\n1\n");
    spill_text(place_of("code.s"), "\tnop\n");
    assert_int_equal(symlink("good.gallop", place_of("soft.gallop")), 0);
    assert_int_equal(link(place_of("good.gallop"), place_of("hard.weights")), 0);
    assert_int_equal(link(place_of("x.npy"), place_of("hard.npy")), 0);
    const struct {
        const char *line, *lost;
    } lines[] = {
        {"eval #/good.gallop --x #/x.npy --phase #/p.npy -o #/hard.npy", "hard.npy"},
        {"eval #/good.gallop --x #/x.npy --phase #/p.npy -o #/../#/p.npy", "p.npy"},
        {"quantize #/good.gallop --precision int8 -o #/soft.gallop", "soft.gallop"},
        {"import #/none.onnx --contract #/script -o #/script", "script"},
        {"drive #/good.gallop --input #/script -o #/script", "script"},
        {"drive #/good.gallop --input #/script -o #/y.npy --states #/script", "script"},
        {"drive #/good.gallop --input #/out.npy.part -o #/out.npy", "out.npy"},
        {"export #/good.gallop --input #/script -o #/script", "script"},
        {"judge #/good.gallop --html #/soft.gallop", "soft.gallop"},
        {"judge #/good.gallop --bars #/script --html #/script", "script"},
        {"pack #/code.s -o #/./code.s", "code.s"},
        {"compile #/good.gallop --name hard -o #", "hard.weights"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char line[1024], *to = line, expected[128];
        for (const char *at = lines[i].line; *at; at++) {
            to += *at == '#' ? sprintf(to, "%s", place) : sprintf(to, "%c", *at);
        }
        snprintf(expected, sizeof expected, "%s: a file that is read, which would be lost", lines[i].lost);
        expect_bad(gallop(line), 2, expected);
    }
    expect_good(gallop_here("check %s/good.gallop", place));
    expect_good(gallop_here("drive %s/good.gallop --input %s/script -o /dev/null", place, place));
}

static void refuses_to_compile(void **state) {
    (void)state;
    static const char *const ranges[] = {"0", "9..8", "0..4", "-1", "x"};
    const char *target;
    const said *s = gallop_here("compile %s/good.gallop --target vax -o %s", place, place);
    expect_bad(s, 2, "gallop compile: target \"vax\": not one of");
    for (uint32_t i = 0; (target = gal_compile_target_name(i)) != NULL; i++) {
        expect_text(s->err, target);
    }
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        expect_bad(gallop_here("compile %s/good.gallop --characters %s -o %s", place, ranges[i], place), 2,
                   "expected LEAST..MOST, from 1 on");
    }
    expect_bad(gallop_here("compile %s/good.gallop --characters 1..1025 -o %s", place, place), 2,
               "characters 1..1025: not a range within 1..1024");
    expect_bad(gallop_here("compile %s/good.gallop", place), 2, "-o is missing");
    expect_bad(gallop_here("compile %s/good.gallop -o %s --weights c", place, place), 2, "array or blob");
    expect_bad(gallop_here("compile %s/good.gallop -o %s --form c", place, place), 2, "per-expert or blend");
    expect_bad(gallop_here("compile %s/good.gallop -o %s --name 9", place, place), 2, "name \"9\": not a C");
    expect_bad(gallop_here("compile %s/good.gallop --dump x", place), 2, "dump \"x\": no such pass");
    expect_bad(gallop_here("compile %s/none.gallop -o %s", place, place), 1, "none.gallop");
    expect_bad(gallop_here("compile %s/junk.gallop -o %s", place, place), 1, "junk.gallop: ");
    expect_bad(gallop_here("compile %s/good.gallop -o %s/junk.gallop/deeper", place, place), 1,
               "junk.gallop/deeper: ");
    expect_bad(gallop("compile a --stop-after fold -o b"), 2, "--dump is missing");
    expect_bad(gallop("compile a.onnx --without haste -o b"), 2, "--without haste: words of rewrite");
    expect_bad(gallop("compile a --layers -o b"), 2, "--layers is for ONNX models");
    expect_bad(gallop("compile a.onnx --layers --fast -o b"), 2, "without --sizes, --fast and --exact");
    static const char *const of_onnx[] = {"--external x", "--sizes n=1",    "--fast",
                                          "--exact",      "--without tile", "--profile x"};
    for (size_t i = 0; i < sizeof of_onnx / sizeof of_onnx[0]; i++) {
        char expected[64];
        snprintf(expected, sizeof expected, "%.*s is for ONNX models", (int)strcspn(of_onnx[i], " "),
                 of_onnx[i]);
        expect_bad(gallop_here("compile a %s -o b", of_onnx[i]), 2, expected);
    }
    /* the log's name is said, not the model's */
    expect_bad(gallop_here("compile %s/good.gallop --log none.log -o %s", place, place), 1,
               "gallop compile: none.log: No such file");
}

static void refuses_to_import(void **state) {
    (void)state;
    expect_bad(gallop("import a.onnx"), 2, "-o FILE is missing");
    expect_bad(gallop("import a.onnx -o -"), 2, "-o -: a file expected");
    expect_bad(gallop_here("import a.onnx -o %s/junk.gallop/b", place), 1, "junk.gallop: Not a directory");
    expect_bad(gallop("import a.onnx --f16 -o b"), 2, "go with a folder");
    expect_bad(gallop("import a --contract c -o b"), 2, "go with MODEL.onnx");
    spill(place_of("contract.txt"), "gallop-contract 1\nrate 0\n", 25);
    expect_bad(gallop_here("import a.onnx --contract %s/contract.txt -o b", place), 1,
               "contract.txt: contract line 2: rate: ");
}

static void packs_assembly(void **state) {
    static const char text[] = "f:\n\t{\n\t\tr1 = add(r1,#8)\n\t}\n\t{\n\t\tr2 = memw(r1+#4)\n\t}\n";
    static const char half[] = "f:\n\t{\n\t\tr1 = add(r1,#8)\n";
    char packed[256];
    (void)state;
    spill(place_of("f.s"), text, sizeof text - 1);
    spill(place_of("half.s"), half, sizeof half - 1);
    const said *s = gallop_here("pack %s/f.s -o %s/packed.s --blocks", place, place);
    expect_good(s);
    expect_text(s->out, "packets 1, before 2; blocks 1: 1 shorter");
    slurp(place_of("packed.s"), packed, sizeof packed);
    assert_string_equal(packed, "f:\n\t{\n\t\tr1 = add(r1,#8)\n\t\tr2 = memw(r1+#12)\n\t}\n");
    expect_good(gallop_here("pack %s/f.s -o %s/packed.s --soft hard --keep-registers --always", place, place));
    expect_bad(gallop_here("pack %s/half.s -o %s/packed.s", place, place), 1,
               "half.s: line 2: a packet without its end");
    expect_bad(gallop_here("pack %s/f.s -o %s/packed.s --soft easy", place, place), 2, "paper, hard or none");
    snprintf(packed, sizeof packed, "gallop pack: %s/none.s: No such file", place);
    expect_bad(gallop_here("pack %s/none.s -o %s/packed.s", place, place), 1, packed);
    expect_bad(gallop_here("pack %s/f.s", place), 2, "-o OUT.s is missing");
}

static void shows_a_demo(void **state) {
    (void)state;
    static char page[1 << 21], picture[16];
    const said *s =
        gallop_here("demo --model %s/good.gallop --seconds 2 --characters 9 --out %s", place, place);
    if (strstr(s->err, "this build draws no pictures")) {
        skip();
    }
    expect_good(s);
    expect_text(s->out, "mannequin: 9 characters over hills, 2 s at 60 frames a second");
    expect_text(s->out, "0 out of place, 0 characters set back");
    slurp(place_of("demo.html"), page, sizeof page);
    assert_true(strlen(page) > 50000);
    assert_null(strstr(page, "http")); /* nothing from the network, no names of it either */
    assert_null(strstr(page, "{{"));
    assert_null(strstr(page, " src="));
    assert_null(strstr(page, "@import"));
    expect_text(page, "\"name\": \"LeftToe\"");
    expect_text(page, "Figure eight");
    slurp(place_of("demo.png"), picture, sizeof picture);
    assert_memory_equal(picture, "\x89PNG", 4);
    expect_bad(gallop_here("demo --model %s/good.gallop --out %s/junk.gallop", place, place), 1, "junk.gallop");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(helps),
        cmocka_unit_test(refuses_bad_usage),
        cmocka_unit_test(refuses_bad_files),
        cmocka_unit_test(leaves_no_part_of_a_file),
        cmocka_unit_test(says_what_cannot_be_written),
        cmocka_unit_test(writes_into_a_pipe),
        cmocka_unit_test(checks_frames_of_the_user),
        cmocka_unit_test(evaluates_rows),
        cmocka_unit_test(drives_a_character),
        cmocka_unit_test(exports_bvh),
        cmocka_unit_test(quantises_a_model),
        cmocka_unit_test(spares_what_it_reads),
        cmocka_unit_test(refuses_to_compile),
        cmocka_unit_test(refuses_to_import),
        cmocka_unit_test(packs_assembly),
        cmocka_unit_test(shows_a_demo),
    };
    return cmocka_run_group_tests(tests, setup, place_remove);
}
