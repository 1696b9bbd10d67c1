/* gallop judge: a controller's quality in closed loop, script by script, against bars. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "directory.h"
#include "json.h"
#include "judge/bars.h"
#include "judge/page.h"
#include "motion/controller.h"
#include "options.h"
#include "precision_option.h"
#include "threads.h"

enum { MODELS = 2, VERDICTS_MAX = 1024 };

/* A model of the comparison, and how it stands against the bars. */
typedef struct entry {
    gali_judged judged;
    gali_judge_verdict verdicts[VERDICTS_MAX];
    uint32_t count, missed;
} entry;

typedef struct judge {
    const char *path, *second, *beside, *bars, *html;
    gali_judged_desc desc;
    int as_json;
    gali_precision_option precision;
    gali_judge_bars limits;
    entry entries[MODELS]; /* the model, and the one beside it */
    uint32_t models;
    gal_error error;
} judge;

/* ---- text ---- */

static void print_cell(double value, int decimals) {
    if (isnan(value)) {
        printf("%9s", "-");
    } else {
        printf("%9.*f", decimals, value);
    }
}

static void print_row(const gali_judged *self, const gali_figure_table *table, uint32_t script) {
    printf("%-18s", gali_judge_scripts[script].name);
    for (size_t i = 0; i < table->count; i++) {
        print_cell(gali_figure_value(&self->figures[script], &table->facts[i]), table->facts[i].decimals);
    }
    putchar('\n');
}

static void print_table(const gali_judged *self, const gali_figure_table *table) {
    int any = 0;
    for (uint32_t s = 0; s < gali_judge_script_count; s++) {
        if (!gali_judged_has(self, s) || !gali_figure_any(&self->figures[s], table)) {
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

static void print_bars(const entry *self) {
    printf("bars: %u of %u kept\n", self->count - self->missed, self->count);
    for (uint32_t i = 0; i < self->count; i++) {
        const gali_judge_verdict *v = &self->verdicts[i];
        if (gali_judge_is_missed(v)) {
            printf("  MISSED  %-18s %-9s %9.*f, at most %g\n", gali_judge_scripts[v->script].name,
                   v->fact->name, v->fact->decimals, v->got, v->most);
        }
    }
    putchar('\n');
}

static void print_model(const entry *self) {
    const gali_judged *judged = &self->judged;
    uint32_t count = 0;
    for (uint32_t i = 0; i < gali_judge_script_count; i++) {
        count += gali_judged_has(judged, i) ? 1u : 0u;
    }
    printf("%s: %u scripts of %g s in closed loop; lengths cm, skate cm/s, speed m/s, after the first 4 s\n\n",
           judged->controller->contract->name, count, judged->desc.seconds);
    for (int i = 0; i < GALI_FIGURE_TABLES; i++) {
        print_table(judged, &gali_figure_tables[i]);
    }
    printf("finite: %s, %llu set back; %.1f us a character and step on one thread\n\n",
           gali_judged_finite(judged) ? "yes" : "NO", (unsigned long long)gali_judged_resets(judged),
           1e6 * gali_judged_step_seconds(judged));
    print_bars(self);
}

/* Two models may well be called the same: it is their files that are told apart. */
static const char *file_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Every figure with a bar of both models, and which is the better. */
static void print_beside(const judge *self) {
    const entry *one = &self->entries[0], *other = &self->entries[1];
    uint32_t better[MODELS] = {0};
    const char *names[] = {file_of(self->path), file_of(self->beside)};
    printf("%-18s %-9s%20.20s%20.20s  better\n", "side by side", "", names[0], names[1]);
    for (uint32_t i = 0; i < one->count; i++) {
        const gali_judge_verdict *v = &one->verdicts[i];
        double a = fabs(v->got), b = NAN;
        if (gali_judged_has(&other->judged, v->script)) {
            b = fabs(gali_figure_value(&other->judged.figures[v->script], v->fact));
        }
        if (!isnan(b)) {
            better[a <= b ? 0 : 1]++;
            printf("%-18s %-9s%20.*f%20.*f  %s\n", gali_judge_scripts[v->script].name, v->fact->name,
                   v->fact->decimals, a, v->fact->decimals, b, names[a <= b ? 0 : 1]);
        }
    }
    printf("%s is as good or better in %u of %u\n\n", names[0], better[0], better[0] + better[1]);
}

static void print_text(const judge *self) {
    for (uint32_t m = 0; m < self->models; m++) {
        print_model(&self->entries[m]);
    }
    if (self->models > 1) {
        print_beside(self);
    }
    for (int i = 0; i < GALI_FIGURE_TABLES; i++) {
        for (size_t k = 0; k < gali_figure_tables[i].count; k++) {
            printf("  %-9s %s\n", gali_figure_tables[i].facts[k].heading,
                   gali_figure_tables[i].facts[k].meaning);
        }
    }
}

/* ---- JSON ---- */

static void put_script(gali_json *json, const gali_judged *self, uint32_t script) {
    gali_json_open(json, gali_judge_scripts[script].name, '{');
    gali_json_bool(json, "finite", self->figures[script].finite);
    for (int i = 0; i < GALI_FIGURE_TABLES; i++) {
        for (size_t k = 0; k < gali_figure_tables[i].count; k++) {
            const gali_figure_fact *fact = &gali_figure_tables[i].facts[k];
            gali_json_number(json, fact->name, gali_figure_value(&self->figures[script], fact));
        }
    }
    gali_json_close(json, '}');
}

static void put_bars(gali_json *json, const entry *self) {
    gali_json_number(json, "bars", self->count);
    gali_json_open(json, "missed", '[');
    for (uint32_t i = 0; i < self->count; i++) {
        const gali_judge_verdict *v = &self->verdicts[i];
        if (gali_judge_is_missed(v)) {
            gali_json_open(json, NULL, '{');
            gali_json_text(json, "script", gali_judge_scripts[v->script].name);
            gali_json_text(json, "figure", v->fact->name);
            gali_json_number(json, "got", v->got);
            gali_json_number(json, "most", v->most);
            gali_json_number(json, "general", v->general);
            gali_json_close(json, '}');
        }
    }
    gali_json_close(json, ']');
}

static void put_model(gali_json *json, const entry *self) {
    const gali_judged *judged = &self->judged;
    gali_json_text(json, "model", judged->desc.path);
    gali_json_number(json, "seconds", judged->desc.seconds);
    gali_json_bool(json, "finite", gali_judged_finite(judged));
    gali_json_number(json, "set_back", (double)gali_judged_resets(judged));
    gali_json_number(json, "step_us", 1e6 * gali_judged_step_seconds(judged));
    put_bars(json, self);
    gali_json_open(json, "scripts", '{');
    for (uint32_t i = 0; i < gali_judge_script_count; i++) {
        if (gali_judged_has(judged, i)) {
            put_script(json, judged, i);
        }
    }
    gali_json_close(json, '}');
}

static void print_json(const judge *self) {
    gali_json json = {.out = stdout, .flat = 2};
    gali_json_open(&json, NULL, '{');
    put_model(&json, &self->entries[0]);
    if (self->models > 1) {
        gali_json_open(&json, "beside", '{');
        put_model(&json, &self->entries[1]);
        gali_json_close(&json, '}');
    }
    gali_json_close(&json, '}');
}

/* ---- the command ---- */

static gal_status run_entry(judge *self, uint32_t number, const char *path) {
    entry *one = &self->entries[number];
    gali_judged_desc desc = self->desc;
    desc.path = path;
    desc.keeps_joints = self->html != NULL;
    gal_status status = gali_judged_make(&one->judged, &desc, &self->error);
    if (status == GAL_OK) {
        one->count = gali_judge_verdicts(&one->judged, &self->limits, one->verdicts, VERDICTS_MAX);
        for (uint32_t i = 0; i < one->count; i++) {
            one->missed += gali_judge_is_missed(&one->verdicts[i]) ? 1u : 0u;
        }
        self->models = number + 1;
    }
    return status;
}

static gal_status write_page(judge *self) {
    gali_judge_page page = {.path = self->html, .models = self->models};
    for (uint32_t m = 0; m < self->models; m++) {
        const entry *one = &self->entries[m];
        page.judged[m] = &one->judged;
        page.verdicts[m] = one->verdicts;
        page.counts[m] = one->count;
    }
    return gali_judge_page_write(&page, &self->error);
}

/* The last line: what is wrong, above all numbers that are none. */
static int conclude(const judge *self) {
    const entry *one = &self->entries[0];
    if (!gali_judged_finite(&one->judged)) {
        return gali_command_bad("judge", "%s: not finite in every script", self->path);
    }
    if (one->missed > 0) {
        const gali_judge_verdict *first = one->verdicts;
        while (!gali_judge_is_missed(first)) {
            first++;
        }
        return gali_command_bad("judge", "%s: %u of %u bars missed, the first %s, %s: %.3g, at most %g",
                                self->path, one->missed, one->count, gali_judge_scripts[first->script].name,
                                first->fact->name, first->got, first->most);
    }
    return GALI_EXIT_OK;
}

static int judge_all(judge *self) {
    gali_judge_bars_general(&self->limits);
    gal_status status = self->bars ? gali_judge_bars_read(&self->limits, self->bars, &self->error) : GAL_OK;
    if (status == GAL_OK) {
        status = run_entry(self, 0, self->path);
    }
    if (status == GAL_OK && self->beside) {
        status = run_entry(self, 1, self->beside);
    }
    if (status != GAL_OK) {
        return gali_command_bad("judge", "%s", self->error.message);
    }
    if (self->as_json) {
        print_json(self);
    } else {
        print_text(self);
    }
    fflush(stdout);
    if (self->html && write_page(self) != GAL_OK) { /* behind the figures, which took minutes */
        return gali_command_bad("judge", "%s", self->error.message);
    }
    return conclude(self);
}

static int run(int argc, char **argv) {
    static judge self; /* large, and there is one */
    self = (judge){.desc = {.seconds = 60, .interval = 1, .threads = gali_threads_cores()}};
    const gali_option options[] = {
        {"MODEL", GALI_OPTION_WORD, &self.path, 1, 0},
        {"OTHER", GALI_OPTION_WORD, &self.second, 0, 0},
        {"--beside", GALI_OPTION_TEXT, &self.beside, 0, 0},
        {"--bars", GALI_OPTION_TEXT, &self.bars, 0, 0},
        {"--html", GALI_OPTION_TEXT, &self.html, 0, 0},
        {"--json", GALI_OPTION_FLAG, &self.as_json, 0, 0},
        {"--seconds", GALI_OPTION_NUMBER, &self.desc.seconds, 5, 600},
        {"--frames", GALI_OPTION_COUNT, &self.desc.interval, 1, 8},
        {"--threads", GALI_OPTION_COUNT, &self.desc.threads, 1, GALI_THREADS_MAX},
        GALI_PRECISION_TABLE(self.precision),
    };
    int result = gali_options_read("judge", argc, argv, options, sizeof options / sizeof options[0]);
    if (result == GALI_EXIT_OK) {
        result = gali_precision_option_read(&self.precision, "judge", &self.desc.network);
    }
    if (result == GALI_EXIT_OK && self.second) {
        result =
            gali_command_usage("judge", "unexpected word %s; a second model goes behind --beside", self.second);
    }
    if (result == GALI_EXIT_OK) {
        const char *const read[] = {self.path, self.beside, self.bars};
        result = gali_command_spare("judge", self.html, read, sizeof read / sizeof read[0]);
    }
    if (result == GALI_EXIT_OK && gali_directory_make_for(self.html, &self.error) != GAL_OK) {
        result = gali_command_bad("judge", "%s", self.error.message); /* before the work, not after it */
    }
    if (result != GALI_EXIT_OK) {
        return result;
    }
    result = judge_all(&self);
    for (uint32_t m = 0; m < MODELS; m++) {
        gali_judged_release(&self.entries[m].judged);
    }
    return result;
}

const gali_command gali_command_judge = {
    "judge", "a controller's quality in closed loop, script by script",
    "usage: gallop judge MODEL [--beside OTHER] [--bars FILE] [--html FILE] [--seconds 60] [--frames 1] "
    "[--threads N]\n"
    "       [--json] " GALI_PRECISION_USAGE "\n\n"
    "Runs a character through scripts (stand, walk, run, circles, sideways, backwards, stops, turns, a random\n"
    "stick, jumps and crouching where it has them, hills, slopes, stairs) and prints speed, direction, stops,\n"
    "foot skate before and after locking, bone lengths, how far joints jump and more. Legend below the table.\n"
    "Exit status 1 if a bar is missed, which is said, or if anything was not finite.\n\n"
    "  --beside OTHER       the same of a second model, and which is the better by each figure that has a bar\n"
    "  --bars FILE          bars that replace the general ones: lines of `figure most [script]`, names as "
    "--json\n"
    "                       has them; `-` for the number takes one away\n"
    "  --html FILE          a page of it: plots and filmstrips, one file\n"
    "  --seconds S          of each script (60)\n"
    "  --frames N           evaluates a character once in N frames, up to 8, as a crowd's budget may (1)\n"
    "  --threads N          that run the scripts (as many as there are cores); the figures are the same\n"
    "  --json               the same figures for programs\n" GALI_PRECISION_HELP,
    run};
