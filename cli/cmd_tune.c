/* gallop tune: searches each layer's schedule on this machine. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "commands.h"
#include "compiler/log/device.h"
#include "directory.h"
#include "onnx/onnx_model.h"
#include "options.h"
#include "tune_device.h"
#include "tune_spread.h"

enum { COUNTS_MAX = 16, BAR = 20, DEVICES_MAX = 1023, PLAN_BYTES = 8192, EXIT_INTERRUPTED = 130 };

typedef struct job {
    const char *model, *target_name, *way_name, *log_path, *merge_path, *characters, *form_name, *plan_path;
    const char *external, *sizes; /* of an ONNX model */
    const char *device_path;      /* of a target that is a device, its number */
    const char *probe_path;
    uint32_t device_number;
    gali_device device; /* peak 0: none was given */
    int fast, exact, is_onnx, everything;
    double minutes;
    uint32_t seed, counts[COUNTS_MAX], count_count, task_count;
    int stopped;
    double seconds; /* that it took */
    gali_tune tune;
    gali_log log;
    gali_tune_processes processes;
    gali_tune_task tasks[GALI_TUNE_TASKS_MAX];
    gali_tune_result results[GALI_TUNE_TASKS_MAX];
    gal_error error;
} job;

typedef struct model_bytes {
    void *data;
    size_t size;
} model_bytes;

static int find_word(const char *word, const char *const *words, int count) {
    int i = 0;
    while (i < count && strcmp(word, words[i]) != 0) {
        i++;
    }
    return i;
}

/* A CPU's loops are for as many at most as the compiler has them for, a device has them all at once. */
static int most_characters(const job *self) {
    enum { DEVICE_MOST = 1000000 };
    return strcmp(self->target_name, "opencl") == 0 ? DEVICE_MOST : GALI_DENSE_CHARACTERS_MAX;
}

/* "1,5,8" */
static int read_counts(job *self) {
    const char *at = self->characters;
    for (self->count_count = 0; self->count_count < COUNTS_MAX; at++) {
        char *end;
        errno = 0;
        unsigned long count = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : 0;
        if (count < 1 || count > (unsigned long)most_characters(self) || errno) {
            break;
        }
        self->counts[self->count_count++] = (uint32_t)count;
        at = end;
        if (*at != ',') {
            return *at ? 0 : 1;
        }
    }
    return 0;
}

static int read_words(job *self) {
    static const char *const forms[] = {"per-expert", "blend"};
    int way = find_word(self->way_name, gali_search_way_names, GALI_SEARCH_WAY_COUNT),
        form = find_word(self->form_name, forms, 2);
    if (way == GALI_SEARCH_WAY_COUNT) {
        return gali_command_usage("tune", "--way %.20s: hand, template or auto", self->way_name);
    }
    if (form == 2) {
        return gali_command_usage("tune", "--form %.20s: per-expert or blend", self->form_name);
    }
    if (self->is_onnx && (self->characters || self->plan_path || form)) {
        return gali_command_usage("tune", "%s is for controllers, %s is an ONNX model",
                                  self->characters  ? "--characters"
                                  : self->plan_path ? "--plan"
                                                    : "--form",
                                  self->model);
    }
    if (!self->is_onnx && (self->sizes || self->external || self->fast || self->exact ||
                           (self->device_path && strcmp(self->target_name, "opencl") != 0))) {
        return gali_command_usage("tune", "%s is for ONNX models",
                                  self->sizes      ? "--sizes"
                                  : self->external ? "--external"
                                  : self->fast     ? "--fast"
                                  : self->exact    ? "--exact"
                                                   : "--device");
    }
    self->characters = self->characters ? self->characters : "1,2,5,8";
    if (self->is_onnx) {
        self->count_count = 1; /* of a group's record: 0 */
    } else if (!read_counts(self)) {
        return gali_command_usage("tune", "--characters %.40s: expected counts from 1 to %d, as 1,5,8",
                                  self->characters, most_characters(self));
    }
    self->tune.way = (gali_search_way)way;
    return GALI_EXIT_OK;
}

static gal_status read_log(job *self, const char *path, int must_be) {
    if (!path || (!must_be && access(path, F_OK) != 0)) {
        return GAL_OK;
    }
    return gali_log_read(&self->log, path, &self->error);
}

/* The log is opened for more; a record that was cut short at its end is cut off first. */
static gal_status open_log(job *self) {
    if (!self->log_path) {
        return GAL_OK;
    }
    FILE *file = fopen(self->log_path, "a+b");
    if (!file) {
        return gali_fail(&self->error, GAL_IO, "%s: %s", self->log_path, strerror(errno));
    }
    self->tune.file = file;
    if (fseek(file, 0, SEEK_END) == 0 && ftell(file) > 0 && fseek(file, -1, SEEK_END) == 0 &&
        getc(file) != '\n') {
        long end = ftell(file);
        while (end > 0 && fseek(file, end - 1, SEEK_SET) == 0 && getc(file) != '\n') {
            end--;
        }
        if (fflush(file) != 0 || ftruncate(fileno(file), end) != 0) {
            return gali_fail(&self->error, GAL_IO, "%s: %s", self->log_path, strerror(errno));
        }
    }
    return fseek(file, 0, SEEK_END) == 0
               ? GAL_OK
               : gali_fail(&self->error, GAL_IO, "%s: %s", self->log_path, strerror(errno));
}

/* Records of another log that this one does not have go into it. */
static gal_status merge(job *self) {
    uint32_t before = self->log.count;
    gal_status status = read_log(self, self->merge_path, 1);
    for (uint32_t i = before; i < self->log.count && status == GAL_OK && self->tune.file; i++) {
        const gali_log_record *r = &self->log.records[i];
        int there = 0;
        for (uint32_t k = 0; k < before && !there; k++) {
            const gali_log_record *o = &self->log.records[k];
            there = strcmp(r->key, o->key) == 0 && strcmp(r->schedule, o->schedule) == 0 &&
                    strcmp(r->machine, o->machine) == 0 && strcmp(r->target, o->target) == 0 &&
                    r->characters == o->characters && r->pairs == o->pairs &&
                    r->measured.ratio == o->measured.ratio && r->searched == o->searched;
        }
        gali_log_task name = {.characters = r->characters, .target = r->target};
        memcpy(name.key, r->key, sizeof name.key);
        memcpy(name.machine, r->machine, sizeof name.machine);
        memcpy(name.layer, r->layer, sizeof name.layer);
        status = there ? GAL_OK : gali_log_write(self->tune.file, &name, r, &self->error);
    }
    return status;
}

/* The first ^C ends the search, which then says what it has; the second one the program. */
static volatile sig_atomic_t interrupted;

static void interrupt(int number) {
    (void)number;
    interrupted = 1;
}

static void listen_to_interrupts(void) {
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
}

static uint32_t measurements_of(const gali_tune_state *state) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < state->count; i++) {
        sum += state->results[i].measurements;
    }
    return sum;
}

/* "1 1.021, 5 1.034, 8 -": counts of characters and the whole network's speed so far. */
static void print_gains(const job *self, const gali_tune_state *state, FILE *to) {
    for (uint32_t i = 0; i < self->count_count; i++) {
        double gain = gali_tune_gain(state, self->counts[i]);
        fprintf(to, "%s", i ? ", " : "");
        if (self->counts[i]) {
            fprintf(to, "%u: ", self->counts[i]);
        }
        fprintf(to, gain > 0 ? "%.3f" : "-", gain);
    }
}

/* What candidates are measured beside. */
static const char *reference_of(const job *self) {
    return self->is_onnx ? "the schedules by rules" : "the runtime's kernels";
}

static void show(const job *self, const gali_tune_state *state) {
    const gali_tune_task *task = &state->tasks[state->number];
    double part = state->limit > 0 ? state->seconds / state->limit : 1;
    int full = part < 1 ? (int)((double)BAR * part) : BAR;
    fprintf(stderr, "\r[%.*s%.*s] %.0f of %.0f s, times %s%s ", full, "####################", BAR - full,
            "....................", state->seconds, state->limit, reference_of(self),
            self->is_onnx ? "" : " at");
    print_gains(self, state, stderr);
    fprintf(stderr, "; %s ", state->finals ? "finals of" : "now");
    if (self->is_onnx) {
        fprintf(stderr, "%s\033[K", task->name.layer);
    } else {
        fprintf(stderr, "%u -> %u at %u\033[K", task->dense.inputs, task->dense.outputs, task->dense.most);
    }
    fflush(stderr);
}

static int watch(void *context, const gali_tune_state *state) {
    const job *self = context;
    if (isatty(STDERR_FILENO)) {
        show(self, state);
    }
    return interrupted;
}

/* "0.92 of the roofline by multiply-adds, 110 GFLOP/s": weights come from where 4 MB fit, as they were measured. */
static void print_share(const job *self, const gali_tune_task *task, const gali_tune_result *result) {
    const double room = 4 << 20, seconds = result->measured.seconds, bytes = task->group.bytes;
    int by_memory;
    double least =
        gali_device_least(&self->device, task->group.sum.steps, bytes, bytes > room ? bytes : room, &by_memory);
    printf("%.2f of the roofline by %s, %.0f GFLOP/s, ", least / seconds, by_memory ? "bytes" : "multiply-adds",
           2e-9 * task->group.sum.steps / seconds);
}

static void print_result(const job *self, const gali_tune_task *task, const gali_tune_result *result) {
    gali_text text = {0};
    if (self->is_onnx) {
        printf("%s, %u time%s: ", task->name.layer, task->layers, task->layers == 1 ? "" : "s");
    } else {
        printf("%s, %u character%s: ", task->name.layer, task->dense.most, task->dense.most == 1 ? "" : "s");
    }
    if (!(result->measured.ratio > 0)) {
        printf("nothing measured yet\n");
        return;
    }
    gali_schedule_print(&result->schedule, "; ", &text);
    printf("%.3f of %s, %.1f us (", 1 / result->measured.ratio,
           self->is_onnx ? "the schedule by rules" : "the runtime's kernel", 1e6 * result->measured.seconds);
    if (self->device.peak > 0 && self->is_onnx) {
        print_share(self, task, result);
    }
    if (result->from_log) {
        printf("from the log");
    } else {
        printf("%u measurements, %.0f s", result->measurements, result->seconds);
    }
    printf(")\n    %s\n", text.bytes ? text.bytes : "");
    gali_text_release(&text);
}

/* Of the whole network, a line. */
static void print_sum(const job *self, const gali_tune_state *state) {
    const double asked = 60 * self->minutes;
    printf("%s, times as fast as by %s, %s", self->model, reference_of(self),
           self->is_onnx ? "its groups with sums in tiles together: " : "at ");
    print_gains(self, state, stdout);
    printf("; %u measurements in %.0f s", measurements_of(state), self->seconds);
    if (self->stopped) {
        printf("; stopped%s", self->log_path ? ": the same command goes on from here" : "");
    } else if (self->tune.way != GALI_SEARCH_BY_HAND && measurements_of(state) && self->seconds < 0.9 * asked) {
        printf(" of %.0f: nothing better was to be found", asked);
    }
    printf("\n");
    fflush(stdout);
}

static gal_status run_tasks(job *self) {
    const gali_tune_state state = {.tasks = self->tasks, .results = self->results, .count = self->task_count};
    double start = gali_clock_seconds();
    listen_to_interrupts();
    gal_status status =
        gali_tune_run(&self->tune, self->tasks, self->task_count, self->results, &self->stopped, &self->error);
    self->seconds = gali_clock_seconds() - start;
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K");
    }
    for (uint32_t i = 0; i < self->task_count && status == GAL_OK; i++) {
        print_result(self, &self->tasks[i], &self->results[i]);
    }
    if (status == GAL_OK) {
        print_sum(self, &state);
    }
    return status;
}

/* The runtime's plan with the log's choices. */
static gal_status write_plan(job *self, const model_bytes *model, const gali_compilation *compiled) {
    char text[PLAN_BYTES];
    gal_network *network;
    gal_status status = gal_network_open_memory(&network, model->data, model->size, NULL, &self->error);
    if (status != GAL_OK) {
        return status;
    }
    gali_plan plan = network->plan;
    gal_network_close(network);
    gali_tune_plan(&self->log, compiled, self->counts[self->count_count - 1], &plan);
    size_t size = gali_plan_print(&plan, text, sizeof text);
    return size < sizeof text ? gali_file_write(self->plan_path, text, size, &self->error)
                              : gali_fail(&self->error, GAL_UNSUPPORTED, "a plan of too many layers");
}

static gal_status tune_layers(job *self, const model_bytes *model) {
    gali_compilation compiled;
    gal_form form = strcmp(self->form_name, "blend") == 0 ? GAL_FORM_BLEND : GAL_FORM_PER_EXPERT;
    gal_error why = {0};
    gal_status status = gali_tune_compile(&compiled, model->data, model->size, self->tune.target, form, &why);
    if (status != GAL_OK) {
        return gali_fail_in_file(&self->error, self->model, &why);
    }
    status = gali_tune_tasks(&compiled, self->counts, self->count_count, self->tasks, &self->task_count,
                             &self->error);
    if (status == GAL_OK) {
        status = run_tasks(self);
    }
    /* The plan takes the winners from the file, the new ones included. */
    if (status == GAL_OK && self->plan_path && !self->stopped) {
        gali_log_release(&self->log);
        status = read_log(self, self->log_path, 1);
        status = status == GAL_OK ? write_plan(self, model, &compiled) : status;
    }
    gali_compilation_release(&compiled);
    return status;
}

/* Time spent on what a call hardly notices is time that heavy groups do not get. */
static void leave_out_light(job *self) {
    uint32_t worth = gali_tune_worth(self->tasks, self->task_count);
    if (worth < self->task_count) {
        printf("%u lighter groups, under 2 %% of the work together, stay as the rules have them\n",
               self->task_count - worth);
        self->task_count = worth;
    }
}

static gal_status tune_groups(job *self) {
    gali_onnx_model model = {.fast = self->fast, .exact = self->exact};
    gal_error why = {0};
    if (!gali_target_runs_here(self->tune.target)) {
        return gali_fail(&self->error, GAL_UNSUPPORTED, "target %s: its code does not run on this machine",
                         self->tune.target->name);
    }
    gal_status status = self->device_path
                            ? gali_device_read(&self->device, self->device_path,
                                               gal_isa_name(gali_target_isa(self->tune.target)), &self->error)
                            : GAL_OK;
    status = status == GAL_OK
                 ? gali_onnx_model_open(&model, self->model, self->external, self->sizes, &self->error)
                 : status;
    if (status == GAL_OK) {
        model.target = self->tune.target;
        status = gali_onnx_model_program(&model, &why);
        if (status == GAL_OK) {
            status = gali_tune_group_tasks(model.program, self->tasks, &self->task_count, &why);
        }
        status = status == GAL_OK ? GAL_OK : gali_fail_in_file(&self->error, self->model, &why);
    }
    if (status == GAL_OK && self->tune.way != GALI_SEARCH_BY_HAND) {
        leave_out_light(self);
    }
    if (status == GAL_OK && self->task_count == 0) {
        printf("%s: no group has a sum that runs in tiles of %s: nothing is to be chosen\n", self->model,
               self->tune.target->name);
    }
    status = status == GAL_OK && self->task_count ? run_tasks(self) : status;
    gali_onnx_model_release(&model);
    return status;
}

static int is_interrupted(void *context) {
    (void)context;
    return interrupted;
}

/* Tilings on an OpenCL device. */
static gal_status tune_on_device(job *self) {
    const gali_tune_device_desc desc = {.model = self->model,
                                        .external = self->external,
                                        .sizes = self->sizes,
                                        .is_onnx = self->is_onnx,
                                        .fast = self->fast,
                                        .device = self->device_number,
                                        .probe_path = self->probe_path,
                                        .everything = self->everything,
                                        .seconds = 60 * self->minutes,
                                        .counts = self->counts,
                                        .count = self->count_count,
                                        .log = &self->log,
                                        .file = self->tune.file,
                                        .watch = is_interrupted};
    listen_to_interrupts();
    return gali_tune_device(&desc, &self->stopped, &self->error);
}

static gal_status tune_model(job *self) {
    model_bytes model = {NULL, 0};
    gal_status status = read_log(self, self->log_path, 0);
    status = status == GAL_OK ? gali_directory_make_for(self->log_path, &self->error) : status;
    status = status == GAL_OK ? gali_directory_make_for(self->plan_path, &self->error) : status;
    status = status == GAL_OK ? open_log(self) : status;
    status = status == GAL_OK && self->merge_path ? merge(self) : status;
    if (status == GAL_OK && self->tune.target->simd == GALI_SIMD_OPENCL) {
        return tune_on_device(self);
    }
    if (status == GAL_OK && self->is_onnx) {
        return tune_groups(self);
    }
    if (status == GAL_OK) {
        status = gali_file_read(self->model, GALI_FILE_MAX, NULL, &model.data, &model.size, &self->error);
    }
    if (status == GAL_OK) {
        status = tune_layers(self, &model);
    }
    gali_release(NULL, model.data, model.size);
    return status;
}

/* Options that are of devices alone, or of CPUs. */
static int check_device_options(job *self, int is_device) {
    double number = 0;
    if (!is_device && (self->probe_path || self->everything)) {
        return gali_command_usage("tune", "%s is for --target opencl", self->probe_path ? "--probe" : "--all");
    }
    if (is_device && (self->plan_path || self->exact || strcmp(self->way_name, "template") != 0 ||
                      strcmp(self->form_name, "per-expert") != 0)) {
        return gali_command_usage("tune", "--plan, --exact, --way and --form are not for --target opencl");
    }
    if (is_device && self->device_path &&
        (!gali_options_number(self->device_path, &number) || number < 0 || number > (double)DEVICES_MAX ||
         number != (uint32_t)number)) {
        return gali_command_usage("tune", "--device %.40s: of --target opencl a number of gallop probe --list",
                                  self->device_path);
    }
    self->device_number = (uint32_t)number;
    return GALI_EXIT_OK;
}

/* What the first process does. */
static int search(job *self) {
    self->tune.target = gali_target_find(self->target_name, &self->error);
    if (!self->tune.target) {
        return self->error.status == GAL_BAD_ARGUMENT ? gali_command_usage("tune", "%s", self->error.message)
                                                      : gali_command_bad("tune", "%s", self->error.message);
    }
    if (self->tune.target->simd == GALI_SIMD_HVX) {
        return gali_command_usage(
            "tune",
            "--target %s: nothing to search for: its code has no schedules, its forms are "
            "chosen by a table of packets (docs/hexagon.md)",
            self->target_name);
    }
    int checked = check_device_options(self, self->tune.target->simd == GALI_SIMD_OPENCL);
    if (checked != GALI_EXIT_OK) {
        return checked;
    }
    self->tune.seconds = 60 * self->minutes;
    self->tune.seed = self->seed;
    self->tune.log = &self->log;
    self->tune.watch = watch;
    self->tune.context = self;
    self->tune.spread = self->processes.started ? &self->processes.spread : NULL;
    gal_status status = tune_model(self);
    int closed = !self->tune.file || fclose(self->tune.file) == 0;
    gali_log_release(&self->log);
    if (status != GAL_OK || !closed) {
        return gali_command_bad("tune", "%s",
                                status != GAL_OK ? self->error.message : "the log could not be written");
    }
    return self->stopped ? EXIT_INTERRUPTED : GALI_EXIT_OK;
}

static int run(int argc, char **argv) {
    job *self = calloc(1, sizeof *self);
    if (!self) {
        return gali_command_bad("tune", "no memory");
    }
    self->target_name = "native";
    self->way_name = "template";
    self->form_name = "per-expert";
    self->minutes = 2;
    self->seed = 1;
    const gali_option options[] = {
        {"MODEL", GALI_OPTION_WORD, &self->model, 1, 0},
        {"--target", GALI_OPTION_TEXT, &self->target_name, 0, 0},
        {"--minutes", GALI_OPTION_NUMBER, &self->minutes, 0.01, 10000},
        {"--way", GALI_OPTION_TEXT, &self->way_name, 0, 0},
        {"--characters", GALI_OPTION_TEXT, &self->characters, 0, 0},
        {"--form", GALI_OPTION_TEXT, &self->form_name, 0, 0},
        {"--seed", GALI_OPTION_COUNT, &self->seed, 0, 4294967295.0},
        {"--log", GALI_OPTION_TEXT, &self->log_path, 0, 0},
        {"--merge", GALI_OPTION_TEXT, &self->merge_path, 0, 0},
        {"--plan", GALI_OPTION_TEXT, &self->plan_path, 0, 0},
        {"--external", GALI_OPTION_TEXT, &self->external, 0, 0},
        {"--sizes", GALI_OPTION_TEXT, &self->sizes, 0, 0},
        {"--fast", GALI_OPTION_FLAG, &self->fast, 0, 0},
        {"--exact", GALI_OPTION_FLAG, &self->exact, 0, 0},
        {"--device", GALI_OPTION_TEXT, &self->device_path, 0, 0},
        {"--probe", GALI_OPTION_TEXT, &self->probe_path, 0, 0},
        {"--all", GALI_OPTION_FLAG, &self->everything, 0, 0},
    };
    int result = gali_options_read("tune", argc, argv, options, sizeof options / sizeof options[0]);
    self->is_onnx = result == GALI_EXIT_OK && gali_onnx_is_path(self->model);
    result = result == GALI_EXIT_OK ? read_words(self) : result;
    if (result == GALI_EXIT_OK && !self->log_path && (self->plan_path || self->merge_path)) {
        result = gali_command_usage("tune", "%s needs --log", self->plan_path ? "--plan" : "--merge");
    }
    if (result == GALI_EXIT_OK) {
        const char *const read[] = {self->model, self->log_path, self->merge_path};
        result = gali_command_spare("tune", self->plan_path, read, sizeof read / sizeof read[0]);
    }
    if (result == GALI_EXIT_OK) {
        gali_tune_join(&self->processes);
        result = self->processes.number == 0 ? search(self) : gali_tune_serve(&self->processes);
        gali_tune_leave(&self->processes);
    }
    free(self);
    return result;
}

const gali_command gali_command_tune = {
    .name = "tune",
    .summary = "searches the fastest schedule of each layer on this machine",
    .help =
        "usage: gallop tune MODEL [--target native] [--minutes 2] [--way template] [--characters 1,2,5,8]\n"
        "                         [--form per-expert] [--seed 1] [--log FILE] [--merge FILE] [--plan FILE]\n"
        "       gallop tune MODEL.onnx [--sizes NAME=N,...] [--external FILE] [--fast] [--exact] [--target "
        "native]\n"
        "                         [--minutes 2] [--way template] [--seed 1] [--log FILE] [--merge FILE]\n"
        "                         [--device device.json]\n"
        "       gallop tune MODEL --target opencl [--device N] [--probe device.json] [--all] "
        "...\n\n"
        "Searches, for each layer and count of characters, the loops that run fastest here, and prints each\n"
        "winner with its speed beside the runtime's own kernel. Needs a C compiler (cc, or what CC names).\n"
        "Of an ONNX model: the schedule of each group with a sum in tiles, beside that by rules.\n\n"
        "  --target      what the code is for; it must run here (gallop help compile lists them)\n"
        "  --minutes     for all layers together: most to those where most is to be won; ^C ends it sooner\n"
        "  --way         hand: no search, the written rules, with and without inner kernels;\n"
        "                template: the tiles, orders and unrolling that people would try;\n"
        "                auto: whatever can be derived from the layer\n"
        "  --characters  of a call: each of these counts is searched for by itself, at most 16 of them\n"
        "  --form        of layers with several experts: per-expert or blend (docs/plan.md)\n"
        "  --seed        of the search's random numbers\n"
        "  --log         every measurement as a line of JSON: what is in it is not measured again\n"
        "  --sizes, --external, --fast, --exact  as of gallop compile, which has to be told the same\n"
        "  --device      a file of gallop probe: prints each group's share of that machine's roofline\n"
        "  --merge       adds the records of another log to that of --log\n"
        "  --plan        writes the runtime's plan with the winners' panels and tiles, as far as it can say\n"
        "                them; needs --log\n\n"
        "Of --target opencl (docs/gpu.md): the tiling of each sum of products, on the device, for each count "
        "of\n"
        "characters or at the sizes of an ONNX model.\n\n"
        "  --device      its number in gallop probe --list (0)\n"
        "  --probe       a file of gallop probe of it: tilings are pruned by what it says\n"
        "  --all         every tiling that fits the device, pruned ones too\n\n"
        "mpirun gallop tune ... spreads the measuring over processes, where it was built with MPI.\n",
    .run = run,
};
