#include "judge/figures.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define FIGURE(name, heading, decimals, meaning)                                                               \
    {#name, heading, meaning, decimals, offsetof(gali_judge_figures, name)},
static const gali_figure_fact movement_facts[] = {GALI_JUDGE_MOVEMENT(FIGURE)};
static const gali_figure_fact feet_facts[] = {GALI_JUDGE_FEET_FIGURES(FIGURE)};
static const gali_figure_fact pose_facts[] = {GALI_JUDGE_POSE(FIGURE)};
static const gali_figure_fact jump_facts[] = {GALI_JUDGE_JUMPS(FIGURE)};
#undef FIGURE

#define TABLE(title, facts) {title, facts, sizeof facts / sizeof facts[0]}
const gali_figure_table gali_figure_tables[GALI_FIGURE_TABLES] = {
    TABLE("movement", movement_facts),
    TABLE("feet and body", feet_facts),
    TABLE("pose", pose_facts),
    TABLE("jumps", jump_facts),
};
#undef TABLE

const gali_figure_fact *gali_figure_named(const char *name, size_t length) {
    for (size_t t = 0; t < GALI_FIGURE_TABLES; t++) {
        for (size_t i = 0; i < gali_figure_tables[t].count; i++) {
            const gali_figure_fact *fact = &gali_figure_tables[t].facts[i];
            if (strlen(fact->name) == length && memcmp(fact->name, name, length) == 0) {
                return fact;
            }
        }
    }
    return NULL;
}

double gali_figure_value(const gali_judge_figures *figures, const gali_figure_fact *fact) {
    double value;
    memcpy(&value, (const char *)figures + fact->at, sizeof value);
    return value;
}

int gali_figure_any(const gali_judge_figures *figures, const gali_figure_table *table) {
    int any = 0;
    for (size_t i = 0; i < table->count; i++) {
        any |= !isnan(gali_figure_value(figures, &table->facts[i]));
    }
    return any;
}
