/* What the bench prints and writes. docs/bench.md holds the schema of the JSON file and the CSV's columns. */
#ifndef GALLOP_BENCH_REPORT_H
#define GALLOP_BENCH_REPORT_H

#include "cell.h"

#include <stdio.h>

typedef struct report {
    FILE *json, *csv; /* NULL: not asked for */
    size_t cells;
} report;

/* Limits of the machine by level of memory. */
typedef struct machine {
    char processor[192];
    char compiler[96];
    struct {
        const char *level;
        size_t bytes;
        double rate; /* GB/s */
    } read[5];
    struct {
        const char *isa;
        double rate; /* GFLOP/s */
    } peak[CELL_ROOFS_MAX];
} machine;

void machine_measure(machine *m);

/* "amd-epyc-family-25-model-17-avx512": for file names. */
void machine_slug(char *text, size_t size);

/* Opens the files; NULL names are left out. 0 if one cannot be written. */
int report_open(report *r, const char *json, const char *csv, const machine *m);
void report_cell(report *r, const cell *c);
void report_close(report *r);

#endif
