/* A graph as text: docs/graph.md. graph_parse.c reads it. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "graph/evaluate.h"
#include "graph/graph.h"

enum { ELEMENTS_SHOWN = 16 };

/* Quoted; what would end the quotes or the line as \xHH. */
static void print_word(const char *word, gali_text *text) {
    gali_text_add(text, "\"");
    for (const char *at = word; *at; at++) {
        unsigned char c = (unsigned char)*at;
        gali_text_add(text, c < 32 || c == '"' || c == '\\' ? "\\x%02x" : "%c", c);
    }
    gali_text_add(text, "\"");
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A decimal if that reads back as the very number of the element, else the bits of the double. */
static void print_real(double value, gali_element element, gali_text *text) {
    char decimal[GALI_NUMBER_MAX];
    double again = 0;
    if (isfinite(value) && fabs(value) <= 3.4e38) {
        gali_number_write(decimal, (float)value);
        if (gali_number_read(decimal, strlen(decimal), &again) &&
            bits_of(gali_element_round(element, again)) == bits_of(value)) {
            gali_text_add(text, "%s", decimal);
            return;
        }
    }
    gali_text_add(text, "0x%016llx", (unsigned long long)bits_of(value));
}

static void print_attribute(const gali_attribute *attribute, gali_text *text) {
    static const char *const kinds[] = {"int", "number", "ints", "numbers", "word"};
    gali_text_add(text, " %s:%s=", attribute->name, kinds[attribute->kind]);
    if (attribute->kind == GALI_WORD) {
        print_word(attribute->word, text);
        return;
    }
    for (uint32_t i = 0; i < attribute->count; i++) {
        gali_text_add(text, "%s", i ? "," : "");
        if (attribute->ints) {
            gali_text_add(text, "%lld", (long long)attribute->ints[i]);
        } else {
            print_real(attribute->numbers[i], GALI_f64, text);
        }
    }
}

/* What a graph's text is made with: the number of each value in the text, counted from 1; 0: none yet. */
typedef struct printer {
    const gali_graph *graph;
    uint32_t *number, next;
    int indent;
    gali_text *text;
} printer;

static void indent(const printer *p) {
    for (int i = 0; i < p->indent; i++) {
        gali_text_add(p->text, "    ");
    }
}

/* %3 "name": f32[batch, 3] */
static void print_value(printer *p, uint32_t value) {
    if (value == GALI_NONE) {
        gali_text_add(p->text, "-");
        return;
    }
    const gali_value *v = &p->graph->values[value];
    p->number[value] = ++p->next;
    gali_text_add(p->text, "%%%u", p->next - 1);
    if (v->name[0]) {
        gali_text_add(p->text, " ");
        print_word(v->name, p->text);
    }
    gali_text_add(p->text, ": ");
    gali_type_print(p->graph->extents, &v->type, p->text);
}

static void print_constant(printer *p, uint32_t value) {
    const gali_value *v = &p->graph->values[value];
    gali_extent count = gali_type_count(p->graph->extents, &v->type);
    indent(p);
    gali_text_add(p->text, "constant ");
    print_value(p, value);
    if (count >= 0 && count <= ELEMENTS_SHOWN) {
        gali_text_add(p->text, " =");
        for (size_t i = 0; i < (size_t)count; i++) {
            gali_text_add(p->text, " ");
            if (gali_element_list[v->type.element].kind == GALI_REAL) {
                print_real(gali_constant_real(v, i), v->type.element, p->text);
            } else {
                gali_text_add(p->text, "%lld", (long long)gali_constant_whole(v, i));
            }
        }
    }
    gali_text_add(p->text, "\n");
}

static void print_graph(const gali_graph *graph, int depth, gali_text *text);

static void print_node(printer *p, const gali_node *node) {
    indent(p);
    for (uint32_t i = 0; i < node->result_count; i++) {
        gali_text_add(p->text, "%s", i ? ", " : "");
        print_value(p, node->results[i]);
    }
    gali_text_add(p->text, " = %s", gali_op_list[node->op].name);
    if (node->name[0]) {
        gali_text_add(p->text, " ");
        print_word(node->name, p->text);
    }
    gali_text_add(p->text, " (");
    for (uint32_t i = 0; i < node->operand_count; i++) {
        uint32_t number = node->operands[i] == GALI_NONE ? 0 : p->number[node->operands[i]];
        gali_text_add(p->text, "%s", i ? ", " : "");
        gali_text_add(p->text, number ? "%%%u" : "-", number - 1);
    }
    gali_text_add(p->text, ")");
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        print_attribute(&node->attributes[i], p->text);
    }
    gali_text_add(p->text, "\n");
    for (uint32_t i = 0; i < node->body_count; i++) {
        indent(p);
        gali_text_add(p->text, "body\n");
        print_graph(node->bodies[i], p->indent + 1, p->text);
        indent(p);
        gali_text_add(p->text, "end\n");
    }
}

static void print_graph(const gali_graph *graph, int depth, gali_text *text) {
    gali_arena arena = {0};
    uint32_t *number = gali_arena_take(&arena, (graph->value_count + 1) * sizeof *number);
    printer p = {graph, number, 0, depth, text};
    if (!number) {
        text->failed = 1;
        return;
    }
    for (uint32_t i = 0; i < graph->input_count; i++) {
        indent(&p);
        gali_text_add(text, "input ");
        print_value(&p, graph->inputs[i]);
        gali_text_add(text, "\n");
    }
    for (uint32_t i = 0; i < graph->value_count; i++) {
        if (graph->values[i].data) {
            print_constant(&p, i);
        }
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        print_node(&p, &graph->nodes[i]);
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        indent(&p);
        gali_text_add(text, "output %%%u\n", number[graph->outputs[i]] - 1);
    }
    gali_arena_release(&arena);
}

void gali_graph_print(const gali_graph *graph, gali_text *text) {
    for (uint32_t i = 0; i < gali_extent_symbols(graph->extents); i++) {
        const char *name = gali_extent_symbol_name(graph->extents, i);
        int64_t least, most;
        gali_extent_range(graph->extents, gali_extent_symbol(graph->extents, name, 0, 0), &least, &most);
        gali_text_add(text, "symbol %s %lld..%lld\n", name, (long long)least, (long long)most);
    }
    print_graph(graph, 0, text);
}
