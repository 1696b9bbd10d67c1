/*
 * The passes between a program as it was built and one that can be lowered, in their order. The command, tests and fuzzers
 * take them from here, so that what is tested is what compiles.
 */
#include "compiler/program/margin.h"
#include "compiler/program/patterns.h"
#include "compiler/program/program.h"
#include "compiler/program/winograd.h"

static void make_fine(gali_program *program) {
    for (uint32_t i = 0; i < program->stage_count; i++) {
        program->stages[i].fine = 1;
    }
}

gal_status gali_program_for_cpu(gali_program *program, int exact, gal_error *error) {
    if (exact) {
        make_fine(program);
    }
    gal_status status = exact ? GAL_OK : gali_program_patterns(program, program->target, error);
    status = status == GAL_OK && !exact ? gali_program_winograd(program, error) : status;
    status = status == GAL_OK ? gali_program_copy_inputs(program, error) : status;
    status = status == GAL_OK ? gali_program_fuse(program, error) : status;
    status = status == GAL_OK ? gali_program_range(program, error) : status;
    status = status == GAL_OK ? gali_program_layout(program, error) : status;
    status = status == GAL_OK ? gali_program_add_margins(program, error) : status;
    status = status == GAL_OK ? gali_program_order(program, error) : status;
    return status == GAL_OK ? gali_program_place(program, error) : status;
}

gal_status gali_program_for_device(gali_program *program, gal_error *error) {
    gal_status status = gali_program_fuse(program, error);
    return status == GAL_OK ? gali_program_range(program, error) : status;
}
