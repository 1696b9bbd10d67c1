/* The figures of measure.h as data: tables, JSON, bars and the page are made from these. */
#ifndef GALI_CLI_JUDGE_FIGURES_H
#define GALI_CLI_JUDGE_FIGURES_H

#include "judge/measure.h"

typedef struct gali_figure_fact {
    const char *name, *heading, *meaning;
    int decimals;
    size_t at; /* in gali_judge_figures */
} gali_figure_fact;

/* Tables of the report. One that tells of some scripts only leaves out those of which it has no figure. */
typedef struct gali_figure_table {
    const char *title;
    const gali_figure_fact *facts;
    size_t count;
} gali_figure_table;

enum { GALI_FIGURE_TABLES = 4 };

extern const gali_figure_table gali_figure_tables[GALI_FIGURE_TABLES];

/* NULL where there is no such figure. */
const gali_figure_fact *gali_figure_named(const char *name, size_t length);

/* NaN where it does not apply. */
double gali_figure_value(const gali_judge_figures *figures, const gali_figure_fact *fact);

/* Whether a script has any figure of a table. */
int gali_figure_any(const gali_judge_figures *figures, const gali_figure_table *table);

#endif
