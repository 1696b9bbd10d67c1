/* gallop check: is the model file right, and does this build run it right? */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/size.h"
#include "check/check_report.h"
#include "commands.h"
#include "diagnose/diagnose.h"
#include "network/quantise_model.h"
#include "options.h"
#include "precision_option.h"

typedef struct check {
    const char *path, *x, *phase, *blend, *y;
    double tolerance;
    gali_model_file file;
    gali_check_report report;
    int as_json;
    gali_json json;
    gali_precision_option precision;
    gal_network_desc desc;
} check;

/* What is wrong in words, below a check that failed. */
static void say_why(gali_check_report *report, const gali_diagnosis *why, const char *unit) {
    const char *likely = why->kind == GALI_DIAGNOSIS_LIKELY ? "perhaps" : "cause";
    if (why->kind == GALI_DIAGNOSIS_NONE) {
        gali_check_detail(report, "cause: none of the known mistakes (gallop help check) explains it");
    } else {
        gali_check_detail(report, "%s: %s", likely, why->text);
        gali_check_detail(report, "so read, the error falls from %.3g to %.2g %s", why->before, why->after,
                          unit);
    }
}

static int check_frames(check *self, const gal_network *network, const gali_frames *frames) {
    gal_error error = {0};
    gali_diagnosis why;
    float *y = malloc(gali_size_mul((size_t)frames->count * self->file.model.outputs, sizeof *y));
    gal_status status = y ? gali_frames_run(frames, network, y, &error)
                          : gali_fail(&error, GAL_NO_MEMORY, "no memory for %u frames", frames->count);
    int right = status == GAL_OK && gali_check_frames(&self->report, &self->file, frames, y);
    if (status == GAL_OK && !right) {
        status = gali_diagnose_frames(&why, &self->file, frames, &error);
        if (status == GAL_OK) {
            say_why(&self->report, &why, "of a feature's spread");
        }
    }
    if (status == GAL_OK) {
        gali_check_normalisation(&self->report, &self->file, frames);
    } else {
        gali_check_say(&self->report, GALI_FAIL, frames->name, "%s", error.message);
    }
    free(y);
    return right;
}

/* believed: whether the network gives these frames, so that what is wrong with the poses is the contract's. */
static void check_poses(check *self, const gali_frames *frames, int believed) {
    gal_error error = {0};
    gali_diagnosis why;
    int right = gali_check_bones(&self->report, &self->file, frames);
    right &= gali_check_rotations(&self->report, &self->file, frames);
    if (!right && believed && gali_diagnose_pose(&why, &self->file, frames, &error) == GAL_OK) {
        say_why(&self->report, &why, "of a bone's length");
    }
}

static int fits(const check *self) {
    const gali_contract *contract = self->file.contract;
    return contract && contract->inputs == self->file.model.inputs &&
           contract->outputs == self->file.model.outputs;
}

/* The file's golden frames, then the user's. */
static gal_status check_all_frames(check *self, const gal_network *network, gal_error *error) {
    const gali_model *model = &self->file.model;
    gali_frames frames;
    gal_status status = GAL_OK;
    if (model->golden.frames == 0) {
        gali_check_say(&self->report, self->x ? GALI_SKIP : GALI_FAIL, "golden frames", "the file has none%s",
                       self->x ? ""
                               : ", and no --x and --y are given: nothing says what the network should do");
    } else {
        status = gali_frames_golden(&frames, model, error);
        frames.tolerance = fmaxf(frames.tolerance, gali_quantise_tolerance(self->desc.precision));
    }
    if (status == GAL_OK && model->golden.frames > 0) {
        int right = check_frames(self, network, &frames);
        if (fits(self)) {
            check_poses(self, &frames, right);
        }
        gali_frames_release(&frames);
    }
    if (status == GAL_OK && self->x) {
        const char *gate = model->gate == GAL_GATE_CALLER ? self->blend : self->phase;
        status = gali_frames_read(&frames, model, self->x, gate, self->y, error);
        if (status == GAL_OK) {
            frames.tolerance = (float)self->tolerance;
            check_frames(self, network, &frames);
            gali_frames_release(&frames);
        }
    }
    return status;
}

static void check_contract(check *self) {
    gal_error error = {0};
    const gali_contract *contract = self->file.contract;
    if (!contract) {
        gali_check_say(&self->report, GALI_SKIP, "contract",
                       "the file has none: the network runs, nothing walks");
        return;
    }
    if (!fits(self)) {
        gali_check_say(&self->report, GALI_FAIL, "contract",
                       "its blocks add up to %u inputs and %u outputs, the network has %u and %u",
                       contract->inputs, contract->outputs, self->file.model.inputs, self->file.model.outputs);
        return;
    }
    if (gali_model_file_is_bare(&self->file)) {
        gali_check_say(&self->report, GALI_SKIP, "contract",
                       "a bare network: its features are opaque, no crowd can use it; its golden frames are "
                       "what is checked");
        return;
    }
    if (gali_contract_complete(contract, self->file.model.gate, &error) != GAL_OK) {
        gali_check_say(&self->report, GALI_FAIL, "contract", "cannot walk: %s", error.message);
    } else {
        gali_check_say(&self->report, GALI_PASS, "contract", "%u inputs, %u outputs, %u joints; complete",
                       contract->inputs, contract->outputs, contract->joint_count);
    }
}

/* What options must be there together, once the gate is known. */
static int usage(const check *self) {
    const gal_gate_kind gate = self->file.model.gate;
    const char *needed = gali_frames_gate_option(&self->file.model);
    if (!self->x != !self->y) {
        return gali_command_usage("check", "%s is missing: --x and --y are given together",
                                  self->x ? "--y" : "--x");
    }
    const char *refused = gali_frames_gate_refused(&self->file.model, self->phase, self->blend);
    if (refused) {
        return gali_command_usage("check", "%s does not go with this model: its gate is \"%s\"", refused,
                                  gali_model_file_gate_name(gate));
    }
    if (self->x && needed && !(gate == GAL_GATE_CALLER ? self->blend : self->phase)) {
        return gali_command_usage("check", "%s is missing: the model's gate is \"%s\"", needed,
                                  gali_model_file_gate_name(gate));
    }
    return GALI_EXIT_OK;
}

static void begin_report(check *self) {
    if (self->as_json) {
        self->report.json = &self->json;
        gali_json_open(&self->json, NULL, '{');
        gali_json_text(&self->json, "model", self->path);
        gali_json_open(&self->json, "checks", '[');
    }
}

static void end_report(check *self, int passed) {
    if (self->as_json) {
        gali_check_end(&self->report);
        gali_json_close(&self->json, ']');
        gali_json_bool(&self->json, "passed", passed);
        gali_json_close(&self->json, '}');
    } else if (passed) {
        printf("PASS%s\n", self->report.warned > 0 ? ", with warnings" : "");
    }
    fflush(stdout);
}

static int check_opened(check *self) {
    gal_error error = {0};
    gal_network *network = NULL;
    int result = usage(self);
    if (result != GALI_EXIT_OK) {
        return result;
    }
    begin_report(self);
    gali_check_say(&self->report, GALI_PASS, "file", "%zu bytes, every section whole, every weight finite",
                   self->file.size);
    check_contract(self);
    gal_status status =
        gal_network_open_memory(&network, self->file.bytes, self->file.size, &self->desc, &error);
    if (status == GAL_OK) {
        status = check_all_frames(self, network, &error);
    }
    gal_network_close(network);
    end_report(self, status == GAL_OK && self->report.failed == 0);
    if (status != GAL_OK) {
        return gali_command_bad("check", "%s", error.message);
    }
    if (self->report.failed > 0) {
        return gali_command_bad("check", "%s: FAIL, %u of the checks above", self->path, self->report.failed);
    }
    return GALI_EXIT_OK;
}

static int run(int argc, char **argv) {
    check self = {.report = {.most = 12}, .tolerance = 1e-3, .json = {.out = stdout, .flat = 3}};
    gal_error error = {0};
    const gali_option options[] = {
        {"MODEL", GALI_OPTION_WORD, &self.path, 1, 0},
        {"--most", GALI_OPTION_COUNT, &self.report.most, 1, 100000},
        {"--json", GALI_OPTION_FLAG, &self.as_json, 0, 0},
        {"--x", GALI_OPTION_TEXT, &self.x, 0, 0},
        {"--phase", GALI_OPTION_TEXT, &self.phase, 0, 0},
        {"--blend", GALI_OPTION_TEXT, &self.blend, 0, 0},
        {"--y", GALI_OPTION_TEXT, &self.y, 0, 0},
        {"--tolerance", GALI_OPTION_NUMBER, &self.tolerance, 1e-7, 1},
        GALI_PRECISION_TABLE(self.precision),
    };
    int result = gali_options_read("check", argc, argv, options, sizeof options / sizeof options[0]);
    if (result == GALI_EXIT_OK) {
        result = gali_precision_option_read(&self.precision, "check", &self.desc);
    }
    if (result != GALI_EXIT_OK) {
        return result;
    }
    if (gali_model_file_open(&self.file, self.path, &error) != GAL_OK) {
        return gali_command_bad("check", "%s", error.message);
    }
    result = check_opened(&self);
    gali_model_file_close(&self.file);
    return result;
}

const gali_command gali_command_check = {
    "check", "golden frames and contract: says in words what is wrong",
    "usage: gallop check MODEL [--x X.npy --phase P.npy|--blend W.npy --y Y.npy] [--tolerance 1e-3]\n"
    "       [--most 12] [--json] " GALI_PRECISION_USAGE "\n\n"
    "Checks the file, that the contract fits the network and is complete, runs the golden frames through this\n"
    "build and compares, and looks at them as poses: bone lengths, rotations, normalisation. Features and\n"
    "joints that are wrong are named, largest first, and then the cause, where it is a known mistake. Exit\n"
    "status 1 if anything fails.\n\n"
    "  --x, --y X.npy       frames of your own, from an engine or a trainer: float32 [frames][inputs] and\n"
    "                       [frames][outputs], raw features\n"
    "  --phase, --blend     their phases or blends, as in gallop eval\n"
    "  --tolerance 1e-3     for these frames: root mean square error, of each feature's own\n"
    "                       spread\n"
    "  --most N             lines of detail for each check (12)\n"
    "  --json               the same for programs: model, checks [verdict, check, message, details], "
    "passed\n" GALI_PRECISION_HELP "\n"
    "Known mistakes:\n"
#define MISTAKE(id, meaning) "  " meaning "\n"
#include "diagnose/mistakes.def"
#undef MISTAKE
    ,
    run};
