/* The contract's parser: what a good text gives, and the message of every fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/contract.h"
#include "good_contract.h"

/* In the good text, `find` (NULL: the end) becomes `put`; the message must hold `expected`. */
typedef struct fault {
    const char *find, *put, *expected;
} fault;

static const fault faults[] = {
    {"gallop-contract 1", "gallop-contact 1", "contract line 1: expected 'gallop-contract 1'"},
    {"gallop-contract 1", "gallop-contract 1 2", "contract line 1: expected 'gallop-contract 1'"},
    {"gallop-contract 1", "", "contract line 1: expected 'gallop-contract 1'"},
    {"gallop-contract 1", "gallop-contract 2", "contract line 1: version '2', expected 1"},
    {NULL, "rule breath 1", "contract line 43: no newline at its end"},
    {"rate 60", "rate\t60", "contract line 3: byte 5 is the control character 09, expected words and spaces"},
    {"rate 60", "rate 60\r", "contract line 3: byte 8 is the control character 0d"},
    {"rate 60", "rate \x7f", "contract line 3: byte 6 is the control character 7f"},
    {"rate 60", "rate 60 # \xC3(", "contract line 3: byte 11 is c3, expected UTF-8 text"},
    {"rate 60", "walk 60", "contract line 3: 'walk': no such kind of line"},
    {"rate 60", "\xC3\xA9\xC3\xA9 60", "contract line 3: '\xC3\xA9\xC3\xA9': no such kind of line"},

    {"name good", "name", "contract line 2: name: 0 words follow, expected NAME"},
    {"name good", "name good bad", "contract line 2: name: 2 words follow, expected NAME"},
    {"name good", "name g/ood", "contract line 2: name: name 'g/ood', expected 1..63 characters of A-Z"},
    {"name good", "name a123456789b123456789c123456789d123456789e123456789f123456789g123",
     "name 'a123456789b123456789c123456789d123456789', expected 1..63 characters"},
    {"name good", "", "contract: no 'name' line"},
    {"rate 60", "", "contract: no 'rate' line"},
    {"unit 0.01", "", "contract: no 'unit' line"},
    {"rate 60", "rate 60\nrate 60", "contract line 4: rate a second time"},
    {"unit 0.01", "unit 0.01\nunit 0.01", "contract line 5: unit a second time"},
    {"name good", "name good\nname good", "contract line 3: name a second time"},
    {"window 30 40", "window 30 40\nwindow 30 40", "window a second time"},
    {"samples -10 0 10", "samples -10 0 10\nsamples 0", "samples a second time"},
    {"future 0 10", "future 0 10\nfuture 0", "future a second time"},
    {"rate 60", "rate 0.5", "contract line 3: rate: 0.5, expected 1..1000 frames per second"},
    {"rate 60", "rate 1001", "contract line 3: rate: 1001, expected 1..1000"},
    {"rate 60", "rate nan", "contract line 3: rate: 'nan', expected a finite decimal number"},
    {"rate 60", "rate 1e39", "contract line 3: rate: '1e39', expected a finite decimal number"},
    {"rate 60", "rate 0x3c", "contract line 3: rate: '0x3c', expected a finite decimal number"},
    {"unit 0.01", "unit 0", "contract line 4: unit: 0, expected metres > 0"},
    {"unit 0.01", "unit -1", "contract line 4: unit: -1, expected metres > 0"},
    {"unit 0.01", "unit x", "contract line 4: unit: 'x', expected a finite decimal number"},

    {"joint Hip - ", "joint Hip Knee ", "contract line 5: joint 'Hip': the first joint's parent must be '-'"},
    {"joint Knee Hip ", "joint Knee - ", "contract line 6: joint 'Knee': parent '-', expected a joint"},
    {"joint Knee Hip ", "joint Knee Heel ",
     "contract line 6: joint 'Knee': parent 'Heel' not defined before it"},
    {"joint Knee Hip ", "joint Knee Knee ",
     "contract line 6: joint 'Knee': parent 'Knee' not defined before it"},
    {"joint Knee Hip ", "joint Hip Hip ", "contract line 6: joint 'Hip' a second time"},
    {"joint Knee Hip ", "joint - Hip ", "contract line 6: joint: '-' is no joint's name"},
    {"joint Knee Hip ", "joint K+ Hip ", "contract line 6: joint: name 'K+', expected 1..63"},
    {"joint Knee Hip 0 -40 0", "joint Knee Hip 0 -40",
     "contract line 6: joint: 4 words follow, expected NAME PARENT"},
    {"joint Knee Hip 0 -40 0", "joint Knee Hip 0 -40 0 1",
     "contract line 6: joint: 6 words follow, expected NAME"},
    {"joint Knee Hip 0 -40 0", "joint Knee Hip 0 -40 inf", "contract line 6: joint: 'inf', expected a finite"},
    {"joint Knee Hip 0 -40 0", "joint Knee Hip 0 -40 0 0 0 0 1e",
     "contract line 6: joint: '1e', expected a finite"},
    {"joint Knee Hip 0 -40 0", "joint Knee Hip 0 -40 0 0 0 0 2",
     "contract line 6: joint 'Knee': quaternion of length 2, expected 1"},
    {"joint Knee Hip 0 -40 0", "joint Knee Hip 0 -40 0 0 0 0 0",
     "contract line 6: joint 'Knee': quaternion of length 0, expected 1"},

    {"leg Hip Knee Heel Toe", "leg Hip Knee Heel", "leg: 3 words follow, expected HIP KNEE HEEL TOE"},
    {"leg Hip Knee Heel Toe", "leg Hip Knee Heel Finger", "leg: no joint 'Finger'"},
    {"leg Hip Knee Heel Toe", "leg Hip Heel Knee Toe", "leg: 'Knee' does not hang on 'Heel'"},
    {"leg Hip Knee Heel Toe", "leg Hip Knee Knee Toe", "leg: 'Knee' does not hang on 'Knee'"},
    {"leg Hip Knee Heel Toe", "leg Hip Hand Heel Toe", "leg: 'Heel' does not hang on 'Hand'"},
    {"leg Hip Knee Heel Toe",
     "leg Hip Knee Heel Toe\nleg Hip Knee Heel Toe\nleg Hip Knee Heel Toe\nleg Hip Knee Heel Toe\nleg Hip Knee "
     "Heel "
     "Toe\nleg Hip Knee Heel Toe\nleg Hip Knee Heel Toe\nleg Hip Knee Heel Toe\nleg Hip Knee Heel Toe",
     "leg: more than 8 legs"},
    {"window 30 40", "window 601 40", "window: '601', expected a whole number 0..600"},
    {"window 30 40", "window 30 601", "window: '601', expected a whole number 1..600"},
    {"window 30 40", "window 30 0", "window: '0', expected a whole number 1..600"},
    {"window 30 40", "window -1 40", "window: '-1', expected a whole number 0..600"},
    {"window 30 40", "window 9 40", "samples: -10, expected -9..39 (the window)"},
    {"window 30 40", "window 10 10", "samples: 10, expected -10..9 (the window)"},
    {"future 0 10", "future 0 41", "future: 41, expected 0..40 (the window)"},
    {"samples -10 0 10", "samples -10 0 0", "samples: 0 after 0, expected ascending offsets"},
    {"samples -10 0 10", "samples -10 0 1.5", "samples: '1.5', expected a whole number -600..599"},
    {"samples -10 0 10", "samples -10 0 99999999999999999999",
     "samples: '99999999999999999999', expected a whole"},
    {"samples -10 0 10", "samples -", "samples: '-', expected a whole number"},
    {"samples -10 0 10", "samples", "samples: 0 words follow, expected 1..64 OFFSETS"},
    {"future 0 10", "future -1 10", "future: '-1', expected a whole number 0..599"},
    {"future 0 10", "future 10 5", "future: 5 after 10, expected ascending offsets"},

    {"gait walk walk", "gait walk trot",
     "gait 'walk': role 'trot', expected stand, walk, run, crouch, jump or none"},
    {"gait walk walk", "gait wa/lk walk", "gait: name 'wa/lk', expected 1..63"},
    {"gait walk walk", "gait stand walk", "gait 'stand' a second time"},
    {"gait walk walk", "gait walk stand", "gait 'walk': role stand is 'stand's already"},
    {"gait walk walk", "gait walk", "gait: 1 words follow, expected NAME ROLE"},
    {"gait walk walk",
     "gait a none\ngait b none\ngait c none\ngait d none\ngait e none\ngait f none\ngait g none\ngait h none\n"
     "gait i none\ngait j none\ngait k none\ngait l none\ngait m none\ngait n none\ngait o none\ngait p none",
     "gait: more than 16 gaits"},

    {"rule speed_walk 2", "rule speed_fly 2", "rule 'speed_fly': no such rule"},
    {"rule speed_walk 2", "rule speed_walk 1001", "rule 'speed_walk': 1001, expected 0..1000"},
    {"rule speed_walk 2", "rule speed_walk -1", "rule 'speed_walk': -1, expected 0..1000"},
    {"rule speed_walk 2", "rule speed_walk two", "rule: 'two', expected a finite decimal number"},
    {"rule speed_walk 2", "rule speed_walk", "rule: 1 words follow, expected NAME VALUE"},
    {"rule speed_walk 2", "rule speed_walk 2\nrule speed_walk 2", "rule 'speed_walk' a second time"},

    {"input joint.position", "input joint.positions", "input 'joint.positions': no such block"},
    {"input joint.position", "input root.turn", "input 'root.turn': no such block"},
    {"output root.turn", "output trajectory.height 0", "output 'trajectory.height': no such block"},
    {"input joint.position", "input joint.position 3",
     "input joint.position: 1 words follow, expected nothing"},
    {"input trajectory.gait walk", "input trajectory.gait trot", "input trajectory.gait: no gait 'trot'"},
    {"input trajectory.gait walk", "input trajectory.gait",
     "input trajectory.gait: 0 words follow, expected GAIT"},
    {"input trajectory.gait walk", "input trajectory.gait stand", "input trajectory.gait a second time"},
    {"input trajectory.height -25", "input trajectory.height 25", "input trajectory.height a second time"},
    {"input trajectory.height -25", "input trajectory.height",
     "trajectory.height: 0 words follow, expected SIDE"},
    {"input trajectory.height -25", "input trajectory.height left", "input: 'left', expected a finite decimal"},
    {"input joint.velocity", "input joint.position", "input joint.position a second time"},
    {"input constant 0.5 2", "input constant 0.5", "input constant: 1 words follow, expected VALUE COUNT"},
    {"input constant 0.5 2", "input constant x 2", "input: 'x', expected a finite decimal number"},
    {"input constant 0.5 2", "input constant 0.5 0", "input: '0', expected a whole number 1..65536"},
    {"input constant 0.5 2", "input constant 0.5 65537", "input: '65537', expected a whole number 1..65536"},
    {"input constant 0.5 2", "input constant 0.5 65536", "more than 65536 features"},
    {"input opaque style 3", "input opaque style", "input opaque: 1 words follow, expected NAME COUNT"},
    {"input opaque style 3", "input opaque st(yle 3", "input: name 'st(yle', expected 1..63"},
    {"input opaque style 3", "input memory h", "input memory: 1 words follow, expected NAME COUNT"},
    {"input opaque style 3", "input memory h 3", "contract: no 'output memory h 3' for the input"},
    {"output contact Toe", "output memory h 3", "contract: no 'input memory h 3' for the output"},
    {"input opaque style 3", "input memory h 3\noutput memory h 2",
     "contract: no 'output memory h 3' for the input"},
    {"input opaque style 3", "input memory h 3\ninput memory h 3", "input memory a second time"},
    {"input opaque style 3", "input memory h 3\noutput memory h 3\noutput memory h 3",
     "output memory a second time"},
    {"output contact Toe", "output contact Finger", "output contact: no joint 'Finger'"},
    {"output contact Toe", "output contact Heel", "output contact a second time"},
    {"output contact Toe", "output contact", "output contact: 0 words follow, expected JOINT"},
    {"output joint.rotation expmap", "output joint.rotation",
     "joint.rotation: expected expmap or sixd behind it"},
    {"output joint.rotation expmap", "output joint.rotation euler", "expected expmap or sixd behind it"},
    {"output joint.rotation expmap", "output joint.rotation expmap\noutput joint.rotation sixd",
     "output joint.rotation sixd a second time"},
    {"samples -10 0 10", "", "trajectory.position.x: needs a 'samples' line"},
    {"future 0 10", "", "future.position.x: needs a 'future' line"},
};

/* The same in the hinged text. */
static const fault hinged_faults[] = {
    {"hinge Knee 1 0 0 -2 0 -1", "hinge Toe 1 0 0 -2 0 -1", "contract line 11: hinge: no joint 'Toe'"},
    {"hinge Knee 1 0 0 -2 0 -1", "hinge Body 1 0 0 -2 0 -1",
     "hinge 'Body': the first joint is turned by the posture"},
    {"hinge Knee 1 0 0 -2 0 -1", "hinge Hip 1 0 0 -2 0 -1", "hinge 'Hip' a second time"},
    {"hinge Knee 1 0 0 -2 0 -1", "hinge Knee 0 0 0 -2 0 -1", "hinge 'Knee': axis of length 0, expected > 0"},
    {"hinge Knee 1 0 0 -2 0 -1", "hinge Knee 3e38 3e38 0 -2 0 -1",
     "hinge 'Knee': axis of length inf, expected > 0"},
    {"hinge Knee 1 0 0 -2 0 -1", "hinge Knee 1 0 0 -2 0 -3",
     "hinge 'Knee': -2, 0, -3, expected LEAST <= REST <= MOST"},
    {"hinge Knee 1 0 0 -2 0 -1", "hinge Knee 1 0 0 -2 0 1",
     "hinge 'Knee': -2, 0, 1, expected LEAST <= REST <= MOST"},
    {"hinge Knee 1 0 0 -2 0 -1", "hinge Knee 1 0 0 -2 0 x", "hinge: 'x', expected a finite decimal number"},
    {"hinge Knee 1 0 0 -2 0 -1", "hinge Knee 1 0 0 -2 0",
     "hinge: 6 words follow, expected JOINT AX AY AZ LEAST MOST REST"},
    {"posture 0.3 0.1 -0.1", "posture 0.3 0.1", "posture: 2 words follow, expected HEIGHT PITCH ROLL"},
    {"posture 0.3 0.1 -0.1", "posture 0.3 nan 0", "posture: 'nan', expected a finite decimal number"},
    {"posture 0.3 0.1 -0.1", "posture 0 0 0\nposture 0 0 0", "contract line 13: posture a second time"},
    {"hinge Hip 0 0 2 -1 1 0.5\nhinge Knee 1 0 0 -2 0 -1\n", "", "hinge.angle: needs 'hinge' lines"},
    {"leg Hip Knee Foot Foot", "", "foot.position: needs 'leg' lines"},
    {"input body.posture", "input body.rate", "input body.rate a second time"},
};

static gal_status parse(const char *text, size_t size, gali_contract **out, gal_error *error) {
    char *copy = malloc(size ? size : 1); /* exactly its size: a sanitizer sees reads past it */
    memcpy(copy, text, size);
    gal_status status = gali_contract_parse(out, copy, size, NULL, error);
    free(copy);
    return status;
}

/* A good text with one thing replaced, terminated. */
static char *make_fault(const char *good, const fault *f) {
    const char *at = f->find ? strstr(good, f->find) : good + strlen(good);
    if (!at) {
        fail_msg("no '%s' in the good contract", f->find);
        return NULL;
    }
    size_t before = (size_t)(at - good), skip = f->find ? strlen(f->find) : 0;
    char *text = malloc(strlen(good) + strlen(f->put) + 1);
    memcpy(text, good, before);
    strcpy(text + before, f->put);
    strcat(text, at + skip);
    return text;
}

static int count_wrong(const char *good, const fault *list, size_t count) {
    int wrong = 0;
    for (size_t i = 0; i < count; i++) {
        char *text = make_fault(good, &list[i]);
        gali_contract *contract = NULL;
        gal_error error = {0};
        gal_status status = parse(text, strlen(text), &contract, &error);
        if (status != GAL_BAD_DATA || contract || !strstr(error.message, list[i].expected)) {
            print_error("fault %zu: status %d, \"%s\", expected \"%s\"\n", i, (int)status, error.message,
                        list[i].expected);
            wrong++;
        }
        gali_contract_release(contract, NULL);
        free(text);
    }
    return wrong;
}

static void names_the_line_of_each_fault(void **state) {
    (void)state;
    assert_int_equal(count_wrong(good_contract, faults, sizeof faults / sizeof *faults), 0);
    assert_int_equal(count_wrong(hinged_contract, hinged_faults, sizeof hinged_faults / sizeof *hinged_faults),
                     0);
}

static void expect(const char *text, size_t size, const char *expected) {
    gali_contract *contract = NULL;
    gal_error error = {0};
    gal_status status = parse(text, size, &contract, &error);
    gali_contract_release(contract, NULL);
    if (status != GAL_BAD_DATA || !strstr(error.message, expected)) {
        fail_msg("status %d, \"%s\", expected \"%s\"", (int)status, error.message, expected);
    }
    assert_int_equal(parse(text, size, &contract, NULL), GAL_BAD_DATA);
}

/* `count` lines made from a format with one %u, behind a head. */
static char *many_lines(const char *head, const char *format, unsigned count) {
    char *text = malloc(strlen(head) + count * (strlen(format) + 16) + 1), *end = text;
    end += sprintf(end, "%s", head);
    for (unsigned i = 0; i < count; i++) {
        end += sprintf(end, format, i);
    }
    return text;
}

static const char head[] = "gallop-contract 1\nname n\nrate 60\nunit 1\n";

static void keeps_the_limits(void **state) {
    (void)state;
    expect("", 0, "contract: 0 bytes, expected 1..1048576");
    char *big = malloc((1 << 20) + 1);
    memset(big, '#', (1 << 20) + 1);
    expect(big, (1 << 20) + 1, "contract: 1048577 bytes, expected 1..1048576");
    memcpy(big, "gallop-contract 1\n#", 19);
    big[18 + 4097] = '\n';
    expect(big, 18 + 4098, "contract line 2: 4097 bytes, expected at most 4096");
    free(big);
    expect("gallop-contract 1\n#\0\n", 21, "contract line 2: byte 2 is 00, expected UTF-8 text");
    char *text = many_lines("gallop-contract 1\njoint j - 0 0 0\n", "joint j%u j 0 0 0\n", 256);
    expect(text, strlen(text), "contract line 258: joint: more than 256 joints");
    free(text);
    text = many_lines(head, "input constant 0 %u\n", 513);
    expect(text, strlen(text), "contract line 517: more than 512 input and output blocks");
    free(text);
    text = many_lines("gallop-contract 1\njoint j - 0 0 0\n", "joint j%u j 0 0 0\n", 17);
    char *all = malloc(strlen(text) + strlen(head) + 17 * 32);
    sprintf(all, "%s%s", head, strchr(text, '\n') + 1);
    for (unsigned i = 0; i < 17; i++) {
        sprintf(all + strlen(all), "output contact j%u\n", i);
    }
    strcat(all, "input constant 0 1\n");
    expect(all, strlen(all), "contract line 39: output contact: more than 16 contacts");
    free(all);
    free(text);
    text = many_lines("gallop-contract 1\nsamples", " %u", 65);
    strcat(text, "\n");
    expect(text, strlen(text), "contract line 2: samples: 65 words follow, expected 1..64 OFFSETS");
    free(text);
    text =
        many_lines("gallop-contract 1\nname n\nrate 60\nunit 1\njoint j - 0 0 0\n", "joint j%u j 0 0 0\n", 129);
    char *hinged = malloc(2 * strlen(text) + 129 * 32);
    sprintf(hinged, "%s", text);
    for (unsigned i = 0; i < 129; i++) {
        sprintf(hinged + strlen(hinged), "hinge j%u 1 0 0 0 0 0\n", i);
    }
    strcat(hinged, "input constant 0 1\noutput root.turn\n");
    expect(hinged, strlen(hinged), "hinge: more than 128 hinges");
    free(hinged);
    free(text);
    const char *bare = "gallop-contract 1\nname n\nrate 60\nunit 1\n";
    expect(bare, strlen(bare), "contract: no 'input' line");
    const char *mute = "gallop-contract 1\nname n\nrate 60\nunit 1\ninput constant 0 1\n";
    expect(mute, strlen(mute), "contract: no 'output' line");
    const char *jointless =
        "gallop-contract 1\nname n\nrate 60\nunit 1\ninput joint.position\noutput root.turn\n";
    expect(jointless, strlen(jointless), "contract line 5: joint.position: needs joints");
    const char *sixd =
        "gallop-contract 1\nname n\nrate 60\nunit 1\ninput constant 1 1\noutput joint.rotation sixd\n";
    expect(sixd, strlen(sixd), "contract line 6: joint.rotation sixd: needs joints");
}

static gali_contract *parse_good(void) {
    gali_contract *contract = NULL;
    gal_error error = {0};
    if (parse(good_contract, strlen(good_contract), &contract, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return contract;
}

static void reads_what_lines_say(void **state) {
    (void)state;
    gali_contract *c = parse_good();
    assert_string_equal(c->name, "good");
    assert_true(c->rate == 60 && c->unit == 0.01f);
    assert_int_equal(c->joint_count, 5);
    assert_string_equal(c->joints[2].name, "Heel");
    assert_int_equal(c->joints[0].parent, -1);
    assert_int_equal(c->joints[2].parent, 1);
    assert_int_equal(c->joints[4].parent, 0);
    assert_true(c->joints[1].rest.position.y == -40 && c->joints[1].rest.rotation.w == 1);
    assert_true(c->joints[4].rest.rotation.x == 0.6f && c->joints[4].rest.rotation.w == 0.8f);
    assert_int_equal(c->leg_count, 1);
    assert_int_equal(c->legs[0].hip, 0);
    assert_int_equal(c->legs[0].toe, 3);
    assert_int_equal(c->past, 30);
    assert_int_equal(c->future, 40);
    assert_int_equal(c->sample_count, 3);
    assert_int_equal(c->samples[0], -10);
    assert_int_equal(c->future_count, 2);
    assert_int_equal(c->futures[1], 10);
    assert_int_equal(c->gait_count, 3);
    assert_int_equal(c->gaits[1].role, GALI_GAIT_WALK);
    assert_int_equal(c->gait_of_role[GALI_GAIT_WALK], 1);
    assert_int_equal(c->gait_of_role[GALI_GAIT_RUN], -1);
    assert_int_equal(c->gait_of_role[GALI_GAIT_NONE], -1);
    assert_int_equal(c->contact_count, 2);
    assert_int_equal(c->contact_joints[0], 2);
    assert_int_equal(c->contact_joints[1], 3);
    assert_true(c->rules.speed_walk == 2 && c->rules.speed_run == 7.5f);
    assert_int_equal(c->input_block_count, 12);
    assert_int_equal(c->output_block_count, 13);
    assert_int_equal(c->inputs, 4 * 3 + 2 * 3 + 2 * 3 + 2 + 3 + 15 + 15);
    assert_int_equal(c->outputs, 4 + 2 + 4 * 2 + 3 * 15);
    assert_int_equal(c->input_blocks[1].offset, 3);
    assert_true(c->input_blocks[7].value == -25);
    gali_contract_release(c, NULL);
}

static void reads_a_hinged_skeleton(void **state) {
    (void)state;
    gali_contract *c = NULL;
    assert_int_equal(parse(hinged_contract, strlen(hinged_contract), &c, NULL), GAL_OK);
    assert_int_equal(c->hinge_count, 2);
    assert_int_equal(c->hinges[0].joint, 1);
    assert_true(c->hinges[0].axis.z == 1 && c->hinges[0].axis.x == 0);
    assert_true(c->hinges[1].least == -2 && c->hinges[1].most == 0 && c->hinges[1].rest == -1);
    assert_int_equal(c->joints[0].hinge, -1);
    assert_int_equal(c->joints[2].hinge, 1);
    assert_true(c->posture.height == 0.3f && c->posture.pitch == 0.1f && c->posture.roll == -0.1f);
    assert_int_equal(c->inputs, 6 * 3 + 2 + 2 + 3 + 3 + 3 + 3 + 3 + 2);
    assert_int_equal(c->outputs, 3 + 6 * 2 + 2 + 2 + 3 + 3 + 2 + 1);
    gali_contract_release(c, NULL);
}

/* Nothing but a joint's parent must stand before what refers to it; comments and empty lines are nothing. */
static void order_is_free(void **state) {
    (void)state;
    const char *text = "gallop-contract 1 # comment\n"
                       "output joint.rotation sixd\n"
                       "  input   trajectory.height   0.1   # twice\n"
                       "\n"
                       "input trajectory.gait go\n"
                       "samples -3 0\n"
                       "input constant 0 1\ninput opaque a 1\ninput constant 0 1\ninput opaque a 1\n"
                       "gait go none\n"
                       "gait creep none\n"
                       "# window 60 60 unless given\n"
                       "joint a - +.5 1. -2e-1\n"
                       "unit 1\nrate 30\nname n\n";
    gali_contract *c = NULL;
    assert_int_equal(parse(text, strlen(text), &c, NULL), GAL_OK);
    assert_int_equal(c->past, 60);
    assert_int_equal(c->future, 60);
    assert_int_equal(c->inputs, 8);
    assert_int_equal(c->outputs, 6);
    assert_true(c->joints[0].rest.position.x == 0.5f && c->joints[0].rest.position.z == -0.2f);
    gali_contract_release(c, NULL);
}

static void heel_and_toe_may_be_one_joint(void **state) {
    (void)state;
    const fault whole = {"leg Hip Knee Heel Toe", "leg Hip Knee Toe Toe", NULL};
    char *text = make_fault(good_contract, &whole);
    gali_contract *c = NULL;
    assert_int_equal(parse(text, strlen(text), &c, NULL), GAL_OK);
    assert_int_equal(c->legs[0].heel, c->legs[0].toe);
    gali_contract_release(c, NULL);
    free(text);
}

static void every_cut_is_refused_or_whole(void **state) {
    (void)state;
    for (size_t size = 0; size < strlen(good_contract); size++) {
        gali_contract *c = NULL;
        gal_error error = {0};
        gal_status status = parse(good_contract, size, &c, &error);
        assert_true(status == GAL_OK ? c != NULL : error.message[0] != 0);
        assert_true(status == GAL_BAD_DATA || good_contract[size - 1] == '\n');
        gali_contract_release(c, NULL);
    }
}

static void *no_memory(void *context, size_t size, size_t alignment) {
    (void)context;
    (void)size;
    (void)alignment;
    return NULL;
}

static void says_when_there_is_no_memory(void **state) {
    (void)state;
    gal_allocator allocator = {.allocate = no_memory};
    gali_contract *c = NULL;
    gal_error error = {0};
    assert_int_equal(gali_contract_parse(&c, good_contract, strlen(good_contract), &allocator, &error),
                     GAL_NO_MEMORY);
    assert_null(c);
    assert_non_null(strstr(error.message, "contract: no memory for"));
    gali_contract_release(NULL, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_the_line_of_each_fault),  cmocka_unit_test(keeps_the_limits),
        cmocka_unit_test(reads_what_lines_say),          cmocka_unit_test(order_is_free),
        cmocka_unit_test(reads_a_hinged_skeleton),       cmocka_unit_test(heel_and_toe_may_be_one_joint),
        cmocka_unit_test(every_cut_is_refused_or_whole), cmocka_unit_test(says_when_there_is_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
