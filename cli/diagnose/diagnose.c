/* The search: each mistake's steps are taken as long as they make the error smaller, and the best mistake wins. */
#include "diagnose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "case.h"
#include "pose_case.h"

#define MISTAKE(id, meaning) extern const gali_mistake gali_mistake_##id;
#include "mistakes.def"
#undef MISTAKE

static const gali_mistake *const mistakes[] = {
#define MISTAKE(id, meaning) &gali_mistake_##id,
#include "mistakes.def"
#undef MISTAKE
};

enum { STEPS_SAID = 6, MISTAKES_MOST = 3 };

/* What a search works on: readings to try on, and the best of the mistake looked at. */
typedef struct search {
    gali_case *self;
    gali_reading trial, best;
    double error;    /* of best */
    uint32_t steps;  /* undone in best */
    char text[1024]; /* what they are */
} search;

/* The step that leaves the least error, from `best`; 0 if none makes it smaller. */
static int find_step(search *s, const gali_mistake *mistake, uint32_t *step) {
    uint32_t count = mistake->steps(s->self, &s->best);
    double least = 0.99 * s->error;
    int found = 0;
    for (uint32_t i = 0; i < count && !gali_case_spent(s->self); i++) {
        gali_reading_copy(&s->trial, &s->best);
        double error = mistake->undo(s->self, &s->trial, i) ? s->self->error(s->self, &s->trial) : INFINITY;
        if (error < least) {
            least = 0.9 * error; /* the next must be better by more than rounding */
            *step = i;
            found = 1;
        }
        if (error < s->self->enough / 100) {
            break;
        }
    }
    return found;
}

/* Adds the words of the step that was undone last. */
static void say(search *s, const gali_mistake *mistake, uint32_t step) {
    size_t at = strlen(s->text), size = sizeof s->text;
    if (mistake->whole) {
        mistake->say(s->self, &s->best, step, s->text, size);
    } else if (s->steps < STEPS_SAID) {
        snprintf(s->text + at, size - at, "%s", at ? "; " : "");
        at = strlen(s->text);
        mistake->say(s->self, &s->best, step, s->text + at, size - at);
    } else if (s->steps == STEPS_SAID) {
        snprintf(s->text + at, size - at, "; and more of the kind");
    }
}

/* Undoes a mistake, from a reading, as far as it goes. */
static void undo(search *s, const gali_mistake *mistake, const gali_reading *from, double error) {
    uint32_t step = 0;
    gali_reading_copy(&s->best, from);
    s->error = error;
    s->text[0] = 0;
    for (s->steps = 0; s->steps < mistake->most && s->error > s->self->enough / 100; s->steps++) {
        if (!find_step(s, mistake, &step)) {
            break;
        }
        mistake->undo(s->self, &s->best, step);
        s->error = s->self->error(s->self, &s->best);
        say(s, mistake, step);
    }
}

/* One more mistake on top of `reading`, the best of those that are as costly; 0 if none helps. */
static int look(search *s, int costly, gali_reading *reading, gali_reading *best, gali_diagnosis *out) {
    double least = out->after;
    int found = 0;
    char text[sizeof s->text] = "";
    s->self->work = 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes && least > s->self->enough; i++) {
        if ((s->self->pose && !mistakes[i]->pose) || costly != mistakes[i]->costly) {
            continue;
        }
        undo(s, mistakes[i], reading, out->after);
        if (s->steps > 0 && s->error < least / 2) {
            found = 1;
            least = s->error;
            gali_reading_copy(best, &s->best);
            memcpy(text, s->text, sizeof text);
        }
    }
    if (found) {
        size_t at = strlen(out->text);
        snprintf(out->text + at, sizeof out->text - at, "%s%s", at ? "; " : "", text);
        gali_reading_copy(reading, best);
        out->after = least;
    }
    return found;
}

/* Outputs that stand still have an error of 1 spread, so what brings it down to that explains nothing. */
static const double no_better_than_nothing = 0.7;

static int is_sure(const gali_case *self, const gali_diagnosis *d) {
    return d->after < self->sure && d->after < self->part * d->before;
}

/* Several mistakes together are believed only if they explain everything; else the first is what may be said. */
static void conclude(const gali_case *self, const gali_diagnosis *first, gali_diagnosis *out) {
    if (is_sure(self, out)) {
        out->kind = GALI_DIAGNOSIS_SURE;
        return;
    }
    *out = *first;
    int likely = out->after < out->before / 3 && out->after < no_better_than_nothing;
    out->kind = likely ? GALI_DIAGNOSIS_LIKELY : GALI_DIAGNOSIS_NONE;
    if (out->kind == GALI_DIAGNOSIS_NONE) {
        out->text[0] = 0;
    }
}

/* Mistakes one on top of the other, from the plain reading. */
static void look_for(search *s, int costly, gali_reading *reading, gali_reading *best, gali_diagnosis *out) {
    gali_diagnosis first = *out;
    for (uint32_t i = 0; i < MISTAKES_MOST && out->after > s->self->enough; i++) {
        if (!look(s, costly, reading, best, out)) {
            break;
        }
        first = i == 0 ? *out : first;
    }
    conclude(s->self, &first, out);
}

/* plain, reading and best are open and as they were recorded. */
static void search_all(search *s, const gali_reading *plain, gali_reading *reading, gali_reading *best,
                       gali_diagnosis *out) {
    out->before = out->after = s->self->error(s->self, plain);
    gali_diagnosis other = *out;
    look_for(s, 0, reading, best, out);
    if (out->kind == GALI_DIAGNOSIS_SURE || out->before <= s->self->enough) {
        return;
    }
    gali_reading_copy(reading, plain);
    look_for(s, 1, reading, best, &other);
    if (other.kind > out->kind) {
        *out = other;
    }
}

static gal_status diagnose(gali_case *self, gali_diagnosis *out, gal_error *error) {
    search s = {.self = self};
    gali_reading plain, reading, best;
    *out = (gali_diagnosis){0};
    int opened = gali_reading_open(&plain, self);
    opened &= gali_reading_open(&reading, self);
    opened &= gali_reading_open(&best, self);
    opened &= gali_reading_open(&s.trial, self);
    opened &= gali_reading_open(&s.best, self);
    if (opened) {
        search_all(&s, &plain, &reading, &best, out);
    }
    gali_reading_close(&plain);
    gali_reading_close(&reading);
    gali_reading_close(&best);
    gali_reading_close(&s.trial);
    gali_reading_close(&s.best);
    return opened ? GAL_OK : gali_fail(error, GAL_NO_MEMORY, "no memory to look for the cause");
}

gal_status gali_diagnose_frames(gali_diagnosis *out, const gali_model_file *file, const gali_frames *frames,
                                gal_error *error) {
    gali_case self;
    *out = (gali_diagnosis){0};
    gal_status status = gali_case_open(&self, file, frames, error);
    if (status == GAL_OK) {
        status = diagnose(&self, out, error);
        gali_case_close(&self);
    }
    return status;
}

gal_status gali_diagnose_pose(gali_diagnosis *out, const gali_model_file *file, const gali_frames *frames,
                              gal_error *error) {
    gali_case self;
    *out = (gali_diagnosis){0};
    gal_status status = gali_case_open(&self, file, frames, error);
    if (status == GAL_OK) {
        gali_pose_case(&self);
        status = diagnose(&self, out, error);
        gali_case_close(&self);
    }
    return status;
}
