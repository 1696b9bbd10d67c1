#include "compiler/emit/hvx/plan.h"

#include <string.h>

#include "base/error.h"
#include "compiler/emit/hvx/select.h"
#include "compiler/program/program.h"

enum { VECTOR = 128, SLACK = 256, UNITS_MOST = 1024, IMAGES_A_UNIT = 12, BYTES_MOST = 1 << 28 };

typedef struct planner {
    gali_hvx_plan *plan;
    const gali_hvx_region *region;
    uint32_t (*units)[GALI_HVX_FORMS]; /* [units] images of results in each form; flat ones as the first */
    uint32_t (*given)[GALI_HVX_FORMS]; /* [given] */
} planner;

static size_t round_up(size_t a, size_t to) {
    return (a + to - 1) / to * to;
}

uint32_t gali_hvx_maker(const gali_hvx_region *region, uint32_t value) {
    for (uint32_t i = 0; i < region->unit_count; i++) {
        if (region->units[i].to.value == value) {
            return i;
        }
    }
    return GALI_NONE;
}

static uint32_t given_number(const gali_hvx_region *region, uint32_t value) {
    uint32_t i = 0;
    while (region->given[i] != value) {
        i++;
    }
    return i;
}

/* ---- frames ---- */

static uint32_t reach(uint32_t taps, uint32_t apart) {
    return (taps - 1) * apart;
}

static uint32_t lesser(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static uint32_t pitch_of(const planner *p, const gali_hvx_bytes *bytes) {
    const uint32_t unit = gali_hvx_maker(p->region, bytes->value);
    return unit == GALI_NONE ? bytes->width : p->plan->pitch[unit];
}

int gali_hvx_has_frame(const gali_hvx_unit *unit) {
    const gali_hvx_window *w = &unit->window;
    const int windowed = unit->kind == GALI_HVX_UNIT_LAYER || unit->kind == GALI_HVX_UNIT_DEPTHWISE ||
                         unit->kind == GALI_HVX_UNIT_LARGEST;
    const int plain = unit->kind == GALI_HVX_UNIT_LAYER && w->high * w->wide * w->down * w->across == 1 &&
                      !w->top && !w->left && unit->to.lines == unit->from[0].lines &&
                      unit->to.width == unit->from[0].width;
    return unit->kind == GALI_HVX_UNIT_MEAN || (windowed && !plain);
}

gali_hvx_planes gali_hvx_planes_of(const gali_hvx_unit *unit) {
    const gali_hvx_window *w = &unit->window;
    if (unit->kind == GALI_HVX_UNIT_MEAN) {
        return (gali_hvx_planes){1, 1, unit->from[0].lines, unit->from[0].width, 0};
    }
    const uint32_t down = reach(w->high, w->apart_down), across = reach(w->wide, w->apart_across);
    const uint32_t pitch = unit->to.width + across / w->across;
    const uint32_t before = lesser((w->left + w->across - 1) / w->across, pitch);
    return (gali_hvx_planes){lesser(w->down, down + 1), lesser(w->across, across + 1),
                             unit->to.lines + down / w->down, pitch,
                             before > across / w->across ? before : across / w->across};
}

/* ---- what is chosen ---- */

static int64_t frame_cost(const gali_hvx_planes *planes, gali_hvx_form form, uint32_t channels) {
    return gali_hvx_frame_cost(form, channels, planes->down * planes->across * planes->lines, planes->pitch);
}

static int64_t unit_cost(const planner *p, uint32_t number, gali_hvx_form form) {
    const gali_hvx_unit *unit = &p->region->units[number];
    const gali_hvx_window *w = &unit->window;
    const gali_hvx_planes planes = gali_hvx_has_frame(unit) ? gali_hvx_planes_of(unit) : (gali_hvx_planes){0};
    const int64_t framed = gali_hvx_has_frame(unit) ? frame_cost(&planes, form, unit->from[0].channels) : 0;
    gali_hvx_size size = {unit->to.lines * p->plan->pitch[number], unit->to.channels, 1, 1};
    switch (unit->kind) {
    case GALI_HVX_UNIT_LAYER:
        size.from = unit->from[0].channels;
        size.taps = w->high * w->wide;
        return framed + gali_hvx_cost(framed ? GALI_HVX_WINDOW : GALI_HVX_LAYER, form, size);
    case GALI_HVX_UNIT_DEPTHWISE:
        size.taps = (w->high * w->wide + 1) / 2 * 2;
        return framed + gali_hvx_cost(GALI_HVX_DEPTHWISE, form, size);
    case GALI_HVX_UNIT_LARGEST:
        size.taps = w->high * w->wide;
        return framed + gali_hvx_cost(GALI_HVX_LARGEST, form, size);
    case GALI_HVX_UNIT_SUM:
        return gali_hvx_cost(GALI_HVX_SUM, form, size);
    case GALI_HVX_UNIT_TABLE:
        return gali_hvx_cost(GALI_HVX_TABLE, form, size);
    case GALI_HVX_UNIT_DENSE:
        return gali_hvx_cost(GALI_HVX_COLUMN, form,
                             (gali_hvx_size){unit->to.channels, 1, unit->from[0].channels, 1});
    case GALI_HVX_UNIT_MEAN:
        return form == GALI_HVX_VRMPY ? framed : GALI_SELECT_NEVER;
    default:
        return form == GALI_HVX_VMPY ? 0 : GALI_SELECT_NEVER;
    }
}

/* The graph of choices: units, then inputs, then outputs, which have the layout of one column. */
typedef struct choosing {
    int64_t (*nodes)[GALI_SELECT_FORMS];
    gali_select_edge *edges;
    uint32_t edge_count;
} choosing;

static void add_edge(const planner *p, choosing *c, uint32_t from, uint32_t to, const gali_hvx_bytes *bytes) {
    if (gali_hvx_is_flat(bytes)) {
        return;
    }
    gali_select_edge *edge = &c->edges[c->edge_count++];
    edge->from = from;
    edge->to = to;
    const uint32_t rows = bytes->lines * pitch_of(p, bytes);
    for (uint32_t a = 0; a < GALI_HVX_FORMS; a++) {
        for (uint32_t b = 0; b < GALI_HVX_FORMS; b++) {
            edge->cost[a][b] = gali_hvx_change_cost((gali_hvx_form)a, (gali_hvx_form)b, rows, bytes->channels);
        }
    }
}

/* One form for all that have it. */
static void insist(int64_t cost[GALI_SELECT_FORMS], gali_hvx_form choice) {
    for (uint32_t form = 0; form < GALI_SELECT_FORMS; form++) {
        if (form != choice && cost[choice] < GALI_SELECT_NEVER) {
            cost[form] = GALI_SELECT_NEVER;
        }
    }
}

static void fill_choosing(const planner *p, choosing *c, gali_hvx_form choice) {
    const gali_hvx_region *region = p->region;
    const uint32_t units = region->unit_count, all = units + region->given_count + region->made_count;
    for (uint32_t i = 0; i < units; i++) {
        const gali_hvx_unit *unit = &region->units[i];
        for (uint32_t form = 0; form < GALI_HVX_FORMS; form++) {
            c->nodes[i][form] = unit_cost(p, i, (gali_hvx_form)form);
        }
        if (choice < GALI_HVX_FORMS) {
            insist(c->nodes[i], choice);
        }
        for (uint32_t k = 0; k < unit->from_count; k++) {
            const uint32_t from = gali_hvx_maker(region, unit->from[k].value);
            add_edge(p, c, from == GALI_NONE ? units + given_number(region, unit->from[k].value) : from, i,
                     &unit->from[k]);
        }
    }
    for (uint32_t i = units; i < all; i++) {
        c->nodes[i][1] = c->nodes[i][2] = GALI_SELECT_NEVER;
    }
    for (uint32_t i = 0; i < region->made_count; i++) {
        const uint32_t from = gali_hvx_maker(region, region->made[i]);
        add_edge(p, c, from, units + region->given_count + i, &region->units[from].to);
    }
}

static gal_status choose(planner *p, gali_hvx_form choice, gal_error *error) {
    const gali_hvx_region *region = p->region;
    const uint32_t nodes = region->unit_count + region->given_count + region->made_count;
    choosing c = {.edges = gali_arena_take(region->arena, (2 * nodes + 1u) * sizeof *c.edges)};
    c.nodes = gali_arena_take(region->arena, (nodes + 1u) * sizeof *c.nodes);
    uint8_t *forms = gali_arena_take(region->arena, nodes + 1u);
    if (!c.edges || !c.nodes || !forms) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a region's forms");
    }
    fill_choosing(p, &c, choice);
    const gali_select_graph graph = {nodes, c.edge_count, (const int64_t(*)[GALI_SELECT_FORMS])c.nodes,
                                     c.edges};
    gali_select_plan found = {0};
    gal_status status = gali_select_forms(&graph, GALI_SELECT_PART, forms, &found, error);
    p->plan->forms = forms;
    p->plan->cost = found.cost;
    return status;
}

/* ---- images ---- */

static uint32_t add_image(planner *p, const gali_hvx_image *image) {
    gali_hvx_image *made = &p->plan->images[p->plan->image_count];
    *made = *image;
    made->first = made->last = p->plan->step_count;
    made->bytes = round_up(made->bytes + SLACK, VECTOR);
    return p->plan->image_count++;
}

/* A picture in a form. */
static uint32_t add_picture(planner *p, const gali_hvx_bytes *bytes, gali_hvx_form form, uint32_t pitch) {
    const uint32_t each = gali_hvx_columns(form);
    gali_hvx_image image = {.form = form,
                            .groups = (uint32_t)round_up(bytes->channels, 4) / each,
                            .lines = bytes->lines,
                            .width = bytes->width,
                            .pitch = pitch};
    image.step = (uint32_t)round_up((size_t)bytes->lines * pitch, VECTOR) * each;
    image.bytes = (size_t)image.step * image.groups;
    return add_image(p, &image);
}

static uint32_t add_flat(planner *p, size_t bytes) {
    return add_image(p, &(gali_hvx_image){
                            .groups = 1, .lines = 1, .width = 1, .pitch = 1, .bytes = round_up(bytes, VECTOR)});
}

static uint32_t add_frame_image(planner *p, const gali_hvx_planes *planes, uint32_t channels,
                                gali_hvx_form form) {
    const uint32_t each = gali_hvx_columns(form);
    gali_hvx_image image = {.form = form,
                            .groups = (uint32_t)round_up(channels, 4) / each,
                            .lines = planes->lines,
                            .width = planes->pitch,
                            .pitch = planes->pitch};
    const size_t places = (size_t)planes->lines * planes->pitch + planes->behind;
    const size_t plane = round_up(places * each, VECTOR) + SLACK;
    image.step = (uint32_t)(plane * planes->down * planes->across);
    image.bytes = (size_t)image.step * image.groups;
    return add_image(p, &image);
}

static void add_step(planner *p, gali_hvx_step step) {
    gali_hvx_plan *plan = p->plan;
    for (uint32_t k = 0; k < 2; k++) {
        if (step.from[k] != GALI_NONE) {
            plan->images[step.from[k]].last = plan->step_count;
        }
    }
    plan->steps[plan->step_count++] = step;
}

static gali_hvx_step step_of(gali_hvx_step_kind kind, uint32_t from, uint32_t to) {
    return (gali_hvx_step){kind, GALI_NONE, GALI_NONE, {from, GALI_NONE}, to, GALI_NONE};
}

/* The images that there are of a value. */
static uint32_t *images_of(planner *p, const gali_hvx_bytes *bytes) {
    const uint32_t unit = gali_hvx_maker(p->region, bytes->value);
    return unit == GALI_NONE ? p->given[given_number(p->region, bytes->value)] : p->units[unit];
}

static void enter(planner *p, const gali_hvx_bytes *bytes, uint32_t *images) {
    const uint32_t to = gali_hvx_is_flat(bytes) ? add_flat(p, bytes->channels)
                                                : add_picture(p, bytes, GALI_HVX_VMPY, bytes->width);
    gali_hvx_step step = step_of(GALI_HVX_STEP_ENTER, GALI_NONE, to);
    step.port = given_number(p->region, bytes->value);
    add_step(p, step);
    images[0] = to;
}

/* The value's image in a form: there, or changed from the nearest one. */
static uint32_t image_in(planner *p, const gali_hvx_bytes *bytes, gali_hvx_form form) {
    uint32_t *images = images_of(p, bytes);
    if (images[0] == GALI_NONE && images[1] == GALI_NONE && images[2] == GALI_NONE) {
        enter(p, bytes, images);
    }
    if (gali_hvx_is_flat(bytes)) {
        return images[0];
    }
    if (images[form] != GALI_NONE) {
        return images[form];
    }
    const int down = form == GALI_HVX_VRMPY || (form == GALI_HVX_VMPA && images[0] != GALI_NONE);
    const uint32_t from = image_in(p, bytes, (gali_hvx_form)(down ? form - 1 : form + 1));
    const uint32_t to = add_picture(p, bytes, form, p->plan->images[from].pitch);
    add_step(p, step_of(down ? GALI_HVX_STEP_JOIN : GALI_HVX_STEP_PART, from, to));
    return images[form] = to;
}

static uint32_t frame_of(planner *p, uint32_t number, const gali_hvx_planes *planes, uint32_t operand,
                         uint32_t from) {
    const gali_hvx_bytes *bytes = &p->region->units[number].from[operand];
    const uint32_t to = add_frame_image(p, planes, bytes->channels, p->plan->images[from].form);
    gali_hvx_step step = step_of(GALI_HVX_STEP_FRAME, from, to);
    step.unit = number;
    step.port = operand;
    add_step(p, step);
    return to;
}

/* ---- units ---- */

static uint32_t add_result(planner *p, uint32_t number, gali_hvx_form form) {
    const gali_hvx_bytes *to = &p->region->units[number].to;
    const int flat = gali_hvx_is_flat(to);
    const uint32_t image =
        flat ? add_flat(p, round_up(to->channels, VECTOR)) : add_picture(p, to, form, p->plan->pitch[number]);
    p->units[number][flat ? 0 : form] = image;
    return image;
}

/* Words and sums of what makes flat tensors. */
static uint32_t add_extra(planner *p, const gali_hvx_unit *unit) {
    const size_t words =
        unit->kind == GALI_HVX_UNIT_DENSE ? round_up(5 * round_up(unit->from[0].channels, 4) * 4, VECTOR) : 0;
    return add_flat(p, words + 4 * round_up(unit->to.channels, VECTOR));
}

static void run_unit(planner *p, uint32_t number) {
    const gali_hvx_unit *unit = &p->region->units[number];
    const gali_hvx_form form = (gali_hvx_form)p->plan->forms[number];
    gali_hvx_step step = step_of(GALI_HVX_STEP_RUN, image_in(p, &unit->from[0], form), GALI_NONE);
    step.unit = number;
    if (unit->kind == GALI_HVX_UNIT_FLAT) {
        if (gali_hvx_is_flat(&unit->from[0])) {
            p->units[number][0] = step.from[0];
            return;
        }
        step.kind = GALI_HVX_STEP_LIST;
    }
    if (gali_hvx_has_frame(unit)) {
        const gali_hvx_planes planes = gali_hvx_planes_of(unit);
        step.from[0] = frame_of(p, number, &planes, 0, step.from[0]);
    }
    if (unit->from_count > 1) {
        step.from[1] = image_in(p, &unit->from[1], form);
        if (!gali_hvx_is_flat(&unit->to) &&
            p->plan->images[step.from[1]].pitch != p->plan->images[step.from[0]].pitch) {
            const gali_hvx_planes planes = {1, 1, unit->to.lines, p->plan->images[step.from[0]].pitch, 0};
            step.from[1] = frame_of(p, number, &planes, 1, step.from[1]);
        }
    }
    if (unit->kind == GALI_HVX_UNIT_MEAN || unit->kind == GALI_HVX_UNIT_DENSE) {
        step.extra = add_extra(p, unit);
    }
    step.to = add_result(p, number, form);
    add_step(p, step);
}

static void leave(planner *p, uint32_t port) {
    const gali_hvx_unit *unit = &p->region->units[gali_hvx_maker(p->region, p->region->made[port])];
    gali_hvx_step step = step_of(GALI_HVX_STEP_LEAVE, image_in(p, &unit->to, GALI_HVX_VMPY), GALI_NONE);
    step.port = port;
    add_step(p, step);
}

static void find_pitches(planner *p) {
    for (uint32_t i = 0; i < p->region->unit_count; i++) {
        const gali_hvx_unit *unit = &p->region->units[i];
        p->plan->pitch[i] = gali_hvx_is_flat(&unit->to) ? 1
                            : gali_hvx_has_frame(unit)  ? gali_hvx_planes_of(unit).pitch
                                                        : pitch_of(p, &unit->from[0]);
    }
}

/* ---- memory ---- */

static int live_together(const gali_hvx_image *a, const gali_hvx_image *b) {
    return a->first <= b->last && b->first <= a->last;
}

/* Each at the first place that is free while it lives. */
static void place(gali_hvx_plan *plan) {
    for (uint32_t i = 0; i < plan->image_count; i++) {
        gali_hvx_image *image = &plan->images[i];
        for (uint32_t k = 0; k < i; k++) {
            const gali_hvx_image *other = &plan->images[k];
            if (live_together(image, other) && other->at < image->at + image->bytes &&
                image->at < other->at + other->bytes) {
                image->at = other->at + other->bytes;
                k = UINT32_MAX; /* from the first again: what was passed may be in the way now */
            }
        }
        plan->bytes = image->at + image->bytes > plan->bytes ? image->at + image->bytes : plan->bytes;
    }
}

static int take(planner *p) {
    gali_arena *arena = p->region->arena;
    const size_t units = p->region->unit_count + 1u, given = p->region->given_count + 1u;
    p->plan->images = gali_arena_take(arena, IMAGES_A_UNIT * (units + given) * sizeof *p->plan->images);
    p->plan->steps = gali_arena_take(arena, IMAGES_A_UNIT * (units + given) * sizeof *p->plan->steps);
    p->plan->pitch = gali_arena_take(arena, units * sizeof *p->plan->pitch);
    p->units = gali_arena_take(arena, units * sizeof *p->units);
    p->given = gali_arena_take(arena, given * sizeof *p->given);
    if (arena->failed) {
        return 0;
    }
    memset(p->units, 0xff, units * sizeof *p->units); /* GALI_NONE */
    memset(p->given, 0xff, given * sizeof *p->given);
    return 1;
}

gal_status gali_hvx_make_plan(const gali_hvx_region *region, gali_hvx_form choice, gali_hvx_plan *plan,
                              gal_error *error) {
    planner p = {.plan = plan, .region = region};
    *plan = (gali_hvx_plan){.region = region};
    if (region->unit_count > UNITS_MOST || region->given_count > GALI_PROGRAM_PORTS_MAX ||
        region->made_count >= GALI_PROGRAM_PORTS_MAX) {
        return gali_fail(error, GAL_UNSUPPORTED, "a quantised region of %u operators, %u inputs, %u outputs",
                         region->unit_count, region->given_count, region->made_count);
    }
    if (!take(&p)) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory for a region");
    }
    find_pitches(&p);
    gal_status status = choose(&p, choice, error);
    for (uint32_t i = 0; status == GAL_OK && i < region->unit_count; i++) {
        run_unit(&p, i);
    }
    for (uint32_t i = 0; status == GAL_OK && i < region->made_count; i++) {
        leave(&p, i);
    }
    place(plan);
    return status == GAL_OK && plan->bytes > BYTES_MOST
               ? gali_fail(error, GAL_UNSUPPORTED, "a quantised region of more than %d bytes", BYTES_MOST)
               : status;
}
