/* `gallop import` on folders on disk: exit status, what it prints, the file it leaves. */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "network/model.h"
#include "virtual_folder.h"

typedef struct place {
    char root[64];
    char weights[96], bones[96], out[96];
} place;

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *where) {
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

static void write_file(const char *directory, const folder_file *file) {
    char path[256];
    gal_error error = {0};
    snprintf(path, sizeof path, "%s/%s", directory, file->name);
    if (gali_file_write(path, file->values, file->size, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
}

static void write_folder(const place *p, folder *f) {
    for (size_t i = 0; i < f->count; i++) {
        int bones = strncmp(f->files[i].name, "character", 9) == 0;
        write_file(bones ? p->bones : p->weights, &f->files[i]);
    }
    folder_free(f);
}

static int setup(void **state) {
    place *p = calloc(1, sizeof *p);
    strcpy(p->root, "gallop-import-XXXXXX");
    if (!mkdtemp(p->root)) {
        return -1;
    }
    snprintf(p->weights, sizeof p->weights, "%s/weights", p->root);
    snprintf(p->bones, sizeof p->bones, "%s/bones", p->root);
    snprintf(p->out, sizeof p->out, "%s/out.gallop", p->root);
    *state = p;
    return mkdir(p->weights, 0700) || mkdir(p->bones, 0700);
}

static int teardown(void **state) {
    place *p = *state;
    int result = nftw(p->root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    free(p);
    return result;
}

/* What a run printed. */
typedef struct said {
    int status;
    char out[4096], err[4096];
} said;

static void slurp(const char *path, char *text, size_t size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

static said run(const place *p, const char *arguments) {
    said s = {0};
    char command[1024], out[128], err[128];
    snprintf(out, sizeof out, "%s/stdout", p->root);
    snprintf(err, sizeof err, "%s/stderr", p->root);
    snprintf(command, sizeof command, "\"%s\" import %s >%s 2>%s", GALLOP_COMMAND, arguments, out, err);
    int status = system(command);
    s.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    slurp(out, s.out, sizeof s.out);
    slurp(err, s.err, sizeof s.err);
    return s;
}

/* Exactly one line on stderr, which holds `expected`. */
static void expect_line(const said *s, int status, const char *expected) {
    const char *newline = strchr(s->err, '\n');
    if (s->status != status || strncmp(s->err, "gallop import: ", 15) != 0 || !newline || newline[1] != 0 ||
        !strstr(s->err, expected)) {
        fail_msg("status %d, \"%s\", expected %d, \"%s\"", s->status, s->err, status, expected);
    }
}

static void imports_a_folder(void **state) {
    const place *p = *state;
    char arguments[512];
    write_folder(p, folder_make(342, 4, 5, 311));
    snprintf(arguments, sizeof arguments, "%s -o %s --skeleton %s", p->weights, p->out, p->bones);
    said s = run(p, arguments);
    assert_string_equal(s.err, "");
    assert_int_equal(s.status, 0);
    assert_non_null(strstr(s.out, "342 -> 4 -> 5 -> 311; inputs masked: 0, constant: 12"));
    assert_non_null(
        strstr(s.out, "gate cubic: 4 control points recovered from 50 sets; residual of the weights' rms"));
    assert_non_null(strstr(s.out, "research only, not for distribution"));
    void *bytes = NULL;
    size_t size = 0;
    gali_model model;
    assert_int_equal(gali_file_read(p->out, 1 << 24, NULL, &bytes, &size, NULL), GAL_OK);
    assert_int_equal(gali_model_read(&model, bytes, size, NULL), GAL_OK);
    assert_int_equal(model.gate, GAL_GATE_CUBIC);
    gali_release(NULL, bytes, size);

    snprintf(arguments, sizeof arguments, "%s -o %s --gate linear --sets 25 --f16", p->weights, p->out);
    s = run(p, arguments);
    expect_line(&s, 0, "warning: no character_parents.bin and character_xforms.bin in");
    assert_non_null(strstr(s.out, "gate linear: 25 stored sets"));
    assert_int_equal(gali_file_read(p->out, 1 << 24, NULL, &bytes, &size, NULL), GAL_OK);
    assert_int_equal(gali_model_read(&model, bytes, size, NULL), GAL_OK);
    assert_int_equal(model.experts, 25);
    assert_int_equal(model.layers[0].weight_type, GALI_WEIGHT_F16);
    gali_release(NULL, bytes, size);

    snprintf(arguments, sizeof arguments, "%s -o %s --samples 0,12,25,37 --skeleton %s", p->weights, p->out,
             p->bones);
    s = run(p, arguments);
    assert_int_equal(s.status, 0);
    assert_non_null(strstr(s.out, "gate cubic: 4 stored sets"));
    snprintf(arguments, sizeof arguments, "%s -o %s --gate constant --skeleton %s", p->weights, p->out,
             p->bones);
    s = run(p, arguments);
    assert_int_equal(s.status, 0);
    assert_non_null(strstr(s.out, "gate constant: 50 stored sets"));
}

static void warns_of_what_it_does_not_know(void **state) {
    const place *p = *state;
    char arguments[512];
    folder *f = folder_make(7, 4, 5, 3);
    write_folder(p, f);
    snprintf(arguments, sizeof arguments, "%s -o %s", p->weights, p->out);
    said s = run(p, arguments);
    expect_line(&s, 0, "warning: not 342 inputs and 311 outputs");
    f = folder_make(342, 4, 5, 311);
    folder_find(f, "W0_003.bin")->values[0] += 1;
    write_folder(p, f);
    snprintf(arguments, sizeof arguments, "%s -o %s --skeleton %s", p->weights, p->out, p->bones);
    s = run(p, arguments);
    expect_line(&s, 0, "warning: the sets are no samples of a cubic spline: --gate constant is exact");
}

static void says_what_is_wrong_in_one_line(void **state) {
    const place *p = *state;
    char arguments[512], path[256];
    write_folder(p, folder_make(7, 4, 5, 3));
    snprintf(path, sizeof path, "%s/W1_017.bin", p->weights);
    remove(path);
    snprintf(arguments, sizeof arguments, "%s -o %s", p->weights, p->out);
    said s = run(p, arguments);
    expect_line(&s, 1, "/weights: W1_017.bin: missing, expected 80 bytes (5 x 4 float32)");
    assert_int_equal(access(p->out, F_OK), -1);
    assert_int_equal(mkdir(path, 0700), 0); /* a folder where a file should be */
    s = run(p, arguments);
    expect_line(&s, 1, "W1_017.bin: ");
    rmdir(path);
    snprintf(arguments, sizeof arguments, "%s -o %s", p->root, p->out);
    s = run(p, arguments);
    expect_line(&s, 1, ": Xmean.bin: missing, expected 1..65536 float32");
    snprintf(arguments, sizeof arguments, "%s/nothing -o %s", p->root, p->out);
    s = run(p, arguments);
    expect_line(&s, 1, "/nothing: no such file or folder");
    snprintf(arguments, sizeof arguments, "%s/weights/Xmean.bin -o %s", p->root, p->out);
    s = run(p, arguments);
    expect_line(&s, 1, "Xmean.bin: neither a folder of weights");
    snprintf(arguments, sizeof arguments, "net.onnx -o %s", p->out);
    s = run(p, arguments);
    expect_line(&s, 1, "net.onnx: No such file");
    static const char contract[] = "gallop-contract 1\nname n\nrate 0\n";
    write_file(p->root, &(folder_file){
                            .name = "bad.contract", .values = (float *)contract, .size = sizeof contract - 1});
    snprintf(arguments, sizeof arguments, "net.onnx -o %s --contract %s/bad.contract", p->out, p->root);
    s = run(p, arguments); /* of the file that is wrong */
    expect_line(&s, 1, "/bad.contract: contract line 3: rate: ");
    snprintf(arguments, sizeof arguments, "net.onnx -o %s --gate cubic", p->out);
    s = run(p, arguments);
    expect_line(&s, 2, "--skeleton and --f16 go with a folder");
    write_folder(p, folder_make(7, 4, 5, 3));
    snprintf(arguments, sizeof arguments, "%s -o %s/Xmean.bin/folder/file", p->weights, p->weights);
    s = run(p, arguments);
    expect_line(&s, 1, "Not a directory");
    char deep[4200];
    memset(deep, 'd', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    gali_files files = gali_files_folder(deep);
    gal_error error = {0};
    size_t size = 0;
    assert_int_equal(files.size(files.context, "Xmean.bin", &size, &error), GAL_IO);
    assert_string_equal(error.message, "Xmean.bin: path too long");
    files = gali_files_folder(p->weights);
    char bytes[64];
    assert_int_equal(files.read(files.context, "none.bin", bytes, 1, &error), GAL_IO);
    assert_string_equal(error.message, "none.bin: gone");
    assert_int_equal(files.read(files.context, "Xmean.bin", bytes, 29, &error), GAL_IO);
    assert_string_equal(error.message, "Xmean.bin: read error");
}

static void knows_its_usage(void **state) {
    const place *p = *state;
    static const char *const usages[][2] = {
        {"", "PATH is missing"},
        {"a", "-o FILE is missing"},
        {"a -o b --gate square", "--gate square: cubic, linear or constant expected"},
        {"a -o b --gate linear --samples 0,12,25,37", "--samples goes with --gate cubic"},
        {"a -o b --samples 0,12,25", "--samples 0,12,25: four ascending sets from 0 to 49 expected"},
        {"a -o b --samples 0,12,25,37,", "--samples 0,12,25,37,: four ascending sets"},
        {"a -o b --samples 0,12,25,50", "four ascending sets"},
        {"a -o b --samples 0,12,12,37", "four ascending sets"},
        {"a -o b --samples 0,,25,37", "four ascending sets"},
        {"a -o b --samples 0,1e1,25,37", "four ascending sets"},
        {"a -o b --sets 10", "--sets goes with --gate linear"},
        {"a -o b --gate linear --sets 7", "--sets 7: 2, 5, 10, 25 or 50 expected"},
        {"a -o b --gate linear --sets 1", "--sets 1: a whole number from 2 to 50 expected"},
        {"a -o b --frob", "unknown option --frob"},
    };
    for (size_t i = 0; i < sizeof usages / sizeof *usages; i++) {
        said s = run(p, usages[i][0]);
        expect_line(&s, 2, usages[i][1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(imports_a_folder, setup, teardown),
        cmocka_unit_test_setup_teardown(warns_of_what_it_does_not_know, setup, teardown),
        cmocka_unit_test_setup_teardown(says_what_is_wrong_in_one_line, setup, teardown),
        cmocka_unit_test_setup_teardown(knows_its_usage, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
