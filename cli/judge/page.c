/*
 * The page is text and SVG, written as it goes. Plots: a frame is a point of a line. Filmstrips: the bones, seen from the
 * left of the way at the start, so that who goes on walks to the right; two seconds each.
 */
#include "judge/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "motion/controller.h"

static const char *const head =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
    "content=\"width=device-width\">"
    "<title>gallop judge</title><style>"
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:1240px;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}td,th{padding:.1em .8em;text-align:right}"
    "td:first-child,th:first-child{text-align:left}tr.missed td{background:#fde4dc}svg{background:#f6f6f4;"
    "display:block;margin:.3em 0;max-width:100%}h2{margin-top:2em}small{color:#666}a{color:inherit}</style>";

/* Colours of the two models' lines. */
static const char *const colours[GALI_PAGE_MODELS] = {"#1f6fb2", "#c8641b"};

/* The file's: two models may well be called the same. */
static const char *name_of(const gali_judged *judged) {
    const char *slash = strrchr(judged->desc.path, '/');
    return slash ? slash + 1 : judged->desc.path;
}

/* Names come from files. */
static void put_text(FILE *out, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}

/* ---- bars ---- */

static void put_verdict(const gali_judge_page *page, FILE *out, const gali_judge_verdict *v) {
    fprintf(out, "<tr%s><td><a href=\"#s%u\">%s</a><td>%s<td>%g",
            gali_judge_is_missed(v) ? " class=missed" : "", v->script, gali_judge_scripts[v->script].name,
            v->fact->heading, v->most);
    for (uint32_t m = 0; m < page->models; m++) {
        double got = NAN;
        if (gali_judged_has(page->judged[m], v->script)) {
            got = gali_figure_value(&page->judged[m]->figures[v->script], v->fact);
        }
        if (isnan(got)) {
            fputs("<td>-", out);
        } else {
            fprintf(out, "<td>%.*f", v->fact->decimals, got);
        }
    }
    fputs("</tr>\n", out);
}

static void put_table(const gali_judge_page *page, int missed_alone, FILE *out) {
    fputs("<table><tr><th>script<th>figure<th>at most", out);
    for (uint32_t m = 0; m < page->models; m++) {
        fputs("<th>", out);
        put_text(out, name_of(page->judged[m]));
    }
    fputs("</tr>\n", out);
    for (uint32_t i = 0; i < page->counts[0]; i++) {
        if (!missed_alone || gali_judge_is_missed(&page->verdicts[0][i])) {
            put_verdict(page, out, &page->verdicts[0][i]);
        }
    }
    fputs("</table>\n", out);
}

/* Those that are missed, then all of them, folded up. */
static void put_bars(const gali_judge_page *page, FILE *out) {
    uint32_t missed = 0;
    for (uint32_t i = 0; i < page->counts[0]; i++) {
        missed += gali_judge_is_missed(&page->verdicts[0][i]) ? 1u : 0u;
    }
    fprintf(out, "<p>%u of %u bars are missed%s\n", missed, page->counts[0], missed ? ":" : ".");
    if (missed) {
        put_table(page, 1, out);
    }
    fputs("<details><summary>All bars</summary>", out);
    put_table(page, 0, out);
    fputs("</details>\n", out);
}

/* ---- plots ---- */

enum { PLOT_WIDE = 1200, PLOT_HIGH = 110, PLOT_SECONDS = 20 /* of longer runs */ };

/* What a plot shows of a frame, in metres and seconds. */
typedef double (*quantity)(const gali_judged *judged, const gali_judge_trace *trace, uint32_t f);

static double speed_at(const gali_judged *judged, const gali_judge_trace *trace, uint32_t f) {
    const gali_contract *c = judged->controller->contract;
    gal_vec3 a = trace->frames[f > 5 ? f - 6 : 0].root, b = trace->frames[f].root;
    return f > 5 ? hypot((double)(b.x - a.x), (double)(b.z - a.z)) / 6 * (double)(c->rate * c->unit) : 0;
}

static double body_at(const gali_judged *judged, const gali_judge_trace *trace, uint32_t f) {
    return (double)(trace->frames[f].body * judged->controller->contract->unit);
}

static uint32_t frames_of(const gali_judged *judged, uint32_t script) {
    return judged->whole[gali_judge_scripts[script].ground].frames;
}

static void put_line(const gali_judged *judged, uint32_t script, quantity what, double most, double seconds,
                     const char *colour, FILE *out) {
    const gali_judge_trace *trace = gali_judged_trace(judged, script);
    const uint32_t frames = frames_of(judged, script);
    const double end = seconds * (double)judged->controller->contract->rate;
    fprintf(out, "<polyline fill=none stroke=\"%s\" points=\"", colour);
    for (uint32_t f = 0; f < frames && f < end; f += 2) {
        fprintf(out, "%.1f,%.1f ", f / end * (double)PLOT_WIDE,
                (double)PLOT_HIGH * (1 - fmin(fmax(what(judged, trace, f) / most, 0), 1)));
    }
    fputs("\"/>", out);
}

static void put_plot(const gali_judge_page *page, uint32_t script, const char *title, quantity what,
                     FILE *out) {
    double most = 1e-3, seconds = 0;
    for (uint32_t m = 0; m < page->models; m++) {
        const gali_judged *judged = page->judged[m];
        for (uint32_t f = 0; gali_judged_has(judged, script) && f < frames_of(judged, script); f++) {
            seconds = fmin(fmax(seconds, (f + 1) / (double)judged->controller->contract->rate), PLOT_SECONDS);
            most = fmax(most, 1.05 * what(judged, gali_judged_trace(judged, script), f));
        }
    }
    fprintf(out, "<small>%s, 0 to %.2f, over %.3g s</small><svg viewBox=\"0 0 %d %d\">", title, most, seconds,
            PLOT_WIDE, PLOT_HIGH);
    for (uint32_t m = 0; m < page->models; m++) {
        if (gali_judged_has(page->judged[m], script)) {
            put_line(page->judged[m], script, what, most, seconds, colours[m], out);
        }
    }
    fputs("</svg>\n", out);
}

/* ---- filmstrips ---- */

enum { STRIP_WIDE = 1200, STRIP_HIGH = 150, UNDER = 24 }; /* UNDER: what is left under the ground */
static const float strip_seconds = 2;

/* How a strip is drawn: how many figures, how wide the place of each is, and how long a metre. */
typedef struct strip {
    int figures;
    float wide, metre;
} strip;

/* A strip for a model's character, by its first pose: as large as fits; long ones have fewer figures, and wider places. */
static strip strip_of(const gali_judged *judged, uint32_t script) {
    const gali_contract *c = judged->controller->contract;
    const gal_vec3 *joints = gali_judged_trace(judged, script)->joints, *first = joints;
    float high = 0, far = 0;
    for (uint32_t j = 0; j < c->joint_count; j++) {
        gal_vec3 at = gali_vec3_sub(joints[j], first[0]);
        high = fmaxf(high, joints[j].y - gali_judged_trace(judged, script)->frames[0].root.y);
        far = fmaxf(far, hypotf(at.x, at.z));
    }
    strip made = {.figures = far > 0.6f * high ? 10 : 20};
    made.wide = (float)STRIP_WIDE / (float)made.figures;
    made.metre = fminf((STRIP_HIGH - UNDER) / (1.15f * high), made.wide / (2 * far)) / c->unit;
    return made;
}

/* Figure `column` of a strip: the bones in frame f, and the ground under them. */
static void put_figure(const gali_judged *judged, uint32_t script, strip s, uint32_t f, int column, FILE *out) {
    const gali_contract *c = judged->controller->contract;
    const gali_judge_ground *ground = &judged->whole[gali_judge_scripts[script].ground].ground;
    const gali_judge_trace *trace = gali_judged_trace(judged, script);
    const gal_vec3 *joints = trace->joints + (size_t)f * c->joint_count, root = trace->frames[f].root;
    const float middle = s.wide * ((float)column + 0.5f), bottom = STRIP_HIGH - UNDER, size = c->unit * s.metre;
    int along_x = fabsf(sinf(gali_judge_scripts[script].heading)) > 0.5f; /* sideways: seen from the front */
    for (uint32_t j = 1; j < c->joint_count; j++) {
        gal_vec3 a = gali_vec3_sub(joints[c->joints[j].parent], root), b = gali_vec3_sub(joints[j], root);
        float from = along_x ? a.x : a.z, to = along_x ? b.x : b.z;
        const char *colour = strstr(c->joints[j].name, "Left")    ? "#d08a1d"
                             : strstr(c->joints[j].name, "Right") ? "#2a6fa8"
                                                                  : "#444";
        fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>",
                (double)(middle + from * size), (double)(bottom - a.y * size), (double)(middle + to * size),
                (double)(bottom - b.y * size), colour);
    }
    fputs("<polyline class=g points=\"", out);
    for (int i = 0; i <= 12; i++) {
        float at = s.wide * ((float)i / 12 - 0.5f) / size;
        float height = gali_judge_ground_at((void *)(uintptr_t)ground, root.x + (along_x ? at : 0),
                                            root.z + (along_x ? 0 : at)) -
                       root.y;
        fprintf(out, "%.1f,%.1f ", (double)(middle + at * size), (double)(bottom - height * size));
    }
    fputs("\"/>", out);
}

/* A strip from `begin` on, seconds, as far as there are frames. */
static void put_strip(const gali_judged *judged, uint32_t script, float begin, FILE *out) {
    const strip s = strip_of(judged, script);
    float rate = judged->controller->contract->rate;
    uint32_t frames = judged->whole[gali_judge_scripts[script].ground].frames;
    fprintf(out,
            "<svg viewBox=\"0 0 %d %d\" stroke-width=2 stroke-linecap=round><style>.g{fill:none;stroke:#999;"
            "stroke-width:1}</style>",
            STRIP_WIDE, STRIP_HIGH);
    for (int i = 0; i < s.figures; i++) {
        uint32_t f = (uint32_t)((begin + strip_seconds * (float)i / (float)s.figures) * rate);
        if (f < frames) {
            put_figure(judged, script, s, f, i, out);
        }
    }
    fputs("</svg><small>", out);
    put_text(out, name_of(judged));
    fprintf(out, ", a figure every %g s from %.1f s on</small><br>\n",
            (double)(strip_seconds / (float)s.figures), (double)begin);
}

/* From just before what a script does: its first stop and its second start, its first jump; else after a while. */
static void put_strips(const gali_judged *judged, uint32_t script, FILE *out) {
    const gali_judge_script *s = &gali_judge_scripts[script];
    if (s->off > 0) {
        put_strip(judged, script, s->on - 0.2f, out);
        put_strip(judged, script, s->on + s->off - 0.2f, out);
    } else {
        put_strip(judged, script, s->jump > 0 ? s->jump - 0.4f : 3.8f, out);
    }
}

static void put_script(const gali_judge_page *page, uint32_t script, FILE *out) {
    fprintf(out, "<h2 id=s%u>%s</h2>\n", script, gali_judge_scripts[script].name);
    for (uint32_t m = 0; m < page->models; m++) {
        if (gali_judged_has(page->judged[m], script)) {
            put_strips(page->judged[m], script, out);
        }
    }
    put_plot(page, script, "speed, m/s", speed_at, out);
    put_plot(page, script, "first joint over the ground, m", body_at, out);
}

gal_status gali_judge_page_write(const gali_judge_page *page, gal_error *error) {
    gali_file_draft draft;
    gal_status status = gali_file_begin(&draft, page->path, error);
    if (status != GAL_OK) {
        return status;
    }
    fprintf(draft.stream, "%s<h1>gallop judge", head);
    for (uint32_t m = 0; m < page->models; m++) {
        fprintf(draft.stream, "%s<span style=\"color:%s\">", m == 0 ? ": " : " beside ", colours[m]);
        put_text(draft.stream, name_of(page->judged[m]));
        fputs("</span>", draft.stream);
    }
    fputs("</h1>\n", draft.stream);
    put_bars(page, draft.stream);
    for (uint32_t s = 0; s < gali_judge_script_count; s++) {
        if (gali_judged_has(page->judged[0], s)) {
            put_script(page, s, draft.stream);
        }
    }
    return gali_file_finish(&draft, error);
}
