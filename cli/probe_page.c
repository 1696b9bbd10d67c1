#include "probe_page.h"

#include <math.h>

#include "json.h"

static void write_fact(const gali_probe *probe, const gali_fact *fact, gali_json *json) {
    const gali_fact_facts *about = &gali_fact_list[fact->id];
    gali_json_open(json, NULL, '{');
    gali_json_text(json, "name", about->name);
    if (fact->level) {
        gali_json_number(json, "level", fact->level);
    }
    gali_json_number(json, "value", fact->value);
    gali_json_text(json, "unit", about->unit);
    gali_json_number(json, "sure", round(100 * fact->sure) / 100);
    if (fact->curve >= 0) {
        gali_json_text(json, "curve", probe->curves[fact->curve].name);
    }
    if (fact->note[0]) {
        gali_json_text(json, "note", fact->note);
    }
    gali_json_close(json, '}');
}

static void write_curve(const gali_curve *curve, gali_json *json) {
    gali_json_open(json, NULL, '{');
    gali_json_text(json, "name", curve->name);
    gali_json_text(json, "x", curve->x_unit);
    gali_json_text(json, "y", curve->y_unit);
    gali_json_number(json, "unstable", curve->unstable);
    gali_json_open(json, "points", '[');
    for (uint32_t i = 0; i < curve->count; i++) {
        gali_json_open(json, NULL, '[');
        gali_json_number(json, NULL, curve->x[i]);
        gali_json_number(json, NULL, curve->y[i]);
        gali_json_close(json, ']');
    }
    gali_json_close(json, ']');
    gali_json_close(json, '}');
}

void gali_probe_write_json(const gali_probe *probe, FILE *out) {
    gali_json json = {.out = out, .flat = 2};
    gali_json_open(&json, NULL, '{');
    gali_json_text(&json, "schema", "gallop-device 1");
    gali_json_text(&json, "kind", probe->kind);
    gali_json_text(&json, "name", probe->name);
    gali_json_text(&json, "vendor", probe->vendor);
    gali_json_text(&json, "version", probe->version);
    gali_json_text(&json, "driver", probe->driver);
    gali_json_open(&json, "facts", '[');
    json.flat = 3;
    for (uint32_t i = 0; i < probe->fact_count; i++) {
        write_fact(probe, &probe->facts[i], &json);
    }
    gali_json_close(&json, ']');
    gali_json_open(&json, "curves", '[');
    for (uint32_t i = 0; i < probe->curve_count; i++) {
        write_curve(&probe->curves[i], &json);
    }
    gali_json_close(&json, ']');
    gali_json_close(&json, '}');
}

void gali_probe_value(const gali_fact *fact, char text[32]) {
    static const char *const scales[] = {"B", "KB", "MB", "GB"};
    double value = fact->value;
    int scale = 0;
    if (gali_fact_list[fact->id].unit[0] == 'b') { /* bytes */
        while (value >= 1024 && scale < 3) {
            value /= 1024;
            scale++;
        }
        snprintf(text, 32, "%.3g %s", value, scales[scale]);
        return;
    }
    snprintf(text, 32, value >= 1000 ? "%.0f %s" : "%.3g %s", value, gali_fact_list[fact->id].unit);
}

/* ---- pictures ---- */

enum { WIDTH = 760, HEIGHT = 420, LEFT = 70, RIGHT = 20, TOP = 40, BOTTOM = 50 };

typedef struct frame {
    double x0, x1, y0, y1; /* logarithms */
} frame;

static double across(const frame *f, double x) {
    return (double)LEFT + (log2(x) - f->x0) / (f->x1 - f->x0) * (double)(WIDTH - LEFT - RIGHT);
}

static double down(const frame *f, double y) {
    return (double)(HEIGHT - BOTTOM) - (log2(y) - f->y0) / (f->y1 - f->y0) * (double)(HEIGHT - TOP - BOTTOM);
}

static frame frame_of(const gali_curve *curve) {
    frame f = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (uint32_t i = 0; i < curve->count; i++) {
        f.x0 = fmin(f.x0, log2(curve->x[i]));
        f.x1 = fmax(f.x1, log2(curve->x[i]));
        f.y0 = fmin(f.y0, log2(curve->y[i]));
        f.y1 = fmax(f.y1, log2(curve->y[i]));
    }
    f.x1 = f.x1 > f.x0 ? f.x1 : f.x0 + 1;
    f.y0 = f.y0 - .2;
    f.y1 = f.y1 + .4;
    return f;
}

static void draw_grid(const gali_curve *curve, const frame *f, FILE *out) {
    int bytes = curve->x_unit[0] == 'b', every = f->x1 - f->x0 > 10 ? 2 : 1;
    for (int e = (int)ceil(f->x0); e <= f->x1; e += every) {
        gali_fact label = {.id = bytes ? GALI_FACT_LOCAL_SIZE : GALI_FACT_REGISTERS_SHARED, .value = pow(2, e)};
        char text[32];
        gali_probe_value(&label, text);
        double x = across(f, pow(2, e));
        fprintf(out,
                "<path d=\"M%.1f %dV%d\" stroke=\"#e4e4e4\"/><text x=\"%.1f\" y=\"%d\" "
                "text-anchor=\"middle\">%s</text>\n",
                x, TOP, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 16, text);
    }
    for (double e = f->y1 - f->y0 > 4 ? 1 : .5, at = ceil(f->y0 / e) * e; at <= f->y1; at += e) {
        double y = down(f, pow(2, at));
        fprintf(out,
                "<path d=\"M%d %.1fH%d\" stroke=\"#e4e4e4\"/><text x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\">%.3g</text>\n",
                LEFT, y, WIDTH - RIGHT, LEFT - 6, y + 4, pow(2, at));
    }
}

/* Facts whose value is a place on the x axis stand as lines, with their words above. */
static void draw_facts(const gali_probe *probe, const gali_curve *curve, const frame *f, FILE *out) {
    int row = 0;
    for (uint32_t i = 0; i < probe->fact_count; i++) {
        const gali_fact *fact = &probe->facts[i];
        const gali_fact_facts *about = &gali_fact_list[fact->id];
        double place = log2(fact->value);
        char text[32];
        if (fact->curve < 0 || &probe->curves[fact->curve] != curve) {
            continue;
        }
        gali_probe_value(fact, text);
        int stands = about->unit[0] == curve->x_unit[0] && place >= f->x0 && place <= f->x1;
        int high = log2(curve->y[curve->count - 1]) > (f->y0 + f->y1) / 2; /* words go where the curve is not */
        double x = stands ? across(f, fact->value) : WIDTH - RIGHT - 190;
        double y = !stands && high ? HEIGHT - BOTTOM - 10 - 15 * row++ : TOP + 14 + 15 * row++;
        if (stands) {
            fprintf(out, "<path d=\"M%.1f %dV%d\" stroke=\"#d62728\" stroke-dasharray=\"4 3\"/>", x, TOP,
                    HEIGHT - BOTTOM);
        }
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" fill=\"#a11\">%s", x + 4, y, about->name);
        fprintf(out, fact->level ? " %u: %s (sure %.2f)</text>\n" : "%.0u: %s (sure %.2f)</text>\n",
                fact->level, text, fact->sure);
    }
}

void gali_probe_draw(const gali_probe *probe, uint32_t number, FILE *out) {
    const gali_curve *curve = &probe->curves[number];
    frame f = frame_of(curve);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
            "font-size=\"11\">"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/><text x=\"%d\" y=\"24\" font-size=\"15\">%s</text>"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>"
            "<text transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT, curve->name, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12,
            curve->x_unit, (TOP + HEIGHT - BOTTOM) / 2, curve->y_unit);
    if (curve->count) {
        draw_grid(curve, &f, out);
        fprintf(out, "<path fill=\"none\" stroke=\"#1f77b4\" stroke-width=\"1.6\" d=\"");
        for (uint32_t i = 0; i < curve->count; i++) {
            fprintf(out, "%c%.1f %.1f", i ? 'L' : 'M', across(&f, curve->x[i]), down(&f, curve->y[i]));
        }
        fprintf(out, "\"/>\n");
        draw_facts(probe, curve, &f, out);
    }
    fputs("</svg>\n", out);
}
