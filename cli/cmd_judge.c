/* gallop judge: a controller's quality in closed loop, script by script. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "json.h"
#include "judge_measure.h"
#include "model_file.h"
#include "motion/controller.h"
#include "options.h"
#include "precision_option.h"

enum { SCRIPTS_MAX = 32, STAGES = 4 };

/* A figure of gali_judge_figures, as the lists of judge_measure.h tell it. */
typedef struct figure_fact {
    const char *name, *heading, *meaning;
    int decimals;
    size_t at;
} figure_fact;

#define FIGURE(name, heading, decimals, meaning)                                                               \
    {#name, heading, meaning, decimals, offsetof(gali_judge_figures, name)},
static const figure_fact movement_facts[] = {GALI_JUDGE_MOVEMENT(FIGURE)};
static const figure_fact feet_facts[] = {GALI_JUDGE_FEET_FIGURES(FIGURE)};
static const figure_fact pose_facts[] = {GALI_JUDGE_POSE(FIGURE)};
static const figure_fact jump_facts[] = {GALI_JUDGE_JUMPS(FIGURE)};
#undef FIGURE

/* Tables of the report. One that tells of some scripts only leaves out those of which it has no figure. */
typedef struct figure_table {
    const char *title;
    const figure_fact *facts;
    size_t count;
} figure_table;

#define TABLE(title, facts) {title, facts, sizeof facts / sizeof facts[0]}
static const figure_table tables[] = {
    TABLE("movement", movement_facts),
    TABLE("feet and body", feet_facts),
    TABLE("pose", pose_facts),
    TABLE("jumps", jump_facts),
};
#undef TABLE
enum { TABLES = sizeof tables / sizeof tables[0] };

/* Stages: the controller as it is on flat ground and on hills, and its bare predictions on both. */
typedef struct judge {
    const char *path;
    double seconds;
    uint32_t interval;
    int as_json;
    gali_precision_option precision;
    gal_network_desc desc;
    gal_controller *controller, *bare;
    gali_judge_stage stages[STAGES];
    gali_judge_figures figures[SCRIPTS_MAX];
    gal_error error;
} judge;

/* The same controller without what mends its feet: anchor off, positions as predicted. */
static gal_status open_controllers(judge *self) {
    gal_status status = gal_controller_open(&self->controller, self->path, &self->desc, &self->error);
    if (status == GAL_OK) {
        status = gal_controller_open(&self->bare, self->path, &self->desc, &self->error);
    }
    if (status == GAL_OK) { /* not in use yet: its rules may still be changed */
        self->bare->contract->rules.anchor = 0;
        self->bare->contract->rules.pose_rigid = 0;
        self->bare->contract->rules.inertia_jump = 0;
    }
    return status;
}

static gal_status run_stages(judge *self) {
    uint32_t frames = (uint32_t)(self->seconds * (double)self->controller->contract->rate);
    gal_status status = GAL_OK;
    for (int i = 0; i < STAGES && status == GAL_OK; i++) {
        int hills = i & 1, bare = i >> 1;
        gal_controller *controller = bare ? self->bare : self->controller;
        status = gali_judge_stage_make(&self->stages[i], controller, frames, hills, 1, &self->error);
        self->stages[i].interval = self->interval;
        if (status == GAL_OK) {
            status = gali_judge_stage_run(&self->stages[i], hills, &self->error);
        }
    }
    return status;
}

static int is_judged(const judge *self, uint32_t script) {
    return gali_judge_applies(&gali_judge_scripts[script], self->controller->contract);
}

static void measure(judge *self) {
    for (uint32_t i = 0; i < gali_judge_script_count; i++) {
        const gali_judge_script *script = &gali_judge_scripts[i];
        if (!is_judged(self, i)) {
            continue;
        }
        const gali_judge_stage *whole = &self->stages[script->hills], *bare = &self->stages[2 + script->hills];
        self->figures[i] = gali_judge_measure(
            self->controller->contract, whole->frames, whole->feet, gali_judge_stage_find(bare, script, 0),
            gali_judge_stage_find(whole, script, 0), gali_judge_stage_find(whole, script, 1));
    }
}

static void print_cell(double value, int decimals) {
    if (isnan(value)) {
        printf("%9s", "-");
    } else {
        printf("%9.*f", decimals, value);
    }
}

static uint64_t resets(const judge *self) {
    uint64_t sum = 0;
    for (int i = 0; i < STAGES; i++) {
        sum += self->stages[i].resets;
    }
    return sum;
}

static int all_finite(const judge *self) {
    int finite = resets(self) == 0;
    for (uint32_t i = 0; i < gali_judge_script_count; i++) {
        finite = finite && (!is_judged(self, i) || self->figures[i].finite);
    }
    return finite;
}

static double value_of(const gali_judge_figures *figures, const figure_fact *fact) {
    double value;
    memcpy(&value, (const char *)figures + fact->at, sizeof value);
    return value;
}

static int has_figures(const figure_table *table, const gali_judge_figures *figures) {
    int any = 0;
    for (size_t i = 0; i < table->count; i++) {
        any |= !isnan(value_of(figures, &table->facts[i]));
    }
    return any;
}

static void print_row(const judge *self, const figure_table *table, uint32_t script) {
    printf("%-18s", gali_judge_scripts[script].name);
    for (size_t i = 0; i < table->count; i++) {
        print_cell(value_of(&self->figures[script], &table->facts[i]), table->facts[i].decimals);
    }
    putchar('\n');
}

static void print_table(const judge *self, const figure_table *table) {
    int any = 0;
    for (uint32_t s = 0; s < gali_judge_script_count; s++) {
        if (!is_judged(self, s) || !has_figures(table, &self->figures[s])) {
            continue;
        }
        if (!any) {
            printf("%-18s", table->title);
            for (size_t i = 0; i < table->count; i++) {
                printf("%9s", table->facts[i].heading);
            }
            putchar('\n');
        }
        any = 1;
        print_row(self, table, s);
    }
    if (any) {
        putchar('\n');
    }
}

static double step_milliseconds(const judge *self) {
    double sum = 0, steps = 0;
    for (int i = 0; i < STAGES; i++) {
        sum += self->stages[i].step_seconds;
        steps += (double)self->stages[i].frames * self->stages[i].count;
    }
    return 1e3 * sum / steps;
}

static void print_text(const judge *self) {
    const gali_contract *contract = self->controller->contract;
    uint32_t judged = 0;
    for (uint32_t i = 0; i < gali_judge_script_count; i++) {
        judged += is_judged(self, i) ? 1u : 0u;
    }
    printf("%s: %u scripts of %g s in closed loop; lengths cm, skate cm/s, speed m/s, after the first 4 s\n\n",
           contract->name, judged, self->seconds);
    for (int i = 0; i < TABLES; i++) {
        print_table(self, &tables[i]);
    }
    printf("finite: %s, %llu set back; %.1f us a character and step on one thread\n\n",
           all_finite(self) ? "yes" : "NO", (unsigned long long)resets(self), 1e3 * step_milliseconds(self));
    for (int i = 0; i < TABLES; i++) {
        for (size_t k = 0; k < tables[i].count; k++) {
            printf("  %-9s %s\n", tables[i].facts[k].heading, tables[i].facts[k].meaning);
        }
    }
}

static void put_script(gali_json *json, const judge *self, uint32_t script) {
    gali_json_open(json, gali_judge_scripts[script].name, '{');
    gali_json_bool(json, "finite", self->figures[script].finite);
    for (int i = 0; i < TABLES; i++) {
        for (size_t k = 0; k < tables[i].count; k++) {
            const figure_fact *fact = &tables[i].facts[k];
            gali_json_number(json, fact->name, value_of(&self->figures[script], fact));
        }
    }
    gali_json_close(json, '}');
}

static void print_json(const judge *self) {
    gali_json json = {.out = stdout, .flat = 2};
    gali_json_open(&json, NULL, '{');
    gali_json_text(&json, "model", self->path);
    gali_json_number(&json, "seconds", self->seconds);
    gali_json_bool(&json, "finite", all_finite(self));
    gali_json_number(&json, "set_back", (double)resets(self));
    gali_json_number(&json, "step_us", 1e3 * step_milliseconds(self));
    gali_json_open(&json, "scripts", '{');
    for (uint32_t i = 0; i < gali_judge_script_count; i++) {
        if (is_judged(self, i)) {
            put_script(&json, self, i);
        }
    }
    gali_json_close(&json, '}');
    gali_json_close(&json, '}');
}

static int judge_opened(judge *self) {
    gal_status status = run_stages(self);
    if (status != GAL_OK) {
        return gali_command_bad("judge", "%s: %s", self->path, self->error.message);
    }
    measure(self);
    if (self->as_json) {
        print_json(self);
    } else {
        print_text(self);
    }
    return all_finite(self) ? GALI_EXIT_OK
                            : gali_command_bad("judge", "%s: not finite in every script", self->path);
}

static int run(int argc, char **argv) {
    judge self = {.seconds = 60, .interval = 1};
    const gali_option options[] = {
        {"MODEL", GALI_OPTION_WORD, &self.path, 1, 0},
        {"--json", GALI_OPTION_FLAG, &self.as_json, 0, 0},
        {"--seconds", GALI_OPTION_NUMBER, &self.seconds, 5, 600},
        {"--frames", GALI_OPTION_COUNT, &self.interval, 1, 8},
        GALI_PRECISION_TABLE(self.precision),
    };
    int result = gali_options_read("judge", argc, argv, options, sizeof options / sizeof options[0]);
    if (result == GALI_EXIT_OK) {
        result = gali_precision_option_read(&self.precision, "judge", &self.desc);
    }
    if (result != GALI_EXIT_OK) {
        return result;
    }
    result = open_controllers(&self) == GAL_OK ? judge_opened(&self)
                                               : gali_command_bad("judge", "%s", self.error.message);
    for (int i = 0; i < STAGES; i++) {
        gali_judge_stage_release(&self.stages[i]);
    }
    gal_controller_close(self.controller);
    gal_controller_close(self.bare);
    return result;
}

const gali_command gali_command_judge = {
    "judge", "a controller's quality in closed loop, script by script",
    "usage: gallop judge MODEL [--seconds 60] [--frames 1] [--json] " GALI_PRECISION_USAGE "\n\n"
    "Runs a walker through scripts (stand, walk, run, circles, sideways, backwards, stops, turns, a random\n"
    "stick, jumps where it has them, hills) and prints speed, direction, stop times, foot skate before and "
    "after\n"
    "locking, bone lengths, how far joints jump and more. Legend below the table. Exit status 1 if anything "
    "was\n"
    "not finite.\n\n"
    "  --seconds S          of each script (60)\n"
    "  --frames N           evaluates a character once in N frames, up to 8, as a crowd's budget may (1)\n"
    "  --json               the same figures for programs\n" GALI_PRECISION_HELP,
    run};
