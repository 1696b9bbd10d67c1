/*
 * gallop simulate: crowds of any size as shards, each a crowd of its own and a file.
 *
 * What a character does follows from the seed and its number in the whole, so a shard's bytes do not depend on how many
 * shards there are, which process makes it, or how often it was stopped. DIR/shard-NNNNN.npy is a finished shard;
 * DIR/shard-NNNNN.part one under way: a part_head, the rows so far, a snapshot.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/system.h"
#include "commands.h"
#include "directory.h"
#include "models.h"
#include "npy.h"

#include "gallop/record.h"

enum { OWN_OPTIONS = 9 + GALI_PRECISION_OPTIONS, COLUMNS = 6, SHARDS_MOST = 99999, PLACE_BYTES = 4200 };

static const size_t part_most = (size_t)1 << 34;

typedef struct simulation {
    const char *folder, *part_name, *record_path;
    double seconds, keep_every, save_every;
    uint32_t count, shard_size, seed, part, parts, frames, rate, stride;
    gali_models models;
    gali_precision_option precision;
    gal_error error;
} simulation;

/* A shard under way. */
typedef struct shard {
    uint32_t number, first, count; /* characters first .. first + count - 1 of the whole */
    uint32_t frame;
    gal_crowd *crowd;
    gal_character *who; /* [count] */
    float *rows;        /* [frames / stride][count][COLUMNS] */
    FILE *record;
    char place[PLACE_BYTES];
} shard;

typedef struct part_head {
    char magic[8];
    uint32_t seed, first, count, frame, frames, stride, snapshot;
    uint32_t hash; /* of all that follows: a part that was cut short is no part */
} part_head;

#define PART_MAGIC "GALPART1"

/* A fixed scramble of three integers. */
static uint32_t dice(uint32_t seed, uint32_t character, uint32_t throw) {
    uint32_t n = seed * 0x9e3779b9u ^ character * 0x85ebca6bu ^ throw *0xc2b2ae35u;
    n ^= n >> 16;
    n *= 0x7feb352du;
    n ^= n >> 15;
    n *= 0x846ca68bu;
    return n ^ n >> 16;
}

static float share(uint32_t n) {
    return (float)(n >> 8) / 16777216.0f;
}

/* Frames after which a wanderer takes another way: two to four seconds. */
static uint32_t period_of(const simulation *self, uint32_t character) {
    return 2 * self->rate + dice(self->seed, character, 0) % (2 * self->rate);
}

/* A wanderer's stick from a frame on: some way, sometimes none, sometimes at a run. No libm in it. */
static gal_input wander(uint32_t seed, uint32_t character, uint32_t leg) {
    uint32_t mood = dice(seed, character, 4 * leg + 2) % 8;
    float still = mood == 0 ? 0.0f : 1.0f;
    return (gal_input){.move_x = still * (2 * share(dice(seed, character, 4 * leg)) - 1),
                       .move_y = still * (2 * share(dice(seed, character, 4 * leg + 1)) - 1),
                       .run = mood > 5 ? 1.0f : 0.0f};
}

static gal_spawn spawn_of(const simulation *self, uint32_t character) {
    float wide = 400; /* units between neighbours on a square grid of 1024 columns */
    return (gal_spawn){.x = wide * (float)(character % 1024),
                       .z = wide * (float)(character / 1024),
                       .facing = 6.2831853f * share(dice(self->seed, character, 2)),
                       .phase = 6.2831853f * share(dice(self->seed, character, 3)),
                       .group = character % self->models.count};
}

static const char *place_of(const simulation *self, uint32_t number, const char *ending, char *place) {
    snprintf(place, PLACE_BYTES, "%.4000s/shard-%05u.%s", self->folder, number, ending);
    return place;
}

static uint32_t hash_of(uint32_t hash, const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 16777619u;
    }
    return hash;
}

static size_t row_floats(const shard *s) {
    return (size_t)s->count * COLUMNS;
}

static gal_status make_crowd(simulation *self, shard *s) {
    gal_group_desc groups[GAL_GROUPS_MAX];
    for (uint32_t g = 0; g < self->models.count; g++) {
        groups[g] = (gal_group_desc){.controller = self->models.controllers[g],
                                     .capacity = s->count / self->models.count + 1};
    }
    const gal_crowd_desc desc = {.groups = groups, .group_count = self->models.count};
    return gal_crowd_create(&s->crowd, &desc, &self->error);
}

static gal_status populate(simulation *self, shard *s) {
    for (uint32_t i = 0; i < s->count; i++) {
        const gal_spawn at = spawn_of(self, s->first + i);
        gal_status status = gal_crowd_add(s->crowd, &at, &s->who[i]);
        if (status != GAL_OK) {
            return gali_fail(&self->error, status, "character %u: %s", s->first + i, gal_status_text(status));
        }
    }
    return GAL_OK;
}

static uint32_t count_of(const simulation *self, uint32_t number) {
    const uint32_t left = self->count - number * self->shard_size;
    return left < self->shard_size ? left : self->shard_size;
}

static gal_status make_shard(simulation *self, shard *s, uint32_t number) {
    *s = (shard){.number = number, .first = number * self->shard_size, .count = count_of(self, number)};
    size_t floats = gali_size_mul(self->frames / self->stride, row_floats(s));
    s->who = calloc(s->count, sizeof *s->who);
    s->rows = floats == GALI_SIZE_BAD ? NULL : malloc(gali_size_mul(floats, sizeof *s->rows) + 1);
    if (!s->who || !s->rows) {
        return gali_fail(&self->error, GAL_NO_MEMORY, "no memory for %u characters of %u frames", s->count,
                         self->frames);
    }
    gal_status status = make_crowd(self, s);
    return status == GAL_OK ? populate(self, s) : status;
}

static void release_shard(shard *s) {
    if (s->record) {
        fclose(s->record);
    }
    gal_crowd_destroy(s->crowd);
    free(s->who);
    free(s->rows);
}

/* ---- stopping and going on ---- */

static gal_status save_part(simulation *self, shard *s) {
    size_t rows = s->frame / self->stride * row_floats(s) * sizeof *s->rows;
    size_t most = gal_crowd_snapshot_size(s->crowd), used = 0;
    unsigned char *bytes = malloc(sizeof(part_head) + rows + most);
    if (!bytes || gal_crowd_save(s->crowd, bytes + sizeof(part_head) + rows, most, &used) != GAL_OK) {
        free(bytes);
        return gali_fail(&self->error, GAL_NO_MEMORY, "no memory to save shard %u", s->number);
    }
    part_head head = {.seed = self->seed,
                      .first = s->first,
                      .count = s->count,
                      .frame = s->frame,
                      .frames = self->frames,
                      .stride = self->stride,
                      .snapshot = (uint32_t)used};
    memcpy(head.magic, PART_MAGIC, sizeof head.magic);
    memcpy(bytes + sizeof head, s->rows, rows);
    head.hash = hash_of(2166136261u, bytes + sizeof head, rows + used);
    memcpy(bytes, &head, sizeof head);
    gal_status status = gali_file_write(place_of(self, s->number, "part", s->place), bytes,
                                        sizeof head + rows + used, &self->error);
    free(bytes);
    return status;
}

/* Goes on from a part, if there is one that fits; another one is an error, for it is somebody's work. */
static gal_status read_part(simulation *self, shard *s) {
    void *data;
    size_t size;
    place_of(self, s->number, "part", s->place);
    FILE *there = gali_system_open(s->place, "rb");
    if (!there) {
        return GAL_OK;
    }
    fclose(there);
    gal_status status = gali_file_read(s->place, part_most, NULL, &data, &size, &self->error);
    if (status != GAL_OK) {
        return status;
    }
    part_head head = {0};
    memcpy(&head, data, size < sizeof head ? size : sizeof head);
    size_t rows = (size_t)head.frame / (head.stride ? head.stride : 1) * row_floats(s) * sizeof *s->rows;
    int fits = size >= sizeof head && memcmp(head.magic, PART_MAGIC, sizeof head.magic) == 0 &&
               head.seed == self->seed && head.first == s->first && head.count == s->count &&
               head.frames == self->frames && head.stride == self->stride && head.frame <= head.frames &&
               size - sizeof head == rows + head.snapshot &&
               head.hash == hash_of(2166136261u, (unsigned char *)data + sizeof head, size - sizeof head);
    if (!fits) {
        status = gali_fail(&self->error, GAL_BAD_DATA,
                           "%s: it is of another simulation or damaged; remove it to begin anew", s->place);
    } else {
        memcpy(s->rows, (unsigned char *)data + sizeof head, rows);
        s->frame = head.frame;
        status = gal_crowd_restore(s->crowd, (unsigned char *)data + sizeof head + rows, head.snapshot,
                                   &self->error);
    }
    gali_release(NULL, data, size);
    return status;
}

/* ---- running ---- */

static void keep_rows(const simulation *self, shard *s) {
    float *row = s->rows + (s->frame / self->stride - 1) * row_floats(s);
    for (uint32_t i = 0; i < s->count; i++, row += COLUMNS) {
        gal_character_state state = {0};
        gal_crowd_state(s->crowd, s->who[i], &state);
        const float values[COLUMNS] = {state.root.x, state.root.y, state.root.z,
                                       state.facing, state.phase,  state.speed};
        memcpy(row, values, sizeof values);
    }
}

static void step_shard(const simulation *self, shard *s) {
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t character = s->first + i, period = period_of(self, character);
        if (s->frame % period == 0) {
            const gal_input input = wander(self->seed, character, 1 + s->frame / period);
            gal_crowd_set_input(s->crowd, s->who[i], &input);
        }
    }
    gal_crowd_step(s->crowd);
    s->frame++;
    if (s->frame % self->stride == 0) {
        keep_rows(self, s);
    }
}

static void write_record(void *context, const void *data, size_t size) {
    fwrite(data, 1, size, context); /* a failure shows when the file is closed */
}

static gal_status begin_record(simulation *self, shard *s) {
    if (!self->record_path || s->number != 0) {
        return GAL_OK;
    }
    s->record = gali_system_open(self->record_path, "wb");
    if (!s->record) {
        return gali_fail(&self->error, GAL_IO, "%s: %s", self->record_path, strerror(errno));
    }
    return gal_crowd_record(s->crowd, write_record, s->record, &self->error);
}

static gal_status end_record(simulation *self, shard *s) {
    int bad = s->record && (ferror(s->record) | fclose(s->record)) != 0;
    s->record = NULL;
    return bad ? gali_fail(&self->error, GAL_IO, "%s: it was not written whole", self->record_path) : GAL_OK;
}

static gal_status finish_shard(simulation *self, shard *s) {
    char part[PLACE_BYTES];
    const size_t shape[3] = {self->frames / self->stride, s->count, COLUMNS};
    gal_status status = end_record(self, s);
    if (status == GAL_OK) {
        status = gali_npy_write(place_of(self, s->number, "npy", s->place), s->rows, GALI_f32, 3, shape,
                                &self->error);
    }
    if (status == GAL_OK) { /* else what was saved is all there is */
        gali_system_remove(place_of(self, s->number, "part", part));
    }
    return status;
}

static gal_status run_shard(simulation *self, shard *s) {
    gal_status status = read_part(self, s);
    if (status == GAL_OK) {
        status = begin_record(self, s);
    }
    double saved = gali_clock_seconds(), began = saved;
    uint32_t from = s->frame;
    while (s->frame < self->frames && status == GAL_OK) {
        step_shard(self, s);
        if (gali_clock_seconds() - saved >= self->save_every) {
            status = save_part(self, s);
            saved = gali_clock_seconds();
        }
    }
    if (status == GAL_OK) {
        double spent = gali_clock_seconds() - began;
        fprintf(stderr, "shard %u: %u characters, %u frames, %.0f a second\n", s->number, s->count,
                self->frames - from, spent > 0 ? (double)(self->frames - from) * s->count / spent : 0);
        status = finish_shard(self, s);
    }
    return status;
}

/* Whether a shard is there already; one of other frames or characters is an error, for it is somebody's work. */
static gal_status find_finished(simulation *self, uint32_t number, int *finished) {
    char place[PLACE_BYTES];
    gali_npy there;
    *finished = gali_system_path_kind(place_of(self, number, "npy", place)) != GALI_PATH_NOTHING;
    gal_status status = *finished ? gali_npy_look(&there, place, &self->error) : GAL_OK;
    if (*finished && status == GAL_OK &&
        (there.dimensions != 3 || there.shape[0] != self->frames / self->stride ||
         there.shape[1] != count_of(self, number) || there.shape[2] != COLUMNS)) {
        status = gali_fail(&self->error, GAL_BAD_DATA,
                           "%s: it is of another simulation, not %u frames of %u; remove it to begin anew",
                           place, self->frames / self->stride, count_of(self, number));
    }
    return status;
}

static gal_status run_all(simulation *self) {
    uint32_t shards = (self->count + self->shard_size - 1) / self->shard_size;
    gal_status status = shards <= SHARDS_MOST
                            ? GAL_OK
                            : gali_fail(&self->error, GAL_BAD_ARGUMENT, "%u shards, at most %d: raise --shard",
                                        shards, SHARDS_MOST);
    for (uint32_t number = self->part; number < shards && status == GAL_OK; number += self->parts) {
        int finished;
        status = find_finished(self, number, &finished);
        if (status == GAL_OK && finished && number == 0 && self->record_path &&
            gali_system_path_kind(self->record_path) == GALI_PATH_NOTHING) {
            status = gali_fail(&self->error, GAL_BAD_ARGUMENT,
                               "--record %s: the first shard is made already; remove it to record it",
                               self->record_path);
        }
        if (status == GAL_OK && !finished) {
            shard s;
            status = make_shard(self, &s, number);
            status = status == GAL_OK ? run_shard(self, &s) : status;
            release_shard(&s);
        }
    }
    return status;
}

/* ---- options ---- */

/* "2/16", or what mpirun or srun say of this process: which of how many. */
static int read_part_name(simulation *self) {
    static const char *const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                           {"PMI_RANK", "PMI_SIZE"},
                                           {"SLURM_PROCID", "SLURM_NTASKS"}};
    self->part = 0;
    self->parts = 1;
    for (size_t i = 0; !self->part_name && i < sizeof names / sizeof names[0]; i++) {
        const char *rank = getenv(names[i][0]), *size = getenv(names[i][1]);
        if (rank && size && sscanf(rank, "%6u", &self->part) == 1 && sscanf(size, "%6u", &self->parts) == 1 &&
            self->part < self->parts) {
            return GALI_EXIT_OK;
        }
    }
    unsigned which;
    if (!self->part_name) {
        return GALI_EXIT_OK;
    }
    char end;
    if (sscanf(self->part_name, "%6u/%6u%c", &which, &self->parts, &end) != 2 || which < 1 ||
        which > self->parts) {
        return gali_command_usage("simulate", "--part %.40s: which of how many expected, as 1/4",
                                  self->part_name);
    }
    self->part = which - 1;
    return GALI_EXIT_OK;
}

static int check_usage(simulation *self) {
    if (!self->folder) {
        return gali_command_usage("simulate", "-o is missing");
    }
    int result = gali_command_spare("simulate", self->record_path, self->models.paths, GAL_GROUPS_MAX);
    return result == GALI_EXIT_OK ? read_part_name(self) : result;
}

static gal_status open_all(simulation *self, const gal_network_desc *desc) {
    gal_status status = gali_models_open(&self->models, desc, &self->error);
    if (status == GAL_OK) {
        self->rate = (uint32_t)gal_controller_get_info(self->models.controllers[0]).rate;
        self->frames = (uint32_t)(self->seconds * self->rate);
        self->stride = (uint32_t)(self->keep_every * self->rate);
        self->stride = self->stride ? self->stride : 1;
        status = gali_directory_make_for(self->record_path, &self->error);
    }
    if (status == GAL_OK) {
        status = gali_directory_make(self->folder, &self->error);
    }
    return status;
}

static int run(int argc, char **argv) {
    simulation self = {.seconds = 60, .keep_every = 1, .save_every = 30, .count = 1024, .shard_size = 1024};
    gal_network_desc desc = {0};
    gali_option options[GALI_MODELS_OPTIONS + OWN_OPTIONS];
    const gali_option own[OWN_OPTIONS] = {{"-o", GALI_OPTION_TEXT, &self.folder, 0, 0},
                                          {"--count", GALI_OPTION_COUNT, &self.count, 1, 1e9},
                                          {"--seconds", GALI_OPTION_NUMBER, &self.seconds, 0.1, 86400},
                                          {"--seed", GALI_OPTION_COUNT, &self.seed, 0, 4294967295.0},
                                          {"--shard", GALI_OPTION_COUNT, &self.shard_size, 1, 32768},
                                          {"--every", GALI_OPTION_NUMBER, &self.keep_every, 0, 86400},
                                          {"--save-every", GALI_OPTION_NUMBER, &self.save_every, 0, 86400},
                                          {"--part", GALI_OPTION_TEXT, &self.part_name, 0, 0},
                                          {"--record", GALI_OPTION_TEXT, &self.record_path, 0, 0},
                                          GALI_PRECISION_TABLE(self.precision)};
    gali_models_options(&self.models, options);
    memcpy(options + GALI_MODELS_OPTIONS, own, sizeof own);
    int result = gali_options_read("simulate", argc, argv, options, sizeof options / sizeof options[0]);
    if (result == GALI_EXIT_OK) {
        result = gali_precision_option_read(&self.precision, "simulate", &desc);
    }
    if (result == GALI_EXIT_OK) {
        result = check_usage(&self);
    }
    if (result == GALI_EXIT_OK && (open_all(&self, &desc) != GAL_OK || run_all(&self) != GAL_OK)) {
        result = gali_command_bad("simulate", "%s", self.error.message);
    }
    gali_models_close(&self.models);
    return result;
}

const gali_command gali_command_simulate = {
    "simulate", "crowds of any size as shards, restartable",
    "usage: gallop simulate MODEL [MODEL ...] -o DIR [--count 1024] [--seconds 60] [--seed 0] [--shard 1024]\n"
    "       [--every 1] [--save-every 30] [--part 1/4] [--record FILE] " GALI_PRECISION_USAGE "\n\n"
    "Lets characters wander over flat ground, by turns of each MODEL, and writes a file for each shard:\n"
    "DIR/shard-NNNNN.npy, float32 [kept frames][characters][root x, y, z, facing, phase, speed]. What is there "
    "is\n"
    "not made again, and a shard that was stopped goes on from where it was last saved: the same command "
    "gives\n"
    "the same bytes, however often it was stopped and however many processes share it.\n\n"
    "  --count N            characters in all\n"
    "  --shard N            characters of a shard, which are one crowd\n"
    "  --every S            seconds between two kept frames\n"
    "  --save-every S       seconds of work after which a shard under way is saved\n"
    "  --part I/N           makes every N-th shard from the I-th on; mpirun and srun say it by themselves\n"
    "  --record FILE        records the first shard, for gallop replay\n" GALI_PRECISION_HELP,
    run};
