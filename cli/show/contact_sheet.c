#include "show/contact_sheet.h"

#include <cairo.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "space.h"

enum { COLUMNS = 15, ROWS_MAX = 12 };

/* Pixels. */
static const double cell_width = 88, cell_height = 128, label_width = 150, head = 74, margin = 20, row_gap = 24;

/* Of the view: sideways to the character and a little from its front and from above. */
static const float view_yaw = -1.15f, view_pitch = 0.16f;

typedef struct ink {
    double r, g, b;
} ink;

static const ink palette[8] = {{0.80, 0.79, 0.77}, {0.42, 0.74, 0.62}, {0.88, 0.50, 0.50}, {0.66, 0.55, 0.86},
                               {0.90, 0.75, 0.30}, {0.42, 0.66, 0.90}, {0.88, 0.57, 0.75}, {0.60, 0.75, 0.36}};
static const ink left = {0.95, 0.62, 0.20}, right = {0.22, 0.50, 0.88}, dark = {0.16, 0.18, 0.22};

/* One figure being drawn: where its root lies on the page, and the view's axes in the world. */
typedef struct cell {
    cairo_t *cairo;
    const gali_player_desc *desc;
    const gal_transform *pose;
    const gal_character_state *state;
    double x, y, scale; /* page position of the root, pixels in a metre */
    gal_vec3 across, above, back;
} cell;

/* A limb's ends on the page, with its depth for the painter's order. */
typedef struct stroke {
    double x[2], y[2], radius[2], depth;
    ink ink;
} stroke;

static ink mix(ink a, ink b, double t) {
    return (ink){a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

static void set_ink(cairo_t *cairo, ink colour, double alpha) {
    cairo_set_source_rgba(cairo, colour.r, colour.g, colour.b, alpha);
}

static void to_page(const cell *self, gal_vec3 point, double *x, double *y, double *depth) {
    gal_vec3 d = gali_vec3_scale(gali_vec3_sub(point, self->state->root), self->desc->contract->unit);
    *x = self->x + self->scale * (double)gali_vec3_dot(d, self->across);
    *y = self->y - self->scale * (double)gali_vec3_dot(d, self->above);
    *depth = (double)gali_vec3_dot(d, self->back);
}

static stroke stroke_of(const cell *self, const gali_limb *limb, ink own) {
    gal_vec3 from, to;
    double depth[2];
    stroke out = {.radius = {self->scale * (double)limb->radius_from, self->scale * (double)limb->radius_to}};
    gali_figure_ends(self->desc->figure, limb, self->pose, self->state->facing, &from, &to);
    to_page(self, from, &out.x[0], &out.y[0], &depth[0]);
    to_page(self, to, &out.x[1], &out.y[1], &depth[1]);
    out.depth = (depth[0] + depth[1]) / 2;
    out.ink = limb->part == GALI_LIMB_VISOR ? dark
              : limb->side > 0              ? mix(own, left, 0.8)
              : limb->side < 0              ? mix(own, right, 0.8)
                                            : own;
    return out;
}

static int nearer(const void *a, const void *b) {
    double d = ((const stroke *)a)->depth - ((const stroke *)b)->depth;
    return (d > 0) - (d < 0);
}

/* The outline of two discs and their common tangents. */
static void trace(cairo_t *cairo, const stroke *limb) {
    double dx = limb->x[1] - limb->x[0], dy = limb->y[1] - limb->y[0], length = hypot(dx, dy);
    double turn = atan2(dy, dx), lean = (limb->radius[0] - limb->radius[1]) / fmax(length, 1e-6);
    cairo_new_path(cairo);
    if (fabs(lean) >= 1) {
        int larger = limb->radius[1] > limb->radius[0];
        cairo_arc(cairo, limb->x[larger], limb->y[larger], limb->radius[larger], 0, 2 * 3.14159265);
        return;
    }
    double open = acos(lean);
    cairo_arc(cairo, limb->x[1], limb->y[1], limb->radius[1], turn - open, turn + open);
    cairo_arc(cairo, limb->x[0], limb->y[0], limb->radius[0], turn + open, turn - open + 2 * 3.14159265);
    cairo_close_path(cairo);
}

static void draw_ground(const cell *self) {
    cairo_t *cairo = self->cairo;
    float unit = self->desc->contract->unit;
    double half = cell_width / 2.0, x = 0, y = 0, depth = 0;
    cairo_new_path(cairo);
    for (int i = -8; i <= 8; i++) {
        float along = (float)(half / self->scale) * (float)i / 8 / unit;
        gal_vec3 at = gali_vec3_add(self->state->root, gali_vec3_scale(self->across, along));
        at.y = self->desc->ground ? self->desc->ground(self->desc->ground_context, at.x, at.z) : 0;
        to_page(self, at, &x, &y, &depth);
        cairo_line_to(cairo, self->x + half * i / 8, y);
    }
    cairo_line_to(cairo, self->x + half, self->y + 20);
    cairo_line_to(cairo, self->x - half, self->y + 20);
    cairo_close_path(cairo);
    cairo_set_source_rgb(cairo, 0.89, 0.90, 0.90);
    cairo_fill(cairo);
}

static void draw_contacts(const cell *self) {
    const gali_contract *contract = self->desc->contract;
    double x = 0, y = 0, depth = 0;
    for (uint32_t i = 0; i < contract->contact_count; i++) {
        if (self->state->contacts[i] > 0.5f) {
            gal_vec3 at = self->pose[contract->contact_joints[i]].position;
            at.y = self->desc->ground ? self->desc->ground(self->desc->ground_context, at.x, at.z) : 0;
            to_page(self, at, &x, &y, &depth);
            cairo_save(self->cairo);
            cairo_translate(self->cairo, x, y + 1.5);
            cairo_scale(self->cairo, 5.5, 1.8);
            cairo_arc(self->cairo, 0, 0, 1, 0, 2 * 3.14159265);
            cairo_restore(self->cairo);
            cairo_set_source_rgba(self->cairo, 0.95, 0.45, 0.05, 0.85);
            cairo_fill(self->cairo);
        }
    }
}

static void draw_figure(const cell *self, ink own) {
    stroke strokes[GALI_LIMBS_MAX];
    const gali_figure *figure = self->desc->figure;
    for (uint32_t i = 0; i < figure->limb_count; i++) {
        strokes[i] = stroke_of(self, &figure->limbs[i], own);
    }
    qsort(strokes, figure->limb_count, sizeof strokes[0], nearer);
    cairo_set_line_width(self->cairo, 0.9);
    for (uint32_t i = 0; i < figure->limb_count; i++) {
        trace(self->cairo, &strokes[i]);
        set_ink(self->cairo, strokes[i].ink, 1);
        cairo_fill_preserve(self->cairo);
        set_ink(self->cairo, mix(strokes[i].ink, dark, 0.55), 0.9);
        cairo_stroke(self->cairo);
    }
}

static void draw_cell(cairo_t *cairo, const gali_player_desc *desc, uint32_t character, uint32_t frame,
                      double x, double y) {
    const gal_character_state *state = gali_recording_state(desc->recording, character, frame);
    float yaw = state->facing + view_yaw; /* from the character towards the eye */
    cell self = {.cairo = cairo,
                 .desc = desc,
                 .pose = gali_recording_pose(desc->recording, character, frame),
                 .state = state,
                 .x = x,
                 .y = y,
                 .scale = fmin(0.84 * cell_height / (1.1 * (double)desc->figure->tall),
                               0.85 * cell_width / (double)desc->figure->deep),
                 .back = {sinf(yaw) * cosf(view_pitch), sinf(view_pitch), cosf(yaw) * cosf(view_pitch)},
                 .across = {cosf(yaw), 0, -sinf(yaw)}};
    self.above = gali_vec3_cross(self.back, self.across);
    cairo_save(cairo);
    cairo_rectangle(cairo, x - cell_width / 2.0, y - cell_height, cell_width, cell_height + 20);
    cairo_clip(cairo);
    draw_ground(&self);
    draw_contacts(&self);
    draw_figure(&self, palette[character % 8]);
    cairo_restore(cairo);
}

static void put_text(cairo_t *cairo, double x, double y, double size, int bold, ink colour, const char *text) {
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, size);
    set_ink(cairo, colour, 1);
    cairo_move_to(cairo, x, y);
    cairo_show_text(cairo, text);
}

static void draw_row(cairo_t *cairo, const gali_player_desc *desc, uint32_t character, double y) {
    const gali_recording *recording = desc->recording;
    ink quiet = {0.42, 0.46, 0.52};
    char text[64];
    float step = fmaxf(desc->contract->rate / 10, 1), span = step * (float)(COLUMNS - 1);
    float first = fmaxf(0.5f * ((float)recording->frames - 1 - span), 0);
    const gal_character_state *state = gali_recording_state(recording, character, (uint32_t)first);
    put_text(cairo, margin, y - cell_height / 2.0, 14, 1, dark, desc->names[character]);
    snprintf(text, sizeof text, "%.2f m/s", (double)(state->speed * desc->contract->unit));
    put_text(cairo, margin, y - cell_height / 2.0 + 18, 12, 0, quiet, text);
    for (int i = 0; i < COLUMNS; i++) {
        uint32_t frame = (uint32_t)(first + step * (float)i);
        if (frame < recording->frames) {
            draw_cell(cairo, desc, character, frame, margin + label_width + (i + 0.5) * cell_width, y);
        }
    }
}

static cairo_status_t put_bytes(void *file, const unsigned char *bytes, unsigned size) {
    return fwrite(bytes, 1, size, file) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static gal_status write_picture(cairo_surface_t *surface, const char *path, gal_error *error) {
    gali_file_draft draft;
    gal_status status = gali_file_begin(&draft, path, error);
    if (status != GAL_OK) {
        return status;
    }
    cairo_surface_write_to_png_stream(surface, put_bytes, draft.stream); /* a failure shows in the draft */
    return gali_file_finish(&draft, error);
}

gal_status gali_contact_sheet_write(const char *path, const gali_player_desc *desc, gal_error *error) {
    uint32_t rows = desc->recording->characters < ROWS_MAX ? desc->recording->characters : ROWS_MAX;
    int width = (int)(2 * margin + label_width + (int)COLUMNS * cell_width);
    int height = (int)(head + rows * (cell_height + row_gap) + margin);
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    cairo_t *cairo = cairo_create(surface);
    cairo_set_source_rgb(cairo, 0.965, 0.969, 0.973);
    cairo_paint(cairo);
    put_text(cairo, margin, 34, 20, 1, dark, desc->title);
    put_text(cairo, margin, 56, 13, 0, (ink){0.42, 0.46, 0.52}, desc->subtitle);
    for (uint32_t i = 0; i < rows; i++) {
        draw_row(cairo, desc, i, head + (i + 1) * (cell_height + row_gap) - row_gap);
    }
    cairo_status_t drawn = cairo_status(cairo);
    gal_status status = drawn == CAIRO_STATUS_SUCCESS
                            ? write_picture(surface, path, error)
                            : gali_fail(error, GAL_NO_MEMORY, "%s: %s", path, cairo_status_to_string(drawn));
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    return status;
}
