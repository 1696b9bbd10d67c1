/* How versions of a layer are chosen: what schedule.c (written rules) and logged.c (a log's records) share. */
#ifndef GALI_COMPILER_PASS_VERSIONS_H
#define GALI_COMPILER_PASS_VERSIONS_H

#include "compiler/pass/pass.h"

/* Counts up to `most` run by a version, which the range before may do already. */
void gali_add_range(gali_layer_schedule *layer, uint32_t most, uint32_t version);

/* Whether the inner kernel does a layer's sums: its vectors are the runtime's, and there is one for the form. */
int gali_has_kernel(const gali_compilation *c, const gali_dense *dense);

/*
 * Takes c->log's schedules in place of the written ones, which the layer has, where it has records of it (logged.c says
 * which). Errors: GAL_BAD_DATA, with the log's path, for a record whose schedule cannot be.
 */
gal_status gali_take_logged(gali_compilation *c, gali_layer_schedule *layer, gal_error *error);

#endif
