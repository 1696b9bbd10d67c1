/* A program as C, built by the system's compiler, and loaded. */
#ifndef TEST_PROGRAM_BUILD_H
#define TEST_PROGRAM_BUILD_H

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/emit/program.h"
#include "sanitized.h"

static void program_write(const char *path, const gali_text *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text->bytes, 1, text->size, file), text->size);
    fclose(file);
}

/* What another compiler makes of the C is not sanitized where the test is, so it is made at the least cost there. */
static const char *const program_flags = SANITIZED ? "-O0 -w" : "-O1 -Wall -Wextra -Werror";

/* The program as a library of the system's compiler. */
static void *program_build(gali_program *program) {
    static int number;
    gali_text parts[GAL_COMPILED_PART_COUNT] = {{0}};
    gal_error error = {0};
    char folder[64], path[96], command[400];
    snprintf(folder, sizeof folder, "program_%d_%d", (int)getpid(), number++);
    gali_emit_desc desc = {"model", "a test", 0};
    if (gali_emit_program(program, &desc, parts, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    snprintf(command, sizeof command, "mkdir -p %s", folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/model.h", folder);
    program_write(path, &parts[GAL_COMPILED_HEADER]);
    snprintf(path, sizeof path, "%s/model.c", folder);
    program_write(path, &parts[GAL_COMPILED_SOURCE]);
    const char *flags = program->target && program->target->lanes > 1 ? program->target->flags : "";
    snprintf(command, sizeof command,
             "cc -std=c11 %s %s -ffp-contract=off -shared -fPIC -o %s/model.so %s/model.c -lm", program_flags,
             flags, folder, folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "./%s/model.so", folder);
    void *library = dlopen(path, RTLD_NOW);
    assert_non_null(library);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    for (int i = 0; i < GAL_COMPILED_PART_COUNT; i++) {
        gali_text_release(&parts[i]);
    }
    return library;
}

#endif
