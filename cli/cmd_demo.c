/* gallop demo: a small crowd on hills, timed against the frame's budget, checked, and shown as a page and a picture. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "commands.h"
#include "directory.h"
#include "embedded.h"
#include "model_file.h"
#include "motion/controller.h"
#include "options.h"
#include "show/contact_sheet.h"
#include "show/demo_cast.h"
#include "show/hills.h"
#include "space.h"

static const double budget_ms = 2; /* for the whole crowd in a frame of 16.7 ms */

typedef struct demo {
    const char *model, *out;
    double seconds;
    uint32_t characters;
    int dog, walker;
    gal_controller *controller;
    gali_cast cast;
    gali_hills hills;
    gali_figure figure;
    gali_recording recording;
    char subtitle[160];
} demo;

/* Milliseconds of the step. */
typedef struct timing {
    double median, p99, worst;
} timing;

/* What must hold for a crowd that looks right. */
typedef struct sanity {
    uint64_t bad_joints;         /* not finite, or further than three heights from the root */
    double bone_error;           /* mean, of bones against the skeleton */
    double skate, contact_share; /* centimetres a second of toes on the ground; share of the time */
    uint64_t resets;
} sanity;

static const char *name_of(const demo *self) {
    return self->dog ? "dog" : self->walker ? "walker" : "runner";
}

static gal_status open_model(demo *self, gal_error *error) {
    const gali_embedded *person = self->walker ? &gali_embedded_walker : &gali_embedded_runner;
    const gali_embedded *built_in = self->dog ? &gali_embedded_dog : person;
    if (self->model) {
        return gal_controller_open(&self->controller, self->model, NULL, error);
    }
    if (built_in->size == 0) {
        return gali_fail(
            error, GAL_NOT_FOUND,
            "no %s was built into this command; give a model with --model FILE (gallop import makes one)",
            name_of(self));
    }
    return gal_controller_open_memory(&self->controller, built_in->data, built_in->size, NULL, error);
}

static gal_status record(demo *self, gal_error *error) {
    const gali_contract *contract = self->controller->contract;
    gali_cast_make(&self->cast, contract, self->characters);
    self->hills = (gali_hills){.unit = contract->unit, .steepest = 0.34f};
    gali_recording_desc desc = {.controller = self->controller,
                                .characters = self->characters,
                                .frames = (uint32_t)fmax(self->seconds * (double)contract->rate, 1),
                                .spawns = self->cast.spawns,
                                .ground = gali_hills_ground,
                                .ground_context = &self->hills,
                                .player = gali_cast_play,
                                .player_context = &self->cast};
    gal_status status = gali_recording_make(&self->recording, &desc, error);
    if (status == GAL_OK) {
        gali_figure_build(&self->figure, contract, self->recording.poses);
    }
    return status;
}

static int by_size(const void *a, const void *b) {
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

static timing time_of(const gali_recording *recording) {
    uint32_t count = recording->frames;
    double *sorted = malloc(count * sizeof *sorted);
    timing out = {0, 0, 0};
    if (sorted) {
        memcpy(sorted, recording->step_seconds, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, by_size);
        out = (timing){1e3 * sorted[count / 2], 1e3 * sorted[(uint32_t)(0.99 * (count - 1))],
                       1e3 * sorted[count - 1]};
        free(sorted);
    }
    return out;
}

static void check_pose(const demo *self, const gal_transform *pose, gal_vec3 root, sanity *out, double *bones) {
    const gali_contract *contract = self->controller->contract;
    float far = 3 * self->figure.tall / contract->unit;
    for (uint32_t j = 0; j < contract->joint_count; j++) {
        float away = gali_vec3_length(gali_vec3_sub(pose[j].position, root));
        int32_t parent = contract->joints[j].parent;
        float rest = gali_vec3_length(contract->joints[j].rest.position);
        out->bad_joints += away < far ? 0u : 1u;
        if (parent >= 0 && rest * contract->unit > 0.02f * self->figure.tall) {
            float length = gali_vec3_length(gali_vec3_sub(pose[j].position, pose[parent].position));
            out->bone_error += (double)fabsf(length / rest - 1);
            *bones += 1;
        }
    }
}

/* Toes that count as on the ground in both frames, and how fast they slide; index is the contact's. */
static void check_toe(const demo *self, uint32_t character, uint32_t frame, uint32_t index, sanity *out,
                      double *planted, double *seen) {
    const gali_contract *contract = self->controller->contract;
    const gali_recording *recording = &self->recording;
    uint32_t joint = contract->contact_joints[index];
    *seen += 1;
    if (gali_recording_state(recording, character, frame)->contacts[index] > 0.5f &&
        gali_recording_state(recording, character, frame - 1)->contacts[index] > 0.5f) {
        gal_vec3 d = gali_vec3_sub(gali_recording_pose(recording, character, frame)[joint].position,
                                   gali_recording_pose(recording, character, frame - 1)[joint].position);
        out->skate += (double)(hypotf(d.x, d.z) * contract->rate * contract->unit) * 100;
        *planted += 1;
    }
}

static sanity check(const demo *self) {
    const gali_recording *recording = &self->recording;
    sanity out = {.resets = recording->resets};
    double bones = 0, planted = 0, seen = 0;
    for (uint32_t c = 0; c < recording->characters; c++) {
        for (uint32_t f = 0; f < recording->frames; f++) {
            gal_vec3 root = gali_recording_state(recording, c, f)->root;
            check_pose(self, gali_recording_pose(recording, c, f), root, &out, &bones);
            for (uint32_t k = 0; f > 0 && k < self->controller->contract->contact_count; k++) {
                if (self->controller->toe_joint[k] >= 0) {
                    check_toe(self, c, f, k, &out, &planted, &seen);
                }
            }
        }
    }
    out.bone_error /= fmax(bones, 1);
    out.skate /= fmax(planted, 1);
    out.contact_share = planted / fmax(seen, 1);
    return out;
}

/* Where a step's time goes. */
static void print_parts(const gali_recording *recording) {
    const double *seconds = recording->zone_seconds;
    printf("  its parts  network %.0f %%, features %.0f %%, poses %.0f %%\n",
           100 * seconds[GAL_ZONE_NETWORK] / seconds[GAL_ZONE_STEP],
           100 * seconds[GAL_ZONE_FEATURES] / seconds[GAL_ZONE_STEP],
           100 * seconds[GAL_ZONE_POSES] / seconds[GAL_ZONE_STEP]);
}

static int report(demo *self) {
    gal_controller_info info = gal_controller_get_info(self->controller);
    gal_network_info network = gal_network_get_info(gal_controller_network(self->controller));
    timing step = time_of(&self->recording);
    sanity sane = check(self);
    int right = sane.bad_joints == 0 && sane.resets == 0 && sane.bone_error < 0.1;
    snprintf(self->subtitle, sizeof self->subtitle,
             "%u characters over hills at %g frames a second: %.2f ms a frame for all of them (median)",
             self->characters, (double)info.rate, step.median);
    printf("%s: %u characters over hills, %.3g s at %g frames a second, kernels %s\n", info.name,
           self->characters, self->recording.frames / (double)info.rate, (double)info.rate,
           gal_isa_name(network.isa));
    printf("  step       median %.3f ms, 99 %% %.3f ms, worst %.3f ms: %s %g ms (median) on one thread\n",
           step.median, step.p99, step.worst,
           step.median < budget_ms ? "within the budget of" : "OVER the budget of", budget_ms);
    print_parts(&self->recording);
    printf("  memory     network %.2f MB, crowd %.2f MB\n", (double)network.memory / 1e6,
           (double)self->recording.crowd_bytes / 1e6);
    printf("  joints     %llu out of place, %llu characters set back, bone lengths within %.1f %% on the mean: "
           "%s\n",
           (unsigned long long)sane.bad_joints, (unsigned long long)sane.resets, 100 * sane.bone_error,
           right ? "good" : "WRONG");
    printf("  foot skate %.1f cm/s on the mean of toes on the ground (%.0f %% of the time)\n", sane.skate,
           100 * sane.contact_share);
    return right ? GALI_EXIT_OK : GALI_EXIT_BAD;
}

static gal_status write_files(const demo *self, gal_error *error) {
    char page[4096], picture[4096];
    gali_player_desc desc = {.title = self->dog      ? "Gallop: dog"
                                      : self->walker ? "Gallop: walker"
                                                     : "Gallop: runner",
                             .subtitle = self->subtitle,
                             .contract = self->controller->contract,
                             .figure = &self->figure,
                             .recording = &self->recording,
                             .names = self->cast.names,
                             .ground = gali_hills_ground,
                             .ground_context = (void *)&self->hills};
    if (self->model) {
        desc.title = self->controller->contract->name;
    }
    if (snprintf(page, sizeof page, "%s/demo.html", self->out) >= (int)sizeof page) {
        return gali_fail(error, GAL_IO, "%.64s...: the path is too long", self->out);
    }
    snprintf(picture, sizeof picture, "%.4000s/demo.png", self->out);
    gal_status status = gali_player_write(page, &desc, error);
    if (status != GAL_OK) {
        return status;
    }
    status = gali_contact_sheet_write(picture, &desc, error);
    printf("  written    %s (open it in a browser)%s%s\n", page, status == GAL_OK ? ", " : "",
           status == GAL_OK ? picture : "");
    if (status == GAL_UNSUPPORTED) { /* the page is whole without it */
        fprintf(stderr, "gallop demo: %s\n", error->message);
        return GAL_OK;
    }
    return status;
}

static int run_demo(demo *self) {
    gal_error error = {0};
    gal_status status = open_model(self, &error);
    if (status == GAL_OK) {
        status = gali_directory_make(self->out, &error);
    }
    if (status == GAL_OK) {
        status = record(self, &error);
    }
    if (status != GAL_OK) {
        return gali_command_bad("demo", "%s", error.message);
    }
    int result = report(self);
    if (write_files(self, &error) != GAL_OK) {
        return gali_command_bad("demo", "%s", error.message);
    }
    return result == GALI_EXIT_OK ? result
                                  : gali_command_bad("demo", "the characters are not right (see above)");
}

static int run(int argc, char **argv) {
    demo *self = calloc(1, sizeof *self);
    if (!self) {
        return gali_command_bad("demo", "no memory");
    }
    self->seconds = 10;
    self->characters = GALI_CAST_ROLES;
    self->out = ".";
    const gali_option options[] = {
        {"--model", GALI_OPTION_TEXT, &self->model, 0, 0},
        {"--out", GALI_OPTION_TEXT, &self->out, 0, 0},
        {"--seconds", GALI_OPTION_NUMBER, &self->seconds, 0.1, 600},
        {"--characters", GALI_OPTION_COUNT, &self->characters, 1, GALI_CAST_MAX},
        {"--dog", GALI_OPTION_FLAG, &self->dog, 0, 0},
        {"--walker", GALI_OPTION_FLAG, &self->walker, 0, 0},
    };
    int result = gali_options_read("demo", argc, argv, options, sizeof options / sizeof options[0]);
    if (result == GALI_EXIT_OK && self->dog + self->walker + (self->model != NULL) > 1) {
        result = gali_command_usage("demo", "--walker, --dog and --model: one of them");
    }
    if (result == GALI_EXIT_OK) {
        result = run_demo(self);
    }
    gali_recording_release(&self->recording);
    gal_controller_close(self->controller);
    free(self);
    return result;
}

const gali_command gali_command_demo = {
    "demo", "eight characters over hills: timing, a picture and a page to watch",
    "usage: gallop demo [--model FILE | --walker | --dog] [--seconds 10] [--characters 8] [--out DIR]\n\n"
    "Runs a small crowd over hills, prints its timing against the budget of 2 ms a frame, its memory and\n"
    "whether its joints and feet are right, and writes DIR/demo.html (a 3D player in one file that needs no\n"
    "network) and DIR/demo.png (a contact sheet).\n\n"
    "  --model FILE     a model file; without it the runner that is built in\n"
    "  --walker         the small person that is built in\n"
    "  --dog            the dog that is built in\n"
    "  --seconds S      10\n"
    "  --characters N   8, at most 64\n"
    "  --out DIR        where to write; made if it is not there; default: here\n",
    run};
