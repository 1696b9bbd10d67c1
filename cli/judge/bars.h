/*
 * Bars: how large a figure may be in a script. The general ones stand in bars.def; a file has a model's own, which
 * replace them:
 *
 *     # a line: figure, most, and the script; without a script all in which the figure applies
 *     fastest 7.9
 *     start 0.9 stop and go side
 *
 * A later line replaces an earlier one. `-` for the number takes the bar away.
 */
#ifndef GALI_CLI_JUDGE_BARS_H
#define GALI_CLI_JUDGE_BARS_H

#include "judge/judged.h"

typedef enum gali_script_set {
    GALI_SET_ANY = 0,
    GALI_SET_STEADY = 1, /* on and on, on flat ground */
    GALI_SET_SUDDEN = 2, /* stops, turns about and the like, on flat ground */
    GALI_SET_WALK = 4,
    GALI_SET_RUN = 8,
    GALI_SET_FLAT = 16,
    GALI_SET_SLOPE = 32,
    GALI_SET_STAIRS = 64,
} gali_script_set;

/* The most of a figure in each script; infinite: no bar. */
typedef struct gali_judge_bars {
    gali_judge_figures most[GALI_JUDGE_SCRIPTS_MAX];
} gali_judge_bars;

void gali_judge_bars_general(gali_judge_bars *bars);

/* The file's lines over what is there; a message with the line otherwise. */
gal_status gali_judge_bars_read(gali_judge_bars *bars, const char *path, gal_error *error);

/* One bar, what was got, and the most that the general bar there allows, infinite where there is none. */
typedef struct gali_judge_verdict {
    uint32_t script;
    const gali_figure_fact *fact;
    double got, most, general;
} gali_judge_verdict;

int gali_judge_is_missed(const gali_judge_verdict *verdict);

/* All bars that apply to what was run, script by script, into verdicts[most]; returns how many there are. */
uint32_t gali_judge_verdicts(const gali_judged *judged, const gali_judge_bars *bars,
                             gali_judge_verdict *verdicts, uint32_t most);

#endif
