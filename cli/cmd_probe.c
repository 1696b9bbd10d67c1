/* gallop probe: what a device's memory and arithmetic can do, measured. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "commands.h"
#include "directory.h"
#include "opencl/opencl.h"
#include "options.h"
#include "probe_page.h"

enum { DEVICES_MAX = 64, PATH_BYTES = 4096 };

typedef struct request {
    const char *out, *plot, *device;
    int list, quick, quiet;
} request;

static int list_devices(void) {
    static gali_cl_facts facts[DEVICES_MAX];
    uint32_t count;
    gal_error why = {.status = GAL_OK};
    gali_cl_list(facts, DEVICES_MAX, &count, &why);
    printf("cpu  this machine's processor\n");
    for (uint32_t i = 0; i < count && i < DEVICES_MAX; i++) {
        printf("%3u  %s (%s, %s)\n", i, facts[i].name, facts[i].platform, facts[i].version);
    }
    if (count == 0) {
        printf("%s\n", why.status == GAL_OK ? "an OpenCL loader is here, but no device" : why.message);
    }
    return GALI_EXIT_OK;
}

static void say(const char *what, void *user) {
    (void)user;
    fprintf(stderr, "%s ...\n", what);
}

static gal_status write_json(const gali_probe *probe, const char *path, gal_error *error) {
    gali_file_draft draft;
    gal_status status = gali_file_begin(&draft, path, error);
    if (status == GAL_OK) {
        gali_probe_write_json(probe, draft.stream);
        status = gali_file_finish(&draft, error);
    }
    return status;
}

static gal_status draw_curve(const gali_probe *probe, uint32_t curve, const char *folder, gal_error *error) {
    char path[PATH_BYTES];
    gali_file_draft draft;
    if (snprintf(path, sizeof path, "%s/%s.svg", folder, probe->curves[curve].name) >= PATH_BYTES) {
        return gali_fail(error, GAL_IO, "%.64s...: the path is too long", folder);
    }
    gal_status status = gali_file_begin(&draft, path, error);
    if (status == GAL_OK) {
        gali_probe_draw(probe, curve, draft.stream);
        status = gali_file_finish(&draft, error);
    }
    return status;
}

/* Before the measuring, which takes minutes, not after it. */
static int make_folders(const request *r) {
    gal_error error = {.status = GAL_OK};
    gal_status status = gali_directory_make_for(r->out, &error);
    if (status == GAL_OK && r->plot) {
        status = gali_directory_make(r->plot, &error);
    }
    return status == GAL_OK ? GALI_EXIT_OK : gali_command_bad("probe", "%s", error.message);
}

static int write_all(const request *r, const gali_probe *probe) {
    gal_error error = {.status = GAL_OK};
    gal_status status = r->out ? write_json(probe, r->out, &error) : GAL_OK;
    for (uint32_t i = 0; r->plot && status == GAL_OK && i < probe->curve_count; i++) {
        status = draw_curve(probe, i, r->plot, &error);
    }
    return status == GAL_OK ? GALI_EXIT_OK : gali_command_bad("probe", "%s", error.message);
}

static void print_facts(const gali_probe *probe) {
    printf("%s%s%s\n", probe->name, probe->driver[0] ? ", driver " : "", probe->driver);
    for (uint32_t i = 0; i < probe->fact_count; i++) {
        const gali_fact *fact = &probe->facts[i];
        char name[64], value[32];
        snprintf(name, sizeof name, fact->level ? "%s %u" : "%s", gali_fact_list[fact->id].name, fact->level);
        gali_probe_value(fact, value);
        printf("  %-20s %14s  sure %.2f  %s%s%s%s\n", name, value, fact->sure, gali_fact_list[fact->id].meaning,
               fact->note[0] ? " (" : "", fact->note, fact->note[0] ? ")" : "");
    }
    for (uint32_t i = 0; i < probe->curve_count; i++) {
        if (probe->curves[i].unstable) {
            printf("  %s: %u of %u points did not settle\n", probe->curves[i].name, probe->curves[i].unstable,
                   probe->curves[i].count);
        }
    }
}

static int measure(const request *r, gali_probe *probe) {
    gali_probe_desc desc = {.quick = r->quick, .say = r->quiet ? NULL : say};
    gal_error error = {.status = GAL_OK};
    double number = 0;
    if (strcmp(r->device, "cpu") == 0) {
        return gali_probe_cpu(probe, &desc, &error) == GAL_OK ? GALI_EXIT_OK
                                                              : gali_command_bad("probe", "%s", error.message);
    }
    if (!gali_options_number(r->device, &number) || number < 0 || number > (double)DEVICES_MAX ||
        number != (uint32_t)number) {
        return gali_command_usage("probe", "--device %s: cpu, or a number of --list", r->device);
    }
    return gali_probe_opencl(probe, (uint32_t)number, &desc, &error) == GAL_OK
               ? GALI_EXIT_OK
               : gali_command_bad("probe", "%s", error.message);
}

static int run(int argc, char **argv) {
    request r = {.device = "0"};
    const gali_option options[] = {
        {.name = "--device", .kind = GALI_OPTION_TEXT, .value = &r.device},
        {.name = "--list", .kind = GALI_OPTION_FLAG, .value = &r.list},
        {.name = "--quick", .kind = GALI_OPTION_FLAG, .value = &r.quick},
        {.name = "--quiet", .kind = GALI_OPTION_FLAG, .value = &r.quiet},
        {.name = "--plot", .kind = GALI_OPTION_TEXT, .value = &r.plot},
        {.name = "-o", .kind = GALI_OPTION_TEXT, .value = &r.out},
    };
    int status = gali_options_read("probe", argc, argv, options, sizeof options / sizeof options[0]);
    if (status != GALI_EXIT_OK) {
        return status;
    }
    if (r.list) {
        return list_devices();
    }
    status = make_folders(&r);
    if (status != GALI_EXIT_OK) {
        return status;
    }
    gali_probe *probe = calloc(1, sizeof *probe);
    if (!probe) {
        return gali_command_bad("probe", "no memory");
    }
    status = measure(&r, probe);
    if (status == GALI_EXIT_OK) {
        print_facts(probe);
        status = write_all(&r, probe);
    }
    free(probe);
    return status;
}

const gali_command gali_command_probe = {
    .name = "probe",
    .summary = "measure what a GPU or this CPU can do",
    .help = "usage: gallop probe [--device N|cpu] [-o device.json] [--plot FOLDER] [--quick] [--quiet]\n"
            "       gallop probe --list\n"
            "\n"
            "Measures an OpenCL device, or this machine's CPU (one core): caches and memory (sizes, lines, "
            "latency,\n"
            "bandwidth, of buffers and of images), local and constant memory, registers, warp, ALUs, cores, "
            "launches,\n"
            "multiply-adds a second. Each figure says how sure it is, and which curve it was read off.\n"
            "\n"
            "  --list    the devices, with their numbers\n"
            "  --device  which one: a number (default 0), or cpu\n"
            "  -o        writes figures and curves as JSON\n"
            "  --plot    draws the curves, an SVG each\n"
            "  --quick   fewer points and repeats: a try-out\n"
            "  --quiet   does not say what is being measured\n"
            "\n"
            "The OpenCL loader is looked for when it is needed. Other work on the device makes figures worse; "
            "points\n"
            "that do not settle are said, and make what is read off them less sure.\n",
    .run = run,
};
