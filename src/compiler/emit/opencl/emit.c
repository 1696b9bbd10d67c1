#include "compiler/emit/opencl/emit.h"

#include <string.h>

#include "base/crc32.h"
#include "base/embedded.h"
#include "base/error.h"
#include "compiler/emit/program_emission.h"
#include "compiler/emit/vocabulary.h"
#include "compiler/pass/pass.h"

extern const gali_embedded gali_embedded_opencl_host;

const gali_device_limits gali_device_least_limits = {.group_most = 256, .local_bytes = 32 << 10};

gali_device_limits gali_device_logged_limits(gali_device_logged *logged) {
    enum { GROUP_MOST = 1024, LOCAL_BYTES = 48 << 10 };
    gali_device_limits limits = gali_device_least_limits;
    for (uint32_t i = 0; i < logged->log->count && !limits.machine; i++) {
        const gali_log_record *record = &logged->log->records[i];
        limits.machine = strcmp(record->target, "opencl") == 0 ? record->machine : NULL;
    }
    if (limits.machine) {
        limits.group_most = GROUP_MOST;
        limits.local_bytes = LOCAL_BYTES;
        limits.choose = gali_device_choose_logged;
        limits.context = logged;
    }
    return limits;
}

typedef struct emission {
    gali_emission e; /* names, sizes, places; its weights are the plan's */
    gali_device_plan plan;
    uint32_t *number; /* [tensors] of those that have memory: inputs, outputs, then the others */
    uint32_t numbered, argument_count;
} emission;

/* ---- what has memory ---- */

static int is_made(const gali_program_tensor *t) {
    return (t->role == GALI_TENSOR_MADE || t->role == GALI_TENSOR_KEPT) && t->slot != GALI_NONE;
}

static uint32_t port_count(const gali_graph *graph) {
    return graph->input_count + graph->output_count;
}

static gal_status number_tensors(emission *o, gal_error *error) {
    const gali_program *p = o->e.p;
    o->number = gali_arena_take(p->arena, (p->tensor_count + 1) * sizeof *o->number);
    if (!o->number) {
        return gali_fail(error, GAL_NO_MEMORY, "no memory to emit");
    }
    o->numbered = port_count(p->graph);
    for (uint32_t i = 0; i < p->tensor_count; i++) {
        const gali_program_tensor *t = &p->tensors[i];
        o->number[i] = t->role == GALI_TENSOR_INPUT    ? t->port
                       : t->role == GALI_TENSOR_OUTPUT ? p->graph->input_count + t->port
                       : is_made(t)                    ? o->numbered++
                                                       : 0;
    }
    return GAL_OK;
}

static const gali_value *port_value(const gali_graph *graph, uint32_t port) {
    int output = port >= graph->input_count;
    return &graph->values[output ? graph->outputs[port - graph->input_count] : graph->inputs[port]];
}

/* ---- the header ---- */

static void add_signature(const emission *o, gali_text *to) {
    const gali_graph *graph = o->e.p->graph;
    gali_text_add(to, "gali_status gali_run(gali_state *state");
    gali_emission_sizes(&o->e, to, 1, ", uint32_t ", "");
    for (uint32_t i = 0; i < port_count(graph); i++) {
        int output = i >= graph->input_count;
        const gali_value *v = port_value(graph, i);
        gali_text_add(to, output ? ", %s *" : ", const %s *", gali_element_list[v->type.element].c);
        gali_emission_port(to, output ? "out" : "in", output ? i - graph->input_count : i, v->name);
    }
    gali_text_add(to, ")");
}

static void add_ports(const emission *o, gali_text *to) {
    const gali_program *p = o->e.p;
    for (uint32_t i = 0; i < gali_extent_symbols(p->graph->extents); i++) {
        if (o->e.symbol[i]) {
            gali_text_add(to, " *     ");
            gali_emission_size_name(&o->e, to, i);
            gali_text_add(to, "  %lld..%lld\n", (long long)p->least[i], (long long)p->most[i]);
        }
    }
    for (uint32_t i = 0; i < port_count(p->graph); i++) {
        int output = i >= p->graph->input_count;
        gali_text_add(to, " *     ");
        gali_emission_port(to, output ? "out" : "in", output ? i - p->graph->input_count : i,
                           port_value(p->graph, i)->name);
        gali_text_add(to, "  ");
        gali_emission_type(&o->e, to, &port_value(p->graph, i)->type);
        gali_text_add(to, "\n");
    }
}

static const char before_run[] =
    "typedef enum gali_status {\n"
    "    GALI_OK,\n"
    "    GALI_NO_OPENCL, /* no loader was found */\n"
    "    GALI_NO_DEVICE,\n"
    "    GALI_NO_MEMORY, /* here or there */\n"
    "    GALI_NOT_BUILT, /* a kernel does not build, or wants larger groups than the device has */\n"
    "    GALI_FAILED,    /* the device did, and from then on always */\n"
    "    GALI_BAD_SIZES  /* a size_ is out of its range, or two do not fit; the next call may be right */\n"
    "} gali_status;\n\n"
    "/* Where to run. Zero-initialise. With a context, device and queue are the host's, too: an in-order queue "
    "of them, "
    "all of\n * which must outlive the state. */\n"
    "typedef struct gali_device {\n"
    "    void *context, *device, *queue; /* cl_context, cl_device_id, cl_command_queue; context NULL: made "
    "here */\n"
    "    uint32_t number;                /* then: which of all platforms' devices, in their order */\n"
    "} gali_device;\n\n"
    "typedef struct gali_state gali_state;\n\n"
    "/*\n * Builds the kernels, gives the device the weights: [GALI_WEIGHTS] bytes, not needed afterwards. "
    "device, "
    "message: may be\n * NULL. *out is the caller's, NULL after a failure, of which message[room] then "
    "tells.\n */\n"
    "gali_status gali_open(gali_state **out, const gali_device *device, const void *weights, char *message,\n"
    "                      size_t room);\n"
    "void gali_close(gali_state *state); /* NULL is allowed */\n"
    "const char *gali_message(const gali_state *state); /* of the last failure; it lives as long as the state "
    "*/\n\n";

static const char behind_run[] =
    ";\n\n/* The same by numbers: sizes in the order of gali_run's; inputs, outputs. */\n"
    "gali_status gali_call(gali_state *state, const uint32_t *sizes, const void *const *inputs, void *const "
    "*outputs);\n\n"
    "/*\n * For data that stays on the device: after gali_set_sizes a port's tensor, inputs first, then "
    "outputs, lies at "
    "byte\n * gali_port_at of gali_memory, a cl_mem, until sizes change. gali_start queues the kernels and "
    "does not wait.\n "
    "*/\n"
    "gali_status gali_set_sizes(gali_state *state, const uint32_t *sizes);\n"
    "void *gali_memory(const gali_state *state);\n"
    "size_t gali_port_at(const gali_state *state, uint32_t port);\n"
    "gali_status gali_start(gali_state *state);\n"
    "gali_status gali_wait(gali_state *state);\n\n"
    "#ifdef __cplusplus\n}\n#endif\n#endif\n";

static void make_header(const emission *o, gali_text *to) {
    const gali_emission *e = &o->e;
    gali_text_add(to, "/*\n * %s for OpenCL 1.2, made by gallop %s: %u launches for %u operators.\n",
                  e->desc->origin, gal_version(), o->plan.launch_count, e->p->graph->node_count);
    gali_text_add(
        to,
        " *     cc -std=c11 -O2 -c %s.c\n"
        " * It needs neither OpenCL's headers nor its library: the loader is looked for when a state is "
        "opened (-ldl where\n * that is a library of its own).\n */\n",
        e->desc->name);
    gali_text_add(to, "#ifndef GALI_H\n#define GALI_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n"
                      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    gali_text_add(to, "enum { GALI_WEIGHTS = %zu }; /* bytes */\n\n", e->weights.size);
    if (e->desc->weights_blob) {
        gali_text_add(to, "/* CRC-32 (zlib's) of the weights file. */\n#define GALI_WEIGHTS_CRC32 0x%08xu\n\n",
                      gali_crc32(e->weights.bytes ? e->weights.bytes : "", e->weights.size));
    } else {
        gali_text_add(to, "extern const unsigned char *const gali_weights; /* [GALI_WEIGHTS] */\n\n");
    }
    gali_text_add(
        to,
        "%s/*\n * Runs the network; returns when the outputs are there. Tensors are row-major; bool is 0 "
        "or 1. One thread at a time.\n *\n",
        before_run);
    add_ports(o, to);
    gali_text_add(to, " */\n");
    add_signature(o, to);
    gali_text_add(to, "%s", behind_run);
}

/* ---- the source ---- */

/* The kernels as strings, a line each: compilers limit their lengths. */
static void add_kernels(const emission *o, gali_text *to) {
    gali_text_add(to, "static const char *const gali_kernels[] = {\n    \"");
    for (const char *c = o->plan.source.bytes; c && *c; c++) {
        if (*c == '\n') {
            gali_text_add(to, c[1] ? "\\n\",\n    \"" : "\\n");
        } else {
            gali_text_add(to, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        }
    }
    gali_text_add(to, "\",\n};\n\n");
}

static uint32_t argument_number(const emission *o, const gali_argument *argument) {
    return argument->kind == GALI_ARGUMENT_SYMBOL   ? o->e.symbol[argument->number] - 1
           : argument->kind == GALI_ARGUMENT_TENSOR ? o->number[argument->number]
                                                    : argument->number;
}

static void add_launches(emission *o, gali_text *to) {
    gali_text_add(to,
                  "/* Kind 0: the count; 1: a size; 2: where a tensor begins; 3: the number; 4: an extent. */\n"
                  "struct gali_argument {\n    uint32_t kind, number;\n};\n"
                  "static const struct gali_argument gali_arguments[] = {\n");
    for (uint32_t i = 0; i < o->plan.launch_count; i++) {
        const gali_launch *launch = &o->plan.launches[i];
        gali_text_add(to, "    ");
        for (uint32_t a = 0; a < launch->argument_count; a++) {
            gali_text_add(to, "{%d, %u}, ", (int)launch->argument[a].kind,
                          argument_number(o, &launch->argument[a]));
        }
        gali_text_add(to, "\n");
    }
    gali_text_add(
        to, "    {0, 0},\n};\n\n"
            "/* Kernels in their order: each for `least` to `most` items or rows, in groups of so many. */\n"
            "struct gali_launch {\n    const char *name;\n    int64_t least, most;\n"
            "    uint32_t group, first_argument, argument_count;\n};\n"
            "static const struct gali_launch gali_launches[] = {\n");
    uint32_t first = 0;
    for (uint32_t i = 0; i < o->plan.launch_count; i++) {
        const gali_launch *launch = &o->plan.launches[i];
        gali_text_add(to, "    {\"%s\", %lld, ", launch->name, (long long)launch->least);
        gali_text_add(to, launch->most == INT64_MAX ? "INT64_MAX" : "%lld", (long long)launch->most);
        gali_text_add(to, ", %u, %u, %u},\n", launch->group, first, launch->argument_count);
        first += launch->argument_count;
    }
    gali_text_add(to, "    {NULL, 0, 0, 0, 0, 0},\n};\n\n");
}

static void add_bytes(const emission *o, gali_text *to, const gali_type *type) {
    gali_extents *x = o->e.p->graph->extents;
    gali_emission_extent(&o->e, to,
                         gali_extent_mul(x, gali_type_count(x, type), gali_element_list[type->element].bytes));
}

/* What gali_place says of inputs and outputs, which lie behind the other tensors. */
static void add_port_places(const emission *o, gali_text *to) {
    const gali_program *p = o->e.p;
    for (uint32_t i = 0; i < port_count(p->graph); i++) {
        gali_text_add(to, "    to->at[%u] = (uint32_t)to->units;\n    to->bytes[%u] = (uint64_t)(", i, i);
        add_bytes(o, to, &port_value(p->graph, i)->type);
        gali_text_add(to, ");\n    to->units += (to->bytes[%u] + %d) / %d;\n", i, GALI_DEVICE_UNIT - 1,
                      GALI_DEVICE_UNIT);
    }
    gali_text_add(to, "    to->units += to->units == 0;\n");
}

/* How many groups launch i has, once its count is known. */
static void add_groups(const emission *o, gali_text *to, uint32_t i) {
    const gali_launch *launch = &o->plan.launches[i];
    gali_text_add(to, ";\n    to->groups[%u] = ", i);
    if (launch->shape == GALI_LAUNCH_SUMS) {
        gali_emission_extent(&o->e, to, launch->groups);
    } else {
        uint32_t per = launch->shape == GALI_LAUNCH_ITEMS ? launch->group : launch->rows;
        gali_text_add(to, "(to->count[%u] + %u) / %u * %u", i, per - 1, per, launch->tiles);
    }
    gali_text_add(to, ";\n");
}

static void add_place(const emission *o, gali_text *to) {
    const gali_program *p = o->e.p;
    gali_text_add(
        to,
        "/* Where tensors begin, in units of %d bytes, and what kernels have to do. -1: not with these "
        "sizes. */\nstatic int gali_place(const uint32_t *sizes, struct gali_places *to) {\n    "
        "(void)sizes;\n",
        GALI_DEVICE_UNIT);
    for (uint32_t i = 0; i < gali_extent_symbols(p->graph->extents); i++) {
        if (o->e.symbol[i]) {
            gali_text_add(to, "    const uint32_t ");
            gali_emission_size_name(&o->e, to, i);
            gali_text_add(to, " = sizes[%u];\n", o->e.symbol[i] - 1);
        }
    }
    gali_emission_checks(&o->e, to);
    gali_emission_places(&o->e, to, 1);
    gali_emission_place(&o->e, to, &p->top, "    const int64_t top = ");
    gali_text_add(to, "    to->units = (uint64_t)top / %d;\n", GALI_DEVICE_UNIT);
    for (uint32_t i = 0; i < p->tensor_count; i++) {
        const gali_program_tensor *t = &p->tensors[i];
        if (is_made(t) && p->slots[t->slot].count) {
            gali_text_add(to, "    to->at[%u] = (uint32_t)(at%u / %d);\n", o->number[i], t->slot,
                          GALI_DEVICE_UNIT);
        } else if (is_made(t)) {
            gali_text_add(to, "    to->at[%u] = 0;\n", o->number[i]);
        }
    }
    add_port_places(o, to);
    for (uint32_t i = 0; i < o->plan.launch_count; i++) {
        gali_text_add(to, "    to->count[%u] = ", i);
        gali_emission_extent(&o->e, to, o->plan.launches[i].count);
        add_groups(o, to, i);
    }
    for (uint32_t i = 0; i < o->plan.extent_count; i++) {
        gali_text_add(to, "    to->extent[%u] = (uint32_t)(", i);
        gali_emission_extent(&o->e, to, o->plan.extents[i]);
        gali_text_add(to, ");\n");
    }
    gali_text_add(to, "    return to->units > UINT32_MAX ? -1 : 0;\n}\n\n");
}

static void add_run(const emission *o, gali_text *to) {
    const gali_graph *graph = o->e.p->graph;
    gali_text_add(to, "\n");
    add_signature(o, to);
    gali_text_add(to, " {\n    const uint32_t sizes[] = {");
    gali_emission_sizes(&o->e, to, 1, "", ", ");
    gali_text_add(to, "0};\n    const void *const inputs[] = {");
    for (uint32_t i = 0; i < port_count(graph); i++) {
        int output = i >= graph->input_count;
        gali_text_add(to, i == graph->input_count ? "NULL};\n    void *const outputs[] = {" : "");
        gali_emission_port(to, output ? "out" : "in", output ? i - graph->input_count : i,
                           port_value(graph, i)->name);
        gali_text_add(to, ", ");
    }
    gali_text_add(to, "NULL};\n    return gali_call(state, sizes, inputs, outputs);\n}\n");
}

static void make_source(emission *o, gali_text *to) {
    const gali_graph *graph = o->e.p->graph;
    gali_text place = {0};
    gali_text_add(
        to,
        "/* %s.h tells what this is. */\n#include \"%s.h\"\n\n#include <stdio.h>\n#include <stdlib.h>\n"
        "#include <string.h>\n\n",
        o->e.desc->name, o->e.desc->name);
    add_kernels(o, to);
    add_launches(o, to);
    gali_text_add(
        to,
        "enum { GALI_LAUNCHES = %u, GALI_SIZES = %u, GALI_INPUTS = %u, GALI_OUTPUTS = %u };\n\n"
        "struct gali_places {\n    uint32_t at[%u];\n    uint64_t bytes[%u]; /* of inputs and outputs */\n"
        "    int64_t count[%u], groups[%u];\n    uint32_t extent[%u];\n    uint64_t units;\n};\n\n",
        o->plan.launch_count, o->e.given, graph->input_count, graph->output_count, o->numbered + 1,
        port_count(graph) + 1, o->plan.launch_count + 1, o->plan.launch_count + 1, o->plan.extent_count + 1);
    add_place(o, &place);
    gali_emission_size_functions(to, place.bytes ? place.bytes : "");
    gali_text_add_bytes(to, place.bytes ? place.bytes : "", place.size);
    gali_text_end(&place, to);
    gali_text_add_bytes(to, gali_embedded_opencl_host.data, gali_embedded_opencl_host.size);
    add_run(o, to);
    if (!o->e.desc->weights_blob) {
        gali_emission_weights(&o->e, to);
    }
}

/* Sizes that only running tells need steps, and those have no kernels: inputs tell all. */
static gal_status prepare(emission *o, const gali_device_limits *limits, gal_error *error) {
    gali_program *p = o->e.p;
    gal_status status = gali_device_plan_make(&o->plan, p, limits, error);
    status = status == GAL_OK ? number_tensors(o, error) : status;
    if (status == GAL_OK) {
        o->e.symbol =
            gali_arena_take(p->arena, (gali_extent_symbols(p->graph->extents) + 1) * sizeof *o->e.symbol);
        status = o->e.symbol ? GAL_OK : gali_fail(error, GAL_NO_MEMORY, "no memory to emit");
    }
    if (status == GAL_OK) {
        o->e.given = o->e.numbered = gali_emit_sizes(p->graph, o->e.symbol);
        o->e.weights = o->plan.weights;
    }
    return status;
}

gal_status gali_opencl_emit(gali_program *program, const gali_emit_desc *desc, const gali_device_limits *limits,
                            gali_text parts[GAL_COMPILED_PART_COUNT], gal_error *error) {
    emission o = {.e = {.p = program, .desc = desc, .error = error}};
    gali_text ours = {0};
    gal_status status = prepare(&o, limits, error);
    if (status == GAL_OK) {
        make_header(&o, &ours);
        gali_vocabulary_end(&ours, &parts[GAL_COMPILED_HEADER], desc->name);
        make_source(&o, &ours);
        gali_vocabulary_end(&ours, &parts[GAL_COMPILED_SOURCE], desc->name);
    }
    if (status == GAL_OK && desc->weights_blob) {
        gali_text_add_bytes(&parts[GAL_COMPILED_WEIGHTS], o.plan.weights.bytes ? o.plan.weights.bytes : "",
                            o.plan.weights.size);
    }
    int failed = program->arena->failed;
    for (int i = 0; i < GAL_COMPILED_PART_COUNT; i++) {
        failed |= parts[i].failed;
    }
    gali_device_plan_release(&o.plan);
    return status == GAL_OK && failed ? gali_fail(error, GAL_NO_MEMORY, "no memory to emit") : status;
}

/* ---- controllers ---- */

gal_status gali_opencl_program(gali_compilation *c, gali_program **program, gal_error *error) {
    gal_status status = gali_pass_run(c, "sweep", NULL, error);
    status = status == GAL_OK ? gali_program_make(program, c->graph, &c->arena, error) : status;
    status = status == GAL_OK ? gali_program_fuse(*program, error) : status;
    return status == GAL_OK ? gali_program_range(*program, error) : status;
}

gal_status gali_opencl_compile(gali_compilation *c, gal_error *error) {
    const gali_emit_desc desc = {c->name, "A controller", c->weights_blob};
    gali_program *program;
    if (c->form) {
        return gali_fail(error, GAL_UNSUPPORTED, "target %s: it has the form per-expert alone",
                         c->target->name);
    }
    static const gali_log none;
    gali_device_logged logged = {.log = c->log ? c->log : &none};
    const gali_device_limits limits = gali_device_logged_limits(&logged);
    gal_status status = gali_opencl_program(c, &program, error);
    return status == GAL_OK ? gali_opencl_emit(program, &desc, &limits, c->parts, error) : status;
}
