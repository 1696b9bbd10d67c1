/*
 * Latency of a whole network per call: ours beside the peers and beside the machine's limits, in one
 * process on one core. docs/bench.md tells the method and how to read the figures.
 */
#define _GNU_SOURCE
#include "harness/clock.h"
#include "harness/ours.h"
#include "harness/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIST_MAX = 64 };

static const char RULER[] = "Eigen naive";

typedef struct options {
    const char *networks, *counts, *peers, *cold, *json, *csv, *model, *logs;
    double seconds;
    int core;
    int machine_only, slug_only;
} options;

static void usage(void) {
    fputs("bench_network [option value]...\n"
          "  --networks LIST  of paper, mirror, holden, holden-live, mann, walker, dog and single layers "
          "(paper.1);\n"
          "                   all: these but mann; layers: every layer of them (default all)\n"
          "  --counts LIST    characters a call (default 1,2,4,5,8,16,64,256)\n"
          "  --peers LIST     parts of engine names, =NAME a whole one, e.g. libxsmm,=gallop avx2; none: "
          "gallop and\n"
          "                   the ruler (default all)\n"
          "  --cold WORD      no, yes (hot and cold), only (default yes)\n"
          "  --seconds S      time for each network, count and cache state, ended early when settled (default "
          "3)\n"
          "  --small-pages    everybody's memory on small pages, not 2 MB ones\n"
          "  --core N         the core to stay on (default: the present one)\n"
          "  --json FILE  --csv FILE\n"
          "  --logs FOLDER    of gallop tune's logs, tune-template.jsonl and tune-auto.jsonl: engines made by "
          "them\n"
          "  --model FILE     write the (one) network's model file and end: for gallop tune\n"
          "  --machine        print the machine's limits and end\n"
          "  --slug           print the machine's name for file names and end\n",
          stderr);
}

/* Where an option's text goes; NULL for one that does not exist. */
static const char **text_option(options *o, const char *name) {
    const struct {
        const char *name;
        const char **place;
    } texts[] = {{"--networks", &o->networks}, {"--counts", &o->counts}, {"--peers", &o->peers},
                 {"--cold", &o->cold},         {"--json", &o->json},     {"--csv", &o->csv},
                 {"--model", &o->model},       {"--logs", &o->logs}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(texts[i].name, name) == 0) {
            return texts[i].place;
        }
    }
    return NULL;
}

static int parse(options *o, int argc, char **argv) {
    *o = (options){.networks = "all", .counts = "1,2,4,5,8,16,64,256", .cold = "yes", .seconds = 3, .core = -1};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        const char **text = text_option(o, argv[i]);
        if (strcmp(argv[i], "--machine") == 0) {
            o->machine_only = 1;
        } else if (strcmp(argv[i], "--slug") == 0) {
            o->slug_only = 1;
        } else if (strcmp(argv[i], "--small-pages") == 0) {
            continue; /* done by restart */
        } else if (text && value) {
            *text = argv[++i];
        } else if (strcmp(argv[i], "--seconds") == 0 && value) {
            o->seconds = atof(argv[++i]);
        } else if (strcmp(argv[i], "--core") == 0 && value) {
            o->core = atoi(argv[++i]);
        } else {
            return 0;
        }
    }
    return 1;
}

/* Splits a comma list in place into at most LIST_MAX items. */
static size_t split(char *text, char **items) {
    size_t count = 0;
    for (char *item = strtok(text, ","); item && count < LIST_MAX; item = strtok(NULL, ",")) {
        items[count++] = item;
    }
    return count;
}

static char *copy_text(const char *text) {
    char *copy = bench_alloc(strlen(text) + 1);
    return strcpy(copy, text);
}

/*
 * Measured only when asked for: the scalar kernels by their whole name, some 100 times slower than the rest; emitted C
 * for less than this machine has.
 */
static int wanted(const options *o, const engine *e) {
    char *items[LIST_MAX];
    if (strcmp(e->name, RULER) == 0 || strcmp(e->name, "gallop") == 0) {
        return 1;
    }
    if (o->peers == NULL) {
        return strcmp(e->name, "gallop scalar") != 0 && !strstr(e->name, "compiled avx2");
    }
    char *list = copy_text(o->peers);
    const size_t count = split(list, items);
    int found = 0;
    for (size_t i = 0; i < count; i++) {
        const int whole = items[i][0] == '=' || strcmp(e->name, "gallop scalar") == 0;
        found |= whole ? strcmp(items[i] + (items[i][0] == '='), e->name) == 0
                       : strcasestr(e->name, items[i]) != NULL;
    }
    bench_free(list);
    return found;
}

/* Prepares every engine that is wanted and can run; says once which cannot. */
static size_t make_lanes(const options *o, lane *lanes, const problem *p, int say) {
    size_t count = 0;
    for (size_t i = 0; i < engine_count() && count < CELL_ENGINES_MAX; i++) {
        const engine *e = engine_at(i);
        const char *why = e->unavailable(e);
        if (!wanted(o, e)) {
            continue;
        }
        if (why && say) {
            printf("skipped: %s: %s\n", e->name, why);
        }
        lanes[count] = (lane){.engine = e, .skipped = why};
        lanes[count].state = why ? NULL : e->prepare(e, &p->network, p->capacity);
        count++;
    }
    return count;
}

static size_t ruler_index(const lane *lanes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(lanes[i].engine->name, RULER) == 0) {
            return i;
        }
    }
    return 0;
}

static void run_cells(const options *o, cell *c, report *r, char **counts, size_t count_count) {
    const int hot = strcmp(o->cold, "only") != 0, cold = strcmp(o->cold, "no") != 0;
    for (size_t i = 0; i < count_count; i++) {
        for (c->cold = !hot; c->cold <= cold; c->cold++) {
            c->count = (uint32_t)strtoul(counts[i], NULL, 10);
            cell_run(c);
            report_cell(r, c);
            cell_clear(c);
            for (size_t l = 0; l < c->lane_count; l++) {
                c->lanes[l].interrupted = 0;
                c->lanes[l].calls = c->lanes[l].rounds = c->lanes[l].ratio = c->lanes[l].share = (series){0};
                c->lanes[l].skipped = c->lanes[l].state ? NULL : c->lanes[l].skipped;
            }
        }
    }
}

static int run_network(const options *o, report *r, const char *name, char **counts, size_t count_count,
                       int say) {
    problem p;
    lane lanes[CELL_ENGINES_MAX];
    uint32_t most = 1;
    for (size_t i = 0; i < count_count; i++) {
        const uint32_t count = (uint32_t)strtoul(counts[i], NULL, 10);
        most = count > most ? count : most;
    }
    const int made = problem_make(&p, name, most);
    if (made != 0) {
        printf("skipped: network %s: %s\n", name, made < 0 ? "no such network" : "no model file");
        return made >= 0;
    }
    cell c = {.problem = &p, .seconds = o->seconds, .lanes = lanes};
    c.lane_count = make_lanes(o, lanes, &p, say);
    c.ruler = ruler_index(lanes, c.lane_count);
    c.roof_bytes = gali_roof_memory((size_t)p.weight_bytes + 1024);
    if (c.roof_bytes) {
        run_cells(o, &c, r, counts, count_count);
    } else {
        printf("skipped: network %s: no memory\n", name);
    }
    for (size_t i = 0; i < c.lane_count; i++) {
        if (lanes[i].state) {
            lanes[i].engine->release(lanes[i].state);
        }
    }
    gali_roof_release(c.roof_bytes, (size_t)p.weight_bytes + 1024);
    problem_free(&p);
    return 1;
}

/* "all" and "layers" stand for lists. */
static const char *network_list(const char *asked) {
    if (strcmp(asked, "all") == 0) {
        return "paper,mirror,holden,holden-live,walker,dog";
    }
    if (strcmp(asked, "layers") == 0) {
        return "paper.1,paper.2,paper.3,mirror.1,mirror.2,mirror.3,holden.1,holden.2,holden.3,holden-live.1,"
               "walker.1,"
               "walker.2,walker.3,dog.1,dog.2,dog.3";
    }
    return asked;
}

static int run_all(const options *o, report *r) {
    char *networks[LIST_MAX], *counts[LIST_MAX];
    char *network_text = copy_text(network_list(o->networks)), *count_text = copy_text(o->counts);
    const size_t network_count = split(network_text, networks), count_count = split(count_text, counts);
    int good = 1;
    for (size_t i = 0; i < network_count; i++) {
        good &= run_network(o, r, networks[i], counts, count_count, i == 0);
    }
    bench_free(network_text);
    bench_free(count_text);
    return good;
}

/* The model file that ours is made of. */
static int write_model(const options *o) {
    problem p;
    size_t size;
    if (problem_make(&p, o->networks, 1) != 0) {
        fprintf(stderr, "bench: network %s: not one that can be made\n", o->networks);
        return 0;
    }
    void *bytes = ours_bytes(&p.network, &size);
    FILE *file = fopen(o->model, "wb");
    int written = file && fwrite(bytes, 1, size, file) == size;
    written = file && fclose(file) == 0 && written;
    if (!written) {
        fprintf(stderr, "bench: %s: cannot be written\n", o->model);
    }
    bench_free(bytes);
    problem_free(&p);
    return written;
}

/* What libraries read before main: threads of the peers' OpenMP would share our one core; the C library's malloc
 * asks for 2 MB pages if told to. */
static void restart(char **argv) {
    if (getenv("GALLOP_BENCH_STARTED")) {
        return;
    }
    setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 1);
    for (char **argument = argv; *argument; argument++) {
        if (strcmp(*argument, "--small-pages") == 0) {
            setenv("GALLOP_BENCH_SMALL_PAGES", "1", 1);
            unsetenv("GLIBC_TUNABLES");
        }
    }
    setenv("GALLOP_BENCH_STARTED", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("BLIS_NUM_THREADS", "1", 1);
    execv("/proc/self/exe", argv);
}

int main(int argc, char **argv) {
    options o;
    report r;
    machine m;
    restart(argv);
    if (!parse(&o, argc, argv)) {
        usage();
        return 2;
    }
    if (o.slug_only) {
        char slug[160];
        machine_slug(slug, sizeof slug);
        puts(slug);
        return 0;
    }
    if (o.logs) {
        setenv("GALLOP_BENCH_LOGS", o.logs, 1);
    }
    if (o.model) {
        return write_model(&o) ? 0 : 1;
    }
    if (clock_pin(o.core) < 0) {
        fprintf(stderr, "bench: cannot stay on core %d\n", o.core);
        return 1;
    }
    machine_measure(&m);
    if (!report_open(&r, o.json, o.csv, &m)) {
        return 1;
    }
    const int good = o.machine_only || run_all(&o, &r);
    report_close(&r);
    return good ? 0 : 1;
}
