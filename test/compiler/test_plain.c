/*
 * Loops of any element, with marked and negative indices, several symbols and sizes: their text comes back, the verifier
 * takes what is right, and their plain C, by either compiler, gives the interpreter's bits.
 */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/emit/vocabulary.h"
#include "compiler/loop/interpret.h"
#include "compiler/loop/number.h"
#include "compiler/loop/print_c.h"
#include "graph/scalar.h"
#include "synthetic.h"

enum { CASES_MAX = 400, SYMBOLS_MAX = 3, BUFFERS_MAX = 16, TEXT_MAX = 1600 };

/* A function, and what its symbols are when it is run. */
typedef struct loop_case {
    char text[TEXT_MAX];
    uint32_t symbols[SYMBOLS_MAX];
    gali_loop_function *function;
} loop_case;

static loop_case cases[CASES_MAX];
static uint32_t count;
static gali_arena arena;

/* Written by hand: what each is about stands in its name. */
static const struct {
    const char *text;
    uint32_t symbols[SYMBOLS_MAX];
} written[] = {
    {"loop convolution(batch in 1..8, height in 1..64) dense {\n"
     "  size rows = quotient(height + 1, 2)\n"
     "  input x[batch][3][height][7]\n  constant w[4][3][3][3]\n  output y[batch][4][rows][7]\n"
     "  for b in batch {\n    for o in 4 {\n      for i in rows {\n        for j in 7 {\n"
     "          local sum\n          sum = 0\n"
     "          for c in 3 {\n            for p in 3 {\n              for q in 3 {\n"
     "                sum = fma(x[b][c][?2*i + p - 1][?j + q - 1] else 0, w[o][c][p][q], sum)\n"
     "              }\n            }\n          }\n"
     "          y[b][o][i][j] = sum\n        }\n      }\n    }\n  }\n}\n",
     {2, 9}},
    {"loop cast_of_a_product(n in 1..8) dense {\n"
     "  input x[n]\n  output y[n]\n  for i in n {\n    y[i] = div(x[i], f32(at(2*n)))\n  }\n}\n",
     {5}},
    {"loop divided_by_a_product(n in 1..8) dense {\n"
     "  input x[6*n][2]\n  output y[12*n]\n  for i in 12*n {\n    let a = quotient(i, 2*n)\n    let b = "
     "remainder(i, 2*n)\n"
     "    y[i] = x[?a + b][?a - 2] else 0\n  }\n}\n",
     {5}},
    {"loop gather(batch in 1..8, length in 1..512) dense {\n"
     "  size rows = product(batch, length)\n"
     "  input ids[batch][length]: i64\n  constant table[30][5]: f16\n  output y[rows][5]: f64\n"
     "  for b in batch {\n    let at = product(b, length)\n    for t in length {\n"
     "      let id = clamp(add(ids[b][t], 3i64), 0, 29)\n      for k in 5 {\n"
     "        y[at + t][k] = f64(table[id][k])\n      }\n    }\n  }\n}\n",
     {3, 5}},
    {"loop apart(batch in 1..8, length in 1..512) dense {\n"
     "  size rows = product(batch, length)\n"
     "  input x[rows][3]\n  output y[length][3][batch]\n"
     "  for r in rows {\n    let b = quotient(r, length)\n    let t = remainder(r, length)\n"
     "    for k in 3 {\n      y[t][k][b] = x[r][k]\n    }\n  }\n}\n",
     {3, 4}},
    {"loop joined(n in 2..100) dense {\n"
     "  input a[n]: i32\n  input b[5]: i32\n  output y[n + 5]: i32\n"
     "  for i in n + 5 {\n"
     "    y[i] = select(less(at(i), at(n)), a[i], b[i - n])\n  }\n}\n",
     {7}},
    {"loop chained(n in 2..100) dense {\n"
     "  input a[n]: u8\n  input b[5]: u8\n  output y[n + 9]: u8\n"
     "  for i in n + 9 {\n"
     "    y[i] = a[?i] else b[?i - n] else 7u8\n  }\n}\n",
     {7}},
    {"loop backwards(n in 1..100) dense {\n"
     "  input x[n]: i8\n  output y[n]: i16\n"
     "  for i in n {\n    y[i] = i16(x[n - i - 1])\n  }\n}\n",
     {11}},
    {"loop softmax(batch in 1..4, n in 1..64) dense {\n"
     "  input x[batch][n]\n  output y[batch][n]\n  temporary e[batch][n]\n"
     "  for b in batch {\n    local largest\n    local sum: f64\n    largest = -inf\n"
     "    for i in n {\n      largest = most(largest, x[b][i])\n    }\n    sum = 0f64\n"
     "    for i in n {\n      e[b][i] = exp(sub(x[b][i], largest))\n      sum = add(sum, f64(e[b][i]))\n    }\n"
     "    for i in n {\n      y[b][i] = div(e[b][i], f32(sum))\n    }\n  }\n}\n",
     {3, 13}},
    {"loop scattered() dense {\n"
     "  input ids[6]: i32\n  input x[6]: bf16\n  output y[4]: bf16\n"
     "  for i in 4 {\n    y[i] = 0\n  }\n"
     "  for i in 6 {\n    let id = clamp(ids[i], 0, 40)\n    y[?id - 2] = add(x[i], y[?id - 2] else 0)\n  "
     "}\n}\n",
     {0}},
    {"loop resized(n in 2..50, m in 1..80) dense {\n"
     "  input x[n]\n  output y[m]\n"
     "  for i in m {\n"
     "    let near = clamp(i64(floor(div(mul(f32(at(i)), f32(at(n))), f32(at(m))))), 0, n - 1)\n"
     "    let above = least(near + 1, n - 1)\n    let below = most(near - 1, 0)\n"
     "    y[i] = add(x[near], sub(x[above], x[below]))\n  }\n}\n",
     {9, 20}},
    {"loop windows(n in 4..60) dense {\n"
     "  size all = sum(2*n - 3)\n"
     "  input x[all]\n  output y[n - 3]\n"
     "  for i in n - 3 {\n    local a[3]\n    for k in 3 unroll {\n      a[k] = x[2*i + k]\n    }\n"
     "    y[i] = sub(add(a[0], a[1]), a[2])\n  }\n}\n",
     {9}},
    {"loop triangle(n in 1..20) dense {\n"
     "  output y[n][n]: bool\n"
     "  for i in n {\n    for j in n {\n      y[i][j] = not(less(at(i), at(j)))\n    }\n  }\n}\n",
     {6}},
    {"loop inner(characters in 1..9) {\n"
     "  input x[4][characters]\n  input z[characters][4]\n  output y[2][4][characters]\n"
     "  for i in 4 {\n    for c in characters {\n"
     "      y[0][i][c] = x[i][c]\n      y[1][i][c] = z[c][i]\n    }\n  }\n}\n",
     {5}},
};

static void add_case(const uint32_t *symbols, const char *format, ...) {
    assert_true(count < CASES_MAX);
    loop_case *c = &cases[count++];
    va_list arguments;
    va_start(arguments, format);
    assert_true(vsnprintf(c->text, sizeof c->text, format, arguments) < (int)sizeof c->text);
    va_end(arguments);
    for (uint32_t i = 0; i < SYMBOLS_MAX && symbols; i++) {
        c->symbols[i] = symbols[i];
    }
}

/* y = op(a, b, c), for each operation and each element that it has. */
static void add_operations(void) {
    static const char *const operands[] = {"", "a[i]", "a[i], b[i]", "a[i], b[i], c[i]"};
    static const char letters[] = {'R', 'I', 'I', 'T'};
    for (int op = 0; op < GALI_VALUE_COUNT; op++) {
        const gali_loop_op_facts *facts = &gali_loop_ops[op];
        for (int e = 0; e < GALI_ELEMENT_COUNT && *facts->name && op != GALI_VALUE_AT; e++) {
            const char *word = gali_element_list[e].word;
            int has = *facts->kinds == 'F' ? e == GALI_f32
                                           : strchr(facts->kinds, letters[gali_element_list[e].kind]) != NULL;
            if (!has || gali_loop_computed((gali_element)e) != (gali_element)e) {
                continue;
            }
            int selects = op == GALI_VALUE_SELECT;
            add_case(NULL,
                     "loop t%d_%d() dense {\n  input a[97]: %s\n  input b[97]: %s\n  input c[97]: %s\n  output "
                     "y[97]: %s\n"
                     "  for i in 97 {\n    y[i] = %s(%s)\n  }\n}\n",
                     op, e, selects ? "bool" : word, word, word, facts->truth ? "bool" : word, facts->name,
                     operands[facts->arity]);
        }
    }
}

/* Every element as every other. */
static void add_casts(void) {
    for (int from = 0; from < GALI_ELEMENT_COUNT; from++) {
        gali_text text = {0};
        gali_text_add(&text, "loop c%d() dense {\n  input a[97]: %s\n", from, gali_element_list[from].word);
        for (int to = 0; to < GALI_ELEMENT_COUNT; to++) {
            gali_text_add(&text, "  output y%d[97]: %s\n", to, gali_element_list[to].word);
        }
        gali_text_add(&text, "  for i in 97 {\n");
        for (int to = 0; to < GALI_ELEMENT_COUNT; to++) {
            const char *word = gali_element_list[gali_loop_computed((gali_element)to)].word;
            gali_text_add(&text, "    y%d[i] = %s(a[i])\n", to, word);
        }
        add_case(NULL, "%s  }\n}\n", text.bytes);
        gali_text_release(&text);
    }
}

static int make_cases(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        add_case(written[i].symbols, "%s", written[i].text);
    }
    add_operations();
    add_casts();
    for (uint32_t i = 0; i < count; i++) {
        gal_error error = {0};
        if (gali_loop_parse(&cases[i].function, cases[i].text, strlen(cases[i].text), &arena, &error) !=
            GAL_OK) {
            printf("%s%s\n", cases[i].text, error.message);
            return 1;
        }
    }
    return 0;
}

static void texts_come_back(void **unused) {
    (void)unused;
    for (uint32_t i = 0; i < count; i++) {
        gali_text text = {0};
        gali_loop_print(cases[i].function, &text);
        if (i < sizeof written / sizeof written[0]) {
            assert_string_equal(text.bytes, cases[i].text);
        }
        gali_loop_function *again = NULL;
        gali_text second = {0};
        gal_error error = {0};
        assert_int_equal(gali_loop_parse(&again, text.bytes, text.size, &arena, &error), GAL_OK);
        gali_loop_print(again, &second);
        assert_string_equal(text.bytes, second.bytes);
        gali_text_release(&text);
        gali_text_release(&second);
    }
}

/* ---- the same bits ---- */

typedef struct memory {
    void *of[BUFFERS_MAX];
    size_t bytes[BUFFERS_MAX];
} memory;

static int64_t value_of(const loop_case *c, const int64_t *variables, const gali_loop_index *index) {
    int64_t value = index->constant;
    (void)c;
    for (uint32_t i = 0; i < index->count; i++) {
        value += index->term[i].scale * variables[index->term[i].variable->id];
    }
    return value;
}

static size_t elements_of(const loop_case *c, const gali_loop_buffer *buffer) {
    int64_t variables[GALI_LOOP_VARIABLES_MAX] = {0}, elements = 1;
    for (uint32_t i = 0; i < c->function->symbols; i++) {
        variables[i] = c->symbols[i];
    }
    for (const gali_loop_statement *s = c->function->sizes; s; s = s->next) {
        int64_t a = value_of(c, variables, &s->operand[0]), b = value_of(c, variables, &s->operand[1]);
        variables[s->variable->id] = s->let == GALI_LOOP_PRODUCT    ? a * b
                                     : s->let == GALI_LOOP_QUOTIENT ? a / b
                                                                    : a;
    }
    for (uint32_t d = 0; d < buffer->rank; d++) {
        elements *= value_of(c, variables, &buffer->extent[d]);
    }
    return (size_t)elements;
}

/* Small and large numbers, and the odd ones. */
static void fill(gali_element element, void *to, size_t elements, uint64_t *seed) {
    static const double odd[] = {0, -0.0, 1, -1, 0.5, -2.5, 1e30, -1e-42, 3e9, 2.5};
    for (size_t i = 0; i < elements; i++) {
        double real = i < 10    ? odd[i]
                      : i == 10 ? (double)INFINITY
                      : i == 11 ? (double)NAN
                                : synthetic_uniform(seed) * 4;
        uint64_t bits = i % 3 ? synthetic_bits(seed) % 23 - 11 : synthetic_bits(seed);
        float single = (float)real;
        uint16_t half = (uint16_t)synthetic_bits(seed);
        if (element == GALI_truth) {
            bits &= 1;
        }
        size_t size = gali_element_list[element].bytes;
        const void *from = element == GALI_f32   ? (void *)&single
                           : element == GALI_f64 ? (void *)&real
                           : size == 2           ? (void *)&half
                                                 : (void *)&bits;
        memcpy((char *)to + i * size, from, size);
    }
}

static memory make_memory(const loop_case *c, uint64_t seed) {
    memory m = {{NULL}, {0}};
    for (uint32_t i = 0; i < c->function->parameters; i++) {
        const gali_loop_buffer *buffer = c->function->buffer[i];
        size_t elements = elements_of(c, buffer);
        m.bytes[i] = elements * gali_element_list[buffer->element].bytes;
        m.of[i] = calloc(1, m.bytes[i]);
        if (buffer->role == GALI_LOOP_INPUT || buffer->role == GALI_LOOP_CONSTANT) {
            fill(buffer->element, m.of[i], elements, &seed);
        }
    }
    return m;
}

static void free_memory(memory *m) {
    for (uint32_t i = 0; i < BUFFERS_MAX; i++) {
        free(m->of[i]);
    }
}

/* Whether a real as it is stored is NaN. */
static int is_nan(gali_element element, const void *at) {
    float single = 0;
    double real = 0;
    uint16_t half = 0;
    void *to = element == GALI_f32 ? (void *)&single : element == GALI_f64 ? (void *)&real : (void *)&half;
    if (gali_element_list[element].kind == GALI_REAL) {
        memcpy(to, at, gali_element_list[element].bytes);
    }
    return isnan(single) || isnan(real) || (half & 0x7FFF) > (element == GALI_f16 ? 0x7C00 : 0x7F80);
}

/* Equal bytes; of reals any two NaN are equal. */
static void compare(const loop_case *c, const memory *a, const memory *b, uint32_t i) {
    gali_element element = c->function->buffer[i]->element;
    uint32_t size = gali_element_list[element].bytes;
    for (size_t at = 0; at < a->bytes[i]; at += size) {
        const unsigned char *x = (unsigned char *)a->of[i] + at, *y = (unsigned char *)b->of[i] + at;
        if (memcmp(x, y, size) != 0 && !(is_nan(element, x) && is_nan(element, y))) {
            fail_msg("%s%s[%zu] starts with byte %02x, interpreted %02x", c->text, c->function->buffer[i]->name,
                     at / size, *y, *x);
        }
    }
}

/* ---- the graph's operators ---- */

/* Units in the last place that a float32 may be off; what is not listed is exact. */
static double units_of(const char *name) {
    static const struct {
        const char *name;
        double units;
    } few[] = {{"pow", 1},   {"exp", 1},   {"log", 1},   {"erf", 5},  {"sin", 1},  {"cos", 1},
               {"tan", 2},   {"asin", 2},  {"acos", 1},  {"atan", 1}, {"sinh", 1}, {"cosh", 1},
               {"asinh", 1}, {"acosh", 1}, {"atanh", 1}, {"htan", 3}, {"fma", 0.5}};
    for (size_t i = 0; i < sizeof few / sizeof few[0]; i++) {
        if (strcmp(name, few[i].name) == 0) {
            return few[i].units;
        }
    }
    return 0.5;
}

static void hold_against_truth(gali_scalar_op op, gali_element element, const gali_loop_number_of *a) {
    const char *name = op == GALI_SCALAR_tanh ? "htan" : gali_scalar_list[op].name;
    int real = gali_element_list[element].kind == GALI_REAL;
    gali_number v[3];
    for (int i = 0; i < 3; i++) {
        v[i] = real ? (gali_number){.real = element == GALI_f64 ? a[i].f64 : (double)a[i].f32}
                    : (gali_number){.whole = a[i].whole};
    }
    gali_loop_op ours = gali_loop_find_op(name);
    assert_true(ours < GALI_VALUE_COUNT);
    gali_number truth = gali_scalar_compute(op, element, v);
    gali_loop_number_of got = gali_loop_number_apply(ours, element, a);
    if (!real || gali_loop_ops[ours].truth) {
        if (truth.whole != got.whole) {
            fail_msg("%s of %s: (%lld, %lld) is %lld, not %lld", name, gali_element_list[element].word,
                     (long long)a[0].whole, (long long)a[1].whole, (long long)got.whole,
                     (long long)truth.whole);
        }
        return;
    }
    double is = element == GALI_f64 ? got.f64 : (double)got.f32;
    double expected = element == GALI_f64 ? truth.real : (double)(float)truth.real;
    double unit = element == GALI_f64 ? fabs(expected) * 0x1p-50 : fabs(expected) * 0x1p-23 + 0x1p-149;
    int same = is == expected || (isnan(is) && isnan(expected));
    if (!same && !(fabs(is - truth.real) <= unit * units_of(name))) {
        fail_msg("%s of %s: (%.9g, %.9g) is %.9g, not %.9g: %.2f units", name, gali_element_list[element].word,
                 v[0].real, v[1].real, is, truth.real, fabs(is - truth.real) / unit);
    }
}

static double real_of(uint32_t i, uint64_t *seed) {
    static const double odd[] = {0,  -0.0, 1,     -1,     0.5, -0.5, 2,   -2,  3,
                                 -3, 2.5,  1e-30, -1e-42, 80,  -80,  1e6, 3e9, 1e30};
    uint32_t odds = sizeof odd / sizeof odd[0];
    return i < odds        ? odd[i]
           : i == odds     ? (double)INFINITY
           : i == odds + 1 ? -(double)INFINITY
           : i == odds + 2 ? (double)NAN
                           : (double)synthetic_uniform(seed) * (i % 3 ? 1 : 20);
}

/* Every operator of scalars.def is one of ours by its name, and means the same. */
static void operations_are_the_graphs(void **unused) {
    (void)unused;
    enum { VALUES = 60 };
    uint64_t seed = 1;
    for (int op = 0; op < GALI_SCALAR_COUNT; op++) {
        for (int e = 0; e < GALI_ELEMENT_COUNT; e++) {
            gali_element element = (gali_element)e;
            uint32_t arity = gali_scalar_list[op].arity;
            int told = op == GALI_SCALAR_cast || op == GALI_SCALAR_select || !arity;
            if (told || !gali_scalar_has((gali_scalar_op)op, element) ||
                gali_loop_computed(element) != element) {
                continue;
            }
            for (uint32_t i = 0; i < VALUES * (arity > 1 ? VALUES : 1); i++) {
                gali_loop_number_of a[3];
                for (uint32_t k = 0; k < 3; k++) {
                    double real = real_of(k == 0 ? i % VALUES : k == 1 ? i / VALUES : 30, &seed);
                    uint64_t bits = synthetic_bits(&seed);
                    bits = i % 2 ? bits % 21 - 10 : bits;
                    a[k] = (gali_loop_number_of){.f32 = (float)real, .f64 = real, .whole = (int64_t)bits};
                    if (gali_element_list[e].kind != GALI_REAL) {
                        a[k] = gali_loop_number_cast(element, GALI_i64, a[k]);
                    }
                }
                if (op != GALI_SCALAR_pow || element != GALI_u64 ||
                    a[1].whole >= 0) { /* the graph's are all signed */
                    hold_against_truth((gali_scalar_op)op, element, a);
                }
            }
        }
    }
}

static void spill(const char *path, const gali_text *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text->bytes, 1, text->size, file), text->size);
    assert_int_equal(fclose(file), 0);
}

/* A source of all functions, each behind one that takes arrays: call_<i>(symbols, buffers). */
static void write_source(const char *path) {
    gali_text body = {0}, source = {0};
    gal_error error = {0};
    for (uint32_t i = 0; i < count; i++) {
        const gali_loop_function *f = cases[i].function;
        char name[32];
        snprintf(name, sizeof name, "f_%u", i);
        if (gali_loop_print_c(f, name, 0, &body, &error) != GAL_OK) {
            fail_msg("%s%s", cases[i].text, error.message);
        }
        gali_text_add(
            &body,
            "\nvoid call_%u(const uint32_t *symbols, void *const *buffers);\n"
            "void call_%u(const uint32_t *symbols, void *const *buffers) {\n    (void)symbols;\n    %s(",
            i, i, name);
        for (uint32_t k = 0; k < f->symbols; k++) {
            gali_text_add(&body, "symbols[%u], ", k);
        }
        for (uint32_t k = 0; k < f->parameters; k++) {
            int stride = !f->dense && f->buffer[k]->rank == 2;
            gali_text_add(&body, "%sbuffers[%u]", k ? ", " : "", k);
            if (stride) {
                size_t rows = (size_t)(f->buffer[k]->extent[0].count ? cases[i].symbols[0]
                                                                     : f->buffer[k]->extent[0].constant);
                gali_text_add(&body, ", %zu", elements_of(&cases[i], f->buffer[k]) / rows);
            }
        }
        gali_text_add(&body, ");\n}\n\n");
    }
    gali_text_add(&source,
                  "#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\n");
    gali_vocabulary_add_plain(&source, body.bytes);
    gali_text_add(&source, "%s", body.bytes);
    spill(path, &source);
    gali_text_release(&body);
    gali_text_release(&source);
}

static void run_compiled(void *library, uint32_t i) {
    char name[32];
    snprintf(name, sizeof name, "call_%u", i);
    void (*call)(const uint32_t *, void *const *);
    *(void **)&call = dlsym(library, name);
    assert_non_null(call);
    gal_error error = {0};
    memory a = make_memory(&cases[i], i), b = make_memory(&cases[i], i);
    assert_int_equal(gali_loop_interpret(cases[i].function, cases[i].symbols, a.of, &error), GAL_OK);
    call(cases[i].symbols, b.of);
    for (uint32_t k = 0; k < cases[i].function->parameters; k++) {
        if (cases[i].function->buffer[k]->role == GALI_LOOP_OUTPUT) {
            compare(&cases[i], &a, &b, k);
        }
    }
    free_memory(&a);
    free_memory(&b);
}

static void compiled(const char *compiler) {
    char line[512];
    snprintf(line, sizeof line, "command -v %s >/dev/null", compiler);
    if (system(line) != 0) {
        print_message("skipped: %s\n", compiler);
        return;
    }
    write_source("plain.c");
    snprintf(line, sizeof line,
             "%s -std=c11 -O2 -ffp-contract=off -Wall -Wextra -Werror -Wno-unused-parameter -fPIC -shared "
             "plain.c -o ./plain-%s.so -lm",
             compiler, compiler);
    assert_int_equal(system(line), 0);
    snprintf(line, sizeof line, "./plain-%s.so", compiler);
    void *library = dlopen(line, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    for (uint32_t i = 0; i < count; i++) {
        run_compiled(library, i);
    }
    dlclose(library);
}

static void gcc_has_the_same_bits(void **unused) {
    (void)unused;
    compiled("gcc");
}

static void clang_has_the_same_bits(void **unused) {
    (void)unused;
    compiled("clang-19");
}

static int release(void **unused) {
    (void)unused;
    gali_arena_release(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_come_back),
        cmocka_unit_test(operations_are_the_graphs),
        cmocka_unit_test(gcc_has_the_same_bits),
        cmocka_unit_test(clang_has_the_same_bits),
    };
    return cmocka_run_group_tests(tests, make_cases, release);
}
