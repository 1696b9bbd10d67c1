/* What a contract is asked: names of features, and whether a crowd can walk by it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contract/contract.h"
#include "good_contract.h"

static gali_contract *parse(const char *text) {
    gali_contract *contract = NULL;
    gal_error error = {0};
    if (gali_contract_parse(&contract, text, strlen(text), NULL, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    return contract;
}

typedef struct named {
    uint32_t feature;
    const char *name;
} named;

static void inputs_have_names(void **state) {
    (void)state;
    static const named names[] = {
        {0, "trajectory.position.x[-10]"},
        {2, "trajectory.position.x[10]"},
        {3, "trajectory.position.z[-10]"},
        {7, "trajectory.direction.x[0]"},
        {11, "trajectory.direction.z[10]"},
        {12, "trajectory.gait.stand[-10]"},
        {16, "trajectory.gait.walk[0]"},
        {20, "trajectory.height.25[10]"},
        {21, "trajectory.height.-25[-10]"},
        {24, "constant[0]"},
        {25, "constant[1]"},
        {26, "joint.position.Hip.x"},
        {30, "joint.position.Knee.y"},
        {40, "joint.position.Hand.z"},
        {41, "joint.velocity.Hip.x"},
        {55, "joint.velocity.Hand.z"},
        {56, "style[0]"},
        {58, "style[2]"},
        {59, "?"},
        {UINT32_MAX, "?"},
    };
    gali_contract *c = parse(good_contract);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[128];
        gali_contract_input_name(c, names[i].feature, text, sizeof text);
        assert_string_equal(text, names[i].name);
    }
    gali_contract_release(c, NULL);
}

static void outputs_have_names(void **state) {
    (void)state;
    static const named names[] = {
        {0, "root.velocity.x"},        {1, "root.velocity.z"},        {2, "root.turn"},
        {3, "phase.advance"},          {4, "contact.Heel"},           {5, "contact.Toe"},
        {6, "future.position.x[0]"},   {9, "future.position.z[10]"},  {13, "future.direction.z[10]"},
        {14, "joint.position.Hip.x"},  {29, "joint.velocity.Hip.x"},  {44, "joint.rotation.Hip.0"},
        {52, "joint.rotation.Heel.2"}, {58, "joint.rotation.Hand.2"}, {59, "?"},
    };
    gali_contract *c = parse(good_contract);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[128];
        gali_contract_output_name(c, names[i].feature, text, sizeof text);
        assert_string_equal(text, names[i].name);
    }
    gali_contract_release(c, NULL);
    c = parse(
        "gallop-contract 1\nname n\nrate 60\nunit 1\njoint a - 0 0 0\njoint b a 0 0 0\ninput constant 1 1\n"
        "output joint.rotation sixd\noutput opaque left 2\n");
    char text[128];
    gali_contract_output_name(c, 11, text, sizeof text);
    assert_string_equal(text, "joint.rotation.b.5");
    gali_contract_output_name(c, 13, text, sizeof text);
    assert_string_equal(text, "left[1]");
    gali_contract_release(c, NULL);
}

static void hinged_features_have_names(void **state) {
    (void)state;
    static const named inputs[] = {{12, "trajectory.velocity.x[-5]"},
                                   {18, "hinge.angle.Hip"},
                                   {21, "hinge.velocity.Knee"},
                                   {22, "body.posture.height"},
                                   {23, "body.posture.pitch"},
                                   {27, "body.rate.roll"},
                                   {28, "root.motion.x"},
                                   {30, "root.motion.turn"},
                                   {32, "foot.position.Foot.y"},
                                   {36, "foot.velocity.Foot.z"},
                                   {37, "leg.phase.Foot.cos"},
                                   {38, "leg.phase.Foot.sin"},
                                   {39, "?"}};
    static const named outputs[] = {{11, "future.velocity.x[0]"}, {16, "hinge.change.Knee"},
                                    {17, "hinge.velocity.Hip"},   {19, "body.change.height"},
                                    {24, "body.rate.roll"},       {26, "leg.phase.Foot.sin"},
                                    {27, "leg.phase.rate.Foot"},  {28, "?"}};
    gali_contract *c = parse(hinged_contract);
    char text[128];
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        gali_contract_input_name(c, inputs[i].feature, text, sizeof text);
        assert_string_equal(text, inputs[i].name);
    }
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        gali_contract_output_name(c, outputs[i].feature, text, sizeof text);
        assert_string_equal(text, outputs[i].name);
    }
    gali_contract_release(c, NULL);
}

static void a_hinged_skeleton_walks_by_its_own_blocks(void **state) {
    (void)state;
    static const char *const needed[] = {"output hinge.change", "output body.change", "output hinge.velocity",
                                         "output body.rate",    "output leg.phase\n", "output leg.phase.rate"};
    gal_error error = {0};
    gali_contract *c = parse(hinged_contract);
    assert_int_equal(gali_contract_complete(c, GAL_GATE_NETWORK, &error), GAL_OK);
    assert_int_equal(gali_contract_complete(c, GAL_GATE_CUBIC, &error), GAL_BAD_DATA);
    assert_non_null(strstr(error.message, "no output phase.advance"));
    gali_contract_release(c, NULL);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        char text[sizeof hinged_contract], name[64];
        size_t length = strcspn(needed[i], "\n");
        strcpy(text, hinged_contract);
        memset(strstr(text, needed[i]), ' ', length);
        snprintf(name, sizeof name, "no %.*s:", (int)length, needed[i]);
        c = parse(text);
        assert_int_equal(gali_contract_complete(c, GAL_GATE_NETWORK, &error), GAL_BAD_DATA);
        if (!strstr(error.message, name)) {
            fail_msg("\"%s\", expected \"%s\"", error.message, name);
        }
        gali_contract_release(c, NULL);
    }
}

static void names_are_cut_to_fit(void **state) {
    (void)state;
    gali_contract *c = parse(good_contract);
    char text[8] = "xxxxxxx";
    gali_contract_input_name(c, 26, text, 6);
    assert_string_equal(text, "joint");
    gali_contract_release(c, NULL);
}

/* The good contract without the line; line NULL: whole. */
static gali_contract *without(const char *line) {
    char text[sizeof good_contract];
    strcpy(text, good_contract);
    char *at = line ? strstr(text, line) : NULL;
    if (at) {
        memset(at, ' ', strlen(line));
    }
    return parse(text);
}

static void walks_only_with_all_that_a_step_needs(void **state) {
    (void)state;
    static const char *const needed[][2] = {
        {"input opaque style 3", NULL}, /* known to be there: the first thing said of the whole */
        {"input trajectory.position.x", "no input trajectory.position.x:"},
        {"input trajectory.position.z", "no input trajectory.position.z:"},
        {"input trajectory.direction.x", "no input trajectory.direction.x:"},
        {"input trajectory.direction.z", "no input trajectory.direction.z:"},
        {"output root.velocity.x", "no output root.velocity.x:"},
        {"output root.velocity.z", "no output root.velocity.z:"},
        {"output root.turn", "no output root.turn:"},
        {"output phase.advance", "no output phase.advance, and the gate needs a phase:"},
        {"output future.position.x", "no output future.position.x:"},
        {"output future.position.z", "no output future.position.z:"},
        {"output future.direction.x", "no output future.direction.x:"},
        {"output future.direction.z", "no output future.direction.z:"},
        {"output joint.position", "no output joint.position:"},
        {"output joint.velocity", "no output joint.velocity:"},
        {"output joint.rotation expmap", "no output joint.rotation:"},
    };
    gal_error error = {0};
    gali_contract *c = without(NULL);
    assert_int_equal(gali_contract_complete(c, GAL_GATE_CUBIC, &error), GAL_BAD_DATA);
    assert_non_null(strstr(error.message, "contract: input opaque 'style': no crowd knows what it means"));
    gali_contract_release(c, NULL);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        char text[sizeof good_contract];
        strcpy(text, good_contract);
        memset(strstr(text, needed[0][0]), ' ', strlen(needed[0][0]));
        if (i > 0) {
            memset(strstr(text, needed[i][0]), ' ', strlen(needed[i][0]));
        }
        c = parse(text);
        error = (gal_error){0};
        gal_status status = gali_contract_complete(c, GAL_GATE_CUBIC, &error);
        assert_int_equal(status, needed[i][1] ? GAL_BAD_DATA : GAL_OK);
        if (needed[i][1] && !strstr(error.message, needed[i][1])) {
            fail_msg("\"%s\", expected \"%s\"", error.message, needed[i][1]);
        }
        gali_contract_release(c, NULL);
    }
}

/* Adds lines to the good contract, without its opaque block, after taking `line` away. */
static void expect_incomplete(const char *line, const char *add, gal_gate_kind gate, const char *expected) {
    char text[2 * sizeof good_contract];
    strcpy(text, good_contract);
    memset(strstr(text, "input opaque style 3"), ' ', 20);
    if (line) {
        memset(strstr(text, line), ' ', strlen(line));
    }
    strcat(text, add);
    gali_contract *c = parse(text);
    gal_error error = {0};
    assert_int_equal(gali_contract_complete(c, gate, &error), expected ? GAL_BAD_DATA : GAL_OK);
    if (expected && !strstr(error.message, expected)) {
        fail_msg("\"%s\", expected \"%s\"", error.message, expected);
    }
    gali_contract_release(c, NULL);
}

static void walks_only_by_what_it_declares(void **state) {
    (void)state;
    expect_incomplete(NULL, "", GAL_GATE_LINEAR, NULL);
    expect_incomplete("output phase.advance", "", GAL_GATE_CALLER, NULL);
    expect_incomplete(NULL, "output opaque rest 4\n", GAL_GATE_CUBIC, "output opaque 'rest': no crowd knows");
    expect_incomplete("samples -10 0 10", "samples -10 10\n", GAL_GATE_CUBIC, "no sample at offset 0");
    expect_incomplete("window 30 40", "", GAL_GATE_CUBIC, NULL);
    static const char *const hinged[] = {"body.posture",  "body.rate",     "root.motion",
                                         "foot.position", "foot.velocity", "leg.phase"};
    for (size_t i = 0; i < sizeof hinged / sizeof *hinged; i++) {
        char line[64], expected[64];
        snprintf(line, sizeof line, "input %s\n", hinged[i]);
        snprintf(expected, sizeof expected, "input %s without hinges", hinged[i]);
        expect_incomplete(NULL, line, GAL_GATE_CUBIC, expected);
    }
    gal_error error = {0};
    gali_contract *c =
        parse("gallop-contract 1\nname n\nrate 60\nunit 1\ninput constant 0 1\noutput root.turn\n");
    assert_int_equal(gali_contract_complete(c, GAL_GATE_CUBIC, &error), GAL_BAD_DATA);
    assert_non_null(strstr(error.message, "no joints"));
    gali_contract_release(c, NULL);
    c = parse("gallop-contract 1\nname n\nrate 60\nunit 1\nwindow 0 60\njoint a - 0 0 0\nsamples 0\n"
              "input constant 0 1\noutput root.turn\n");
    assert_int_equal(gali_contract_complete(c, GAL_GATE_CUBIC, &error), GAL_BAD_DATA);
    assert_non_null(strstr(error.message, "no past frame in the window"));
    gali_contract_release(c, NULL);
    /* Velocities may be missing where nothing reads them. */
    char text[2 * sizeof good_contract];
    strcpy(text, good_contract);
    static const char *const lines[] = {"input opaque style 3", "input joint.velocity",
                                        "output joint.velocity"};
    for (int i = 0; i < 3; i++) {
        memset(strstr(text, lines[i]), ' ', strlen(lines[i]));
    }
    c = parse(text);
    assert_int_equal(gali_contract_complete(c, GAL_GATE_CUBIC, &error), GAL_BAD_DATA);
    gali_contract_release(c, NULL);
    strcat(text, "rule joint_smooth 0\n");
    c = parse(text);
    assert_int_equal(gali_contract_complete(c, GAL_GATE_CUBIC, &error), GAL_OK);
    gali_contract_release(c, NULL);
}

static void finds_blocks(void **state) {
    (void)state;
    gali_contract *c = parse(good_contract);
    assert_ptr_equal(gali_contract_find(c, GALI_BLOCK_TRAJECTORY_HEIGHT), &c->input_blocks[6]);
    assert_ptr_equal(gali_contract_find(c, GALI_BLOCK_CONTACT), &c->output_blocks[4]);
    assert_null(gali_contract_find(c, GALI_BLOCK_JOINT_ROTATION_SIXD));
    gali_contract_release(c, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_have_names),
        cmocka_unit_test(outputs_have_names),
        cmocka_unit_test(hinged_features_have_names),
        cmocka_unit_test(a_hinged_skeleton_walks_by_its_own_blocks),
        cmocka_unit_test(names_are_cut_to_fit),
        cmocka_unit_test(walks_only_with_all_that_a_step_needs),
        cmocka_unit_test(walks_only_by_what_it_declares),
        cmocka_unit_test(finds_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
