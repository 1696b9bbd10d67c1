/*
 * Which sizes a run takes, in C: the limits that the header names, and the function that says why others are refused, which the
 * run asks before it touches any memory.
 */
#include "compiler/emit/program_emission.h"

static int is_given(const gali_emission *e, uint32_t symbol) {
    return e->symbol[symbol] && e->symbol[symbol] <= e->given;
}

/* "if (size_n < 1 || size_n > 64) {": the sizes are refused; then what is refused, and "}". */
static void open_range(const gali_emission *e, gali_text *to, uint32_t symbol) {
    gali_text_add(to, "    if (");
    gali_emission_size_name(e, to, symbol);
    gali_text_add(to, " < %lld || ", (long long)e->p->least[symbol]);
    gali_emission_size_name(e, to, symbol);
    gali_text_add(to, " > %lld) {\n", (long long)e->p->most[symbol]);
}

static void open_demand(const gali_emission *e, gali_text *to, const gali_demand *demand) {
    gali_text_add(to, "    if (");
    gali_emission_demand(e, to, demand);
    gali_text_add(to, ") {\n");
}

void gali_emission_checks(const gali_emission *e, gali_text *to) {
    static const char refuse[] = "        return -1;\n    }\n";
    for (uint32_t i = 0; i < gali_extent_symbols(e->p->graph->extents); i++) {
        if (is_given(e, i)) {
            open_range(e, to, i);
            gali_text_add(to, "%s", refuse);
        }
    }
    for (const gali_demand *d = e->p->demands; d; d = d->next) {
        open_demand(e, to, d);
        gali_text_add(to, "%s", refuse);
    }
}

/* An extent as the file names its sizes, inside of a string of C. */
static void add_quoted(const gali_emission *e, gali_text *to, gali_extent extent) {
    gali_text text = {0};
    gali_extent_print(e->p->graph->extents, extent, &text);
    for (size_t i = 0; i < text.size; i++) {
        char c = text.bytes[i];
        gali_text_add(to, "%c", c < ' ' || c > '~' || c == '"' || c == '\\' || c == '?' ? '_' : c);
    }
    to->failed |= text.failed;
    gali_text_release(&text);
}

static void add_parameters(const gali_emission *e, gali_text *to) {
    gali_text sizes = {0};
    gali_emission_sizes(e, &sizes, 1, "uint32_t ", ", ");
    gali_text_add(to, "const char *gali_refusal(%.*s)", (int)(sizes.size ? sizes.size - 2 : 0),
                  sizes.size ? sizes.bytes : "");
    gali_text_end(&sizes, to);
}

void gali_emission_limits(const gali_emission *e, gali_text *to) {
    if (!e->given) {
        return;
    }
    gali_text_add(to, "/* The least and the most that each size may be. */\nenum {\n");
    for (uint32_t i = 0; i < gali_extent_symbols(e->p->graph->extents); i++) {
        const int64_t limits[] = {e->p->least[i], e->p->most[i]};
        for (int k = 0; is_given(e, i) && k < 2; k++) {
            gali_text_add(to, "    GALI_%s_", k ? "MOST" : "LEAST");
            gali_emission_size_name(e, to, i);
            gali_text_add(to, " = %lld,\n", (long long)limits[k]);
        }
    }
    gali_text_add(to, "};\n\n/* Why a run of these sizes returns -1: a text that lives as long as the program; "
                      "NULL where it does not. */\n");
    add_parameters(e, to);
    gali_text_add(to, ";\n\n");
}

void gali_emission_refusal(const gali_emission *e, gali_text *to) {
    static const char *const words[][2] = {
        [GALI_DEMAND_SAME] = {" is not ", ""},
        [GALI_DEMAND_FITS] = {" and ", " are not the same, nor is one of them 1"},
        [GALI_DEMAND_MOST] = {" is more than ", ""}};
    if (!e->given) {
        return;
    }
    add_parameters(e, to);
    gali_text_add(to, " {\n");
    for (uint32_t i = 0; i < gali_extent_symbols(e->p->graph->extents); i++) {
        if (is_given(e, i)) {
            open_range(e, to, i);
            gali_text_add(to, "        return \"");
            gali_emission_size_name(e, to, i);
            gali_text_add(to, " is not in %lld..%lld\";\n    }\n", (long long)e->p->least[i],
                          (long long)e->p->most[i]);
        }
    }
    for (const gali_demand *d = e->p->demands; d; d = d->next) {
        open_demand(e, to, d);
        gali_text_add(to, "        return \"");
        add_quoted(e, to, d->a);
        gali_text_add(to, "%s", words[d->kind][0]);
        add_quoted(e, to, d->b);
        gali_text_add(to, "%s\";\n    }\n", words[d->kind][1]);
    }
    gali_text_add(to, "    return NULL;\n}\n\n");
}

void gali_emission_ask(const gali_emission *e, gali_text *to) {
    gali_text sizes = {0};
    gali_emission_sizes(e, &sizes, 1, "", ", ");
    if (sizes.size) {
        gali_text_add(to, "    if (gali_refusal(%.*s)) {\n        return -1;\n    }\n", (int)(sizes.size - 2),
                      sizes.bytes);
    }
    gali_text_end(&sizes, to);
}
