#include "judge/measure.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "space.h"

static const float planted = 0.5f;     /* contact from which a toe counts as on the ground */
static const float stopped = 0.1f;     /* m/s */
static const float in_the_air = 0.08f; /* m that all toes are over the ground */
static const float smooth_seconds = 0.1f;
static const float stride_seconds = 0.6f;

typedef struct scope {
    const gali_contract *contract;
    uint32_t frames, feet, first; /* first frame of the steady part */
    float rate, unit;
} scope;

/* Values gathered for a percentile. */
typedef struct pile {
    float *values;
    size_t count;
    double sum;
} pile;

static void put(pile *self, float value) {
    if (self->values) {
        self->values[self->count] = value;
    }
    self->count++;
    self->sum += (double)value;
}

static int by_size(const void *a, const void *b) {
    float d = *(const float *)a - *(const float *)b;
    return (d > 0) - (d < 0);
}

static double mean_of(const pile *self) {
    return self->count > 0 ? self->sum / (double)self->count : 0;
}

static double part_of(pile *self, double share) {
    if (!self->values || self->count == 0) {
        return 0;
    }
    qsort(self->values, self->count, sizeof *self->values, by_size);
    return (double)self->values[(size_t)(share * (double)(self->count - 1))];
}

static float step_length(const gali_judge_trace *trace, uint32_t f) {
    return hypotf(trace->frames[f].root.x - trace->frames[f - 1].root.x,
                  trace->frames[f].root.z - trace->frames[f - 1].root.z);
}

static float toe_speed(const scope *self, const gali_judge_trace *trace, uint32_t f, uint32_t foot) {
    gal_vec3 d = gali_vec3_sub(trace->frames[f].feet[foot].toe, trace->frames[f - 1].feet[foot].toe);
    return hypotf(d.x, d.z) * self->rate * self->unit * 100;
}

static double skate_of(const scope *self, const gali_judge_trace *trace, double *share) {
    pile slip = {0};
    uint32_t seen = 0;
    for (uint32_t f = self->first; f < self->frames; f++) {
        for (uint32_t k = 0; k < self->feet; k++, seen++) {
            if (trace->frames[f].feet[k].contact > planted) {
                put(&slip, toe_speed(self, trace, f, k));
            }
        }
    }
    *share = seen > 0 ? 100 * (double)slip.count / seen : NAN;
    return slip.count > 0 ? mean_of(&slip) : NAN;
}

static double slower_of(const scope *self, const gali_judge_trace *trace) {
    pile slow = {.values = malloc(self->frames * sizeof(float))};
    for (uint32_t f = self->first; f < self->frames && self->feet > 0; f++) {
        float least = toe_speed(self, trace, f, 0);
        for (uint32_t k = 1; k < self->feet; k++) {
            least = fminf(least, toe_speed(self, trace, f, k));
        }
        put(&slow, least);
    }
    double median = part_of(&slow, 0.5);
    free(slow.values);
    return self->feet > 0 ? median : NAN;
}

static void measure_pull(const scope *self, const gali_judge_trace *unlocked, const gali_judge_trace *locked,
                         gali_judge_figures *out) {
    pile pull = {.values = malloc((size_t)self->frames * GALI_JUDGE_FEET * sizeof(float))};
    for (uint32_t f = self->first; f < self->frames; f++) {
        for (uint32_t k = 0; k < self->feet; k++) {
            if (locked->frames[f].feet[k].contact > planted) {
                gal_vec3 d = gali_vec3_sub(locked->frames[f].feet[k].toe, unlocked->frames[f].feet[k].toe);
                put(&pull, gali_vec3_length(d) * self->unit * 100);
            }
        }
    }
    out->pull = pull.count > 0 ? mean_of(&pull) : NAN;
    out->pull99 = pull.count > 0 ? part_of(&pull, 0.99) : NAN;
    free(pull.values);
}

static void measure_speed(const scope *self, const gali_judge_trace *trace, gali_judge_figures *out) {
    const gali_judge_script *script = trace->script;
    double got = 0, wanted = 0, away = 0, turned = 0, aside = 0, moved = 0, cycles = 0, count = 0;
    for (uint32_t f = self->first; f < self->frames; f++) {
        const gali_judge_frame *now = &trace->frames[f], *before = &trace->frames[f - 1];
        float speed, heading, step = step_length(trace, f);
        gali_judge_wanted(script, self->contract, (float)f / self->rate, &speed, &heading);
        float way = atan2f(now->root.x - before->root.x, now->root.z - before->root.z);
        gal_input input = gali_judge_input(script, (float)f / self->rate);
        got += (double)step;
        wanted += (double)speed;
        away += step > 0 && isfinite(heading) ? (double)gali_angle_wrap(way - heading) : 0;
        turned += (double)gali_angle_wrap(now->facing - before->facing);
        aside += (double)fabsf(gali_angle_wrap(now->facing - input.camera_yaw));
        cycles += (double)gali_angle_wrap(now->phase - before->phase);
        moved += (double)now->moved;
        count += 1;
    }
    double per_second = (double)(self->rate * self->unit) / count, degrees = 180 / (double)GALI_PI;
    int steady = gali_judge_is_steady(script);
    out->speed = got * per_second;
    out->wanted = wanted * (double)self->unit / count;
    out->off = steady ? 100 * fabs(out->speed / out->wanted - 1) : NAN;
    out->direction = steady ? away / count * degrees : NAN;
    out->facing = script->strafe > 0 ? aside / count * degrees : NAN;
    out->turn = turned * (double)self->rate / count;
    out->cadence = cycles * (double)self->rate / count / (2 * (double)GALI_PI);
    out->moved = moved * per_second * 100;
}

/* Root speed over the last tenth of a second, m/s. */
static float smooth_speed(const scope *self, const gali_judge_trace *trace, uint32_t f) {
    uint32_t span = (uint32_t)fmaxf(smooth_seconds * self->rate, 1);
    span = span < f ? span : f;
    gal_vec3 d = gali_vec3_sub(trace->frames[f].root, trace->frames[f - span].root);
    return span > 0 ? hypotf(d.x, d.z) * self->rate * self->unit / (float)span : 0;
}

/* Frames from `from` until the speed is under (way < 0) or over (way > 0) a bound, as seconds; the whole part if never. */
static double wait_for(const scope *self, const gali_judge_trace *trace, uint32_t from, uint32_t to,
                       float bound, int way) {
    uint32_t f = from;
    while (f < to && (smooth_speed(self, trace, f) < bound ? way > 0 : way < 0)) {
        f++;
    }
    return (double)(f - from) / (double)self->rate;
}

/* Highest mean speed over a time that evens out strides, from a frame to another, m/s. */
static float highest_speed(const scope *self, const gali_judge_trace *trace, uint32_t from, uint32_t to) {
    uint32_t span = (uint32_t)fmaxf(stride_seconds * self->rate, 1);
    float most = 0;
    for (uint32_t f = from + span; f < to; f++) {
        gal_vec3 d = gali_vec3_sub(trace->frames[f].root, trace->frames[f - span].root);
        most = fmaxf(most, hypotf(d.x, d.z) * self->rate * self->unit / (float)span);
    }
    return most;
}

/* Means over all stops and starts but the first. */
static void measure_stops(const scope *self, const gali_judge_trace *trace, gali_judge_figures *out) {
    const gali_judge_script *script = trace->script;
    uint32_t on = (uint32_t)(script->on * self->rate), period = on + (uint32_t)(script->off * self->rate);
    float speed, heading;
    pile stops = {0}, starts = {0}, tops = {0};
    float slowest = 0;
    gali_judge_wanted(script, self->contract, 0, &speed, &heading);
    for (uint32_t begin = period; script->off > 0 && begin + period <= self->frames; begin += period) {
        float start = (float)wait_for(self, trace, begin, begin + on, 0.8f * speed * self->unit, 1);
        slowest = fmaxf(slowest, start);
        put(&starts, start);
        put(&tops, highest_speed(self, trace, begin, begin + on));
        put(&stops, (float)wait_for(self, trace, begin + on, begin + period, stopped, -1));
    }
    out->start = starts.count > 0 ? mean_of(&starts) : NAN;
    out->over = tops.count > 0 ? 100 * (mean_of(&tops) / (double)(speed * self->unit) - 1) : NAN;
    out->slowest = starts.count > 0 ? (double)slowest : NAN;
    out->stop = stops.count > 0 ? mean_of(&stops) : NAN;
}

/* Seconds until the root goes 80 % of the speed the way that the stick was thrown; a mean over all throws but the first. */
static void measure_pivots(const scope *self, const gali_judge_trace *trace, gali_judge_figures *out) {
    const gali_judge_script *script = trace->script;
    uint32_t every = (uint32_t)(4 * self->rate);
    pile pivots = {0};
    for (uint32_t begin = every; script->way == GALI_WAY_REVERSE && begin + every <= self->frames;
         begin += every) {
        float speed, heading, part = 0;
        uint32_t f = begin;
        gali_judge_wanted(script, self->contract, ((float)begin + 0.5f) / self->rate, &speed, &heading);
        for (; f < begin + every && part < 0.8f * speed; f++) {
            gal_vec3 way = gali_vec3_sub(trace->frames[f].root, trace->frames[f - 1].root);
            part = (way.x * sinf(heading) + way.z * cosf(heading)) * self->rate;
        }
        put(&pivots, (float)(f - begin) / self->rate);
    }
    out->pivot = pivots.count > 0 ? mean_of(&pivots) : NAN;
}

/* Standard deviation of the heels' places in the root frame, mean of both axes and all feet. */
static double travel_of(const scope *self, const gali_judge_trace *trace) {
    double total = 0, count = self->frames - self->first;
    for (uint32_t k = 0; k < self->feet; k++) {
        double x = 0, z = 0, xx = 0, zz = 0;
        for (uint32_t f = self->first; f < self->frames; f++) {
            double a = (double)trace->frames[f].feet[k].heel_x, b = (double)trace->frames[f].feet[k].heel_z;
            x += a / count;
            z += b / count;
            xx += a * a / count;
            zz += b * b / count;
        }
        total += (sqrt(fmax(xx - x * x, 0)) + sqrt(fmax(zz - z * z, 0))) / 2;
    }
    return self->feet > 0 ? total / self->feet * (double)self->unit * 100 : NAN;
}

static void measure_body(const scope *self, const gali_judge_trace *raw, const gali_judge_trace *locked,
                         gali_judge_figures *out) {
    double sum = 0, count = 0, seen = 0, scale = (double)self->unit * 100;
    double low = INFINITY, lowest = INFINITY, head = INFINITY, sunk = 0;
    pile off = {.values = malloc((size_t)self->frames * GALI_JUDGE_FEET * sizeof(float))}, sole = {0},
         lag = {0};
    for (uint32_t i = 0; i < GALI_JUDGE_BINS; i++) {
        sum += (i + 0.5) / 10 * raw->bones[i];
        count += raw->bones[i];
    }
    out->bones = count > 0 ? sum / count : NAN;
    out->bones99 = NAN;
    for (uint32_t i = 0; i < GALI_JUDGE_BINS && seen < 0.99 * count; i++) {
        seen += raw->bones[i];
        out->bones99 = (i + 1) / 10.0;
    }
    for (uint32_t f = self->first; f < self->frames; f++) {
        head = fmin(head, (double)locked->frames[f].head * scale);
        lowest = fmin(lowest, (double)locked->frames[f].lowest * scale);
        if (isfinite(locked->frames[f].lag)) {
            put(&lag, locked->frames[f].lag);
        }
        for (uint32_t k = 0; k < self->feet; k++) {
            const gali_judge_foot *foot = &locked->frames[f].feet[k];
            float over = (foot->toe.y - foot->ground) * self->unit * 100;
            low = fmin(low, (double)over);
            sunk = fmax(sunk, (double)(foot->lowest - foot->toe.y) * scale);
            if (foot->contact > planted) {
                put(&off, fabsf(over - self->contract->rules.foot_toe_height * self->unit * 100));
            }
            if (isfinite(foot->sole)) {
                put(&sole, foot->sole);
            }
        }
    }
    out->low = self->feet > 0 ? low : NAN;
    out->sunk = self->feet > 0 ? sunk : NAN;
    out->height = off.count > 0 ? part_of(&off, 0.95) : NAN;
    out->sole = sole.count > 0 ? mean_of(&sole) : NAN;
    out->tilt = lag.count > 0 ? fabs(mean_of(&lag)) : NAN;
    free(off.values);
    out->lowest = lowest;
    out->head = head;
}

/* By how much a point's way of a frame differs from the one before, centimetres. */
static double change_of(const scope *self, gal_vec3 a, gal_vec3 b, gal_vec3 c) {
    return (double)gali_vec3_length(gali_vec3_sub(gali_vec3_sub(c, b), gali_vec3_sub(b, a))) *
           (double)self->unit * 100;
}

/* The largest of what is kept of each frame, `at` bytes in it, and what 999 of 1000 are below. */
static void measure_most(const scope *self, const gali_judge_trace *trace, size_t at, float scale, double *most,
                         double *most999) {
    pile all = {.values = malloc(self->frames * sizeof(float))};
    for (uint32_t f = self->first; f < self->frames; f++) {
        float value;
        memcpy(&value, (const char *)&trace->frames[f] + at, sizeof value);
        put(&all, value * scale);
    }
    *most = part_of(&all, 1);
    *most999 = part_of(&all, 0.999);
    free(all.values);
}

/* How far joints go and turn in a frame, and by how much that changes from one frame to the next. */
static void measure_pose(const scope *self, const gali_judge_trace *trace, gali_judge_figures *out) {
    const float cm = self->unit * 100;
    out->hips = out->root = 0;
    out->span = (double)(trace->span * cm);
    for (uint32_t f = self->first; f < self->frames; f++) {
        const gali_judge_frame *now = &trace->frames[f], *a = f > 1 ? now - 2 : now, *b = f > 1 ? now - 1 : now;
        out->hips = fmax(out->hips, change_of(self, a->hips, b->hips, now->hips));
        out->root = fmax(out->root, change_of(self, a->root, b->root, now->root));
    }
    measure_most(self, trace, offsetof(gali_judge_frame, fastest), cm, &out->fastest, &out->fastest999);
    measure_most(self, trace, offsetof(gali_judge_frame, jump), cm, &out->jump, &out->jump999);
    measure_most(self, trace, offsetof(gali_judge_frame, turned), 1, &out->turned, &out->turned999);
    measure_most(self, trace, offsetof(gali_judge_frame, twist), 1, &out->twist, &out->twist999);
}

static float lowest_toe(const scope *self, const gali_judge_frame *frame) {
    float least = INFINITY;
    for (uint32_t k = 0; k < self->feet; k++) {
        least = fminf(least, (frame->feet[k].toe.y - frame->feet[k].ground) * self->unit);
    }
    return least;
}

/* Jumps of which the trace shows the whole, from one asked for to the next. */
static void measure_jumps(const scope *self, const gali_judge_trace *trace, gali_judge_figures *out) {
    const gali_judge_script *script = trace->script;
    uint32_t every = (uint32_t)(script->jump * self->rate), asked = 0, left = 0;
    double air = 0, rise = 0;
    for (uint32_t f = every; every > 0 && f + every <= self->frames; f += every) {
        float high = 0, body = 0;
        uint32_t flown = 0;
        for (uint32_t g = f; g < f + every; g++) {
            float toe = lowest_toe(self, &trace->frames[g]);
            high = fmaxf(high, toe);
            body = fmaxf(body, trace->frames[g].body * self->unit);
            flown += toe > in_the_air;
        }
        asked++;
        if (high > in_the_air) {
            left++;
            air += (double)((float)flown / self->rate);
            rise += (double)body * 100;
        }
    }
    out->asked = every > 0 ? (double)asked : NAN;
    out->jumped = every > 0 ? (double)left : NAN;
    out->air = left > 0 ? air / left : NAN;
    out->rise = left > 0 ? rise / left : NAN;
}

gali_judge_figures gali_judge_measure(const gali_contract *contract, uint32_t frames, uint32_t feet,
                                      const gali_judge_trace *raw, const gali_judge_trace *free_trace,
                                      const gali_judge_trace *locked) {
    scope self = {contract,       frames,        feet, gali_judge_settled(frames, contract->rate),
                  contract->rate, contract->unit};
    gali_judge_figures out = {.finite = raw->bad == 0 && free_trace->bad == 0 && locked->bad == 0};
    double share = 0;
    measure_speed(&self, locked, &out);
    measure_stops(&self, locked, &out);
    measure_pivots(&self, locked, &out);
    measure_pull(&self, free_trace, locked, &out);
    measure_body(&self, raw, locked, &out);
    measure_pose(&self, locked, &out);
    measure_jumps(&self, locked, &out);
    out.travel = travel_of(&self, free_trace);
    out.anchored = skate_of(&self, free_trace, &share);
    out.locked = skate_of(&self, locked, &share);
    out.slower = slower_of(&self, raw);
    out.skate = skate_of(&self, raw, &out.contact);
    return out;
}
