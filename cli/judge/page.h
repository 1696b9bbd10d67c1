/*
 * What gallop judge found as a page of one file, which needs no network: how the models stand against the bars, plots of
 * speed and of the body's height, and filmstrips.
 */
#ifndef GALI_CLI_JUDGE_PAGE_H
#define GALI_CLI_JUDGE_PAGE_H

#include "judge/bars.h"

enum { GALI_PAGE_MODELS = 2 };

typedef struct gali_judge_page {
    const char *path;
    uint32_t models;
    const gali_judged *judged[GALI_PAGE_MODELS]; /* which kept their joints */
    const gali_judge_verdict *verdicts[GALI_PAGE_MODELS];
    uint32_t counts[GALI_PAGE_MODELS]; /* of verdicts */
} gali_judge_page;

gal_status gali_judge_page_write(const gali_judge_page *page, gal_error *error);

#endif
