/* What info, check and judge say of a model: by their words, their exit status, as JSON and as a page. */
#define _XOPEN_SOURCE 700
#include "small_model.h"

/* As the import of ONNX without a contract writes it; `input` is its input block. */
static void write_network(const char *path, const char *input) {
    synthetic_desc desc = {.gate = GAL_GATE_CUBIC, .experts = 4, .layers = 1, .width = {4, 2}, .seed = 7};
    synthetic s = synthetic_make(&desc);
    char text[200];
    size_t size;
    snprintf(text, sizeof text, "gallop-contract 1\nname n\nrate 60\nunit 1\n%s\noutput opaque y 2\n", input);
    s.model.contract = text;
    s.model.contract_size = strlen(text);
    add_golden(&s, NULL, NULL);
    unsigned char *bytes = synthetic_bytes(&s, &size);
    spill(path, bytes, size);
    free(bytes);
    synthetic_free(&s);
}

static int setup(void **state) {
    int result = place_make(state);
    if (result == 0) {
        write_model(place_of("good.gallop"), NULL);
        write_model(place_of("wrong.gallop"), "joint.position.LeftToe.y");
    }
    return result;
}

/* Brackets and quotes that close: enough to see that commas and nesting are not broken by hand. */
static void expect_json(const char *text) {
    int depth = 0, quoted = 0;
    for (const char *at = text; *at; at++) {
        quoted ^= *at == '"' && at[-1] != '\\';
        depth += quoted ? 0 : (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        assert_true(depth >= 0);
    }
    assert_true(depth == 0 && !quoted && text[0] == '{');
    assert_null(strstr(text, ",}"));
    assert_null(strstr(text, ",]"));
}

static void tells_about_a_model(void **state) {
    (void)state;
    const said *s = gallop_here("info %s/good.gallop --plan", place);
    expect_good(s);
    expect_text(s->out, "mannequin: 60 Hz, unit 0.01 m, 9 joints, 2 legs, 4 contacts");
    expect_text(s->out, "gate         cubic phase, 4 experts");
    expect_text(s->out, "golden       3 frames");
    expect_text(s->out, "can walk     yes");
    expect_text(s->out, "layer 1: 24 -> ");
    expect_text(s->out, "trajectory.height -25");
    expect_text(s->out, "contact LeftToe");
    s = gallop_here("info %s/good.gallop --json", place);
    expect_good(s);
    expect_json(s->out);
    expect_text(s->out, "\"can_walk\": true");
    expect_text(s->out, "\"gate\": \"cubic phase\"");
}

/* Where no feature has a meaning there is nothing wrong with the file; where some have, a contract was meant. */
static void says_what_a_bare_network_is(void **state) {
    (void)state;
    write_network(place_of("bare.gallop"), "input opaque x 4");
    const said *s = gallop_here("check %s/bare.gallop", place);
    expect_good(s);
    expect_text(s->out, "SKIP  contract       a bare network");
    expect_text(s->out, "PASS  golden frames  3 frames");
    s = gallop_here("info %s/bare.gallop", place);
    expect_good(s);
    expect_text(s->out, "a bare network: its features are opaque, no crowd can use it");
    assert_null(strstr(s->out, "skeleton"));
    assert_null(strstr(s->out, "can walk"));
    write_network(place_of("partly.gallop"), "input opaque x 3\ninput constant 1 1");
    expect_bad(gallop_here("check %s/partly.gallop", place), 1, "FAIL, 1 of the checks");
    s = gallop_here("info %s/partly.gallop", place);
    expect_text(s->out, "can walk     no: ");
}

static void checks_a_model(void **state) {
    (void)state;
    const said *s = gallop_here("check %s/good.gallop", place);
    expect_good(s);
    expect_text(s->out, "PASS  golden frames  3 frames");
    expect_text(s->out, "\nPASS\n");
    s = gallop_here("check %s/wrong.gallop", place);
    expect_bad(s, 1, "FAIL");
    expect_text(s->out, " and 1 of 3 frames off");
    const char *first = strstr(s->out, "largest first:\n");
    assert_non_null(first);
    expect_text(first, "joint.position.LeftToe.y");
    assert_true(strstr(first, "joint.position.LeftToe.y") < first + 40);
    expect_text(first, "frame 1");
    expect_text(first, "none of the known mistakes");
    s = gallop_here("check %s/wrong.gallop --json", place);
    expect_bad(s, 1, "FAIL");
    expect_json(s->out);
    expect_text(s->out, "\"verdict\": \"FAIL\", \"check\": \"golden frames\"");
    expect_text(s->out, "\"joint.position.LeftToe.y");
    expect_text(s->out, "\"passed\": false");
    s = gallop_here("check %s/good.gallop --json", place);
    expect_good(s);
    expect_json(s->out);
    expect_text(s->out, "\"passed\": true");
    assert_null(strstr(s->out, "PASS, with"));
}

static void judges_a_model(void **state) {
    (void)state;
    const said *s = gallop_here("judge %s/good.gallop --seconds 6 --json", place);
    expect_bad(s, 1, " bars missed, the first ");
    expect_json(s->out);
    expect_text(s->out, "\"run circle 0.8\": {");
    expect_text(s->out, "\"finite\": true");
    expect_text(s->out, "\"missed\": [");
    s = gallop_here("judge %s/good.gallop --seconds 6", place);
    expect_bad(s, 1, " bars missed, the first ");
    expect_text(s->out, "hills random");
    expect_text(s->out, "finite: yes, 0 set back");
    expect_text(s->out, "  MISSED  ");
}

static void write_bars(const char *text) {
    FILE *file = fopen(place_of("own.bars"), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* What is missed stands first, then again among all, and leads to its script. */
static void expect_page_of_one_missed(const char *path) {
    static char page[1 << 22];
    unsigned script = 0, missed = 0;
    char heading[64];
    slurp(path, page, sizeof page);
    const char *all = strstr(page, "<summary>All bars"),
               *row = strstr(page, "<tr class=missed><td><a href=\"#s");
    expect_text(page, " bars are missed:");
    /* curves end where the plots do: a run of 6 s has no empty rest */
    expect_text(page, ", over 6 s</small>");
    assert_true(all && row && row < all &&
                sscanf(row, "<tr class=missed><td><a href=\"#s%u\">run</a>", &script) == 1);
    for (const char *at = row; at; at = strstr(at + 1, "<tr class=missed")) {
        missed++;
    }
    assert_int_equal(missed, 2);
    assert_true(strstr(page, "<tr><td>") > all); /* what is kept is folded up */
    snprintf(heading, sizeof heading, "<h2 id=s%u>run</h2>", script);
    expect_text(page, heading);
}

/* A mannequin of random weights keeps bars that are low enough, and misses one that is not, by name. */
static void judges_by_the_models_own_bars(void **state) {
    (void)state;
    static const char *const none = "off -\ndirection -\nfacing -\nskate -\nlocked -\nstart -\nstop -\n"
                                    "pivot -\nhips -\nsole -\nheight -\nsunk -\nturned -\ntwist -\nspan -\n";
    char text[512];
    write_bars(none);
    const said *s = gallop_here("judge %s/good.gallop --seconds 6 --bars %s/own.bars", place, place);
    expect_good(s);
    expect_text(s->out, "bars: 0 of 0 kept");
    snprintf(text, sizeof text, "%s# its own\nspeed 1e9\nskate 1e-9 run\n", none);
    write_bars(text);
    s = gallop_here("judge %s/good.gallop --seconds 6 --bars %s/own.bars --html %s/j.html", place, place,
                    place);
    expect_bad(s, 1, "bars missed, the first run, skate: ");
    expect_page_of_one_missed(place_of("j.html"));
    s = gallop_here("judge %s/good.gallop --seconds 6 --bars %s/own.bars --html /dev/full", place, place);
    expect_bad(s, 1, "/dev/full: ");
    expect_text(s->out, "MISSED  run"); /* figures are not lost with the page */
    s = gallop_here("judge %s/good.gallop --bars %s/own.bars --html %s", place, place, place);
    expect_bad(s, 1, "s a directory");
    assert_int_equal(s->out[0], '\0'); /* before the work */
    s = gallop_here("judge %s/good.gallop --seconds 6 --bars %s/own.bars --json", place, place);
    expect_text(s->out, "\"most\": 1e-09, \"general\": 8}"); /* what the general bar there allows */
    s = gallop_here("judge %s/good.gallop --html %s/good.gallop/j.html", place, place);
    expect_bad(s, 1, "Not a directory");
    assert_int_equal(s->out[0], '\0'); /* before the work */
    write_bars("skate 4 run\nspede 3\n");
    expect_bad(gallop_here("judge %s/good.gallop --bars %s/own.bars", place, place), 1,
               "own.bars line 2: \"spede\" is no figure");
    write_bars("skate four\n");
    expect_bad(gallop_here("judge %s/good.gallop --bars %s/own.bars", place, place), 1,
               "own.bars line 1: \"four\": a number expected, or -");
    write_bars("skate 4 rum\n");
    expect_bad(gallop_here("judge %s/good.gallop --bars %s/own.bars", place, place), 1,
               "own.bars line 1: \"rum\" is no script");
    expect_bad(gallop_here("judge %s/good.gallop --bars %s/none.bars", place, place), 1, "none.bars");
    expect_bad(gallop_here("judge %s/good.gallop --bars %s", place, place), 1, "Is a directory");
    char longest[512] = "skate 4 run #";
    memset(longest + strlen(longest), '.', 300);
    write_bars(longest);
    expect_bad(gallop_here("judge %s/good.gallop --bars %s/own.bars", place, place), 1,
               "own.bars line 1: longer than 254 bytes");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_about_a_model),
        cmocka_unit_test(says_what_a_bare_network_is),
        cmocka_unit_test(checks_a_model),
        cmocka_unit_test(judges_a_model),
        cmocka_unit_test(judges_by_the_models_own_bars),
    };
    return cmocka_run_group_tests(tests, setup, place_remove);
}
