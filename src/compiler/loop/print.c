/* Loops as text that the parser reads back: the names of operations, lets and roles, and a line for a statement. */
#include "compiler/loop/words.h"

#include <inttypes.h>
#include <math.h>

enum { NONE, SAME, TRUTH };

const gali_loop_op_facts gali_loop_ops[GALI_VALUE_COUNT] = {
#define OP(id, name, arity, kinds, result, vector, plain, meaning)                                             \
    [GALI_VALUE_##id] = {name, arity, kinds, (result) == TRUTH, vector, plain},
#include "compiler/loop/ops.def"
#undef OP
#define ACTIVATION(id, name, onnx, formula)                                                                    \
    [GALI_VALUE_##id] = {#name, 2, "F", 0, "gali_activate_" #name, "gali_activate_" #name},
#define ROW_ACTIVATION(id, name, onnx, formula)
#include "kernels/activations.def"
#undef ACTIVATION
};

const gali_loop_word gali_loop_lets[GALI_LOOP_LET_COUNT] = {
    [GALI_LOOP_QUOTIENT] = {"quotient", 2}, [GALI_LOOP_REMAINDER] = {"remainder", 2},
    [GALI_LOOP_ROUNDS] = {"rounds", 2},     [GALI_LOOP_FIRST] = {"first", 3},
    [GALI_LOOP_SIZE] = {"size", 3},         [GALI_LOOP_LOOKUP] = {"lookup", 1},
    [GALI_LOOP_PRODUCT] = {"product", 2},   [GALI_LOOP_SUM] = {"sum", 1},
    [GALI_LOOP_LEAST] = {"least", 2},       [GALI_LOOP_MOST] = {"most", 2},
    [GALI_LOOP_CLAMP] = {"clamp", 2},
};

const char *const gali_loop_roles[GALI_LOOP_VIEW + 1] = {
    [GALI_LOOP_INPUT] = "input",         [GALI_LOOP_CONSTANT] = "constant", [GALI_LOOP_OUTPUT] = "output",
    [GALI_LOOP_TEMPORARY] = "temporary", [GALI_LOOP_LOCAL] = "local",       [GALI_LOOP_VIEW] = "view",
};

/* A number of units, or the number alone where unit is "", with its sign apart where it stands behind something. */
static void print_signed(int64_t number, int behind, const char *unit, gali_text *text) {
    const char *sign = number < 0 ? behind ? " - " : "-" : behind ? " + " : "";
    int64_t size = number < 0 ? -number : number;
    if (size != 1 || !*unit) {
        gali_text_add(text, "%s%" PRId64 "%s%s", sign, size, *unit ? "*" : "", unit);
    } else {
        gali_text_add(text, "%s%s", sign, unit);
    }
}

void gali_loop_print_index(const gali_loop_index *index, gali_text *text) {
    for (uint32_t i = 0; i < index->count; i++) {
        print_signed(index->term[i].scale, i > 0, index->term[i].variable->name, text);
    }
    if (index->constant || !index->count) {
        print_signed(index->constant, index->count > 0, "", text);
    }
}

void gali_loop_print_access(const gali_loop_access *access, gali_text *text) {
    uint32_t rank = gali_loop_rank(access->buffer);
    gali_text_add(text, "%s", access->buffer->name);
    for (uint32_t d = 0; d < rank; d++) {
        gali_text_add(text, "[%s", access->tested >> d & 1 ? "?" : "");
        gali_loop_print_index(&access->index[d], text);
        if (d + 1 == rank && access->lanes > 1) {
            gali_text_add(text, access->first ? ":%u/%u" : ":%u", access->first ? access->first : access->lanes,
                          access->lanes);
        }
        gali_text_add(text, "]");
    }
}

void gali_loop_print_number(const gali_loop_value *constant, gali_text *text) {
    const gali_element_facts *element = &gali_element_list[constant->element];
    const char *word = constant->element == GALI_f32 ? "" : element->word;
    if (element->kind != GALI_REAL) {
        gali_text_add(text, constant->element == GALI_u64 ? "%" PRIu64 "%s" : "%" PRId64 "%s", constant->whole,
                      word);
    } else if (!isfinite(constant->real)) {
        gali_text_add(text, "%s%s", isnan(constant->real) ? "nan" : constant->real < 0 ? "-inf" : "inf", word);
    } else {
        gali_text_add(text, "%.*g%s", constant->element == GALI_f32 ? 9 : 17, constant->real, word);
    }
}

/* What stands before the operands of a value that has some. */
static const char *word_of(const gali_loop_value *value) {
    return value->op == GALI_VALUE_CAST ? gali_element_list[value->element].word
                                        : gali_loop_ops[value->op].name;
}

void gali_loop_print_value(const gali_loop_value *value, gali_text *text) {
    if (value->op == GALI_VALUE_CONSTANT) {
        gali_loop_print_number(value, text);
        return;
    }
    if (value->op == GALI_VALUE_LOAD) {
        gali_loop_print_access(&value->load, text);
        if (value->operand[0]) {
            gali_text_add(text, " else ");
            gali_loop_print_value(value->operand[0], text);
        }
        return;
    }
    gali_text_add(text, "%s(", word_of(value));
    if (value->op == GALI_VALUE_AT) {
        gali_loop_print_index(&value->at, text);
    }
    for (uint32_t i = 0; i < gali_loop_arity(value); i++) {
        gali_text_add(text, "%s", i ? ", " : "");
        gali_loop_print_value(value->operand[i], text);
    }
    gali_text_add(text, ")");
}

static void print_packed(const gali_loop_packed *packed, gali_text *text) {
    gali_text_add(text, "[%u*%u: ", packed->of, packed->scale);
    if (packed->total) {
        gali_text_add(text, "%u parts of %u]", packed->extent, packed->total);
    } else {
        gali_text_add(text, packed->part ? "part %u]" : "%u]", packed->extent);
    }
}

void gali_loop_print_shape(const gali_loop_buffer *buffer, gali_text *text) {
    for (uint32_t d = 0; d < buffer->rank; d++) {
        gali_text_add(text, "[");
        gali_loop_print_index(&buffer->extent[d], text);
        gali_text_add(text, "]");
    }
    for (uint32_t d = 0; d < buffer->packed_rank; d++) {
        gali_text_add(text, "%s", d ? "" : " as ");
        print_packed(&buffer->packed[d], text);
    }
    if (buffer->element != GALI_f32) {
        gali_text_add(text, ": %s", gali_element_list[buffer->element].word);
    }
}

static void print_let(const char *head, const gali_loop_statement *let, gali_text *text) {
    gali_text_add(text, "%s %s = %s(", head, let->variable->name, gali_loop_lets[let->let].name);
    int first = let->let == GALI_LOOP_CLAMP;
    if (first) {
        gali_loop_print_value(let->value, text);
    }
    if (let->let == GALI_LOOP_LOOKUP) {
        gali_loop_print_access(&let->lookup, text);
    } else {
        for (uint32_t i = 0; i < gali_loop_lets[let->let].arity; i++) {
            gali_text_add(text, "%s", i || first ? ", " : "");
            gali_loop_print_index(&let->operand[i], text);
        }
    }
    gali_text_add(text, ")");
    if (let->cases || let->let == GALI_LOOP_LOOKUP) {
        gali_text_add(text, " in %u..%u%s", let->variable->least, let->variable->most,
                      let->cases ? " cases" : "");
    }
}

static void print_for(const gali_loop_statement *loop, gali_text *text) {
    gali_text_add(text, "for %s in ", loop->variable->name);
    gali_loop_print_index(&loop->extent, text);
    if (loop->mark == GALI_LOOP_UNROLL) {
        gali_text_add(text, " unroll");
    }
    if (loop->mark == GALI_LOOP_UNROLL && loop->factor) {
        gali_text_add(text, " %u", loop->factor);
    }
    gali_text_add(text, "%s {",
                  loop->mark == GALI_LOOP_PARALLEL    ? " parallel"
                  : loop->mark == GALI_LOOP_ITEM      ? " item"
                  : loop->mark == GALI_LOOP_TRANSPOSE ? " transpose"
                                                      : "");
}

static void print_call(const gali_loop_tile *tile, gali_text *text) {
    gali_text_add(text, "call tile_sum(");
    gali_loop_print_access(&tile->sum, text);
    gali_text_add(text, ", ");
    gali_loop_print_access(&tile->x, text);
    gali_text_add(text, ", ");
    gali_loop_print_access(&tile->weights, text);
    const gali_loop_index *sizes[] = {&tile->inputs, &tile->rows, &tile->vectors, &tile->experts};
    for (uint32_t i = 0; i < 4; i++) {
        gali_text_add(text, ", ");
        gali_loop_print_index(sizes[i], text);
    }
    gali_text_add(text, ")");
}

void gali_loop_print_line(const gali_loop_statement *statement, gali_text *text) {
    switch (statement->kind) {
    case GALI_LOOP_FOR:
        print_for(statement, text);
        break;
    case GALI_LOOP_LET:
        print_let("let", statement, text);
        break;
    case GALI_LOOP_MAKE:
        gali_text_add(text, "%s %s", gali_loop_roles[statement->local->role], statement->local->name);
        gali_loop_print_shape(statement->local, text);
        break;
    case GALI_LOOP_STORE:
        gali_loop_print_access(&statement->to, text);
        gali_text_add(text, " = ");
        gali_loop_print_value(statement->value, text);
        break;
    case GALI_LOOP_CALL:
        print_call(&statement->tile, text);
        break;
    case GALI_LOOP_POINT:
        gali_text_add(text, "point ");
        gali_loop_print_access(&statement->to, text);
        gali_text_add(text, " at ");
        gali_loop_print_access(&statement->from, text);
        break;
    }
}

static void print_block(const gali_loop_statement *statement, int depth, gali_text *text) {
    for (; statement; statement = statement->next) {
        gali_text_add(text, "%*s", 2 * depth, "");
        gali_loop_print_line(statement, text);
        gali_text_add(text, "\n");
        if (statement->kind == GALI_LOOP_FOR) {
            print_block(statement->body, depth + 1, text);
            gali_text_add(text, "%*s}\n", 2 * depth, "");
        }
    }
}

void gali_loop_print(const gali_loop_function *function, gali_text *text) {
    gali_text_add(text, "loop %s(", function->name);
    for (uint32_t i = 0; i < function->symbols; i++) {
        const gali_loop_variable *symbol = function->variable[i];
        gali_text_add(text, "%s%s in %u..%u", i ? ", " : "", symbol->name, symbol->least, symbol->most);
    }
    gali_text_add(text, ")%s {\n", function->dense ? " dense" : "");
    for (const gali_loop_statement *size = function->sizes; size; size = size->next) {
        gali_text_add(text, "  ");
        print_let("size", size, text);
        gali_text_add(text, "\n");
    }
    for (uint32_t i = 0; i < function->parameters; i++) {
        gali_text_add(text, "  %s %s", gali_loop_roles[function->buffer[i]->role], function->buffer[i]->name);
        gali_loop_print_shape(function->buffer[i], text);
        gali_text_add(text, "\n");
    }
    print_block(function->body, 1, text);
    gali_text_add(text, "}\n");
}
