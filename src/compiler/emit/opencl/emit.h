/*
 * Programs and controllers for GPUs as files: a header, and a source that has the kernels as text and drives them through
 * the system's OpenCL loader, or in the host's own context (body/host.inc).
 */
#ifndef GALI_COMPILER_EMIT_OPENCL_EMIT_H
#define GALI_COMPILER_EMIT_OPENCL_EMIT_H

#include "compiler/compilation.h"
#include "compiler/emit/opencl/plan.h"
#include "compiler/emit/program.h"

/* What every device of OpenCL 1.2 that is worth it has. */
extern const gali_device_limits gali_device_least_limits;

/* The same by a log: for the first device that it has records of, which held the tilings that it measured. Images it has none. */
gali_device_limits gali_device_logged_limits(gali_device_logged *logged);

/*
 * Fills header, source and, with weights_blob, weights. The program is fused and has ranges; it is of no other use
 * afterwards. Errors: as gali_device_plan_make.
 */
gal_status gali_opencl_emit(gali_program *program, const gali_emit_desc *desc, const gali_device_limits *limits,
                            gali_text parts[GAL_COMPILED_PART_COUNT], gal_error *error);

/* The program of a compilation whose model and range of characters are set, fused and with ranges. */
gal_status gali_opencl_program(gali_compilation *c, gali_program **program, gal_error *error);

/* Fills c->parts of such a compilation. */
gal_status gali_opencl_compile(gali_compilation *c, gal_error *error);

#endif
