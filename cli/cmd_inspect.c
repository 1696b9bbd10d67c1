/* gallop inspect: what an ONNX model is made of, and what the compiler makes of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "commands.h"
#include "compiler/lower/lower.h"
#include "compiler/program/patterns.h"
#include "compiler/program/versions.h"
#include "compiler/target.h"
#include "directory.h"
#include "graph/work.h"
#include "onnx/inspect_shapes.h"
#include "onnx/inspect_sparsity.h"
#include "onnx/onnx_model.h"
#include "options.h"

typedef struct inspect {
    const char *path, *external, *sizes, *dot;
    int shapes, groups, sparsity, fast, exact;
} inspect;

static void print_type(const gali_graph *graph, const gali_type *type) {
    gali_text text = {0};
    gali_type_print(graph->extents, type, &text);
    printf("%s", text.bytes ? text.bytes : "?");
    gali_text_release(&text);
}

static void print_extent(const gali_graph *graph, gali_extent extent) {
    gali_text text = {0};
    gali_extent_print(graph->extents, extent, &text);
    printf("%s", text.bytes ? text.bytes : "?");
    gali_text_release(&text);
}

/* A long one says nothing to who reads it. */
static void print_short(const gali_graph *graph, gali_extent extent, const char *instead) {
    enum { READABLE = 240 };
    gali_text text = {0};
    gali_extent_print(graph->extents, extent, &text);
    printf("%s", text.size > READABLE ? instead : text.bytes ? text.bytes : "?");
    gali_text_release(&text);
}

static void print_ports(const gali_graph *graph) {
    for (uint32_t i = 0; i < graph->input_count; i++) {
        printf("input   %s  ", graph->values[graph->inputs[i]].name);
        print_type(graph, &graph->values[graph->inputs[i]].type);
        printf("\n");
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        printf("output  %s  ", graph->values[graph->outputs[i]].name);
        print_type(graph, &graph->values[graph->outputs[i]].type);
        printf("\n");
    }
}

static void count_operators(const gali_graph *graph, uint32_t counts[GALI_OP_COUNT]) {
    for (uint32_t i = 0; i < graph->node_count; i++) {
        counts[graph->nodes[i].op]++;
        for (uint32_t k = 0; k < graph->nodes[i].body_count; k++) {
            count_operators(graph->nodes[i].bodies[k], counts);
        }
    }
}

static void print_operators(const gali_graph *graph) {
    static const char *const mappings[] = {"one-to-one", "one-to-many", "many-to-many",
                                           "reorganize", "shuffle",     "opaque"};
    uint32_t counts[GALI_OP_COUNT] = {0}, all = 0;
    count_operators(graph, counts);
    for (int op = 0; op < GALI_OP_COUNT; op++) {
        all += counts[op];
    }
    printf("\n%u nodes\n", all);
    for (int op = 0; op < GALI_OP_COUNT; op++) {
        if (counts[op]) {
            printf("%6u  %-24s %s\n", counts[op], gali_op_list[op].name, mappings[gali_op_list[op].mapping]);
        }
    }
}

/* before: multiply-adds of the graph that was read. */
static void print_rules(const uint32_t counts[GALI_REWRITE_COUNT], double before, double after) {
    printf("\nmultiply-adds at middling sizes  %.0f, rewritten %.0f\n", before, after);
    for (int i = 0; i < GALI_REWRITE_COUNT; i++) {
        if (counts[i]) {
            printf("%6u  %-24s %s\n", counts[i], gali_rewrite_list[i].name, gali_rewrite_list[i].meaning);
        }
    }
}

/* ---- groups ---- */

/* Elements of sums: multiply-adds where they are products. */
static gali_extent work_of(const gali_program *p, const gali_program_stage *stage) {
    gali_extent work = stage->reduced ? 1 : 0;
    if (stage->patterns && stage->reduced) { /* of what is stored */
        work = (gali_extent)stage->patterns->fkw.kernels * GALI_FKW_TAPS;
        for (uint32_t i = 0; i < stage->rank; i++) {
            work = i == 1 ? work : gali_extent_mul(p->graph->extents, work, stage->extent[i]);
        }
        return work;
    }
    for (uint32_t i = 0; i < stage->rank + stage->reduced && stage->reduced; i++) {
        work = gali_extent_mul(p->graph->extents, work, stage->extent[i]);
    }
    return work;
}

static gali_extent bytes_of(const gali_program *p, const gali_type *type) {
    return gali_extent_mul(p->graph->extents, gali_type_count(p->graph->extents, type),
                           gali_element_list[type->element].bytes);
}

/* The workspace as one expression. */
static gali_extent workspace_of(const gali_program *p) {
    gali_extents *x = p->graph->extents;
    gali_extent *at = calloc(p->slot_count + 1u, sizeof *at), bytes = GALI_EXTENT_UNKNOWN;
    for (uint32_t i = 0; at && i <= p->slot_count; i++) {
        const gali_program_slot *slot = i < p->slot_count ? &p->slots[i] : &p->top;
        bytes = 0;
        for (uint32_t k = 0; k < slot->count; k++) {
            gali_extent end = gali_extent_add(x, at[slot->ends[k].slot], slot->ends[k].bytes);
            bytes = k ? gali_extent_most(x, bytes, end) : end;
        }
        at[i] = bytes;
    }
    free(at);
    return bytes;
}

/* Bytes of what nodes make, and of what groups store. */
static void print_bytes(const gali_program *p) {
    gali_extents *x = p->graph->extents;
    gali_extent before = 0, after = 0, work = 0;
    for (uint32_t i = 0; i < p->graph->value_count; i++) {
        if (p->graph->values[i].node != GALI_NONE && p->tensors[i].role != GALI_TENSOR_CONSTANT) {
            before = gali_extent_add(x, before, bytes_of(p, &p->graph->values[i].type));
        }
    }
    for (uint32_t i = 0; i < p->stage_count; i++) {
        if (!p->stages[i].gone) {
            after = gali_extent_add(x, after, bytes_of(p, &p->tensors[p->stages[i].tensor].type));
            work = gali_extent_add(x, work, work_of(p, &p->stages[i]));
        }
    }
    uint32_t stretches = gali_program_stretches(p);
    printf("\n%u groups", p->group_count - stretches);
    if (stretches) {
        printf(", and %u more functions for convolutions by transforms or patterns", stretches);
    }
    printf("\nbytes of results before fusion  ");
    print_extent(p->graph, before);
    printf("\nbytes of results after fusion   ");
    print_extent(p->graph, after);
    printf("\nsteps of sums                   ");
    print_extent(p->graph, work);
    printf("\nworkspace, bytes                ");
    print_short(p->graph, workspace_of(p), "what the header's workspace function says: a long expression");
    printf("\n  at middling sizes             %lld, where %lld live at once\n", (long long)p->planned,
           (long long)p->alive);
    printf("order of groups                 %u of %u pieces by all orders, the largest of %u groups\n",
           p->order_facts.searched, p->order_facts.pieces, p->order_facts.largest);
}

static const char *name_of(const gali_program *p, const gali_program_stage *stage, const char **op) {
    const gali_node *node = stage->node == GALI_NONE ? NULL : p->nodes[stage->node].node;
    *op = node ? gali_op_list[node->op].name : "copy";
    return node ? node->name : "";
}

/* "  in memory 0 2 3 1": the order of axes, where it is not their own. */
static void print_order(const gali_program_tensor *t) {
    int own = 1;
    for (int d = 0; d < t->type.rank; d++) {
        own &= t->order[d] == d;
    }
    printf("%s", own ? "" : "  in memory");
    for (int d = 0; !own && d < t->type.rank; d++) {
        printf(" %u", t->order[d]);
    }
}

/* How often each operator stands in the group; those that are many-to-many. */
static uint32_t count_group(const gali_program *p, uint32_t group, uint32_t counts[GALI_OP_COUNT]) {
    uint32_t many = 0, last = GALI_NONE;
    for (uint32_t i = 0; i < p->stage_count; i++) {
        uint32_t node = p->stages[i].node;
        if (p->stages[i].group == group && node != GALI_NONE && node != last) {
            gali_op op = p->nodes[node].node->op;
            many += gali_op_list[op].mapping == GALI_MANY_TO_MANY;
            counts[op]++;
            last = node;
        }
    }
    return many;
}

/* How many groups hold so many operators that are many-to-many. */
static void print_many(const gali_program *p) {
    enum { MANY = 8 };
    uint32_t groups[MANY + 1] = {0};
    for (uint32_t g = 0; g < p->group_count; g++) {
        uint32_t counts[GALI_OP_COUNT] = {0}, many = count_group(p, g, counts);
        groups[many < MANY ? many : MANY]++;
    }
    printf("groups by many-to-many operators");
    for (int i = 0; i <= MANY; i++) {
        if (groups[i]) {
            printf("  %u with %d%s", groups[i], i, i == MANY ? " or more" : "");
        }
    }
    printf("\n");
}

static void print_group_end(const gali_program *p, uint32_t group) {
    uint32_t counts[GALI_OP_COUNT] = {0};
    count_group(p, group, counts);
    printf("      of");
    for (int op = 0; op < GALI_OP_COUNT; op++) {
        if (counts[op]) {
            printf(counts[op] > 1 ? " %s x%u" : " %s", gali_op_list[op].name, counts[op]);
        }
    }
    printf("\n");
    for (uint32_t i = 0; i < p->edge_count; i++) {
        const gali_program_edge *e = &p->edges[i];
        if (p->stages[p->tensors[e->tensor].stage].group == group) {
            printf("      not with %u: %s\n", e->reader, e->why);
        }
    }
}

/* "      for batch 1": a version of a group. */
static void print_version(const gali_program *p, uint32_t group, const gali_program_version *version) {
    printf("      for");
    for (uint32_t i = 0; i < version->count; i++) {
        const gali_size_range *r = &version->range[i];
        const char *name = gali_extent_symbol_name(p->graph->extents, r->symbol);
        if (!gali_program_group_has(p, group, r)) {
            continue;
        }
        if (r->same) {
            printf(" %s the same as %s", name, gali_extent_symbol_name(p->graph->extents, r->other));
        } else if (r->least == r->most) {
            printf(" %s %lld", name, (long long)r->least);
        } else {
            printf(" %s %lld..%lld", name, (long long)r->least, (long long)r->most);
        }
    }
    printf("\n");
}

static void print_versions(const gali_program *p, uint32_t group) {
    uint32_t versions[GALI_PROGRAM_VERSIONS_MAX], count = gali_program_group_versions(p, group, versions);
    for (uint32_t v = 0; count > 1 && v < count; v++) {
        print_version(p, group, &p->versions[versions[v]]);
    }
}

static void print_versioned(const gali_program *p) {
    uint32_t versions[GALI_PROGRAM_VERSIONS_MAX], groups = 0, all = 0;
    for (uint32_t g = 0; g < p->group_count; g++) {
        uint32_t count = gali_program_group_versions(p, g, versions);
        groups += count > 1;
        all += count > 1 ? count : 0;
    }
    if (p->version_count) {
        printf("versions                        %u groups in %u, of at most %d each\n", groups, all,
               GALI_PROGRAM_VERSIONS_MAX);
    }
}

/* How many groups have no vectors on this machine though it has some; with all, which and why. Their loops are made for it,
 * as when they are compiled. */
static void print_plain(gali_program *p, int all) {
    const int vectors = p->target && p->target->lanes > 1;
    uint32_t plain = 0;
    for (uint32_t g = 0; vectors && g < p->group_count; g++) {
        gali_arena arena = {0};
        gali_lowered lowered = {.plain = 0};
        gal_error error = {0};
        const int lower = gali_program_lower_by(p, g, NULL, &arena, &lowered, &error) == GAL_OK;
        plain += lower && lowered.plain;
        if (lower && lowered.plain && all) {
            printf("%4u  plain loops: %s\n", g, error.message);
        }
        gali_arena_release(&arena);
    }
    if (vectors) {
        printf("plain loops                     %u of %u groups, where vectors cannot be (%s)\n", plain,
               p->group_count, p->target->name);
    }
}

static void print_groups(const gali_program *p) {
    for (uint32_t i = 0; i < p->stage_count; i++) {
        const gali_program_stage *stage = &p->stages[i];
        const char *op, *name = name_of(p, stage, &op);
        if (!stage->gone) {
            printf("%4u  %s \"%s\" makes %s ", stage->group, op, name, p->tensors[stage->tensor].name);
            print_type(p->graph, &p->tensors[stage->tensor].type);
            print_order(&p->tensors[stage->tensor]);
            printf("%s", stage->parted ? "  in partial sums" : "");
            printf("\n");
        }
        if (stage->group != GALI_NONE && (i + 1 == p->stage_count || p->stages[i + 1].group != stage->group)) {
            print_versions(p, stage->group);
            print_group_end(p, stage->group);
        }
    }
}

/* ---- a drawing ---- */

static void add_quoted(gali_text *text, const char *name) {
    for (; *name; name++) {
        gali_text_add(text, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
    }
}

static void add_edges(gali_text *text, const gali_program *p, const gali_program_stage *stage,
                      const gali_scalar *a, int depth) {
    if (!a || depth == 0) {
        return;
    }
    uint32_t maker = a->op == GALI_SCALAR_load ? p->tensors[a->source].stage : GALI_NONE;
    if (maker != GALI_NONE && !p->stages[maker].gone) {
        gali_text_add(text, "  g%u -> g%u;\n", p->stages[maker].group, stage->group);
    }
    for (int i = 0; i < 3; i++) {
        add_edges(text, p, stage, a->operand[i], depth - 1);
    }
}

/* Groups as boxes, in the language of Graphviz. */
static gal_status write_dot(const gali_program *p, const char *path, gal_error *error) {
    gali_text text = {0};
    uint32_t last = GALI_NONE;
    gali_text_add(&text, "strict digraph groups {\n  node [shape=box];\n");
    for (uint32_t i = 0; i < p->stage_count; i++) {
        const gali_program_stage *stage = &p->stages[i];
        if (stage->gone) {
            continue;
        }
        if (stage->group != last) {
            const char *op, *name = name_of(p, stage, &op);
            gali_text_add(&text, "  g%u [label=\"%s\\n", stage->group, op);
            add_quoted(&text, name);
            gali_text_add(&text, "\\n");
            gali_type_print(p->graph->extents, &p->tensors[stage->tensor].type, &text);
            gali_text_add(&text, "\"];\n");
        }
        last = stage->group;
        add_edges(&text, p, stage, stage->value, 64);
        add_edges(&text, p, stage, stage->finish, 64);
    }
    gali_text_add(&text, "}\n");
    gal_status status = text.failed ? gali_fail(error, GAL_NO_MEMORY, "no memory for a drawing")
                                    : gali_directory_make_for(path, error);
    status = status == GAL_OK ? gali_file_write(path, text.bytes, text.size, error) : status;
    gali_text_release(&text);
    return status;
}

/* What the compiler makes of it, for this machine; what cannot be compiled can be looked at, too. */
static gal_status show_program(const inspect *self, gali_onnx_model *model, gal_error *error) {
    gal_error why = {0};
    const double work = gali_graph_work(model->graph);
    model->fast = self->fast;
    model->exact = self->exact;
    model->target = gali_target_find("native", &why);
    const gal_status status = gali_onnx_model_program(model, &why);
    if (status != GAL_OK && !self->groups && !self->dot) {
        printf("\nno C of it: %s\n", why.message);
        return GAL_OK;
    }
    if (status != GAL_OK) {
        return gali_fail_in_file(error, self->path, &why);
    }
    print_rules(model->rewritten, work, gali_graph_work(model->graph));
    print_bytes(model->program);
    print_versioned(model->program);
    print_plain(model->program, self->groups);
    if (self->groups) {
        print_many(model->program);
        print_groups(model->program);
    }
    if (self->sparsity) {
        gali_inspect_sparsity(model->program);
    }
    return self->dot ? write_dot(model->program, self->dot, error) : GAL_OK;
}

static int run(int argc, char **argv) {
    inspect self = {.path = NULL};
    const gali_option options[] = {{"MODEL.onnx", GALI_OPTION_WORD, &self.path, 1, 0},
                                   {"--external", GALI_OPTION_TEXT, &self.external, 0, 0},
                                   {"--sizes", GALI_OPTION_TEXT, &self.sizes, 0, 0},
                                   {"--fast", GALI_OPTION_FLAG, &self.fast, 0, 0},
                                   {"--exact", GALI_OPTION_FLAG, &self.exact, 0, 0},
                                   {"--shapes", GALI_OPTION_FLAG, &self.shapes, 0, 0},
                                   {"--groups", GALI_OPTION_FLAG, &self.groups, 0, 0},
                                   {"--sparsity", GALI_OPTION_FLAG, &self.sparsity, 0, 0},
                                   {"--dot", GALI_OPTION_TEXT, &self.dot, 0, 0}};
    gali_onnx_model model = {.file = NULL};
    gal_error error = {0};
    int result = gali_options_read("inspect", argc, argv, options, sizeof options / sizeof options[0]);
    if (result != GALI_EXIT_OK) {
        return result;
    }
    const char *const read[] = {self.path, self.external};
    result = gali_command_spare("inspect", self.dot, read, sizeof read / sizeof read[0]);
    if (result != GALI_EXIT_OK) {
        return result;
    }
    gal_status status = gali_onnx_model_open(&model, self.path, self.external, self.sizes, &error);
    if (status == GAL_OK) {
        print_ports(model.graph);
        print_operators(model.graph);
        if (self.shapes) {
            printf("\n");
            gali_inspect_shapes(model.graph);
        }
        status = show_program(&self, &model, &error);
    }
    gali_onnx_model_release(&model);
    return status == GAL_OK             ? GALI_EXIT_OK
           : status == GAL_BAD_ARGUMENT ? gali_command_usage("inspect", "%s", error.message)
                                        : gali_command_bad("inspect", "%s", error.message);
}

const gali_command gali_command_inspect = {
    "inspect", "what an ONNX model is made of: operators, shapes, groups",
    "usage: gallop inspect MODEL.onnx [--external FILE] [--sizes NAME=N,...] [--fast] [--exact] [--shapes] "
    "[--groups] [--sparsity] "
    "[--dot "
    "FILE.dot]\n\n"
    "Prints inputs and outputs, how often each operator stands in it, and what the compiler makes of it: "
    "groups of\n"
    "operators that run as one function, bytes of what is stored before and after fusion, the workspace. Sizes "
    "that the\n"
    "file leaves open are symbols, and what follows from them expressions.\n\n"
    "  --external  the file in which the model keeps its weights (MODEL.onnx.data, if it is there)\n"
    "  --sizes     what open sizes are: batch=1,length=8..512\n"
    "  --fast      by the rules that are for speed alone, too\n"
    "  --exact     no convolution by transforms or patterns\n"
    "  --shapes    every node with the types of its results, sizes that follow from others, and why others are "
    "told\n"
    "              only when it runs\n"
    "  --groups    every group: what it makes and is made of, and why those who read it are not in it\n"
    "  --sparsity  every layer's share of zeros, the patterns of its 3x3 kernels, how it is stored\n"
    "  --dot       draws the groups: dot -Tsvg FILE.dot >FILE.svg\n",
    run};
