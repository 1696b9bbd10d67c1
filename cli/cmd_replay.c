/*
 * gallop replay: a recording played again and compared, frame by frame. To find where two builds part, one runs the
 * other as a command and reads the hashes, and then the numbers of the first frame that differs, from its output.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/system.h"
#include "commands.h"
#include "models.h"

#include "gallop/record.h"

enum { OWN_OPTIONS = 3 + GALI_PRECISION_OPTIONS, COMMAND_BYTES = 8192, LINE_BYTES = 256, SHOWN = 12 };

static const size_t recording_most = (size_t)1 << 32;

typedef struct replay {
    const char *path, *other;
    int hashes;
    uint32_t numbers; /* the frame whose numbers are printed; 0: none */
    gali_models models;
    gali_precision_option precision;
    void *bytes;
    size_t size;
    gal_replay tape;
    gal_crowd *crowd;
    gal_error error;
} replay;

/* The model of a group: the one of the recorded name; the only one, if that is all there is. */
static const gal_controller *model_of(const replay *self, uint32_t group) {
    const char *name = self->tape.groups[group].controller;
    for (uint32_t i = 0; i < self->models.count; i++) {
        if (strcmp(gal_controller_get_info(self->models.controllers[i]).name, name) == 0) {
            return self->models.controllers[i];
        }
    }
    return self->models.count == 1 && self->tape.group_count == 1 ? self->models.controllers[0] : NULL;
}

static gal_status make_crowd(replay *self) {
    gal_group_desc groups[GAL_GROUPS_MAX];
    for (uint32_t g = 0; g < self->tape.group_count; g++) {
        groups[g] =
            (gal_group_desc){.controller = model_of(self, g), .capacity = self->tape.groups[g].capacity};
        if (!groups[g].controller) {
            return gali_fail(&self->error, GAL_BAD_ARGUMENT,
                             "the recording has a group of \"%s\", which none of the models is",
                             self->tape.groups[g].controller);
        }
    }
    gal_crowd_desc desc = {.groups = groups, .group_count = self->tape.group_count};
    if (self->tape.ground == 1) {
        desc.ground = gal_height_field_ground;
        desc.ground_context = &self->tape.field;
    } else if (self->tape.ground == 2) {
        return gali_fail(&self->error, GAL_BAD_ARGUMENT,
                         "its ground is a function of the host, which plays it with gal_replay_step");
    }
    return gal_crowd_create(&self->crowd, &desc, &self->error);
}

static gal_status open_all(replay *self) {
    gal_network_desc desc = {0};
    if (gali_precision_option_read(&self->precision, "replay", &desc) != GALI_EXIT_OK) {
        return GAL_BAD_ARGUMENT;
    }
    gal_status status =
        gali_file_read(self->path, recording_most, NULL, &self->bytes, &self->size, &self->error);
    gal_error why = {0};
    if (status == GAL_OK && gal_replay_open(&self->tape, self->bytes, self->size, &why) != GAL_OK) {
        status = gali_fail_in_file(&self->error, self->path, &why);
    }
    if (status == GAL_OK) {
        status = gali_models_open(&self->models, &desc, &self->error);
    }
    if (status == GAL_OK) {
        status = make_crowd(self);
    }
    if (status == GAL_OK && gal_replay_begin(&self->tape, self->crowd, &why) != GAL_OK) {
        status = gali_fail_in_file(&self->error, self->path, &why);
    }
    return status;
}

static void put(FILE *to, gal_character who, const char *part, const char *field, float value) {
    fprintf(to, "%u %s.%s %a\n", who, part, field, (double)value);
}

static void put_pose(FILE *to, gal_character who, const gal_crowd *crowd) {
    uint32_t joints;
    const gal_transform *pose = gal_crowd_pose(crowd, who, &joints);
    const gal_controller *controller = gal_crowd_controller(crowd, who);
    for (uint32_t j = 0; j < joints; j++) {
        const char *name = gal_controller_joint_name(controller, j);
        put(to, who, name, "position.x", pose[j].position.x);
        put(to, who, name, "position.y", pose[j].position.y);
        put(to, who, name, "position.z", pose[j].position.z);
        put(to, who, name, "rotation.x", pose[j].rotation.x);
        put(to, who, name, "rotation.y", pose[j].rotation.y);
        put(to, who, name, "rotation.z", pose[j].rotation.z);
        put(to, who, name, "rotation.w", pose[j].rotation.w);
    }
}

/* All that gal_crowd_hash hashes, a number a line, exact. */
static void print_numbers(FILE *to, const gal_crowd *crowd) {
    for (uint32_t i = 0; i < gal_crowd_count(crowd); i++) {
        gal_character who = gal_crowd_at(crowd, i);
        gal_character_state state = {0};
        gal_crowd_state(crowd, who, &state);
        put(to, who, "root", "x", state.root.x);
        put(to, who, "root", "y", state.root.y);
        put(to, who, "root", "z", state.root.z);
        put(to, who, "root", "facing", state.facing);
        put(to, who, "root", "phase", state.phase);
        put(to, who, "root", "speed", state.speed);
        put_pose(to, who, crowd);
    }
}

/* Plays the whole recording. Returns the first frame whose hash is not the recorded one; 0: none. */
static gal_status play(replay *self, uint64_t *parted) {
    uint64_t recorded;
    gal_status status;
    *parted = 0;
    while ((status = gal_replay_step(&self->tape, self->crowd, &recorded, &self->error)) == GAL_OK) {
        uint64_t hash = gal_crowd_hash(self->crowd);
        if (self->hashes) {
            printf("%" PRIu64 " %016" PRIx64 "\n", self->tape.frame, hash);
        }
        if (hash != recorded && *parted == 0) {
            *parted = self->tape.frame;
        }
        if (self->numbers == self->tape.frame) {
            print_numbers(stdout, self->crowd);
            return GAL_OK;
        }
    }
    return status == GAL_NOT_FOUND ? GAL_OK : status;
}

/* ---- two builds ---- */

/* Names go to the shell within double quotes, of which a backslash before the last would take the meaning. */
static int is_plain(const char *name) {
    const size_t size = strlen(name);
    return !strpbrk(name, "\"$`") && (!size || name[size - 1] != '\\');
}

static int are_plain(const replay *self) {
    int plain = is_plain(self->path) && is_plain(self->other);
    for (uint32_t i = 0; i < self->models.count; i++) {
        plain &= is_plain(self->models.paths[i]);
    }
    return plain;
}

/* The other command's output for these options, in a file beside the recording; NULL after a message. */
static FILE *ask_other(const replay *self, const char *options, char *place) {
    char command[COMMAND_BYTES];
    int used = snprintf(command, sizeof command, "\"%s\" replay \"%s\"", self->other, self->path);
    for (uint32_t i = 0; i < self->models.count && used < COMMAND_BYTES; i++) {
        used += snprintf(command + used, sizeof command - (size_t)used, " \"%s\"", self->models.paths[i]);
    }
    const gali_precision_option *precision = &self->precision;
    snprintf(place, COMMAND_BYTES, "%.4000s.other", self->path);
    if (used < COMMAND_BYTES) {
        used += snprintf(command + used, sizeof command - (size_t)used, "%s%s%s%s %s >\"%.4000s.other\"",
                         precision->name ? " --precision " : "", precision->name ? precision->name : "",
                         precision->block ? " --block " : "", precision->block ? precision->block : "", options,
                         self->path);
    }
    if (used >= COMMAND_BYTES || !are_plain(self)) {
        gali_command_bad("replay", "the names of these files are too long, have one of \" $ `, or end in \\");
        return NULL;
    }
    int failed = system(command);
    FILE *said = gali_system_open(place, "rb");
    if (said && failed &&
        strcmp(options, "--hashes") != 0) { /* which fails where the recording is of neither */
        fclose(said);
        said = NULL;
    }
    if (!said) {
        gali_command_bad("replay", "%s: the other build does not play it", self->other);
    }
    return said;
}

/* The first frame whose hashes differ; 0: none. */
static int compare_hashes(replay *self, FILE *other, uint64_t *frame, uint64_t *frames) {
    char line[LINE_BYTES];
    gal_status status = GAL_OK;
    *frame = *frames = 0;
    while ((status = gal_replay_step(&self->tape, self->crowd, NULL, &self->error)) == GAL_OK) {
        uint64_t number, hash;
        if (!fgets(line, sizeof line, other) || sscanf(line, "%" SCNu64 " %" SCNx64, &number, &hash) != 2 ||
            number != self->tape.frame) {
            return gali_command_bad("replay", "%s: says nothing of frame %" PRIu64, self->other,
                                    self->tape.frame);
        }
        *frames = number;
        if (hash != gal_crowd_hash(self->crowd)) {
            *frame = number;
            return GALI_EXIT_OK;
        }
    }
    return status == GAL_NOT_FOUND ? GALI_EXIT_OK : gali_command_bad("replay", "%s", self->error.message);
}

/* Prints the numbers that differ in the frame that the crowd is at, at most SHOWN. */
static int compare_numbers(const replay *self, FILE *other) {
    char here[LINE_BYTES], there[LINE_BYTES], name[LINE_BYTES];
    unsigned who, differ = 0, count = 0;
    double a, b;
    FILE *own = tmpfile();
    if (!own) {
        return gali_command_bad("replay", "no temporary file");
    }
    print_numbers(own, self->crowd);
    rewind(own);
    while (fgets(here, sizeof here, own) && fgets(there, sizeof there, other)) {
        count++;
        if (strcmp(here, there) != 0 && sscanf(here, "%u %255s %la", &who, name, &a) == 3 &&
            sscanf(there, "%*u %*s %la", &b) == 1 && differ++ < SHOWN) {
            printf("  character %u, %s: %.9g here, %.9g there\n", who, name, a, b);
        }
    }
    fclose(own);
    printf("%u of %u numbers differ\n", differ, count);
    return GALI_EXIT_BAD;
}

static int bisect(replay *self) {
    char place[COMMAND_BYTES], options[64];
    uint64_t frame = 0, frames = 0;
    FILE *other = ask_other(self, "--hashes", place);
    int result = other ? compare_hashes(self, other, &frame, &frames) : GALI_EXIT_BAD;
    if (other) {
        fclose(other);
    }
    if (result == GALI_EXIT_OK && frame == 0) {
        printf("%s: %" PRIu64 " frames, the same bits in both builds\n", self->path, frames);
    } else if (result == GALI_EXIT_OK) {
        printf("%s: the builds part in frame %" PRIu64 "\n", self->path, frame);
        snprintf(options, sizeof options, "--numbers %" PRIu64, frame);
        other = ask_other(self, options, place);
        result = other ? compare_numbers(self, other) : GALI_EXIT_BAD;
        if (other) {
            fclose(other);
        }
    }
    gali_system_remove(place);
    return result;
}

static int report(const replay *self, uint64_t parted) {
    if (self->hashes || self->numbers) {
        return parted && !self->numbers ? GALI_EXIT_BAD : GALI_EXIT_OK;
    }
    if (parted) {
        printf("%s: frame %" PRIu64 " of %" PRIu64
               " is the first that differs from the recording (another model, another ground, or another "
               "arithmetic)\n",
               self->path, parted, self->tape.frame);
        return GALI_EXIT_BAD;
    }
    printf("%s: %" PRIu64 " frames, the same bits\n", self->path, self->tape.frame);
    return GALI_EXIT_OK;
}

static int play_and_report(replay *self) {
    uint64_t parted = 0;
    gal_status status = play(self, &parted);
    if (status != GAL_OK) {
        return gali_command_bad("replay", "%s: %s", self->path, self->error.message);
    }
    if (self->numbers > self->tape.frame) {
        return gali_command_bad("replay", "--numbers %u: it has %" PRIu64 " frames", self->numbers,
                                self->tape.frame);
    }
    return report(self, parted);
}

static int run(int argc, char **argv) {
    replay self = {0};
    gali_option options[1 + GALI_MODELS_OPTIONS + OWN_OPTIONS] = {
        {"RECORDING", GALI_OPTION_WORD, &self.path, 1, 0}};
    const gali_option own[OWN_OPTIONS] = {{"--hashes", GALI_OPTION_FLAG, &self.hashes, 0, 0},
                                          {"--numbers", GALI_OPTION_COUNT, &self.numbers, 1, 4294967295.0},
                                          {"--bisect", GALI_OPTION_TEXT, &self.other, 0, 0},
                                          GALI_PRECISION_TABLE(self.precision)};
    gali_models_options(&self.models, options + 1);
    memcpy(options + 1 + GALI_MODELS_OPTIONS, own, sizeof own);
    int result = gali_options_read("replay", argc, argv, options, sizeof options / sizeof options[0]);
    if (result == GALI_EXIT_OK && open_all(&self) != GAL_OK) {
        result = self.error.message[0] ? gali_command_bad("replay", "%s", self.error.message) : GALI_EXIT_USAGE;
    } else if (result == GALI_EXIT_OK) {
        result = self.other ? bisect(&self) : play_and_report(&self);
    }
    gal_crowd_destroy(self.crowd);
    gali_models_close(&self.models);
    gali_release(NULL, self.bytes, self.size);
    return result;
}

const gali_command gali_command_replay = {
    "replay", "a recording played again, bit for bit",
    "usage: gallop replay RECORDING MODEL [MODEL ...] [--bisect COMMAND] [--hashes] [--numbers FRAME]\n"
    "       " GALI_PRECISION_USAGE "\n\n"
    "Plays what gal_crowd_record (or gallop simulate --record) wrote and compares the crowd after each step "
    "with\n"
    "the recorded hash. Exit status 1 if a frame differs. A MODEL goes to the group that was recorded of a\n"
    "controller of its name.\n\n"
    "  --bisect COMMAND     the gallop command of another build: the first frame in which the two differ, and\n"
    "                       which numbers\n"
    "  --hashes             a line a frame: its number and hash\n"
    "  --numbers FRAME      all numbers of that frame, exact, a line each\n" GALI_PRECISION_HELP,
    run};
