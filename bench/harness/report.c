/* A table for people, a CSV for the repository, a JSON file for programs: the same figures in each. */
#include "report.h"

static const double US = 1e-3; /* of a nanosecond */

static void print_machine(const machine *m) {
    printf("%s, %s\npeak (GFLOP/s, an FMA is 2):", m->processor, m->compiler);
    for (size_t i = 0; i < CELL_ROOFS_MAX && m->peak[i].isa; i++) {
        printf("  %s %.1f", m->peak[i].isa, m->peak[i].rate);
    }
    printf("\nread (GB/s):");
    for (size_t i = 0; i < 5; i++) {
        printf("  %s %.1f", m->read[i].level, m->read[i].rate);
    }
    printf("\n");
}

static void json_machine(FILE *f, const machine *m) {
    fprintf(f,
            "{\n\"schema\": \"gallop-bench 1\",\n\"machine\": {\"processor\": \"%s\", \"compiler\": \"%s\",\n "
            "\"peak\": [",
            m->processor, m->compiler);
    for (size_t i = 0; i < CELL_ROOFS_MAX && m->peak[i].isa; i++) {
        fprintf(f, "%s{\"isa\": \"%s\", \"gflops\": %.2f}", i ? ", " : "", m->peak[i].isa, m->peak[i].rate);
    }
    fprintf(f, "],\n \"read\": [");
    for (size_t i = 0; i < 5; i++) {
        fprintf(f, "%s{\"level\": \"%s\", \"bytes\": %zu, \"gbps\": %.2f}", i ? ", " : "", m->read[i].level,
                m->read[i].bytes, m->read[i].rate);
    }
    fprintf(f, "]},\n\"cells\": [");
}

static void csv_machine(FILE *f, const machine *m) {
    fprintf(f, "# processor: %s\n# compiler: %s\n", m->processor, m->compiler);
    for (size_t i = 0; i < CELL_ROOFS_MAX && m->peak[i].isa; i++) {
        fprintf(f, "# peak %s: %.1f GFLOP/s\n", m->peak[i].isa, m->peak[i].rate);
    }
    for (size_t i = 0; i < 5; i++) {
        fprintf(f, "# read %s: %.1f GB/s\n", m->read[i].level, m->read[i].rate);
    }
    fprintf(
        f,
        "network,count,cache,pages,engine,form,median_us,p99_us,worst_us,best_us,ratio,share,gflops,intensity,"
        "roof_gflops,error,rounds,interrupted\n");
}

static FILE *open_file(const char *path, int *good) {
    FILE *file = path ? fopen(path, "w") : NULL;
    if (path && file == NULL) {
        fprintf(stderr, "bench: cannot write %s\n", path);
        *good = 0;
    }
    return file;
}

int report_open(report *r, const char *json, const char *csv, const machine *m) {
    int good = 1;
    *r = (report){0};
    r->json = open_file(json, &good);
    r->csv = open_file(csv, &good);
    print_machine(m);
    if (r->json) {
        json_machine(r->json, m);
    }
    if (r->csv) {
        csv_machine(r->csv, m);
    }
    return good;
}

/* What is written of a lane. */
typedef struct row {
    double median, p99, worst, best, ratio, share, gflops, intensity, roof;
} row;

static row make_row(const cell *c, const lane *l) {
    const double fma = c->problem->fma * c->count, median = series_median(&l->rounds);
    const double share = series_median(&l->share);
    return (row){.median = median * US,
                 .p99 = series_quantile(&l->calls, 0.99) * US,
                 .worst = series_quantile(&l->calls, 1) * US,
                 .best = series_quantile(&l->calls, 0) * US,
                 .ratio = series_median(&l->ratio),
                 .share = share,
                 .gflops = 2 * fma / median,
                 .intensity = 2 * fma / c->problem->weight_bytes,
                 .roof = 2 * fma / median / share};
}

static const char *cache_word(const cell *c) {
    return c->cold ? "cold" : "hot";
}

static const char *pages_word(void) {
    return bench_small_pages() ? "small" : "2 MB";
}

static void print_lane(const cell *c, const lane *l) {
    const row r = make_row(c, l);
    printf("  %-32s %9.1f %9.1f %9.1f %8.3f %7.1f%% %7.1f  %.1e  %s\n", l->engine->name, r.median, r.p99,
           r.worst, r.ratio, 100 * r.share, r.gflops, l->error, l->form);
}

static void csv_lane(FILE *f, const cell *c, const lane *l) {
    const row r = make_row(c, l);
    fprintf(f, "%s,%u,%s,%s,%s,%s,%.2f,%.2f,%.2f,%.2f,%.4f,%.4f,%.2f,%.4f,%.2f,%.2e,%zu,%zu\n",
            c->problem->network.name, c->count, cache_word(c), pages_word(), l->engine->name, l->form, r.median,
            r.p99, r.worst, r.best, r.ratio, r.share, r.gflops, r.intensity, r.roof, l->error, l->rounds.count,
            l->interrupted);
}

static void json_lane(FILE *f, const cell *c, const lane *l, int first) {
    const row r = make_row(c, l);
    fprintf(f,
            "%s\n  {\"engine\": \"%s\", \"form\": \"%s\", \"median_us\": %.2f, \"p99_us\": %.2f, \"worst_us\": "
            "%.2f,"
            " \"best_us\": %.2f, \"ratio\": %.4f, \"share\": %.4f, \"gflops\": %.2f, \"roof_gflops\": %.2f,"
            " \"error\": %.2e, \"rounds\": %zu, \"interrupted\": %zu}",
            first ? "" : ",", l->engine->name, l->form, r.median, r.p99, r.worst, r.best, r.ratio, r.share,
            r.gflops, r.roof, l->error, l->rounds.count, l->interrupted);
}

static void json_cell(FILE *f, const cell *c, int first_cell) {
    int first = 1;
    fprintf(f,
            "%s\n {\"network\": \"%s\", \"count\": %u, \"cache\": \"%s\", \"pages\": \"%s\", \"weight_bytes\": "
            "%.0f, \"fma\": %.0f,"
            " \"read_gbps\": %.2f, \"rounds\": %zu, \"engines\": [",
            first_cell ? "" : ",", c->problem->network.name, c->count, cache_word(c), pages_word(),
            c->problem->weight_bytes, c->problem->fma * c->count, c->read_rate, c->round_count);
    for (size_t i = 0; i < c->lane_count; i++) {
        if (!c->lanes[i].skipped) {
            json_lane(f, c, &c->lanes[i], first);
            first = 0;
        }
    }
    fprintf(f, "\n ]}");
}

void report_cell(report *r, const cell *c) {
    printf("\n%s, C = %u, %s, %s pages: %.2f MB of weights at %.1f GB/s, %.2f MFMA; %zu rounds\n",
           c->problem->network.name, c->count, cache_word(c), pages_word(), c->problem->weight_bytes * 1e-6,
           c->read_rate, c->problem->fma * c->count * 1e-6, c->round_count);
    printf("  %-32s %9s %9s %9s %8s %8s %7s  %-7s  %s\n", "", "median us", "p99", "worst", "ratio", "of roof",
           "GFLOP/s", "error", "form");
    for (size_t i = 0; i < c->lane_count; i++) {
        const lane *l = &c->lanes[i];
        if (!l->skipped) {
            print_lane(c, l);
            if (r->csv) {
                csv_lane(r->csv, c, l);
            }
        } else if (l->state) {
            printf("  %-20s %s (error %.1e)\n", l->engine->name, l->skipped, l->error);
        }
    }
    if (r->json) {
        json_cell(r->json, c, r->cells == 0);
    }
    r->cells++;
    fflush(NULL);
}

void report_close(report *r) {
    if (r->json) {
        fprintf(r->json, "\n]\n}\n");
        fclose(r->json);
    }
    if (r->csv) {
        fclose(r->csv);
    }
}
