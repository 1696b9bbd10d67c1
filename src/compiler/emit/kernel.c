/* Calls of the functions that kernels.def names: a loop over the characters, whose rows are made one by one. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "compiler/emit/emission.h"

typedef struct kernel {
    gali_op op;
    const char *function, *arguments;
} kernel;

static const kernel kernels[] = {
#define KERNEL(op, function, arguments) {GALI_OP_##op, function, arguments},
#include "compiler/emit/kernels.def"
#undef KERNEL
};

/* A call under way: the node, and an argument of its row. */
typedef struct call {
    gali_emission *e;
    const gali_node *node;
    const kernel *kernel;
    uint32_t number; /* behind the argument's word; 0 without */
} call;

/* "x + (size_t)c * 231": a character's row of a value. */
static void add_row(gali_emission *e, uint32_t value) {
    gali_emit_pointer(&e->calls, e->c->graph, value);
    gali_text_add(&e->calls, " + (size_t)c * %u", gali_emit_stride(e->c->graph, value));
}

/* A list of whole numbers becomes an array of the source; readers of one list have one each. */
static void add_list(const call *c, const gali_value *list) {
    gali_text *lists = &c->e->lists;
    const char *result = c->e->c->graph->values[c->node->results[0]].name;
    uint32_t count = (uint32_t)list->type.shape[0];
    gali_text_add(lists, "static const uint32_t gali_%s_%s[%u] = {", result, list->name, count);
    for (uint32_t k = 0; k < count; k++) {
        gali_text_add(lists, "%s%u,", k % 20 ? " " : "\n    ", (unsigned)gali_constant_whole(list, k));
    }
    gali_text_add(lists, "\n};\n\n");
    gali_text_add(&c->e->calls, "gali_%s_%s", result, list->name);
}

static void add_row_argument(const call *c) {
    add_row(c->e, c->node->operands[c->number]);
}

static void add_result(const call *c) {
    if (c->number < c->node->result_count) {
        add_row(c->e, c->node->results[c->number]);
    } else {
        gali_text_add(&c->e->calls, "NULL");
    }
}

static void add_width(const call *c) {
    gali_text_add(&c->e->calls, "%u", gali_row_width(c->e->c->graph, c->node->results[0]));
}

static void add_width_of(const call *c) {
    gali_text_add(&c->e->calls, "%u", gali_row_width(c->e->c->graph, c->node->operands[c->number]));
}

static const gali_value *operand(const call *c) {
    return &c->e->c->graph->values[c->node->operands[c->number]];
}

static void add_floats(const call *c) {
    gali_text_add(&c->e->calls, "weights + %zu", gali_emit_constant(c->e, operand(c)));
}

static void add_list_argument(const call *c) {
    add_list(c, operand(c));
}

/* "NAME:kind": the first `size` bytes are the name. */
static void add_attribute(const call *c, const char *at, size_t size) {
    char name[24];
    gali_text *calls = &c->e->calls;
    snprintf(name, sizeof name, "%.*s", (int)size, at);
    if (strncmp(at + size, ":int", 4) == 0) {
        gali_text_add(calls, "%u", (unsigned)gali_node_int(c->node, name));
    } else if (strncmp(at + size, ":number", 7) == 0) {
        gali_text_add(calls, "%af", gali_node_number(c->node, name)); /* a float32 to the last bit */
    } else {
        gali_text_add(calls, "gali_%s_%s", c->kernel->function, gali_node_word(c->node, name));
    }
}

/* An argument that starts at `at`; returns how long it is. */
static size_t add_argument(call *c, const char *at) {
    static const struct {
        const char *word;
        void (*add)(const call *c);
    } words[] = {{"row ", add_row_argument}, {"result ", add_result},      {"floats ", add_floats},
                 {"width ", add_width_of},   {"list ", add_list_argument}, {"width", add_width}};
    size_t size = strcspn(at, ","), colon = strcspn(at, ":,");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t word = strlen(words[i].word);
        if (strncmp(at, words[i].word, word) == 0) {
            c->number = word < size ? (uint32_t)(at[word] - '0') : 0;
            words[i].add(c);
            return size;
        }
    }
    add_attribute(c, at, colon);
    return size;
}

static void add_call(call *c) {
    gali_text *calls = &c->e->calls;
    gali_text_add(calls, "    for (uint32_t c = 0; c < count; c++) {\n        gali_%s(", c->kernel->function);
    for (const char *at = c->kernel->arguments; *at;) {
        at += add_argument(c, at);
        gali_text_add(calls, *at ? ", " : "");
        at += *at ? 2 : 0;
    }
    gali_text_add(calls, ");\n    }\n");
}

/* Rows joined: of any number of operands, a copy of each. */
static void add_concat(gali_emission *e, const gali_node *node) {
    uint32_t at = 0;
    gali_text_add(&e->calls, "    for (uint32_t c = 0; c < count; c++) {\n");
    for (uint32_t i = 0; i < node->operand_count; i++) {
        uint32_t width = gali_row_width(e->c->graph, node->operands[i]);
        gali_text_add(&e->calls, "        memcpy(");
        add_row(e, node->results[0]);
        gali_text_add(&e->calls, at ? " + %u, " : ", ", at);
        add_row(e, node->operands[i]);
        gali_text_add(&e->calls, ", %u * sizeof(float));\n", width);
        at += width;
    }
    gali_text_add(&e->calls, "    }\n");
}

gal_status gali_emit_kernel(gali_emission *e, const gali_group *group, gal_error *error) {
    call c = {.e = e, .node = &e->c->graph->nodes[group->last]};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels && !c.kernel; i++) {
        c.kernel = kernels[i].op == c.node->op ? &kernels[i] : NULL;
    }
    if (c.node->op == GALI_OP_Concat) {
        add_concat(e, c.node);
    } else if (c.kernel) {
        add_call(&c);
    } else {
        return gali_fail(error, GAL_UNSUPPORTED, "%s: no C for it", gali_node_place(e->c->graph, c.node));
    }
    return GAL_OK;
}
