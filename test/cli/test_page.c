/*
 * The player's page in a real browser: it draws figures, and other ones a second later, with WebGL and
 * without. Skipped (exit status 77) where there is no Chromium.
 */
#define _XOPEN_SOURCE 700
#include "motion/mannequin.h"

#include <cairo.h>

#include "command_line.h"

enum { SKIPPED = 77 };

typedef struct picture {
    cairo_surface_t *surface;
    int width, height, stride;
    const unsigned char *pixels;
} picture;

static picture shoot(const char *hash, const char *flags) {
    static int shots; /* a profile each: a browser that is still closing holds its own */
    char command[4096], here[512];
    assert_non_null(getcwd(here, sizeof here));
    snprintf(
        command, sizeof command,
        "timeout 120 chromium --headless --no-sandbox --disable-quic --no-first-run "
        "--disable-background-networking "
        "--disable-component-update --disable-sync --hide-scrollbars --window-size=800,600 "
        "--timeout=5000 "
        "--user-data-dir=%s/%s/profile%d %s --screenshot=%s/shot.png 'file://%s/%s/demo.html#%s' >%s/log 2>&1",
        here, place, ++shots, flags, place, here, place, hash, place);
    assert_int_equal(system(command), 0);
    picture p = {.surface = cairo_image_surface_create_from_png(place_of("shot.png"))};
    assert_int_equal(cairo_surface_status(p.surface), CAIRO_STATUS_SUCCESS);
    p.width = cairo_image_surface_get_width(p.surface);
    p.height = cairo_image_surface_get_height(p.surface);
    p.stride = cairo_image_surface_get_stride(p.surface);
    p.pixels = cairo_image_surface_get_data(p.surface);
    return p;
}

/* Pixels in the middle of the page, where the characters are, that are clearly coloured: the ground is grey. */
static int coloured(const picture *p) {
    int count = 0;
    for (int y = p->height / 5; y < p->height * 4 / 5; y++) {
        for (int x = p->width * 3 / 10; x < p->width * 7 / 10; x++) {
            const unsigned char *c = p->pixels + y * p->stride + 4 * x;
            int most = c[0] > c[1] ? c[0] : c[1], least = c[0] < c[1] ? c[0] : c[1];
            most = most > c[2] ? most : c[2];
            least = least < c[2] ? least : c[2];
            count += most - least > 70;
        }
    }
    return count;
}

static int different(const picture *a, const picture *b) {
    int count = 0;
    for (int y = a->height / 5; y < a->height * 4 / 5; y++) {
        for (int x = a->width * 3 / 10; x < a->width * 7 / 10; x++) {
            count += memcmp(a->pixels + y * a->stride + 4 * x, b->pixels + y * b->stride + 4 * x, 3) != 0;
        }
    }
    return count;
}

static void shows_moving_figures(const char *flags) {
    picture first = shoot("t=0.5&paused=1&theme=dark&pick=1", flags);
    picture second = shoot("t=1.5&paused=1&theme=dark&pick=1", flags);
    assert_int_equal(first.width, second.width);
    assert_true(coloured(&first) > 1500);
    assert_true(coloured(&second) > 1500);
    assert_true(different(&first, &second) > 3000);
    cairo_surface_destroy(first.surface);
    cairo_surface_destroy(second.surface);
}

static void draws_with_webgl(void **state) {
    (void)state;
    shows_moving_figures("--use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader");
}

static void draws_without_webgl(void **state) {
    (void)state;
    shows_moving_figures("--disable-gpu --disable-3d-apis");
}

/* A browser's first frame may have begun before the page was there, by its own clock; here by three seconds. */
static void time_begins_at_nothing(void **state) {
    (void)state;
    char command[2048];
    snprintf(command, sizeof command,
             "sed 's|<head>|<head><script>let frames = 0; window.requestAnimationFrame = (f) => "
             "frames++ \\|\\| setTimeout(() => f(performance.now() - 3000));</script>|' %s/demo.html "
             ">%s/early.html && "
             "timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-3d-apis --no-first-run "
             "--virtual-time-budget=2000 --user-data-dir=\"$PWD/%s/profile0\" --dump-dom "
             "\"file://$PWD/%s/early.html\" 2>%s/log | grep -o 'id=\"time\">[^<]*' >%s/time",
             place, place, place, place, place, place);
    assert_int_equal(system(command), 0);
    char text[64];
    slurp(place_of("time"), text, sizeof text);
    expect_text(text, ">0.00 s");
}

static int setup(void **state) {
    int result = place_make(state);
    if (result == 0) {
        mannequin_desc desc = {.wobble = 1, .step_z = 2, .phase = 0.02f, .contact = 0.7f, .seed = 5};
        synthetic s = mannequin_model(&desc);
        size_t size;
        unsigned char *bytes = synthetic_bytes(&s, &size);
        char arguments[512];
        spill(place_of("a.gallop"), bytes, size);
        free(bytes);
        synthetic_free(&s);
        snprintf(arguments, sizeof arguments, "demo --model %s/a.gallop --seconds 2 --out %s", place, place);
        expect_good(gallop(arguments));
    }
    return result;
}

static int teardown(void **state) {
    char command[256];
    snprintf(command, sizeof command, "rm -rf ./%s/profile*", place);
    return system(command) != 0 || place_remove(state) != 0;
}

int main(void) {
    if (system("command -v chromium >/dev/null 2>&1") != 0) {
        puts("skipped: no chromium");
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_with_webgl),
        cmocka_unit_test(draws_without_webgl),
        cmocka_unit_test(time_begins_at_nothing),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
